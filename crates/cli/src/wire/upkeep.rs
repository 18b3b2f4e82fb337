//! The wire form of what keeps the index: its state, runs, checks and settings.

use std::{collections::BTreeMap, path::Path};

use lore_engine::{CheckReport, IndexReport, SecretCount, Status};
use lore_schema::SourceName;
use serde::Serialize;

use super::{SCHEMA, display, skipped};
use crate::commands::{clean::Doomed, status::Limit};

/// The state of the index.
#[derive(Serialize)]
pub(crate) struct StatusWire<'a> {
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
    pub(crate) fn with_limits(mut self, limits: &'a [Limit]) -> StatusWire<'a> {
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
pub(crate) fn status(status: &Status) -> StatusWire<'_> {
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
pub(crate) struct IndexWire<'a> {
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
pub(crate) fn index<'a>(report: &'a IndexReport, root: &Path) -> IndexWire<'a> {
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
pub(crate) struct CleanWire {
    schema: u32,
    cache: String,
    bytes: u64,
    indexes: Vec<DoomedWire>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DoomedWire {
    path: String,
    tree: Option<String>,
    bytes: u64,
    last_used: Option<String>,
    reason: &'static str,
    removed: bool,
}

/// The wire form of indexes that go.
pub(crate) fn cleaned(cache: &Path, doomed: &[Doomed]) -> CleanWire {
    let one = |one: &Doomed| DoomedWire {
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
        bytes: doomed.iter().map(|one| one.view.bytes).sum(),
        indexes: doomed.iter().map(one).collect(),
    }
}

/// What `lore doctor` found.
#[derive(Serialize)]
pub(crate) struct CheckWire<'a> {
    schema: u32,
    version: &'static str,
    passed: &'a [String],
    problems: &'a [String],
}

/// The wire form of a check.
pub(crate) fn check(report: &CheckReport) -> CheckWire<'_> {
    CheckWire {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        passed: &report.passed,
        problems: &report.problems,
    }
}

/// The settings.
#[derive(Serialize)]
pub(crate) struct ConfigWire<'a> {
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

#[derive(Serialize)]
#[serde(untagged)]
enum ValueWire<'a> {
    Folder(String),
    Files(Vec<String>),
    Names(&'a [String]),
    Number(u64),
    Switch(bool),
    Text(&'a str),
    Weight(f64),
}

/// The wire form of these settings.
pub(crate) fn config<'a>(
    files: &[std::path::PathBuf],
    rows: impl Iterator<Item = (&'a str, &'a lore_settings::Decided)>,
) -> ConfigWire<'a> {
    let setting = |(key, decided): (&'a str, &'a lore_settings::Decided)| SettingWire {
        key,
        value: match &decided.value {
            lore_settings::Value::Files(paths) => {
                ValueWire::Files(paths.iter().map(|path| display(path)).collect())
            }
            lore_settings::Value::Folder(path) => ValueWire::Folder(display(path)),
            lore_settings::Value::Names(names) => ValueWire::Names(names),
            lore_settings::Value::Number(number) => ValueWire::Number(*number),
            lore_settings::Value::Size(u64::MAX) => ValueWire::Text(lore_settings::NONE),
            lore_settings::Value::Size(bytes) => ValueWire::Number(*bytes),
            lore_settings::Value::Switch(switch) => ValueWire::Switch(*switch),
            lore_settings::Value::Text(text) => ValueWire::Text(text),
            lore_settings::Value::Weight(weight) => ValueWire::Weight(*weight),
        },
        origin: decided.origin.layer(),
        place: decided.origin.place(),
    };
    ConfigWire {
        schema: SCHEMA,
        files: files.iter().map(|path| display(path)).collect(),
        settings: rows.map(setting).collect(),
    }
}
