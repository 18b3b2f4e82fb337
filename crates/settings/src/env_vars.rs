//! Every environment variable that `lore` reads.
//!
//! Each setting also has a variable, named after its key: `LOREHOUND_` and the key in upper case,
//! with `_` for `.` and `-`. See [`crate::Setting::variable`]. In addition, `embedding.key_env`
//! names a variable that contains a key.
//!
//! One table defines the names, so that the reference lists all of them. A test of the program
//! compares it with the source text.

/// Prefix of the variables of settings.
pub const PREFIX: &str = "LOREHOUND_";

/// The purpose of a variable, in the order of the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableGroup {
    /// Variables of `lore` itself, beside those of settings.
    Own,
    /// The terminal and the output.
    Terminal,
    /// Programs that `lore` starts.
    Programs,
    /// Directories of the user.
    Directories,
    /// Coding agents that `lore install` connects.
    Agents,
    /// Variables that the standard library and other libraries read.
    Libraries,
}

impl VariableGroup {
    /// Every group, in the order of the reference.
    pub const ALL: [VariableGroup; 6] = [
        VariableGroup::Own,
        VariableGroup::Terminal,
        VariableGroup::Programs,
        VariableGroup::Directories,
        VariableGroup::Agents,
        VariableGroup::Libraries,
    ];

    /// Its heading in the reference.
    pub fn heading(self) -> &'static str {
        match self {
            VariableGroup::Own => "Lorehound",
            VariableGroup::Terminal => "Terminal and output",
            VariableGroup::Programs => "Other programs",
            VariableGroup::Directories => "Directories",
            VariableGroup::Agents => "Agents",
            VariableGroup::Libraries => "Libraries",
        }
    }
}

/// A variable that is read.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// Its effect, in one or a few sentences.
    pub about: &'static str,
    /// Its purpose.
    pub group: VariableGroup,
}

/// Defines a constant for each variable, and the table of all.
macro_rules! variables {
    ($($group:ident { $($name:ident = $about:literal;)* })*) => {
        $($(
            #[doc = $about]
            pub const $name: &str = stringify!($name);
        )*)*

        /// Every variable but those of settings, in the order of the reference.
        pub const VARIABLES: &[Variable] = &[
            $($(Variable { name: $name, about: $about, group: VariableGroup::$group },)*)*
        ];
    };
}

variables! {
    Own {
        LOREHOUND_CONFIG = "Your settings file, instead of `lorehound/lorehound.toml` in the configuration directory. If set but empty, there is no such file.";
        LOREHOUND_TOKEN = "Token that clients of `lore serve` must send, unless `--token-file` names a file with one.";
        LORE_PAGER = "Pager for answers longer than the screen, with its arguments. `cat` or empty for none.";
    }
    Terminal {
        NO_COLOR = "If set and not empty, disables colours unless `--color always` is given. See <https://no-color.org>.";
        TERM = "`dumb` is a terminal without colours, links and a picker; `linux` is one without links.";
        LC_ALL = "Locale. The first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set and not empty applies; blocks are drawn only in a UTF-8 locale.";
        LC_CTYPE = "Locale, after `LC_ALL`.";
        LANG = "Locale, after `LC_CTYPE`.";
        WSL_DISTRO_NAME = "Name of the Linux distribution under WSL, for links.";
        COMPUTERNAME = "Name of the machine on Windows, for links.";
    }
    Programs {
        PAGER = "Your pager, if neither `LORE_PAGER` nor the setting `output.pager` names one.";
        LESS = "Options of `less`; `FRX` if not set.";
        LV = "Options of the pager `lv`; `-c` if not set.";
        VISUAL = "Editor that `lore pick` starts with the chosen files.";
        EDITOR = "Editor of `lore pick`, if `VISUAL` is not set; otherwise `vi`, on Windows `notepad`.";
        RIPGREP_CONFIG_PATH = "File with flags for `lore rg`, one on a line, as for ripgrep.";
    }
    Directories {
        HOME = "Home directory, the parent of the directories below.";
        XDG_CONFIG_HOME = "Directory of settings; `~/.config` if not set.";
        XDG_CACHE_HOME = "Directory of caches; `~/.cache` if not set.";
        XDG_STATE_HOME = "Directory of persistent state; `~/.local/state` if not set.";
        USERPROFILE = "Home directory on Windows, if `HOME` is not set.";
        APPDATA = "Directory of settings on Windows.";
        LOCALAPPDATA = "Directory of caches and state on Windows.";
    }
    Agents {
        CLAUDE_CONFIG_DIR = "Directory of the user's files of Claude Code, instead of `~/.claude`.";
        CODEX_HOME = "Directory of the user's files of Codex, instead of `~/.codex`.";
    }
    Libraries {
        SSL_CERT_FILE = "File with the certificates that an embedding server or a collector is checked with, instead of those of the system.";
        SSL_CERT_DIR = "Directory with such certificates.";
        OTEL_EXPORTER_OTLP_HEADERS = "Headers of the requests to the collector of `lore serve --otlp`, such as `api-key=…`.";
        OTEL_RESOURCE_ATTRIBUTES = "Attributes that all traces of `lore serve --otlp` have.";
        OTEL_BSP_SCHEDULE_DELAY = "Time between two batches of traces, in milliseconds; 5,000 if not set.";
        TMPDIR = "Directory of temporary files, on Linux and macOS; `/tmp` if not set.";
        TZ = "Time zone of dates such as `yesterday`.";
        COLUMNS = "Width of the help of a command, if standard output is not a terminal.";
        TZDIR = "Directory of the time zone database.";
        CLICOLOR = "`0` disables colours in the help of commands and in messages about invalid arguments.";
        CLICOLOR_FORCE = "If set and not `0`, enables these colours also without a terminal.";
    }
}

/// Variables of the locale; the first that is set and not empty applies.
pub const LOCALE: [&str; 3] = [LC_ALL, LC_CTYPE, LANG];

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
