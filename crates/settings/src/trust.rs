//! Settings files of projects that the user trusts, by their exact content.
//!
//! The authors of a repository write its settings file, so it may not set anything that affects the
//! machine rather than the answer. `lore trust` lifts that for one file in its current state: a
//! note with the file's path and the hash of its content is stored beside the user's settings file,
//! one note per tree. Any other content is not trusted.
//!
//! **Invariant:** no trust lets a project run a program, name a server or a key, or show secrets.

use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::{
    edit, env_vars::Lookup, error::SettingsError, file, folders::user_file, keys::FILE_NAME,
    registry::Setting, tuned,
};

/// The folder of trust notes, beside the user's settings file.
const FOLDER: &str = "trusted";

/// Maximum size of a note; larger files are ignored.
const MAX_NOTE_BYTES: u64 = 64 << 10;

/// Settings that a trusted file may set, with their effects, sorted by key.
const TRUSTABLE: &[(&str, &str)] = &[
    ("cache.dir", "writes indexes to this folder"),
    ("embedding.model", "reads a model from this folder, or selects a model of your server"),
    ("history.enabled", "records your searches on this machine"),
    ("index.threads", "uses this many threads"),
    ("index.tickets", "reads these files, inside or outside the tree"),
];

/// The trust in a project's settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrustState {
    /// It was never trusted.
    #[default]
    Unknown,
    /// It was trusted with other content.
    Changed,
    /// It is trusted in its current state.
    Trusted,
}

/// A setting in a project's settings file that a project may not set by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestrictedSetting {
    /// The key, with its table.
    pub key: String,
    /// The value as displayed.
    pub value: String,
    /// Its line, 1-based.
    pub line: usize,
    /// The effect of trusting it; `None` if trust does not allow it.
    pub effect: Option<&'static str>,
}

/// Returns true if a trusted file may set this setting.
pub(super) fn may_allow(key: &str) -> bool {
    TRUSTABLE.iter().any(|(known, _)| *known == key)
}

/// The project's settings file of a tree and its text, if there is one.
///
/// # Errors
/// If it cannot be read.
pub fn project_file(root: &Path) -> Result<Option<(PathBuf, String)>, SettingsError> {
    let path = root.join(FILE_NAME);
    Ok(file::read(&path)?.map(|text| (path, text)))
}

/// The settings in a file that a project may not set by itself.
///
/// # Errors
/// If the file is not a settings file.
pub fn restricted_settings(
    path: &Path,
    text: &str,
) -> Result<Vec<RestrictedSetting>, SettingsError> {
    let mut claims = Vec::new();
    for entry in file::parse(path, text)? {
        let Some(setting) = Setting::find(&entry.key) else { continue };
        // Files inside the tree need no trust. Files outside it are detected when they are read.
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

/// The trust in a text as the settings file of a tree.
pub fn trust_state(root: &Path, text: &str, lookup: Lookup<'_>) -> TrustState {
    let Some(note) = note_file(root, lookup) else { return TrustState::Unknown };
    // An unreadable note gives no trust.
    match read_note(&note) {
        Some((hash, _)) if hash == hash_of(text) => TrustState::Trusted,
        Some(_) => TrustState::Changed,
        None => TrustState::Unknown,
    }
}

/// Records that the text is trusted as the settings file of a tree.
///
/// # Errors
/// If there is no folder for the note, or it cannot be written.
pub fn trust(root: &Path, text: &str, lookup: Lookup<'_>) -> io::Result<PathBuf> {
    let note = note_file(root, lookup).ok_or_else(no_place)?;
    let real = lore_engine::native::canonical(root).unwrap_or_else(|_| root.to_owned());
    let path = real.join(FILE_NAME).to_string_lossy().replace(['\n', '\r'], "\u{fffd}");
    edit::write(&note, &format!("{} {path}\n", hash_of(text)))?;
    Ok(note)
}

/// Revokes the trust in a tree's settings file. Returns false if there was none.
///
/// # Errors
/// If the note exists and cannot be deleted.
pub fn distrust(root: &Path, lookup: Lookup<'_>) -> io::Result<bool> {
    note_file(root, lookup).map_or(Ok(false), |note| super::remove_tuned(&note))
}

/// The settings files that were ever trusted, with their current state, sorted by path.
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
    io::Error::other("there is no folder for your settings; set `HOME` or `XDG_CONFIG_HOME`")
}

/// The path of a tree's note, whether or not it exists.
fn note_file(root: &Path, lookup: Lookup<'_>) -> Option<PathBuf> {
    let folder = user_file(lookup)?.parent()?.join(FOLDER);
    Some(folder.join(tuned::name_of(root, "trust")))
}

/// The hash and the path in a note.
fn read_note(path: &Path) -> Option<(String, String)> {
    let metadata = path.metadata().ok()?;
    let text = (metadata.is_file() && metadata.len() <= MAX_NOTE_BYTES)
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
