//! Properties of the terminal.

use std::io::{self, IsTerminal};

use crate::env_vars::{self, Lookup};

/// Line width without a terminal: wide enough for code, narrow enough that a minified line does not
/// flood a log.
const COLUMNS_WITHOUT_TERMINAL: usize = 160;

/// Minimum plausible width; smaller reported widths are ignored.
const MIN_COLUMNS: usize = 40;

/// Use of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorChoice {
    /// On terminals that support them, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColorChoice {
    /// Every choice, sorted by name.
    pub const NAMES: &'static [&'static str] = &["always", "auto", "never"];

    /// The choice with this name; `auto` for any other name.
    pub fn from_name(name: &str) -> ColorChoice {
        match name {
            "always" => ColorChoice::Always,
            "never" => ColorChoice::Never,
            _ => ColorChoice::Auto,
        }
    }
}

/// Number of rows of the terminal that standard output is, if it is one.
pub fn rows() -> Option<usize> {
    let size = if io::stdout().is_terminal() { terminal_size::terminal_size() } else { None };
    size.map(|(_, height)| usize::from(height.0))
}

/// The properties of the terminal that affect output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terminal {
    /// True if standard output is a terminal.
    pub output: bool,
    /// True if standard error is a terminal.
    pub messages: bool,
    /// Columns of a line of output.
    pub width: usize,
}

impl Terminal {
    /// Inspects this process's terminal.
    pub fn from_process() -> Terminal {
        let output = io::stdout().is_terminal();
        let width = if output {
            terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
        } else {
            None
        };
        Terminal {
            output,
            messages: io::stderr().is_terminal(),
            width: width.unwrap_or(COLUMNS_WITHOUT_TERMINAL).max(MIN_COLUMNS),
        }
    }

    /// Returns true if output is coloured.
    pub fn colors(self, choice: ColorChoice, lookup: Lookup<'_>) -> bool {
        match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                self.output
                    && env_vars::non_empty(lookup, env_vars::NO_COLOR).is_none()
                    && lookup(env_vars::TERM).is_none_or(|term| term != "dumb")
            }
        }
    }

    /// Returns true if places are links by default: on a terminal that ignores or supports them.
    pub fn links(self, lookup: Lookup<'_>) -> bool {
        // The console of Linux prints a part of them.
        let is_poor = |term: std::ffi::OsString| term == "dumb" || term == "linux";
        self.output && !lookup(env_vars::TERM).is_some_and(is_poor)
    }

    /// Returns true if output may contain block characters: on a terminal that is not `dumb`, in a
    /// UTF-8 locale.
    pub fn draws_blocks(self, lookup: Lookup<'_>) -> bool {
        // As usual, the first variable that is set decides. Windows has none and shows block
        // characters.
        let locale = env_vars::LOCALE.iter().find_map(|name| env_vars::non_empty(lookup, name));
        let is_unicode = locale.map_or(cfg!(windows), |locale| {
            let locale = locale.to_string_lossy().to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        is_unicode && self.colors(ColorChoice::Auto, lookup)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals() {
        let shown = Terminal { output: true, messages: true, width: 80 };
        let piped = Terminal { output: false, ..shown };
        let nothing = |_: &str| None;
        let no_color = |name: &str| (name == "NO_COLOR").then(|| "1".into());
        let empty = |name: &str| (name == "NO_COLOR").then(|| "".into());
        let dumb = |name: &str| (name == "TERM").then(|| "dumb".into());
        assert!(shown.colors(ColorChoice::Auto, &nothing));
        assert!(shown.colors(ColorChoice::Auto, &empty));
        assert!(!shown.colors(ColorChoice::Auto, &no_color));
        assert!(!shown.colors(ColorChoice::Auto, &dumb));
        assert!(!piped.colors(ColorChoice::Auto, &nothing));
        assert!(piped.colors(ColorChoice::Always, &no_color));
        assert!(!shown.colors(ColorChoice::Never, &nothing));
    }

    #[test]
    fn blocks_need_a_terminal_with_utf_8() {
        let shown = Terminal { output: true, messages: true, width: 80 };
        let piped = Terminal { output: false, ..shown };
        let check = |terminal: Terminal, variables: &[(&str, &str)], expected: bool| {
            let lookup = |name: &str| {
                let found = variables.iter().find(|(variable, _)| *variable == name);
                found.map(|(_, value)| value.into())
            };
            assert_eq!(terminal.draws_blocks(&lookup), expected, "{variables:?}");
        };
        check(shown, &[("LANG", "de_DE.UTF-8")], true);
        check(shown, &[("LC_ALL", ""), ("LC_CTYPE", "C.utf8"), ("LANG", "C")], true);
        check(shown, &[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")], false);
        check(shown, &[("LANG", "de_DE.UTF-8"), ("NO_COLOR", "1")], false);
        check(shown, &[("LANG", "de_DE.UTF-8"), ("TERM", "dumb")], false);
        check(shown, &[], cfg!(windows));
        check(piped, &[("LANG", "de_DE.UTF-8")], false);
    }
}
