//! The table of settings: one row each.

use std::{fmt, path::PathBuf};

use crate::{address::Address, env_vars, filters, terminal::ColorChoice};
use lore_engine::Mode;

use super::{command, size};

/// The largest limit that can be asked for. The engine keeps that many candidates in memory.
pub const MAX_HITS: u64 = 100_000;

/// Most lines of a passage, and of what is shown around it.
pub const MAX_LINES: u64 = 100;

/// The formats of an answer, in the order of the names: those that `lore_render` writes.
pub const FORMATS: &[&str] = &["agent", "human", "json", "jsonl", "markdown", "paths", "toon"];

/// Stands for no value, where there may be one.
pub const NONE: &str = "none";

/// Names the model inside of the program.
pub const EMBEDDED: &str = "embedded";

/// Names no model: nothing makes vectors.
pub const OFF: &str = "off";

/// Every setting, in the order of the keys.
pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "cache.dir",
        about: "Folder below which indexes are kept",
        kind: Kind::Folder,
        default: DefaultValue::CacheFolder,
        project: false,
    },
    Setting {
        key: "cache.write",
        about: "Whether a search may write the index",
        kind: Kind::Switch,
        default: DefaultValue::Switch(true),
        project: true,
    },
    Setting {
        key: "embedding.batch",
        about: "Texts that a server of embeddings gets at once",
        kind: Kind::Number { least: 1, most: 2048 },
        default: DefaultValue::Number(64),
        project: false,
    },
    Setting {
        key: "embedding.endpoint",
        about: "Server of embeddings that is asked instead of a model here; none: nothing is sent",
        kind: Kind::Endpoint,
        default: DefaultValue::Text(NONE),
        project: false,
    },
    Setting {
        key: "embedding.key_env",
        about: "Environment variable that holds the key of that server",
        kind: Kind::Variable,
        default: DefaultValue::Text(NONE),
        project: false,
    },
    Setting {
        key: "embedding.model",
        about: "What makes vectors: embedded, off, one of your models, or the server's name for one",
        kind: Kind::Text,
        default: DefaultValue::Text(EMBEDDED),
        project: false,
    },
    Setting {
        key: "embedding.timeout",
        about: "Time for one request to that server, in seconds",
        kind: Kind::Number { least: 1, most: 600 },
        default: DefaultValue::Number(30),
        project: false,
    },
    Setting {
        key: "history.enabled",
        about: "Whether searches are noted, for `lore history`",
        kind: Kind::Switch,
        default: DefaultValue::Switch(false),
        project: false,
    },
    Setting {
        key: "index.all-history",
        about: "Whether all commits are read",
        kind: Kind::Switch,
        default: DefaultValue::Switch(false),
        project: true,
    },
    Setting {
        key: "index.commits",
        about: "Number of commits that are read, newest first",
        kind: Kind::Number { least: 0, most: 100_000_000 },
        default: DefaultValue::Number(1000),
        project: true,
    },
    Setting {
        key: "index.hidden",
        about: "Whether hidden files and folders are searched",
        kind: Kind::Switch,
        default: DefaultValue::Switch(true),
        project: true,
    },
    Setting {
        key: "index.max-file-size",
        about: "Largest file that is read, in bytes",
        kind: Kind::Number { least: 1, most: 1 << 30 },
        default: DefaultValue::Number(1 << 20),
        project: true,
    },
    Setting {
        key: "index.threads",
        about: "Threads while indexing; 0 is one for each processor",
        kind: Kind::Number { least: 0, most: 256 },
        default: DefaultValue::Number(0),
        project: false,
    },
    Setting {
        key: "index.tickets",
        about: "Exports of issue trackers that are read as tickets",
        kind: Kind::Files,
        default: DefaultValue::Files,
        project: true,
    },
    Setting {
        key: "limits.cores",
        about: "Threads that look for files, read and search; 0 is one for each processor",
        kind: Kind::Number { least: 0, most: 256 },
        default: DefaultValue::Number(0),
        project: false,
    },
    Setting {
        key: "limits.disk",
        about: "Size of the indexes of all repositories together",
        kind: Kind::Size { least: 0 },
        default: DefaultValue::Size(5_000_000_000),
        project: false,
    },
    Setting {
        key: "limits.idle-writes",
        about: "What may be written in an hour while a tree is followed and nobody asks",
        kind: Kind::Size { least: 0 },
        default: DefaultValue::Size(1_000_000_000),
        project: false,
    },
    Setting {
        key: "limits.memory",
        about: "Memory for indexing and searching, mapped files apart",
        kind: Kind::Size { least: 64_000_000 },
        default: DefaultValue::Size(1_500_000_000),
        project: false,
    },
    Setting {
        key: "output.color",
        about: "When colours are used",
        kind: Kind::Choice(|| ColorChoice::NAMES.to_vec()),
        default: DefaultValue::Text("auto"),
        project: true,
    },
    Setting {
        key: "output.format",
        about: "Format of the hits of `lore search`",
        kind: Kind::Choice(|| FORMATS.to_vec()),
        default: DefaultValue::Text("human"),
        project: true,
    },
    Setting {
        key: "output.group",
        about: "Whether hits are grouped by source; auto: when there are several",
        kind: Kind::Choice(|| vec!["always", "auto", "never"]),
        default: DefaultValue::Text("auto"),
        project: true,
    },
    Setting {
        key: "output.snippet-lines",
        about: "Longest snippet, in lines",
        kind: Kind::Number { least: 1, most: MAX_LINES },
        default: DefaultValue::Number(5),
        project: true,
    },
    Setting {
        key: "privacy.redact",
        about: "Whether keys, tokens and passwords are taken out of answers and vectors",
        kind: Kind::Switch,
        default: DefaultValue::Switch(true),
        project: false,
    },
    Setting {
        key: "search.alpha",
        about: "Share of a hit's place beside that of its score, where words and meaning meet",
        kind: Kind::Share,
        default: DefaultValue::Weight(0.0),
        project: true,
    },
    Setting {
        key: "search.bm25_weight",
        about: "Weight of words beside meaning; what `search.semantic_weight` leaves",
        kind: Kind::Share,
        default: DefaultValue::Weight(0.7),
        project: true,
    },
    Setting {
        key: "search.command-timeout",
        about: "Time that a program of yours may take, in milliseconds",
        kind: Kind::Number { least: 1, most: 600_000 },
        default: DefaultValue::Number(2000),
        project: false,
    },
    Setting {
        key: "search.expand",
        about: "Whether words that mean nearly the same are looked for, too",
        kind: Kind::Switch,
        default: DefaultValue::Switch(false),
        project: true,
    },
    Setting {
        key: "search.expand-cmd",
        about: "Program that adds words to a query; none by default",
        kind: Kind::Command,
        default: DefaultValue::Names,
        project: false,
    },
    Setting {
        key: "search.in",
        about: "Sources that are searched; none named: all",
        kind: Kind::Names(filters::source_names),
        default: DefaultValue::Names,
        project: true,
    },
    Setting {
        key: "search.limit",
        about: "Number of hits that are shown",
        kind: Kind::Number { least: 1, most: MAX_HITS },
        default: DefaultValue::Number(10),
        project: true,
    },
    Setting {
        key: "search.mode",
        about: "How hits are found",
        kind: Kind::Choice(|| Mode::ALL.iter().map(|mode| mode.as_str()).collect()),
        default: DefaultValue::Text("hybrid"),
        project: true,
    },
    Setting {
        key: "search.rerank-cmd",
        about: "Program that reorders the hits; none by default",
        kind: Kind::Command,
        default: DefaultValue::Names,
        project: false,
    },
    Setting {
        key: "search.rewrite",
        about: "Whether unknown words and abbreviations are searched by what stands for them",
        kind: Kind::Switch,
        default: DefaultValue::Switch(true),
        project: true,
    },
    Setting {
        key: "search.rrf_k",
        about: "How little the first places are ahead of the next ones, where places count",
        kind: Kind::Number { least: 1, most: 1_000 },
        default: DefaultValue::Number(60),
        project: true,
    },
    Setting {
        key: "search.semantic_weight",
        about: "Weight of meaning beside words",
        kind: Kind::Share,
        default: DefaultValue::Weight(0.3),
        project: true,
    },
    Setting {
        key: "search.source_boost",
        about: "Factor for source files of the repository itself; 1 is none",
        kind: Kind::Weight,
        default: DefaultValue::Weight(1.1),
        project: true,
    },
];

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Table and key in the file: `search.limit`.
    pub key: &'static str,
    /// What it decides, on one line.
    pub about: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What holds where nothing is said.
    pub default: DefaultValue,
    /// Whether the settings file of a project may say it. No for what touches the machine rather
    /// than the answer.
    pub project: bool,
}

