//! The environment of a `lore` under test: none of the user's settings.

use std::{path::Path, process::Command};

/// Sets an environment without settings of the user.
pub(crate) fn set_environment(command: &mut Command, cache: &Path) {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("LOREHOUND_") {
            command.env_remove(name);
        }
    }
    command
        .env("LOREHOUND_CONFIG", "")
        .env("LOREHOUND_CACHE_DIR", cache)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("TZ", "UTC");
}
