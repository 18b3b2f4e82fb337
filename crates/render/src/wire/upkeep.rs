//! The wire form of maintenance commands: state of the index, index runs, checks and settings.

use std::{collections::BTreeMap, path::Path, time::SystemTime};

use lore_console::dates;
use lore_engine::{CachedView, CheckReport, IndexReport, SecretCount, Status};
use lore_schema::SourceName;
use schemars::JsonSchema;
use serde::Serialize;

use super::{SCHEMA, display, skipped};

/// The reason why an index is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovalReason {
    /// The user named it or requested the removal of all.
    Requested,
    /// Its tree no longer exists.
    Orphan,
    /// Another version of `lore` wrote it, or it is damaged.
    Foreign,
    /// All indexes together are too large, and it is the least recently used one.
    Oldest,
}

impl RemovalReason {
    /// The reason in words, which is also its value in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            RemovalReason::Requested => "asked for", // prose: data
            RemovalReason::Orphan => "its tree is gone",
            RemovalReason::Foreign => "of another version, or damaged",
            RemovalReason::Oldest => "over limits.disk, not used for longest",
        }
    }
}

/// An index that can be removed.
pub struct RemovableIndex {
    /// The index.
    pub view: CachedView,
    /// The reason for its removal.
    pub reason: RemovalReason,
    /// True if it has been removed.
    pub removed: bool,
}

impl RemovableIndex {
    /// The day when it was last used.
    pub fn day(&self) -> Option<String> {
        let since = self.view.used?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        dates::day(i64::try_from(since.as_secs()).ok()?)
    }
}

/// A limit on resources.
pub struct Limit {
    /// Key of its setting.
    pub key: &'static str,
    /// Value of its setting.
    pub value: String,
    /// Origin of the value.
    pub origin: String,
    /// Current use: a number of bytes or threads. `None` if it is unknown.
    pub used: Option<u64>,
    /// Current use in words.
    pub in_words: String,
}

/// The state of the index.
#[derive(Serialize, JsonSchema)]
pub struct StatusWire<'a> {
    schema: u32,
    root: String,
    cache: Option<String>,
    embedder: Option<&'a str>,
    sources: BTreeMap<&'static str, SourceWire<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<BTreeMap<&'static str, LimitWire<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<ToolsWire>,
    problems: &'a [String],
}

/// The tools for agents.
#[derive(Serialize, JsonSchema)]
struct ToolsWire {
    count: usize,
    tokens: usize,
}

#[derive(Serialize, JsonSchema)]
struct LimitWire<'a> {
    value: &'a str,
    origin: &'a str,
    used: Option<u64>,
}

impl<'a> StatusWire<'a> {
    /// Adds the limits on resources.
    pub fn with_limits(mut self, limits: &'a [Limit]) -> StatusWire<'a> {
        let limit = |limit: &'a Limit| {
            let Limit { value, origin, used, .. } = limit;
            (limit.key, LimitWire { value, origin, used: *used })
        };
        self.limits = Some(limits.iter().map(limit).collect());
        self
    }

    /// Adds the number of tools for agents, and of the tokens that these take in every session.
    pub fn with_tools(mut self, (count, tokens): (usize, usize)) -> StatusWire<'a> {
        self.tools = Some(ToolsWire { count, tokens });
        self
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SourceWire<'a> {
    documents: u64,
    embedded: u64,
    chunks: u64,
    pending: u64,
    formats: &'a BTreeMap<String, u64>,
    languages: &'a BTreeMap<String, u64>,
    skipped: BTreeMap<&'static str, u64>,
    fell_back: u64,
    text_bytes: u64,
    disk_bytes: u64,
    shared_bytes: u64,
    secrets: BTreeMap<&'a str, SecretsWire>,
    unparsed: Vec<UnparsedWire<'a>>,
    partly_parsed: &'a [String],
}

/// A file that ended its parser.
#[derive(Serialize, JsonSchema)]
struct UnparsedWire<'a> {
    path: &'a str,
    reason: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct SecretsWire {
    documents: u64,
    secrets: u64,
}

/// The wire form of the index's state, for `lore status` and `lore sources`.
pub fn status(status: &Status) -> StatusWire<'_> {
    let sources = status.sources.iter().map(|(name, source)| {
        let wire = SourceWire {
            documents: source.documents,
            embedded: source.embedded,
            chunks: source.chunks,
            pending: source.pending,
            formats: &source.formats,
            languages: &source.languages,
            skipped: skipped(&source.skipped),
            fell_back: source.fell_back,
            text_bytes: source.text_bytes,
            disk_bytes: source.disk_bytes,
            shared_bytes: source.shared_bytes,
            secrets: source
                .secrets
                .iter()
                .map(|(rule, count)| (rule.as_str(), secrets(*count)))
                .collect(),
            unparsed: source
                .unparsed
                .iter()
                .map(|file| UnparsedWire { path: &file.path, reason: file.fault.as_str() })
                .collect(),
            partly_parsed: &source.partly_parsed,
        };
        (name.as_str(), wire)
    });
    StatusWire {
        schema: SCHEMA,
        root: display(&status.root),
        cache: status.cache.as_deref().map(display),
        embedder: status.embedder.as_deref(),
        sources: sources.collect(),
        limits: None,
        tools: None,
        problems: &status.problems,
    }
}

