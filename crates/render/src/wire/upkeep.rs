//! The wire form of what keeps the index: its state, runs, checks and settings.

use std::{collections::BTreeMap, path::Path, time::SystemTime};

use lore_console::dates;
use lore_engine::{CachedView, CheckReport, IndexReport, SecretCount, Status};
use lore_schema::SourceName;
use serde::Serialize;

use super::{SCHEMA, display, skipped};

/// Why an index goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovalReason {
    /// It was named, or all are to go.
    Requested,
    /// Its tree is gone.
    Orphan,
    /// Another version made it, or it is damaged.
    Foreign,
    /// All together are too large, and it was not used for longest.
    Oldest,
}

impl RemovalReason {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            RemovalReason::Requested => "asked for",
            RemovalReason::Orphan => "its tree is gone",
            RemovalReason::Foreign => "of another version, or damaged",
            RemovalReason::Oldest => "over limits.disk, not used for longest",
        }
    }
}

/// An index that goes.
pub struct RemovableIndex {
    /// What it is.
    pub view: CachedView,
    /// Why.
    pub reason: RemovalReason,
    /// Whether it is gone by now.
    pub removed: bool,
}

impl RemovableIndex {
    /// The day when it was last used.
    pub fn day(&self) -> Option<String> {
        let since = self.view.used?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        dates::day(i64::try_from(since.as_secs()).ok()?)
    }
}

/// One limit.
pub struct Limit {
    /// Key of its setting.
    pub key: &'static str,
    /// As it is set.
    pub value: String,
    /// Where that comes from.
    pub origin: String,
    /// What is used, as a number: bytes, or threads. `None` where it cannot be told.
    pub used: Option<u64>,
    /// The same in words.
    pub in_words: String,
}

/// The state of the index.
#[derive(Serialize)]
pub struct StatusWire<'a> {
    schema: u32,
    root: String,
    cache: Option<String>,
    embedder: Option<&'a str>,
    sources: BTreeMap<&'static str, SourceWire<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<BTreeMap<&'static str, LimitWire<'a>>>,
    problems: &'a [String],
}

#[derive(Serialize)]
struct LimitWire<'a> {
    value: &'a str,
    origin: &'a str,
    used: Option<u64>,
}

impl<'a> StatusWire<'a> {
    /// Adds what the program may use.
    pub fn with_limits(mut self, limits: &'a [Limit]) -> StatusWire<'a> {
        let limit = |limit: &'a Limit| {
            let Limit { value, origin, used, .. } = limit;
            (limit.key, LimitWire { value, origin, used: *used })
        };
        self.limits = Some(limits.iter().map(limit).collect());
        self
    }
}

#[derive(Serialize)]
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
}

#[derive(Serialize)]
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
        problems: &status.problems,
    }
}

fn secrets(count: SecretCount) -> SecretsWire {
    SecretsWire { documents: count.documents, secrets: count.secrets }
}

/// What an index run did.
#[derive(Serialize)]
pub struct IndexWire<'a> {
    schema: u32,
    root: String,
    sources: BTreeMap<&'static str, UnitsWire>,
    bytes: u64,
    seconds: f64,
    warnings: &'a [String],
}

#[derive(Serialize)]
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

/// What `lore clean` deletes.
#[derive(Serialize)]
pub struct CleanWire {
    schema: u32,
    cache: String,
    bytes: u64,
    indexes: Vec<RemovableIndexWire>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RemovableIndexWire {
    path: String,
    tree: Option<String>,
    bytes: u64,
    last_used: Option<String>,
    reason: &'static str,
    removed: bool,
}

/// The wire form of indexes that go.
pub fn removable_indexes(cache: &Path, removable: &[RemovableIndex]) -> CleanWire {
    let one = |one: &RemovableIndex| RemovableIndexWire {
        path: display(&one.view.path),
        tree: one.view.root.as_deref().map(display),
        bytes: one.view.bytes,
        last_used: one.day(),
        reason: one.reason.as_str(),
        removed: one.removed,
    };
    CleanWire {
        schema: SCHEMA,
        cache: display(cache),
        bytes: removable.iter().map(|one| one.view.bytes).sum(),
        indexes: removable.iter().map(one).collect(),
    }
}

/// What `lore doctor` found.
#[derive(Serialize)]
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
#[derive(Serialize)]
pub struct ConfigWire<'a> {
    schema: u32,
    files: Vec<String>,
    settings: Vec<SettingWire<'a>>,
}

#[derive(Serialize)]
struct SettingWire<'a> {
    key: &'a str,
    value: ValueWire<'a>,
    origin: &'static str,
    place: Option<String>,
}

/// The value of a setting.
#[derive(Serialize)]
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
    /// Yes or no.
    Switch(bool),
    /// A text.
    Text(&'a str),
    /// A number that may have a fraction.
    Weight(f64),
}

/// A setting as it is written.
pub struct SettingRow<'a> {
    /// Table and key.
    pub key: &'a str,
    /// The value.
    pub value: ValueWire<'a>,
    /// The layer that the value comes from.
    pub origin: &'static str,
    /// Where in that layer it is: a file with its line, a variable or a flag.
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
