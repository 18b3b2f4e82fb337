//! Every environment variable that `lore` reads.
//!
//! Each setting also has a variable, named after its key: `LOREHOUND_` and the key in upper case,
//! with `_` for `.` and `-`. See [`crate::Setting::variable`]. In addition, `embedding.key_env`
//! names a variable that contains a key, and the TLS library reads `SSL_CERT_FILE` and
//! `SSL_CERT_DIR`.

/// Prefix of the variables of settings.
pub const PREFIX: &str = "LOREHOUND_";

/// The user's settings file, instead of `lorehound/lorehound.toml` in the configuration folder. If
/// set but empty, there is no such file.
pub const LOREHOUND_CONFIG: &str = "LOREHOUND_CONFIG";

/// The token that clients of `lore serve --mcp` must send, unless it is in a file.
pub const LOREHOUND_TOKEN: &str = "LOREHOUND_TOKEN";

/// If set and not empty, disables colours unless `--color always` is given. See
/// <https://no-color.org>.
pub const NO_COLOR: &str = "NO_COLOR";

/// `dumb` is a terminal without colours.
pub const TERM: &str = "TERM";

/// The pager for answers longer than the screen, with its arguments; `cat` or empty for none.
pub const LORE_PAGER: &str = "LORE_PAGER";

/// The user's pager, if no other one is set.
pub const PAGER: &str = "PAGER";

/// Options of `less`.
pub const LESS: &str = "LESS";

/// Options of `lv`, another pager.
pub const LV: &str = "LV";

/// The name of the Linux distribution under WSL, for links.
pub const WSL_DISTRO_NAME: &str = "WSL_DISTRO_NAME";

/// The name of this machine on Windows, for links.
pub const COMPUTERNAME: &str = "COMPUTERNAME";

/// Variables of the locale; the first that is set and not empty applies.
pub const LOCALE: [&str; 3] = ["LC_ALL", "LC_CTYPE", "LANG"];

/// Folder of caches, by the XDG rules.
pub const XDG_CACHE_HOME: &str = "XDG_CACHE_HOME";

/// Folder of settings, by the XDG rules.
pub const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";

/// The home folder, the default parent of the two folders above.
pub const HOME: &str = "HOME";

/// Folder of persistent state, by the XDG rules.
pub const XDG_STATE_HOME: &str = "XDG_STATE_HOME";

/// Claude Code's folder of user files, instead of `~/.claude`.
pub const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";

/// Codex's folder of user files, instead of `~/.codex`.
pub const CODEX_HOME: &str = "CODEX_HOME";

/// The home folder on Windows, if `HOME` is not set.
pub const USERPROFILE: &str = "USERPROFILE";

/// Folder of caches on Windows.
pub const LOCALAPPDATA: &str = "LOCALAPPDATA";

/// Folder of settings on Windows.
pub const APPDATA: &str = "APPDATA";

/// Reads variables: from the process in `lore`, from a table in tests.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<std::ffi::OsString>;

/// Reads a variable of this process.
pub fn from_process(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name)
}

/// Reads a variable; empty counts as not set.
pub fn non_empty(lookup: Lookup<'_>, name: &str) -> Option<std::ffi::OsString> {
    lookup(name).filter(|value| !value.is_empty())
}
