//! Which settings files of projects the user trusts, by their exact content.
//!
//! A project's settings file comes from whoever wrote the repository, so that it may say nothing that
//! touches the machine rather than the answer. `lore trust` lifts that for one file as it is now: its
//! path and the hash of its content are kept beside the user's settings file, one file for each tree.
//! Any other content is not trusted.
//!
//! **Invariant:** no trust lets a project run a program, name a server or a key, or show secrets.

use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::{FILE_NAME, SettingsError, edit, file, registry::Setting, tuned, user_file};
use crate::env_vars::Lookup;

/// The folder of the notes of trust, beside the user's settings file.
const FOLDER: &str = "trusted";

/// A longer note is none.
const LONGEST_NOTE: u64 = 64 << 10;

/// Settings that a trusted file may say, with what they do, in the order of their keys.
const TRUSTABLE: &[(&str, &str)] = &[
    ("cache.dir", "indexes are written there"),
    (
        "embedding.model",
        "files of this folder are read as a model, or a model of your server is chosen",
    ),
    ("history.enabled", "your searches are noted on this machine"),
    ("index.threads", "so many processors are used"),
    ("index.tickets", "these files are read, wherever they lie"),
];

/// Whether the settings file of a project is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrustState {
    /// Nobody said so.
    #[default]
    Unknown,
    /// With other content it was.
    Changed,
    /// As it is now.
    Trusted,
}

/// What a settings file of a project says that it may not say by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestrictedSetting {
    /// The key, with its table.
    pub key: String,
    /// The value as it is written out.
    pub value: String,
    /// Where it stands, 1-based.
    pub line: usize,
    /// What trust would allow; `None` for what no trust allows.
    pub effect: Option<&'static str>,
}

/// Whether a trusted file may say a setting.
pub(super) fn may_allow(key: &str) -> bool {
    TRUSTABLE.iter().any(|(known, _)| *known == key)
}

/// The project's settings file of a tree and its text, if there is one.
///
/// # Errors
/// When it cannot be read.
pub fn project_file(root: &Path) -> Result<Option<(PathBuf, String)>, SettingsError> {
    let path = root.join(FILE_NAME);
    Ok(file::read(&path)?.map(|text| (path, text)))
}

/// What a settings file says beyond what every project may.
///
/// # Errors
/// When the file is no settings file.
pub fn restricted_settings(
    path: &Path,
    text: &str,
) -> Result<Vec<RestrictedSetting>, SettingsError> {
    let mut claims = Vec::new();
    for entry in file::parse(path, text)? {
        let Some(setting) = Setting::find(&entry.key) else { continue };
        // Files inside of the tree need no trust; which ones lie outside shows when they are read.
        if setting.project && entry.key != "index.tickets" {
            continue;
        }
        let value = match entry.value {
            Ok(value) => value.to_string(),
            Err((expected, found)) => {
                let (key, line, path) = (entry.key, entry.line, path.to_owned());
                let origin = super::Origin::Project { path, line };
                return Err(SettingsError::Value { key, origin, expected, found });
            }
        };
        let effect = TRUSTABLE.iter().find(|(key, _)| *key == entry.key).map(|(_, effect)| *effect);
        claims.push(RestrictedSetting { key: entry.key, value, line: entry.line, effect });
    }
    Ok(claims)
}

/// How far a text is trusted as the settings file of a tree.
pub fn trust_state(root: &Path, text: &str, lookup: Lookup<'_>) -> TrustState {
    let Some(note) = note_file(root, lookup) else { return TrustState::Unknown };
    // What cannot be read trusts nothing.
    match read_note(&note) {
        Some((hash, _)) if hash == hash_of(text) => TrustState::Trusted,
        Some(_) => TrustState::Changed,
        None => TrustState::Unknown,
    }
}

/// Notes that the text is trusted as the settings file of a tree.
///
/// # Errors
/// When there is no place for the note, or it cannot be written.
pub fn trust(root: &Path, text: &str, lookup: Lookup<'_>) -> io::Result<PathBuf> {
    let note = note_file(root, lookup).ok_or_else(no_place)?;
    let real = lore_engine::native::canonical(root).unwrap_or_else(|_| root.to_owned());
    let path = real.join(FILE_NAME).to_string_lossy().replace(['\n', '\r'], "\u{fffd}");
    edit::write(&note, &format!("{} {path}\n", hash_of(text)))?;
    Ok(note)
}

/// Takes the trust of a tree's settings file back, and says whether there was any.
///
/// # Errors
/// When the note is there and cannot be deleted.
pub fn distrust(root: &Path, lookup: Lookup<'_>) -> io::Result<bool> {
    note_file(root, lookup).map_or(Ok(false), |note| super::remove_tuned(&note))
}

/// The settings files that were trusted, and whether each is still as it was, in the order of their
/// paths.
pub fn trusted(lookup: Lookup<'_>) -> Vec<(String, TrustState)> {
    let folder = user_file(lookup).and_then(|file| Some(file.parent()?.join(FOLDER)));
    let listing = folder.and_then(|folder| fs::read_dir(folder).ok());
    let notes = listing.into_iter().flatten().flatten();
    let mut found: Vec<(String, TrustState)> = notes
        .filter_map(|note| read_note(&note.path()))
        .map(|(hash, path)| {
            let text = file::read(Path::new(&path)).ok().flatten();
            let is_same = text.is_some_and(|text| hash_of(&text) == hash);
            (path, if is_same { TrustState::Trusted } else { TrustState::Changed })
        })
        .collect();
    found.sort_by(|left, right| left.0.cmp(&right.0));
    found
}

fn no_place() -> io::Error {
    io::Error::other("there is no place for your settings; set `HOME` or `XDG_CONFIG_HOME`")
}

/// Where the note of a tree lies or would lie.
fn note_file(root: &Path, lookup: Lookup<'_>) -> Option<PathBuf> {
    let folder = user_file(lookup)?.parent()?.join(FOLDER);
    Some(folder.join(tuned::name_of(root, "trust")))
}

/// The hash and the path of a note.
fn read_note(path: &Path) -> Option<(String, String)> {
    let metadata = path.metadata().ok()?;
    let text = (metadata.is_file() && metadata.len() <= LONGEST_NOTE)
        .then(|| fs::read_to_string(path).ok())
        .flatten()?;
    let (hash, path) = text.trim_end_matches('\n').split_once(' ')?;
    Some((hash.to_owned(), path.to_owned()))
}

fn hash_of(text: &str) -> String {
    let mut hash = String::new();
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(hash, "{byte:02x}");
    }
    hash
}
