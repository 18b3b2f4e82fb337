//! The wire form of maintenance commands: state of the index, index runs, checks and settings.

use std::{collections::BTreeMap, path::Path, time::SystemTime};

use lore_console::dates;
use lore_engine::{
    CachedView, CheckReport, ExportReport, ImportReport, IndexReport, SecretCount, Status,
};
use lore_schema::SourceName;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    SCHEMA, display,
    exchange::{self, ExportWire, ImportWire},
    skipped,
};

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
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Root directory of the tree.
    root: String,
    /// Directory of the index; null in memory.
    cache: Option<String>,
    /// Embedding model; null if it is off.
    embedder: Option<&'a str>,
    /// Sources, by name.
    sources: BTreeMap<&'static str, SourceWire<'a>>,
    /// Limits on resources, by the key of the setting; absent in `lore sources`.
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<BTreeMap<&'static str, LimitWire<'a>>>,
    /// Tools for agents; absent in `lore sources`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<ToolsWire>,
    /// Problems, one line each.
    problems: &'a [String],
}

/// The tools for agents.
#[derive(Serialize, JsonSchema)]
struct ToolsWire {
    /// Number of tools.
    count: usize,
    /// Number of tokens that they take in every session.
    tokens: usize,
}

#[derive(Serialize, JsonSchema)]
struct LimitWire<'a> {
    /// Value.
    value: &'a str,
    /// Layer that the value comes from.
    origin: &'a str,
    /// Current use in bytes or threads; null if unknown.
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
    /// Number of documents.
    documents: u64,
    /// Number of chunks with a vector.
    embedded: u64,
    /// Number of chunks.
    chunks: u64,
    /// Number of changes since the index was written.
    pending: u64,
    /// Number of documents, by format.
    formats: &'a BTreeMap<String, u64>,
    /// Number of documents, by language.
    languages: &'a BTreeMap<String, u64>,
    /// Number of skipped files, by reason.
    skipped: BTreeMap<&'static str, u64>,
    /// Number of files that were split by lines instead of being parsed.
    fell_back: u64,
    /// Size of the indexed text in bytes.
    text_bytes: u64,
    /// Size of the index in bytes.
    disk_bytes: u64,
    /// Part of it that other views share.
    shared_bytes: u64,
    /// Removed secrets, by the rule that recognised them.
    secrets: BTreeMap<&'a str, SecretsWire>,
    /// Files that ended their parser.
    unparsed: Vec<UnparsedWire<'a>>,
    /// Paths of files that were parsed in part.
    partly_parsed: &'a [String],
}

/// A file that ended its parser.
#[derive(Serialize, JsonSchema)]
struct UnparsedWire<'a> {
    /// Path from the root, with `/` between names.
    path: &'a str,
    /// crashed, memory or time.
    reason: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct SecretsWire {
    /// Number of documents.
    documents: u64,
    /// Number of removed secrets.
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
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Root directory of the tree.
    root: String,
    /// The import that the run started with, with `--import`.
    #[serde(skip_serializing_if = "Option::is_none")]
    import: Option<ImportWire<'a>>,
    /// The export that the run ended with, with `--export`.
    #[serde(skip_serializing_if = "Option::is_none")]
    export: Option<ExportWire<'a>>,
    /// Counts, by source.
    sources: BTreeMap<&'static str, UnitsWire>,
    /// Number of bytes that were read.
    bytes: u64,
    /// Time in seconds.
    seconds: f64,
    /// Problems that did not stop the run, one line each.
    warnings: &'a [String],
}

#[derive(Serialize, JsonSchema)]
struct UnitsWire {
    /// Number of written units.
    written: u64,
    /// Number of deleted units.
    deleted: u64,
    /// Number of unchanged units.
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
        import: None,
        export: None,
        sources: report.sources.iter().map(units).collect(),
        bytes: report.bytes,
        seconds: (report.seconds * 1e3).round() / 1e3,
        warnings: &report.warnings,
    }
}

impl<'a> IndexWire<'a> {
    /// Adds the import that the run started with.
    #[must_use]
    pub fn with_import(mut self, import: Option<&'a ImportReport>) -> IndexWire<'a> {
        self.import = import.map(exchange::import);
        self
    }

    /// Adds the export that the run ended with.
    #[must_use]
    pub fn with_export(mut self, export: Option<&'a ExportReport>) -> IndexWire<'a> {
        self.export = export.map(exchange::export);
        self
    }
}

/// The written index file of sage.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SageIndexWire<'a> {
    /// Path of the file, from the root.
    path: &'a str,
    /// Time of the file, RFC 3339 in UTC.
    last_updated: &'a str,
}

/// The wire form of a written index file of sage.
pub fn sage_index<'a>(path: &'a str, last_updated: &'a str) -> SageIndexWire<'a> {
    SageIndexWire { path, last_updated }
}

/// An answer of `lore clean`.
#[derive(Serialize, JsonSchema)]
pub struct CleanWire {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Directory of all indexes.
    cache: String,
    /// Size of the listed indexes in bytes.
    bytes: u64,
    /// Indexes that are no longer needed.
    indexes: Vec<RemovableIndexWire>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RemovableIndexWire {
    /// Directory of the index.
    path: String,
    /// Tree of the index; null if unknown.
    tree: Option<String>,
    /// Size in bytes.
    bytes: u64,
    /// Day of the last use.
    last_used: Option<String>,
    /// Reason, in words.
    reason: &'static str,
    /// True if it was deleted.
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
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Version of `lore`.
    version: &'static str,
    /// Passed checks, one line each.
    passed: &'a [String],
    /// Problems, one line each.
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
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Settings files that were read.
    files: Vec<String>,
    /// The settings.
    settings: Vec<SettingWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct SettingWire<'a> {
    /// Key of the setting.
    key: &'a str,
    /// Value, of the type of the setting.
    value: ValueWire<'a>,
    /// Layer: default, user, project, tuned, environment or flag.
    origin: &'static str,
    /// File with its line, variable or flag; null for a default.
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
