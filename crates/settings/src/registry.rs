//! The table of settings, one row each.

use crate::{env_vars, filters, keys::NONE, kind::Kind, terminal::ColorChoice};
use lore_engine::Mode;

/// Maximum value of `search.limit`. The engine keeps that many candidates in memory.
pub const MAX_HITS: u64 = 100_000;

/// Maximum number of lines of a snippet, and of context around a hit.
pub const MAX_LINES: u64 = 100;

/// The formats of search results that `lore_render` writes, sorted by name.
pub const FORMATS: &[&str] =
    &["agent", "grep", "human", "json", "jsonl", "markdown", "paths", "toon", "vimgrep"];

/// The themes of `lore_highlight`, sorted by name.
pub const THEMES: &[&str] = &["ansi", "dark", "light", "plain"];

/// Selects the built-in embedding model.
pub const EMBEDDED: &str = "embedded";

/// Disables embeddings.
pub const OFF: &str = "off";

/// Every setting, sorted by key.
pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "cache.dir",
        about: "Directory of the indexes",
        kind: Kind::Folder,
        default: DefaultValue::CacheFolder,
        project: false,
    },
    Setting {
        key: "cache.write",
        about: "Update the index during searches",
        kind: Kind::Switch,
        default: DefaultValue::Switch(true),
        project: true,
    },
    Setting {
        key: "cluster.ca",
        about: "File with the certificates of the authorities of the cluster, instead of the machine's",
        kind: Kind::Text,
        default: DefaultValue::Text(NONE),
        project: false,
    },
    Setting {
        key: "cluster.index",
        about: "Name of the index in the cluster; one for an organisation",
        kind: Kind::Text,
        default: DefaultValue::Text("lorehound"),
        project: false,
    },
    Setting {
        key: "cluster.key_env",
        about: "Environment variable with the API key of the cluster",
        kind: Kind::Variable,
        default: DefaultValue::Text(NONE),
        project: false,
    },
    Setting {
        key: "cluster.password_env",
        about: "Environment variable with the password of `cluster.user`",
        kind: Kind::Variable,
        default: DefaultValue::Text(NONE),
        project: false,
    },
    Setting {
        key: "cluster.repository",
        about: "Name of the repository in the cluster; none: the name of its directory",
        kind: Kind::Text,
        default: DefaultValue::Text(NONE),
        project: false,
    },
    Setting {
        key: "cluster.url",
        about: "URL of the OpenSearch cluster; several nodes are separated by commas",
        kind: Kind::Text,
        default: DefaultValue::Text(NONE),
        project: false,
    },
    Setting {
        key: "cluster.user",
        about: "User of the cluster",
        kind: Kind::Text,
        default: DefaultValue::Text(NONE),
        project: false,
    },
    Setting {
        key: "embedding.batch",
        about: "Number of texts in one request to the embedding server",
        kind: Kind::Number { min: 1, max: 2048 },
        default: DefaultValue::Number(64),
        project: false,
    },
    Setting {
        key: "embedding.endpoint",
        about: "URL of the embedding server; none: use a model on this machine, send nothing",
        kind: Kind::Endpoint,
        default: DefaultValue::Text(NONE),
        project: false,
    },
    Setting {
        key: "embedding.key_env",
        about: "Environment variable with the key of the embedding server",
        kind: Kind::Variable,
        default: DefaultValue::Text(NONE),
        project: false,
    },
    Setting {
        key: "embedding.model",
        about: "Embedding model: embedded, off, one of your models, or the server's name for one",
        kind: Kind::Text,
        default: DefaultValue::Text(EMBEDDED),
        project: false,
    },
    Setting {
        key: "embedding.timeout",
        about: "Time limit of one request to the embedding server, in seconds",
        kind: Kind::Number { min: 1, max: 600 },
        default: DefaultValue::Number(30),
        project: false,
    },
    Setting {
        key: "history.enabled",
        about: "Record searches for `lore history`",
        kind: Kind::Switch,
        default: DefaultValue::Switch(false),
        project: false,
    },
    Setting {
        key: "index.all-history",
        about: "Read all commits before the answer",
        kind: Kind::Switch,
        default: DefaultValue::Switch(false),
        project: true,
    },
    Setting {
        key: "index.backend",
        about: "Where indexes are stored: on this machine, or in the cluster of `cluster.url`",
        kind: Kind::Choice(|| vec!["local", "opensearch"]),
        default: DefaultValue::Text("local"),
        project: false,
    },
    Setting {
        key: "index.commits",
        about: "Maximum number of commits that an answer reads, newest first",
        kind: Kind::Number { min: 0, max: 100_000_000 },
        default: DefaultValue::Number(1000),
        project: true,
    },
    Setting {
        key: "index.hidden",
        about: "Search hidden files and folders",
        kind: Kind::Switch,
        default: DefaultValue::Switch(true),
        project: true,
    },
    Setting {
        key: "index.max-file-size",
        about: "Maximum size of a file, in bytes; larger files are skipped",
        kind: Kind::Number { min: 1, max: 1 << 30 },
        default: DefaultValue::Number(1 << 20),
        project: true,
    },
    Setting {
        key: "index.threads",
        about: "Number of indexing threads; 0: one per processor",
        kind: Kind::Number { min: 0, max: 256 },
        default: DefaultValue::Number(0),
        project: false,
    },
    Setting {
        key: "index.tickets",
        about: "Exports of issue trackers to index as tickets",
        kind: Kind::Files,
        default: DefaultValue::Files,
        project: true,
    },
    Setting {
        key: "limits.cores",
        about: "Number of threads that list, read and search files; 0: one per processor",
        kind: Kind::Number { min: 0, max: 256 },
        default: DefaultValue::Number(0),
        project: false,
    },
    Setting {
        key: "limits.disk",
        about: "Maximum total size of the indexes of all repositories",
        kind: Kind::Size { min: 0 },
        default: DefaultValue::Size(5_000_000_000),
        project: false,
    },
    Setting {
        key: "limits.idle-writes",
        about: "Maximum bytes written per hour while following a tree without queries",
        kind: Kind::Size { min: 0 },
        default: DefaultValue::Size(1_000_000_000),
        project: false,
    },
    Setting {
        key: "limits.memory",
        about: "Maximum memory for indexing and searching, without mapped files",
        kind: Kind::Size { min: 64_000_000 },
        default: DefaultValue::Size(1_500_000_000),
        project: false,
    },
    Setting {
        key: "output.color",
        about: "Use of colours",
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
        about: "Group hits by source; auto: in Markdown, if there are several sources",
        kind: Kind::Choice(|| vec!["always", "auto", "never"]),
        default: DefaultValue::Text("auto"),
        project: true,
    },
    Setting {
        key: "output.hyperlink-format",
        about: "Format of links of places, as in `--hyperlink-format`; auto: on terminals",
        kind: Kind::Text,
        default: DefaultValue::Text("auto"),
        project: false,
    },
    Setting {
        key: "output.pager",
        about: "Program that shows long answers; empty: that of `PAGER`, or less",
        kind: Kind::Command,
        default: DefaultValue::Names,
        project: false,
    },
    Setting {
        key: "output.snippet-lines",
        about: "Maximum number of lines of a snippet; by default, a screen shows two or three",
        kind: Kind::Number { min: 1, max: MAX_LINES },
        default: DefaultValue::Number(5),
        project: true,
    },
    Setting {
        key: "output.theme",
        about: "Colours of code",
        kind: Kind::Choice(|| THEMES.to_vec()),
        default: DefaultValue::Text("ansi"),
        project: true,
    },
    Setting {
        key: "privacy.redact",
        about: "Remove keys, tokens and passwords from answers and vectors",
        kind: Kind::Switch,
        default: DefaultValue::Switch(true),
        project: false,
    },
    Setting {
        key: "search.alpha",
        about: "Weight of a hit's rank against its score in the fusion of lexical and semantic hits",
        kind: Kind::Share,
        default: DefaultValue::Weight(0.0),
        project: true,
    },
    Setting {
        key: "search.bm25_weight",
        about: "Weight of lexical scores; by default 1 minus `search.semantic_weight`",
        kind: Kind::Share,
        default: DefaultValue::Weight(0.7),
        project: true,
    },
    Setting {
        key: "search.command-timeout",
        about: "Time limit for your own programs, in milliseconds",
        kind: Kind::Number { min: 1, max: 600_000 },
        default: DefaultValue::Number(2000),
        project: false,
    },
    Setting {
        key: "search.expand",
        about: "Also search for words of similar meaning",
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
        about: "Sources to search; empty: all",
        kind: Kind::Names(filters::source_names),
        default: DefaultValue::Names,
        project: true,
    },
    Setting {
        key: "search.limit",
        about: "Maximum number of hits",
        kind: Kind::Number { min: 1, max: MAX_HITS },
        default: DefaultValue::Number(10),
        project: true,
    },
    Setting {
        key: "search.mode",
        about: "Search mode",
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
        about: "Replace unknown words and abbreviations by known words",
        kind: Kind::Switch,
        default: DefaultValue::Switch(true),
        project: true,
    },
    Setting {
        key: "search.rrf_k",
        about: "RRF constant k; higher flattens rank differences",
        kind: Kind::Number { min: 1, max: 1_000 },
        default: DefaultValue::Number(60),
        project: true,
    },
    Setting {
        key: "search.semantic_weight",
        about: "Weight of semantic scores",
        kind: Kind::Share,
        default: DefaultValue::Weight(0.3),
        project: true,
    },
    Setting {
        key: "search.source_boost",
        about: "Score factor for source files of the repository itself; 1: no effect",
        kind: Kind::Weight,
        default: DefaultValue::Weight(1.1),
        project: true,
    },
    Setting {
        key: "search.wait",
        about: "Longest time to wait for a first index, in seconds; if it takes longer, the first answer is preliminary",
        kind: Kind::Number { min: 0, max: MAX_WAIT },
        default: DefaultValue::Number(3),
        project: false,
    },
    Setting {
        key: "server.otlp",
        about: "URL of the OpenTelemetry collector that `lore serve` sends traces to; none: send nothing",
        kind: Kind::Collector,
        default: DefaultValue::Text(NONE),
        project: false,
    },
];

/// Seconds for which no first index is too long: a day.
pub const MAX_WAIT: u64 = 86_400;

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Table and key in the file: `search.limit`.
    pub key: &'static str,
    /// Its description, on one line.
    pub about: &'static str,
    /// The kind of its value.
    pub kind: Kind,
    /// The value if no layer sets it.
    pub default: DefaultValue,
    /// True if a project's settings file may set it. False for settings that affect the machine
    /// rather than the answer.
    pub project: bool,
}

impl Setting {
    /// The row with this key, if there is one.
    pub fn find(key: &str) -> Option<&'static Setting> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }

    /// Returns true if the value is a program to run.
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

/// The value of a setting that no layer sets.
#[derive(Debug, Clone, Copy)]
pub enum DefaultValue {
    /// `lorehound` in the user's cache folder; no value if there is no such folder.
    CacheFolder,
    /// No files.
    Files,
    /// No names.
    Names,
    /// An integer.
    Number(u64),
    /// Bytes.
    Size(u64),
    /// A boolean.
    Switch(bool),
    /// A text.
    Text(&'static str),
    /// A number with a fraction.
    Weight(f64),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Value;

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
}