fn secrets(count: SecretCount) -> SecretsWire {
    SecretsWire { documents: count.documents, secrets: count.secrets }
}

/// The result of an index run.
#[derive(Serialize, JsonSchema)]
pub struct IndexWire<'a> {
    schema: u32,
    root: String,
    sources: BTreeMap<&'static str, UnitsWire>,
    bytes: u64,
    seconds: f64,
    warnings: &'a [String],
}

#[derive(Serialize, JsonSchema)]
struct UnitsWire {
    written: u64,
    deleted: u64,
    unchanged: u64,
}

/// The wire form of an index run.
pub fn index<'a>(report: &'a IndexReport, root: &Path) -> IndexWire<'a> {
    let units = |(source, counts): (&SourceName, &(u64, u64, u64))| {
        let (written, deleted, unchanged) = *counts;
        (source.as_str(), UnitsWire { written, deleted, unchanged })
    };
    IndexWire {
        schema: SCHEMA,
        root: display(root),
        sources: report.sources.iter().map(units).collect(),
        bytes: report.bytes,
        seconds: (report.seconds * 1e3).round() / 1e3,
        warnings: &report.warnings,
    }
}

/// An answer of `lore clean`.
#[derive(Serialize, JsonSchema)]
pub struct CleanWire {
    schema: u32,
    cache: String,
    bytes: u64,
    indexes: Vec<RemovableIndexWire>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RemovableIndexWire {
    path: String,
    tree: Option<String>,
    bytes: u64,
    last_used: Option<String>,
    reason: &'static str,
    removed: bool,
}

/// The wire form of removable indexes.
pub fn removable_indexes(cache: &Path, removable: &[RemovableIndex]) -> CleanWire {
    let wire = |index: &RemovableIndex| RemovableIndexWire {
        path: display(&index.view.path),
        tree: index.view.root.as_deref().map(display),
        bytes: index.view.bytes,
        last_used: index.day(),
        reason: index.reason.as_str(),
        removed: index.removed,
    };
    CleanWire {
        schema: SCHEMA,
        cache: display(cache),
        bytes: removable.iter().map(|index| index.view.bytes).sum(),
        indexes: removable.iter().map(wire).collect(),
    }
}

/// An answer of `lore doctor`.
#[derive(Serialize, JsonSchema)]
pub struct CheckWire<'a> {
    schema: u32,
    version: &'static str,
    passed: &'a [String],
    problems: &'a [String],
}

/// The wire form of a check.
pub fn check(report: &CheckReport) -> CheckWire<'_> {
    CheckWire {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        passed: &report.passed,
        problems: &report.problems,
    }
}

/// The settings.
#[derive(Serialize, JsonSchema)]
pub struct ConfigWire<'a> {
    schema: u32,
    files: Vec<String>,
    settings: Vec<SettingWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct SettingWire<'a> {
    key: &'a str,
    value: ValueWire<'a>,
    origin: &'static str,
    place: Option<String>,
}

/// The value of a setting.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ValueWire<'a> {
    /// A path.
    Folder(String),
    /// Paths.
    Files(Vec<String>),
    /// Words.
    Names(&'a [String]),
    /// A whole number.
    Number(u64),
    /// True or false.
    Switch(bool),
    /// A text.
    Text(&'a str),
    /// A number that may have a fraction.
    Weight(f64),
}

/// A setting with its origin.
pub struct SettingRow<'a> {
    /// Table and key.
    pub key: &'a str,
    /// The value.
    pub value: ValueWire<'a>,
    /// The layer that the value comes from.
    pub origin: &'static str,
    /// The location in that layer: a file with its line, a variable or a flag.
    pub place: Option<String>,
}

/// The wire form of these settings.
pub fn config<'a>(
    files: &[std::path::PathBuf],
    rows: impl Iterator<Item = SettingRow<'a>>,
) -> ConfigWire<'a> {
    let setting =
        |SettingRow { key, value, origin, place }| SettingWire { key, value, origin, place };
    ConfigWire {
        schema: SCHEMA,
        files: files.iter().map(|path| display(path)).collect(),
        settings: rows.map(setting).collect(),
    }
}
