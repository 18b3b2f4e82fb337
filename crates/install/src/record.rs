//! Records every insertion into a file, so that exactly the inserted bytes can be removed again.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use lore_console::report::UsageError;
use lore_settings::whole_file::write_whole;
use serde::{Deserialize, Serialize};

use super::{Scope, Trace, edit::Edit};

/// The name of the record in its folder.
const NAME: &str = "installed.json";

/// The version of the record's format.
const VERSION: u32 = 1;

/// One edit of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// The path of the file with all links resolved.
    pub(super) file: PathBuf,
    pub(super) scope: Scope,
    /// The tree of the edit; `None` for the user's own files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) root: Option<PathBuf>,
    /// The agents that use it.
    pub(super) agents: Vec<String>,
    pub(super) edit: Edit,
    pub(super) trace: Trace,
    /// True if the edit created the file.
    pub(super) created: bool,
    /// The folders that the edit created, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) folders: Vec<PathBuf>,
}

impl Entry {
    fn is_same_place(&self, other: &Entry) -> bool {
        self.file == other.file && self.edit.is_same_place(&other.edit)
    }
}

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    entries: Vec<Entry>,
}

/// All insertions, oldest first.
#[derive(Debug, Clone)]
pub struct Record {
    folder: PathBuf,
    pub(super) entries: Vec<Entry>,
}

impl Record {
    /// Loads the record from a folder; empty if there is none.
    ///
    /// # Errors
    /// If it cannot be read, or a later version of `lore` wrote it.
    pub fn load(folder: &Path) -> anyhow::Result<Record> {
        let mut record = Record { folder: folder.to_owned(), entries: Vec::new() };
        let path = record.path();
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(record),
            Err(error) => {
                return Err(error).with_context(|| format!("could not read `{}`", path.display()));
            }
        };
        let stored: Stored = serde_json::from_str(&text).map_err(|error| {
            UsageError::new(format!("could not read the record `{}`: {error}", path.display()))
                .hint("rename that file; entries in the agents' files are recognised without it")
        })?;
        if stored.version != VERSION {
            let path = path.display();
            return Err(UsageError::new(format!(
                "could not read the record `{path}`: a later version of lore wrote it"
            ))
            .into());
        }
        record.entries = stored.entries;
        Ok(record)
    }

    fn path(&self) -> PathBuf {
        self.folder.join(NAME)
    }

    /// Folder of the backups.
    pub(super) fn backups(&self) -> PathBuf {
        self.folder.join("backups")
    }

    /// The position of the entry with the same target in a file.
    pub(super) fn position(&self, file: &Path, edit: &Edit) -> Option<usize> {
        self.entries.iter().position(|entry| entry.file == file && entry.edit.is_same_place(edit))
    }

    /// Replaces the entry at a position, or adds the entry if there is none.
    pub(super) fn put(&mut self, position: Option<usize>, entry: Entry) {
        match position {
            Some(position) => self.entries[position] = entry,
            None => self.entries.push(entry),
        }
    }

    /// The union of this record and an older one.
    pub(super) fn with_older(&self, older: &Record) -> Record {
        let mut union = self.clone();
        for entry in &older.entries {
            if !union.entries.iter().any(|known| known.is_same_place(entry)) {
                union.entries.push(entry.clone());
            }
        }
        union
    }

    /// Writes the record atomically.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn save(&self) -> anyhow::Result<()> {
        let path = self.path();
        if self.entries.is_empty() && !path.exists() {
            return Ok(());
        }
        let stored = Stored { version: VERSION, entries: self.entries.clone() };
        let text = serde_json::to_string_pretty(&stored).context("could not write the record")?;
        fs::create_dir_all(&self.folder)
            .and_then(|()| write_whole(&path, text.as_bytes()))
            .with_context(|| format!("could not write the record `{}`", path.display()))
    }
}
