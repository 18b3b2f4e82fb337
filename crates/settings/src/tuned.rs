//! Weights that `lore tune` fitted to one repository, in a file of their own.
//!
//! They suit one repository, so that they do not belong into the user's settings file, which holds for
//! every tree; and they are one person's choice, so that they do not belong into the project's, which is
//! committed and counts for everybody. They lie beside the user's settings file, one file for each tree,
//! and nothing else is ever written there: taking them back is deleting that file.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use lore_console::shell::shell_word;
use sha2::{Digest, Sha256};

use super::{SettingsError, edit, user_file};
use crate::env_vars::Lookup;

/// The folder of these files, beside the user's settings file.
const FOLDER: &str = "tuned";

/// Most characters of the tree's name in that of its file.
const MOST_OF_NAME: usize = 40;

/// Where the weights of a tree lie or would lie; `None` where there is no place for settings.
pub fn tuned_file(root: &Path, lookup: Lookup<'_>) -> Option<PathBuf> {
    let folder = user_file(lookup)?.parent()?.join(FOLDER);
    Some(folder.join(name_of(root, "toml")))
}

/// The name of a file about a tree, with an ending: no two trees share one.
pub(super) fn name_of(root: &Path, ending: &str) -> String {
    let root = lore_engine::native::canonical(root).unwrap_or_else(|_| root.to_owned());
    let name: String = root
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .chars()
        .filter(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.'))
        .take(MOST_OF_NAME)
        .collect();
    let hash = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let hash = hash.iter().take(8).fold(0_u64, |hash, byte| (hash << 8) | u64::from(*byte));
    format!("{name}-{hash:016x}.{ending}")
}

/// Says of an error that it comes from the tuned weights of a tree.
pub(super) fn unusable(root: &Path, source: SettingsError) -> SettingsError {
    SettingsError::Tuned { root: root.to_owned(), source: Box::new(source) }
}

/// The command that deletes the weights of a tree, from the current folder.
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

/// Writes the weights of a tree, in place of those that were there.
///
/// # Errors
/// When the file cannot be written; then it is as it was.
pub fn write_tuned(path: &Path, text: &str) -> io::Result<()> {
    edit::write(path, text)
}

/// Deletes the weights of a tree, and says whether there were any.
///
/// # Errors
/// When the file is there and cannot be deleted.
pub fn remove_tuned(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    }
    // The folder was made for such files; where others are in it, it stays.
    if let Some(folder) = path.parent() {
        let _ = fs::remove_dir(folder);
    }
    Ok(true)
}
