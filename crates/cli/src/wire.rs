//! The JSON that the program writes, all of it but that of the contracts.
//!
//! Keys are camelCase and always present: a value that is not known is null, not absent. Times are
//! RFC 3339 in UTC. The engine's types are not serialised as they are, so that the wire form
//! changes only here.

mod graph;
mod owners;

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::Path,
};

use lore_engine::{
    Absence, CheckReport, Explanation, Freshness, Hit, IndexReport, Match, Receipt, SpecHit, Status,
};
use lore_schema::{SkipCounts, SourceName};
use serde::Serialize;
use serde_json::Value;

pub(crate) use self::{
    graph::{research, symbols},
    owners::{followed, owners},
};
use crate::{
    budget::{Level, Spending},
    dates,
    output::{Answer, offsets::Offsets, text::is_reordering},
    settings,
};

/// Version of the form; it grows when a key changes its meaning or vanishes.
const SCHEMA: u32 = 1;

/// Writes a value over several lines, and a line end.
pub(crate) fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_escaped(&serde_json::to_string_pretty(value)?, out)
}

/// Writes a value on one line, and a line end.
pub(crate) fn write_line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_escaped(&serde_json::to_string(value)?, out)
}

/// Whether a character steers a terminal although JSON lets it pass.
pub(crate) fn steers(character: char) -> bool {
    matches!(character, '\u{7f}'..='\u{9f}') || is_reordering(character)
}

/// Writes JSON. Control characters that it lets pass are escaped, too, so that no text steers a
/// terminal.
fn write_escaped(json: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut rest = json;
    // Outside of strings JSON has none of these characters.
    while let Some((before, character)) =
        rest.find(steers).and_then(|at| Some((&rest[..at], rest[at..].chars().next()?)))
    {
        write!(out, "{before}\\u{:04x}", u32::from(character))?;
        rest = &rest[before.len() + character.len_utf8()..];
    }
    writeln!(out, "{rest}")
}

/// An answer to a search.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SearchWire<'a> {
    schema: u32,
    query: &'a str,
    results: Vec<HitWire<'a>>,
    absence: Option<AbsenceWire<'a>>,
    receipt: SearchReceiptWire<'a>,
    warnings: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HitWire<'a> {
    rank: usize,
    id: &'a str,
    source: &'static str,
    format: &'a str,
    kind: &'a str,
    title: &'a str,
    path: Option<&'a str>,
    start_line: Option<u32>,
    end_line: Option<u32>,
    language: Option<&'a str>,
    breadcrumb: String,
    signature: Option<&'a str>,
    doc_comment: Option<&'a str>,
    token_count: u64,
    category: &'static str,
    status: Option<&'a str>,
    priority: Option<&'a str>,
    tags: &'a [String],
    author: Option<&'a str>,
    date: Option<String>,
    extra: Vec<NamedWire<'a>>,
    score: f64,
    relevance_percent: u8,
    match_type: &'static str,
    is_multi_hop: bool,
    hop_depth: usize,
    via: Option<&'a str>,
    bm25_score: Option<f64>,
    bm25_rank: Option<usize>,
    semantic_score: Option<f64>,
    semantic_rank: Option<usize>,
    snippet: Option<&'a str>,
    snippet_start_line: Option<u32>,
    degraded: Option<&'static str>,
    matches: Vec<MatchWire<'a>>,
    total_matches: usize,
    also_found_in: &'a [String],
    links: Vec<owners::LinkWire<'a>>,
    raw_score: Option<f64>,
    explanation: Option<Vec<PartWire>>,
}

#[derive(Serialize)]
struct NamedWire<'a> {
    name: &'a str,
    value: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MatchWire<'a> {
    field: &'static str,
    text: &'a str,
    line_number: Option<u32>,
    score: f64,
    highlights: Vec<(usize, usize)>,
}

#[derive(Serialize)]
struct PartWire {
    name: &'static str,
    value: f64,
    weight: f64,
    contribution: f64,
}

#[derive(Serialize)]
struct AbsenceWire<'a> {
    reasons: &'a [String],
    nearest: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReceiptWire<'a> {
    root: String,
    tree: Option<&'a str>,
    fresh: String,
    exhaustive: bool,
    total: u64,
    matched_all: u64,
    sources: BTreeMap<&'static str, SearchedWire>,
    semantic: &'static str,
    elapsed_ms: f64,
}

