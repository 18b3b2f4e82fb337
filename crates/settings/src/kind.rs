//! The kinds of setting values: validation, parsing and display.

use std::{fmt, path::PathBuf};

use crate::{address::Address, command, keys::NONE, size};

/// The kind of a setting's value.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// One of these names.
    Choice(fn() -> Vec<&'static str>),
    /// The URL of a collector of traces, or `none`.
    Collector,
    /// A program with its arguments, run without a shell; an empty list for none.
    Command,
    /// The URL of a server, or `none`.
    Endpoint,
    /// A list of files.
    Files,
    /// A folder.
    Folder,
    /// A list of these names.
    Names(fn() -> Vec<&'static str>),
    /// An integer in this range, both ends included.
    Number {
        /// Minimum.
        min: u64,
        /// Maximum.
        max: u64,
    },
    /// A number from 0 to 1.
    Share,
    /// A number of bytes, such as `500MB`, or `none` for no limit.
    Size {
        /// Minimum.
        min: u64,
    },
    /// True or false.
    Switch,
    /// Any single-line text.
    Text,
    /// The name of an environment variable, or `none`. It must be in upper case, as names of key
    /// variables are and keys are not: a key put here by mistake is then not taken for a name.
    Variable,
    /// Any finite number.
    Weight,
}

impl Kind {
    /// Returns true for a valid value.
    pub fn accepts(self, value: &Value) -> bool {
        match (self, value) {
            (Kind::Choice(words), Value::Text(word)) => words().contains(&word.as_str()),
            (Kind::Command, Value::Names(words)) => {
                words.first().is_none_or(|program| !program.is_empty())
            }
            (Kind::Endpoint, Value::Text(url)) => url == NONE || Address::parse(url).is_ok(),
            (Kind::Collector, Value::Text(url)) => {
                url == NONE || Address::parse_collector(url).is_ok()
            }
            (Kind::Files, Value::Files(paths)) => {
                paths.iter().all(|path| !path.as_os_str().is_empty())
            }
            (Kind::Folder, Value::Folder(path)) => !path.as_os_str().is_empty(),
            (Kind::Names(words), Value::Names(names)) => {
                names.iter().all(|name| words().contains(&name.as_str()))
            }
            (Kind::Number { min, max }, Value::Number(number)) => (min..=max).contains(number),
            (Kind::Share, Value::Weight(share)) => (0.0..=1.0).contains(share),
            (Kind::Size { min }, Value::Size(bytes)) => min <= *bytes,
            (Kind::Switch, Value::Switch(_)) => true,
            (Kind::Text, Value::Text(text)) => {
                !text.trim().is_empty() && !text.contains(char::is_control)
            }
            (Kind::Variable, Value::Text(name)) => name == NONE || is_variable(name),
            (Kind::Weight, Value::Weight(weight)) => weight.is_finite(),
            _ => false,
        }
    }

    /// Parses the text of an environment variable; `None` if it is not valid.
    pub fn parse(self, text: &str) -> Option<Value> {
        let text = text.trim();
        let value = match self {
            Kind::Choice(_) | Kind::Collector | Kind::Endpoint | Kind::Text | Kind::Variable => {
                Value::Text(text.to_owned())
            }
            Kind::Command => Value::Names(command::split(text)?),
            Kind::Files => Value::Files(std::env::split_paths(text).collect()),
            Kind::Folder => Value::Folder(text.into()),
            Kind::Names(_) => Value::Names(
                text.split(',')
                    .map(|name| name.trim().to_owned())
                    .filter(|name| !name.is_empty())
                    .collect(),
            ),
            Kind::Number { .. } => Value::Number(text.parse().ok()?),
            Kind::Size { .. } => Value::Size(size::parse(text)?),
            Kind::Switch => Value::Switch(match text {
                "true" | "1" | "yes" | "on" => true,
                "false" | "0" | "no" | "off" => false,
                _ => return None,
            }),
            Kind::Share | Kind::Weight => Value::Weight(text.parse().ok()?),
        };
        self.accepts(&value).then_some(value)
    }

    /// Description of an invalid text that might contain a key or a password, without the text
    /// itself.
    pub(super) fn refused(self, text: &str) -> Option<&'static str> {
        match self {
            Kind::Collector => {
                Some(Address::parse_collector(text).err().unwrap_or("another value"))
            }
            Kind::Endpoint => Some(Address::parse(text).err().unwrap_or("another value")),
            Kind::Variable => Some("a text that is not such a name"),
            _ => None,
        }
    }

    /// An invalid text, quoted for a message.
    pub(super) fn found(self, text: &str) -> String {
        self.refused(text).map_or_else(|| format!("`{text}`"), str::to_owned)
    }
}

