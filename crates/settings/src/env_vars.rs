//! The environment variables that the program reads, all of them.
//!
//! Every setting has one more, named after its key: `LOREHOUND_` and the key in capitals, with `_`
//! for `.` and `-`. See [`crate::Setting::variable`].
//! Beside them, `embedding.key_env` names one that holds a key, and the library that opens encrypted
//! connections reads `SSL_CERT_FILE` and `SSL_CERT_DIR`.

/// Starts the name of every variable that belongs to a setting.
pub const PREFIX: &str = "LOREHOUND_";

/// The user's settings file, instead of `lorehound/lorehound.toml` in the configuration folder.
/// Set but empty: there is none.
pub const LOREHOUND_CONFIG: &str = "LOREHOUND_CONFIG";

/// The token that clients of `lore serve --mcp` must know, where no file holds it.
pub const LOREHOUND_TOKEN: &str = "LOREHOUND_TOKEN";

/// Set and not empty: no colour, unless `--color always` asks for it. See <https://no-color.org>.
pub const NO_COLOR: &str = "NO_COLOR";

/// `dumb` stands for a terminal without colours.
pub const TERM: &str = "TERM";

/// Name the locale, the first that is set and not empty before the next ones.
pub const LOCALE: [&str; 3] = ["LC_ALL", "LC_CTYPE", "LANG"];

/// Where caches are kept, by the XDG rules.
pub const XDG_CACHE_HOME: &str = "XDG_CACHE_HOME";

/// Where settings are kept, by the XDG rules.
pub const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";

/// The home folder, from which the two folders above follow where they are not set.
pub const HOME: &str = "HOME";

/// Where programs keep what they remember, by the XDG rules.
pub const XDG_STATE_HOME: &str = "XDG_STATE_HOME";

/// Where Claude Code keeps the user's files, instead of `~/.claude`.
pub const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";

/// Where Codex keeps the user's files, instead of `~/.codex`.
pub const CODEX_HOME: &str = "CODEX_HOME";

/// The home folder of Windows, where `HOME` is not set.
pub const USERPROFILE: &str = "USERPROFILE";

/// Where Windows keeps caches.
pub const LOCALAPPDATA: &str = "LOCALAPPDATA";

/// Where Windows keeps settings.
pub const APPDATA: &str = "APPDATA";

/// Reads variables: the process's own in the program, a table in tests.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<std::ffi::OsString>;

/// Reads a variable of this process.
pub fn from_process(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name)
}

/// Reads a variable, where set but empty counts as not set.
pub fn non_empty(lookup: Lookup<'_>, name: &str) -> Option<std::ffi::OsString> {
    lookup(name).filter(|value| !value.is_empty())
}