/// The receipt of a search: also what its positions count, and what it was allowed to take.
#[derive(Serialize)]
struct SearchReceiptWire<'a> {
    #[serde(flatten)]
    receipt: ReceiptWire<'a>,
    offsets: &'static str,
    budget: Option<BudgetWire<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BudgetWire<'a> {
    tokens: usize,
    used: usize,
    tokenizer: &'static str,
    dropped: usize,
    dropped_ids: Option<Vec<&'a str>>,
}

#[derive(Serialize)]
struct SearchedWire {
    documents: u64,
    skipped: BTreeMap<&'static str, u64>,
}

/// The wire form of an answer, as the tree that every format of this kind writes.
pub(crate) fn search(answer: &Answer<'_>) -> Value {
    let response = answer.response;
    let wire = SearchWire {
        schema: SCHEMA,
        query: &response.query,
        results: response.hits.iter().map(|one| hit(one, answer)).collect(),
        absence: response.absence.as_ref().map(absence),
        receipt: SearchReceiptWire {
            receipt: receipt(&response.receipt),
            offsets: answer.offsets.as_str(),
            budget: answer.spending.map(|spending| budget(spending, answer)),
        },
        warnings: &response.warnings,
    };
    serde_json::to_value(wire).expect("every key is a text")
}

fn budget<'a>(spending: &Spending, answer: &Answer<'a>) -> BudgetWire<'a> {
    BudgetWire {
        tokens: spending.tokens,
        used: spending.used,
        tokenizer: spending.tokenizer.as_str(),
        dropped: answer.dropped.len(),
        dropped_ids: spending
            .names_dropped
            .then(|| answer.dropped.iter().map(|hit| hit.id.as_str()).collect()),
    }
}

fn hit<'a>(hit: &'a Hit, answer: &Answer<'_>) -> HitWire<'a> {
    let level = answer.level(hit);
    // A name or a place alone comes without a passage, which is not an empty passage.
    let snippet = Some(&hit.snippet).filter(|_| level.is_none_or(|level| level <= Level::Snippet));
    HitWire {
        rank: hit.rank,
        id: &hit.id,
        source: hit.source.as_str(),
        format: &hit.format,
        kind: &hit.kind,
        title: &hit.title,
        path: hit.path.as_deref(),
        start_line: hit.start_line,
        end_line: hit.end_line,
        language: hit.language.as_deref(),
        breadcrumb: hit.breadcrumb.join(" > "),
        signature: hit.signature.as_deref(),
        doc_comment: hit.doc_comment.as_deref(),
        token_count: hit.token_count,
        category: hit.category,
        status: hit.status.as_deref(),
        priority: hit.priority.as_deref(),
        tags: &hit.tags,
        author: hit.author.as_deref(),
        date: hit.date.and_then(dates::rfc3339),
        extra: hit.extra.iter().map(|(name, value)| NamedWire { name, value }).collect(),
        score: rounded(hit.score),
        relevance_percent: percent(hit.score),
        match_type: hit.match_type,
        is_multi_hop: hit.hops > 0,
        hop_depth: hit.hops,
        via: hit.via.as_deref(),
        bm25_score: hit.bm25_score.map(rounded),
        bm25_rank: hit.bm25_rank,
        semantic_score: None,
        semantic_rank: None,
        snippet: snippet.map(|snippet| snippet.text.as_str()),
        // Text that a reader composed has no lines in a file.
        snippet_start_line: hit.start_line.and(snippet).map(|snippet| snippet.start_line),
        degraded: level.map(Level::as_str),
        matches: hit.matches.iter().map(|one| place(one, answer.offsets)).collect(),
        total_matches: hit.total_matches,
        also_found_in: &hit.also_found_in,
        links: owners::links(&hit.links),
        raw_score: hit.explanation.as_ref().map(|explanation| rounded(explanation.sum())),
        explanation: hit.explanation.as_ref().map(parts),
    }
}

fn place(place: &Match, offsets: Offsets) -> MatchWire<'_> {
    MatchWire {
        field: place.field,
        text: &place.text,
        line_number: place.line,
        score: rounded(place.score),
        highlights: offsets.ranges(&place.text, &place.highlights),
    }
}

fn parts(explanation: &Explanation) -> Vec<PartWire> {
    explanation
        .parts
        .iter()
        .map(|part| PartWire {
            name: part.name,
            value: rounded(part.value),
            weight: rounded(part.weight),
            contribution: rounded(part.contribution),
        })
        .collect()
}

