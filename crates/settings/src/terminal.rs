//! What the program knows about the terminal that it talks to.

use std::io::{self, IsTerminal};

use crate::env_vars::{self, Lookup};

/// Columns of a line where there is no terminal that says how many it has. Wide enough for code,
/// narrow enough that a minified line does not flood a log.
const COLUMNS_WITHOUT_TERMINAL: usize = 160;

/// Fewer columns than this are not believed.
const LEAST_COLUMNS: usize = 40;

/// When colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorChoice {
    /// On a terminal that has them, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColorChoice {
    /// Every choice, in the order of the names.
    pub const NAMES: &'static [&'static str] = &["always", "auto", "never"];

    /// The choice with this name; `auto` for every other one.
    pub fn from_name(name: &str) -> ColorChoice {
        match name {
            "always" => ColorChoice::Always,
            "never" => ColorChoice::Never,
            _ => ColorChoice::Auto,
        }
    }
}

/// The terminal, as far as output depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terminal {
    /// Whether a person reads standard output.
    pub output: bool,
    /// Whether a person reads standard error.
    pub messages: bool,
    /// Columns of a line of output.
    pub width: usize,
}

impl Terminal {
    /// Looks at this process's terminal.
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
            width: width.unwrap_or(COLUMNS_WITHOUT_TERMINAL).max(LEAST_COLUMNS),
        }
    }

    /// Whether output is coloured.
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
    /// Whether output may hold block characters: a terminal that shows more than text, in a locale
    /// of UTF-8.
    pub fn draws_blocks(self, lookup: Lookup<'_>) -> bool {
        // The first that is set decides, as for every program. Windows has none, and shows them.
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
    fn blocks_are_for_terminals_that_show_them() {
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