/// Returns true for names such as `OPENAI_API_KEY`.
fn is_variable(name: &str) -> bool {
    name.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_'))
        && name.starts_with(|first: char| !first.is_ascii_digit())
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Choice(words) => write!(formatter, "one of {}", words().join(", ")),
            Kind::Collector => {
                write!(
                    formatter,
                    "the URL of a collector, such as `http://localhost:4318`, or {NONE}"
                )
            }
            Kind::Command => write!(formatter, "a program with its arguments"),
            Kind::Endpoint => write!(
                formatter,
                "the URL of a server, such as `http://localhost:11434/v1`, or {NONE}"
            ),
            Kind::Files => write!(formatter, "a list of paths of files"),
            Kind::Folder => write!(formatter, "the path of a folder"),
            Kind::Names(words) => write!(formatter, "a list of {}", words().join(", ")),
            Kind::Number { min, max } => {
                write!(formatter, "a whole number from {min} to {max}")
            }
            Kind::Share => write!(formatter, "a number from 0 to 1"),
            Kind::Size { min: 0 } => {
                write!(formatter, "a size such as `500MB` or `1.5GB`, or {NONE} for no limit")
            }
            Kind::Size { min } => write!(
                formatter,
                "a size such as `500MB` or `1.5GB`, {} or more, or {NONE} for no limit",
                size::shown(*min)
            ),
            Kind::Switch => write!(formatter, "true or false"),
            Kind::Text => write!(formatter, "a text on one line"),
            Kind::Variable => write!(
                formatter,
                "the name of an environment variable in upper case, such as `OPENAI_API_KEY`, or {NONE}"
            ),
            Kind::Weight => write!(formatter, "a number"),
        }
    }
}

/// The value of a setting.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Files.
    Files(Vec<PathBuf>),
    /// A folder.
    Folder(PathBuf),
    /// A list of names.
    Names(Vec<String>),
    /// An integer.
    Number(u64),
    /// Bytes; the maximum number means no limit.
    Size(u64),
    /// True or false.
    Switch(bool),
    /// A text.
    Text(String),
    /// A number.
    Weight(f64),
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Files(paths) => {
                let paths: Vec<String> =
                    paths.iter().map(|path| path.display().to_string()).collect();
                write!(formatter, "[{}]", paths.join(", "))
            }
            Value::Folder(path) => write!(formatter, "{}", path.display()),
            Value::Names(names) => write!(formatter, "[{}]", names.join(", ")),
            Value::Number(number) => write!(formatter, "{number}"),
            Value::Size(bytes) => write!(formatter, "{}", size::shown(*bytes)),
            Value::Switch(switch) => write!(formatter, "{switch}"),
            Value::Text(text) => write!(formatter, "{text}"),
            Value::Weight(weight) => write!(formatter, "{weight}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_parsed_by_kind() {
        assert_eq!(Kind::Switch.parse("off"), Some(Value::Switch(false)));
        assert_eq!(Kind::Switch.parse("maybe"), None);
        assert_eq!(Kind::Number { min: 1, max: 9 }.parse("9"), Some(Value::Number(9)));
        assert_eq!(Kind::Number { min: 1, max: 9 }.parse("10"), None);
        assert_eq!(Kind::Weight.parse("inf"), None);
        let words = |words: &[&str]| {
            Some(Value::Names(words.iter().map(|&word| word.to_owned()).collect()))
        };
        assert_eq!(Kind::Command.parse("rank 'a b'"), words(&["rank", "a b"]));
        assert_eq!(Kind::Command.parse("  "), words(&[]));
        assert_eq!(Kind::Command.parse("''"), None);
        assert_eq!(Kind::Command.parse("rank 'a"), None);
        let names = Kind::Names(|| vec!["code", "git"]);
        assert_eq!(names.parse("git, code"), Some(Value::Names(vec!["git".into(), "code".into()])));
        assert_eq!(names.parse("svn"), None);
    }
}