fn absence(absence: &Absence) -> AbsenceWire<'_> {
    AbsenceWire { reasons: &absence.reasons, nearest: &absence.nearest }
}

fn receipt(receipt: &Receipt) -> ReceiptWire<'_> {
    let searched = receipt.sources.iter().map(|(source, report)| {
        let report =
            SearchedWire { documents: report.documents, skipped: skipped(&report.skipped) };
        (source.as_str(), report)
    });
    ReceiptWire {
        root: display(&receipt.root),
        tree: receipt.tree.as_deref(),
        fresh: match receipt.fresh {
            Freshness::Verified => "verified".to_owned(),
            Freshness::Partial(pending) => format!("partial({pending} pending)"),
        },
        exhaustive: receipt.exhaustive,
        total: receipt.total,
        matched_all: receipt.matched_all,
        sources: searched.collect(),
        semantic: receipt.semantic,
        elapsed_ms: tenths(receipt.elapsed_ms),
    }
}

fn skipped(counts: &SkipCounts) -> BTreeMap<&'static str, u64> {
    counts.iter().map(|(reason, count)| (reason.as_str(), *count)).collect()
}

/// Six decimals: what is equal between two runs, and no noise of binary fractions.
pub(crate) fn rounded(number: f32) -> f64 {
    (f64::from(number) * 1e6).round() / 1e6
}

fn tenths(milliseconds: f64) -> f64 {
    (milliseconds * 10.0).round() / 10.0
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a score lies in 0..=1; a cast of floats saturates"
)]
pub(crate) fn percent(score: f32) -> u8 {
    (score * 100.0).round() as u8
}

/// One hit of the spec floor.
#[derive(Serialize)]
pub(crate) struct SpecHitWire<'a> {
    id: &'a str,
    title: &'a str,
    path: &'a str,
    score: f64,
    snippet: &'a str,
}

/// The wire form of the spec floor's answer: the array alone.
pub(crate) fn spec(hits: &[SpecHit]) -> Vec<SpecHitWire<'_>> {
    hits.iter()
        .map(|hit| SpecHitWire {
            id: &hit.id,
            title: &hit.title,
            path: &hit.path,
            score: hit.score,
            snippet: &hit.snippet,
        })
        .collect()
}

/// The state of the index.
#[derive(Serialize)]
pub(crate) struct StatusWire<'a> {
    schema: u32,
    root: String,
    cache: Option<String>,
    sources: BTreeMap<&'static str, SourceWire<'a>>,
    problems: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SourceWire<'a> {
    documents: u64,
    chunks: u64,
    pending: u64,
    formats: &'a BTreeMap<String, u64>,
    languages: &'a BTreeMap<String, u64>,
    skipped: BTreeMap<&'static str, u64>,
    fell_back: u64,
    text_bytes: u64,
    disk_bytes: u64,
}

/// The wire form of the index's state, for `lore status` and `lore sources`.
pub(crate) fn status(status: &Status) -> StatusWire<'_> {
    let sources = status.sources.iter().map(|(name, source)| {
        let wire = SourceWire {
            documents: source.documents,
            chunks: source.chunks,
            pending: source.pending,
            formats: &source.formats,
            languages: &source.languages,
            skipped: skipped(&source.skipped),
            fell_back: source.fell_back,
            text_bytes: source.text_bytes,
            disk_bytes: source.disk_bytes,
        };
        (name.as_str(), wire)
    });
    StatusWire {
        schema: SCHEMA,
        root: display(&status.root),
        cache: status.cache.as_deref().map(display),
        sources: sources.collect(),
        problems: &status.problems,
    }
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
    rows: impl Iterator<Item = (&'a str, &'a settings::Decided)>,
) -> ConfigWire<'a> {
    let setting = |(key, decided): (&'a str, &'a settings::Decided)| SettingWire {
        key,
        value: match &decided.value {
            settings::Value::Files(paths) => {
                ValueWire::Files(paths.iter().map(|path| display(path)).collect())
            }
            settings::Value::Folder(path) => ValueWire::Folder(display(path)),
            settings::Value::Names(names) => ValueWire::Names(names),
            settings::Value::Number(number) => ValueWire::Number(*number),
            settings::Value::Switch(switch) => ValueWire::Switch(*switch),
            settings::Value::Text(text) => ValueWire::Text(text),
            settings::Value::Weight(weight) => ValueWire::Weight(*weight),
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

fn display(path: &Path) -> String {
    path.display().to_string()
}