impl Setting {
    /// The row with this key, if there is one.
    pub fn find(key: &str) -> Option<&'static Setting> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }

    /// Whether it names a program to run.
    pub fn is_program(&self) -> bool {
        matches!(self.kind, Kind::Command)
    }

    /// The environment variable of the setting.
    pub fn variable(&self) -> String {
        variable(self.key)
    }
}

/// The environment variable of a key: `LOREHOUND_SEARCH_LIMIT` for `search.limit`.
fn variable(key: &str) -> String {
    let name = key.to_uppercase().replace(['.', '-'], "_");
    format!("{}{name}", env_vars::PREFIX)
}

/// What a setting takes.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// One of these words.
    Choice(fn() -> Vec<&'static str>),
    /// A program with its arguments, run without a shell; an empty list for none.
    Command,
    /// The URL of a server, or `none`.
    Endpoint,
    /// Files, as a list.
    Files,
    /// A folder.
    Folder,
    /// Any of these words, as a list.
    Names(fn() -> Vec<&'static str>),
    /// A whole number in this range, both ends included.
    Number {
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// A number from 0 to 1.
    Share,
    /// A number of bytes, such as `500MB`, or `none` for no limit.
    Size {
        /// The smallest.
        least: u64,
    },
    /// True or false.
    Switch,
    /// Any text on one line.
    Text,
    /// The name of an environment variable, or `none`. In capitals, as the names of variables for
    /// keys are, and keys are not: one that is put here by mistake is not taken for a name.
    Variable,
    /// Any finite number.
    Weight,
}

impl Kind {
    /// Whether the value is one that the setting takes.
    pub fn accepts(self, value: &Value) -> bool {
        match (self, value) {
            (Kind::Choice(words), Value::Text(word)) => words().contains(&word.as_str()),
            (Kind::Command, Value::Names(words)) => {
                words.first().is_none_or(|program| !program.is_empty())
            }
            (Kind::Endpoint, Value::Text(url)) => url == NONE || Address::parse(url).is_ok(),
            (Kind::Files, Value::Files(paths)) => {
                paths.iter().all(|path| !path.as_os_str().is_empty())
            }
            (Kind::Folder, Value::Folder(path)) => !path.as_os_str().is_empty(),
            (Kind::Names(words), Value::Names(names)) => {
                names.iter().all(|name| words().contains(&name.as_str()))
            }
            (Kind::Number { least, most }, Value::Number(number)) => {
                (least..=most).contains(number)
            }
            (Kind::Share, Value::Weight(share)) => (0.0..=1.0).contains(share),
            (Kind::Size { least }, Value::Size(bytes)) => least <= *bytes,
            (Kind::Switch, Value::Switch(_)) => true,
            (Kind::Text, Value::Text(text)) => {
                !text.trim().is_empty() && !text.contains(char::is_control)
            }
            (Kind::Variable, Value::Text(name)) => name == NONE || is_variable(name),
            (Kind::Weight, Value::Weight(weight)) => weight.is_finite(),
            _ => false,
        }
    }

    /// What a text stands for, as an environment variable holds it; `None` if it does not.
    pub fn parse(self, text: &str) -> Option<Value> {
        let text = text.trim();
        let value = match self {
            Kind::Choice(_) | Kind::Endpoint | Kind::Text | Kind::Variable => {
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

    /// What is said of a text that is not taken: without the text where there may be a key or a
    /// password in it.
    pub(super) fn refused(self, text: &str) -> Option<&'static str> {
        match self {
            Kind::Endpoint => Some(Address::parse(text).err().unwrap_or("another one")),
            Kind::Variable => Some("a text that is none"),
            _ => None,
        }
    }

    /// A text that is not taken, as it is quoted in a message.
    pub(super) fn found(self, text: &str) -> String {
        self.refused(text).map_or_else(|| format!("`{text}`"), str::to_owned)
    }
}

/// Whether it is such a name as `OPENAI_API_KEY`.
fn is_variable(name: &str) -> bool {
    name.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_'))
        && name.starts_with(|first: char| !first.is_ascii_digit())
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Choice(words) => write!(formatter, "one of {}", words().join(", ")),
            Kind::Command => write!(formatter, "a program with its arguments"),
            Kind::Endpoint => write!(
                formatter,
                "the URL of a server, such as `http://localhost:11434/v1`, or {NONE}"
            ),
            Kind::Files => write!(formatter, "a list of paths of files"),
            Kind::Folder => write!(formatter, "the path of a folder"),
            Kind::Names(words) => write!(formatter, "a list of {}", words().join(", ")),
            Kind::Number { least, most } => {
                write!(formatter, "a whole number from {least} to {most}")
            }
            Kind::Share => write!(formatter, "a number from 0 to 1"),
            Kind::Size { least: 0 } => {
                write!(formatter, "a size such as `500MB` or `1.5GB`, or {NONE} for no limit")
            }
            Kind::Size { least } => write!(
                formatter,
                "a size such as `500MB` or `1.5GB`, {} or more, or {NONE} for no limit",
                size::shown(*least)
            ),
            Kind::Switch => write!(formatter, "true or false"),
            Kind::Text => write!(formatter, "a text on one line"),
            Kind::Variable => write!(
                formatter,
                "the name of an environment variable in capitals, such as `OPENAI_API_KEY`, or {NONE}"
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
    /// A list of words.
    Names(Vec<String>),
    /// A whole number.
    Number(u64),
    /// Bytes; the largest number is no limit.
    Size(u64),
    /// True or false.
    Switch(bool),
    /// A word.
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

/// What holds where no layer says anything.
#[derive(Debug, Clone, Copy)]
pub enum DefaultValue {
    /// `lorehound` in the user's cache folder; none where there is no such folder.
    CacheFolder,
    /// No file.
    Files,
    /// No word.
    Names,
    /// This number.
    Number(u64),
    /// So many bytes.
    Size(u64),
    /// This switch.
    Switch(bool),
    /// This word.
    Text(&'static str),
    /// This number with a fraction.
    Weight(f64),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_their_defaults_are_accepted() {
        assert!(SETTINGS.is_sorted_by(|left, right| left.key < right.key));
        for setting in SETTINGS {
            let value = match setting.default {
                DefaultValue::CacheFolder => Value::Folder("/cache".into()),
                DefaultValue::Files => Value::Files(Vec::new()),
                DefaultValue::Names => Value::Names(Vec::new()),
                DefaultValue::Number(number) => Value::Number(number),
                DefaultValue::Size(bytes) => Value::Size(bytes),
                DefaultValue::Switch(switch) => Value::Switch(switch),
                DefaultValue::Text(text) => Value::Text(text.to_owned()),
                DefaultValue::Weight(weight) => Value::Weight(weight),
            };
            assert!(setting.kind.accepts(&value), "{}", setting.key);
            assert!(!setting.about.ends_with('.'), "{}", setting.key);
        }
    }

    #[test]
    fn variables_are_named_after_their_keys() {
        let names: Vec<String> = SETTINGS.iter().map(Setting::variable).collect();
        assert!(names.contains(&"LOREHOUND_CACHE_DIR".to_owned()));
        assert!(names.contains(&"LOREHOUND_INDEX_MAX_FILE_SIZE".to_owned()));
    }

    #[test]
    fn texts_are_parsed_by_kind() {
        assert_eq!(Kind::Switch.parse("off"), Some(Value::Switch(false)));
        assert_eq!(Kind::Switch.parse("maybe"), None);
        assert_eq!(Kind::Number { least: 1, most: 9 }.parse("9"), Some(Value::Number(9)));
        assert_eq!(Kind::Number { least: 1, most: 9 }.parse("10"), None);
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
