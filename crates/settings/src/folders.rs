//! The user's folders: settings, caches and persistent state.

use std::{ffi::OsString, path::PathBuf};

use crate::{
    env_vars::{self, Lookup},
    keys::FILE_NAME,
};

/// Name of the folder for caches and settings of `lore`.
const FOLDER_NAME: &str = "lorehound";

/// Makes a path absolute, relative to the current folder.
pub fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

/// The path of the user's settings file, whether or not it exists; `None` if there is no settings
/// folder.
pub fn user_file(lookup: Lookup<'_>) -> Option<PathBuf> {
    if let Some(path) = lookup(env_vars::LOREHOUND_CONFIG) {
        return (!path.is_empty()).then(|| path.into());
    }
    let folder = user_folder(lookup, env_vars::XDG_CONFIG_HOME, env_vars::APPDATA, ".config")?;
    Some(folder.join(FOLDER_NAME).join(FILE_NAME))
}

/// The folder of the indexes; `None` if there is no cache folder.
pub(super) fn cache_folder(lookup: Lookup<'_>) -> Option<PathBuf> {
    let folder = user_folder(lookup, env_vars::XDG_CACHE_HOME, env_vars::LOCALAPPDATA, ".cache")?;
    Some(folder.join(FOLDER_NAME))
}

/// The folder of persistent state, which must survive the loss of the cache; `None` if there is
/// none.
pub fn state_folder(lookup: Lookup<'_>) -> Option<PathBuf> {
    let below_home = ".local/state";
    let folder = user_folder(lookup, env_vars::XDG_STATE_HOME, env_vars::LOCALAPPDATA, below_home)?;
    Some(folder.join(FOLDER_NAME))
}

/// A folder of the user by the XDG rules, which ignore relative paths.
fn user_folder(
    lookup: Lookup<'_>,
    variable: &str,
    on_windows: &str,
    below_home: &str,
) -> Option<PathBuf> {
    let absolute = |value: OsString| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
    let named = env_vars::non_empty(lookup, variable).and_then(absolute);
    let windows = || {
        let value = cfg!(windows).then(|| env_vars::non_empty(lookup, on_windows)).flatten();
        value.and_then(absolute)
    };
    let home = || {
        let home = env_vars::non_empty(lookup, env_vars::HOME).and_then(absolute);
        home.map(|home| home.join(below_home))
    };
    named.or_else(windows).or_else(home)
}
