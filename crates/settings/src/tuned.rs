//! Ranking weights that `lore tune` fitted to one repository, in a file of their own.
//!
//! They fit one repository, so they do not belong in the user's settings file, which applies to
//! every tree. They are one user's choice, so they do not belong in the project's file, which is
//! committed and applies to all users. They are stored beside the user's settings file, one file
//! per tree, and nothing else is written to it: deleting the file resets the weights.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use lore_console::shell::shell_word;
use sha2::{Digest, Sha256};

use crate::{edit, env_vars::Lookup, error::SettingsError, folders::user_file};

/// The folder of these files, beside the user's settings file.
const FOLDER: &str = "tuned";

/// Maximum characters of the tree's name in the file name.
const MAX_NAME_CHARS: usize = 40;

/// The path of a tree's weights, whether or not the file exists; `None` if there is no settings
/// folder.
pub fn tuned_file(root: &Path, lookup: Lookup<'_>) -> Option<PathBuf> {
    let folder = user_file(lookup)?.parent()?.join(FOLDER);
    Some(folder.join(name_of(root, "toml")))
}

/// The file name for a tree, unique per tree, with this extension.
pub(super) fn name_of(root: &Path, ending: &str) -> String {
    let root = lore_engine::native::canonical(root).unwrap_or_else(|_| root.to_owned());
    let name: String = root
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .chars()
        .filter(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.'))
        .take(MAX_NAME_CHARS)
        .collect();
    let hash = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let hash = hash.iter().take(8).fold(0_u64, |hash, byte| (hash << 8) | u64::from(*byte));
    format!("{name}-{hash:016x}.{ending}")
}

/// Marks an error as one of a tree's tuned weights.
pub(super) fn unusable(root: &Path, source: SettingsError) -> SettingsError {
    SettingsError::Tuned { root: root.to_owned(), source: Box::new(source) }
}

/// The command that deletes a tree's weights, from the current folder.
pub(super) fn reset_command(root: &Path) -> String {
    let here = std::env::current_dir().map(|current| lore_engine::find_root(&current));
    let real =
        |path: &Path| lore_engine::native::canonical(path).unwrap_or_else(|_| path.to_owned());
    if here.is_ok_and(|here| real(&here) == real(root)) {
        "lore tune --reset".to_owned()
    } else {
        format!("lore tune -C {} --reset", shell_word(&root.to_string_lossy()))
    }
}

/// Writes the weights of a tree and replaces existing ones.
///
/// # Errors
/// If the file cannot be written; it is then unchanged.
pub fn write_tuned(path: &Path, text: &str) -> io::Result<()> {
    edit::write(path, text)
}

/// Deletes the weights of a tree. Returns false if there were none.
///
/// # Errors
/// If the file exists and cannot be deleted.
pub fn remove_tuned(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    }
    // Removes the folder if it is empty.
    if let Some(folder) = path.parent() {
        let _ = fs::remove_dir(folder);
    }
    Ok(true)
}
