//! Remembers what was put into which file, so that exactly that can be taken out again.

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

/// The form of the record.
const VERSION: u32 = 1;

/// One edit of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// The file itself, behind all links.
    pub(super) file: PathBuf,
    pub(super) scope: Scope,
    /// The tree that it was done for; `None` for the user's own files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) root: Option<PathBuf>,
    /// The agents that need it.
    pub(super) agents: Vec<String>,
    pub(super) edit: Edit,
    pub(super) trace: Trace,
    /// Whether the file was made for it.
    pub(super) created: bool,
    /// The folders that were made for it, the outermost first.
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

/// Everything that was put in, in that order.
#[derive(Debug, Clone)]
pub struct Record {
    folder: PathBuf,
    pub(super) entries: Vec<Entry>,
}

impl Record {
    /// Reads the record of a folder; it is empty where there is none.
    ///
    /// # Errors
    /// When it cannot be read, or is of a later version of the program.
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
                .hint("rename that file; what is in the agents' files is recognised without it")
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

    /// Where backups lie.
    pub(super) fn backups(&self) -> PathBuf {
        self.folder.join("backups")
    }

    /// The entry for the same thing in a file.
    pub(super) fn position(&self, file: &Path, edit: &Edit) -> Option<usize> {
        self.entries.iter().position(|entry| entry.file == file && entry.edit.is_same_place(edit))
    }

    /// Everything that is in this record or in an older one.
    pub(super) fn with_older(&self, older: &Record) -> Record {
        let mut union = self.clone();
        for entry in &older.entries {
            if !union.entries.iter().any(|known| known.is_same_place(entry)) {
                union.entries.push(entry.clone());
            }
        }
        union
    }

    /// Writes the record, whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
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
