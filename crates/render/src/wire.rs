//! The JSON that `lore` writes, except that of the replaced systems (see the crate `compat`).
//!
//! Keys are camelCase and always present: an unknown value is null, not absent. Times are RFC 3339 in
//! UTC. The engine's types are not serialised directly, so that the wire form changes only here.

pub mod agent;
mod context;
mod drift;
mod expand;
mod failure;
mod graph;
mod history;
mod model;
mod owners;
pub mod page;
mod place;
mod review;
pub mod schema;
mod similar;
mod suggest;
mod tried;
mod upkeep;
mod why;

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt::Write as _,
    io::{self, Write},
    path::Path,
};

use lore_console::{
    dates,
    text::{is_reordering, is_unseen},
};
use lore_engine::{
    Absence, Correction, Expansion, Explanation, FilterLoss, FollowUp, Freshness, Hit, Match,
    Receipt, UnindexedMatch, UnindexedReason,
};
use lore_schema::SkipCounts;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

pub use self::{
    context::{
        ContextItemWire, ContextParts, ContextWire, PolicyRow, context, context_item, intent,
        intents, policies,
    },
    drift::{BaselineWire, DriftWire, drift, drift_baseline, drift_sarif},
    expand::expandable,
    graph::{research, symbols},
    history::{PastQuery, history},
    model::{ListedModel, VerifiedModel, model_chosen, model_verified, models},
    owners::{LinkWire, links, owners},
    place::{PlaceWire, change, place_view},
    review::{ReviewFindingWire, ReviewWire, review, review_finding},
    similar::{exists, related},
    suggest::suggestions,
    tried::{TriedWire, tried},
    upkeep::{
        Limit, RemovableIndex, RemovalReason, SettingRow, ValueWire, check, config, index,
        removable_indexes, status,
    },
    why::{HopWire, WhyWire, hop, why},
};
use crate::{
    budget::{BudgetReport, Level},
    output::{Answer, offsets::Offsets},
};

/// Version of the wire form. It increases when a key changes its meaning or is removed.
pub const SCHEMA: u32 = 1;

/// Writes a value on several lines, and a line end.
pub fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_escaped(&serde_json::to_string_pretty(value)?, out)
}

/// Writes a value on one line, and a line end.
pub fn write_line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_escaped(&serde_json::to_string(value)?, out)
}

/// Returns true for a character that is valid in a JSON string, but controls a terminal or is
/// invisible.
pub fn needs_escape(character: char) -> bool {
    matches!(character, '\u{7f}'..='\u{9f}') || is_reordering(character) || is_unseen(character)
}

/// Returns the escapes of a character in a JSON string.
pub(crate) fn escape(character: char) -> String {
    let mut escaped = String::new();
    for unit in character.encode_utf16(&mut [0; 2]) {
        let _ = write!(escaped, "\\u{unit:04x}");
    }
    escaped
}

/// Writes JSON in which all characters that control a terminal or are invisible are escaped.
fn write_escaped(json: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut rest = json;
    // These characters occur only in strings.
    while let Some((before, character)) =
        rest.find(needs_escape).and_then(|at| Some((&rest[..at], rest[at..].chars().next()?)))
    {
        write!(out, "{before}{}", escape(character))?;
        rest = &rest[before.len() + character.len_utf8()..];
    }
    writeln!(out, "{rest}")
}

/// An answer to a search.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SearchWire<'a> {
    schema: u32,
    query: &'a str,
    results: Vec<HitWire<'a>>,
    absence: Option<AbsenceWire<'a>>,
    follow_ups: Vec<FollowUpWire<'a>>,
    receipt: SearchReceiptWire<'a>,
    warnings: &'a [String],
}

#[derive(Serialize, JsonSchema)]
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
    origin: &'static str,
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

#[derive(Serialize, JsonSchema)]
struct FollowUpWire<'a> {
    query: &'a str,
    category: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct NamedWire<'a> {
    name: &'a str,
    value: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MatchWire<'a> {
    field: &'static str,
    text: &'a str,
    line_number: Option<u32>,
    score: f64,
    highlights: Vec<(usize, usize)>,
}

#[derive(Serialize, JsonSchema)]
struct PartWire {
    name: &'static str,
    value: f64,
    weight: f64,
    contribution: f64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AbsenceWire<'a> {
    reasons: &'a [String],
    nearest: &'a [String],
    unknown_words: &'a [String],
    filters: Vec<FilterLossWire<'a>>,
    elsewhere: Option<ElsewhereWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct FilterLossWire<'a> {
    filter: &'static str,
    values: Vec<Cow<'a, str>>,
    removed: u64,
}

#[derive(Serialize, JsonSchema)]
struct ElsewhereWire<'a> {
    places: Vec<SightingWire<'a>>,
    files: u64,
    commits: u64,
    branches: u64,
    complete: bool,
}

#[derive(Serialize, JsonSchema)]
struct SightingWire<'a> {
    whereabouts: &'static str,
    word: &'a str,
    path: &'a str,
    line: Option<u32>,
    commit: Option<&'a str>,
    branch: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReceiptWire<'a> {
    root: String,
    tree: Option<&'a str>,
    fresh: String,
    exhaustive: bool,
    total: u64,
    matched_all: u64,
    sources: BTreeMap<&'static str, SearchedWire>,
    expanded: Vec<ExpansionWire<'a>>,
    corrected: Vec<CorrectionWire<'a>>,
    graph: Option<GraphPartWire<'a>>,
    weak: bool,
    confidence: Option<ConfidenceWire<'a>>,
    semantic: &'a str,
    semantic_fallback: Option<&'a str>,
    elapsed_ms: f64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ConfidenceWire<'a> {
    level: &'static str,
    probability: f64,
    hits: usize,
    complete: Option<&'a str>,
}

/// The receipt of a search, with the unit of positions, the budget and the failures of a log.
#[derive(Serialize, JsonSchema)]
struct SearchReceiptWire<'a> {
    #[serde(flatten)]
    receipt: ReceiptWire<'a>,
    offsets: &'static str,
    budget: Option<BudgetWire<'a>>,
    failure: Option<failure::FailureReportWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BudgetWire<'a> {
    tokens: usize,
    used: usize,
    tokenizer: &'static str,
    dropped: usize,
    dropped_ids: Option<Vec<&'a str>>,
}

#[derive(Serialize, JsonSchema)]
struct ExpansionWire<'a> {
    word: &'a str,
    added: &'a [String],
}

#[derive(Serialize, JsonSchema)]
struct CorrectionWire<'a> {
    typed: &'a str,
    shown: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct GraphPartWire<'a> {
    question: &'a str,
    shown: u64,
    total: u64,
}

#[derive(Serialize, JsonSchema)]
struct SearchedWire {
    documents: u64,
    skipped: BTreeMap<&'static str, u64>,
}

/// The wire form of an answer, which JSON, JSON Lines and TOON write.
pub fn search(answer: &Answer<'_>) -> Value {
    serde_json::to_value(search_wire(answer)).expect("every key is a string")
}

fn search_wire<'a>(answer: &Answer<'a>) -> SearchWire<'a> {
    let response = answer.response;
    SearchWire {
        schema: SCHEMA,
        query: &response.query,
        results: response.hits.iter().map(|found| hit(found, answer)).collect(),
        absence: response.absence.as_ref().map(absence),
        follow_ups: response.follow_ups.iter().map(follow_up).collect(),
        receipt: SearchReceiptWire {
            receipt: receipt(&response.receipt),
            offsets: answer.offsets.as_str(),
            budget: answer.budget_report.map(|budget_report| budget(budget_report, answer)),
            failure: response.receipt.failure.as_ref().map(failure::report),
        },
        warnings: &response.warnings,
    }
}

fn budget<'a>(budget_report: &BudgetReport, answer: &Answer<'a>) -> BudgetWire<'a> {
    BudgetWire {
        tokens: budget_report.tokens,
        used: budget_report.used,
        tokenizer: budget_report.tokenizer.as_str(),
        dropped: answer.dropped.len(),
        dropped_ids: budget_report
            .names_dropped
            .then(|| answer.dropped.iter().map(|hit| hit.id.as_str()).collect()),
    }
}

fn follow_up(follow_up: &FollowUp) -> FollowUpWire<'_> {
    FollowUpWire { query: &follow_up.query, category: follow_up.category.as_str() }
}

fn hit<'a>(hit: &'a Hit, answer: &Answer<'_>) -> HitWire<'a> {
    hit_at(hit, answer.level(hit), answer.offsets)
}

/// A hit reduced to a level.
fn hit_at(hit: &Hit, level: Option<Level>, offsets: Offsets) -> HitWire<'_> {
    // Hits shown as a signature or path have no passage, which differs from an empty one.
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
        origin: hit.origin.as_str(),
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
        semantic_score: hit.semantic_score.map(rounded),
        semantic_rank: hit.semantic_rank,
        snippet: snippet.map(|snippet| snippet.text.as_str()),
        // Text composed by a source's reader has no lines in a file.
        snippet_start_line: hit
            .start_line
            .and(snippet)
            .map(|snippet| snippet.start_line)
            .filter(|_| !hit.is_composed),
        degraded: level.map(Level::as_str),
        matches: hit.matches.iter().map(|found| place(found, offsets)).collect(),
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
    AbsenceWire {
        reasons: &absence.reasons,
        nearest: &absence.nearest,
        unknown_words: &absence.unknown_words,
        filters: absence.filters.iter().map(loss).collect(),
        elsewhere: absence.elsewhere.as_ref().map(|elsewhere| ElsewhereWire {
            places: elsewhere.matches.iter().map(sighting).collect(),
            files: elsewhere.files,
            commits: elsewhere.commits,
            branches: elsewhere.branches,
            complete: elsewhere.complete,
        }),
    }
}

fn loss(loss: &FilterLoss) -> FilterLossWire<'_> {
    let time = |value: &str| dates::rfc3339(value.parse().ok()?);
    let value = |value| match loss.name {
        "since" | "until" => time(value).map_or(Cow::Borrowed(value), Cow::Owned),
        _ => Cow::Borrowed(value),
    };
    let values = loss.values.iter().map(|text| value(text.as_str())).collect();
    FilterLossWire { filter: loss.name, values, removed: loss.removed }
}

fn sighting(sighting: &UnindexedMatch) -> SightingWire<'_> {
    let (whereabouts, commit, branch) = match &sighting.reason {
        UnindexedReason::Ignored => ("ignored", None, None),
        UnindexedReason::TooLarge => ("tooLarge", None, None),
        UnindexedReason::Binary => ("binary", None, None),
        UnindexedReason::Deleted { commit } => ("deleted", Some(commit.as_str()), None),
        UnindexedReason::Branch { name } => ("branch", None, Some(name.as_str())),
    };
    SightingWire {
        whereabouts,
        word: &sighting.word,
        path: &sighting.path,
        line: sighting.line,
        commit,
        branch,
    }
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
            Freshness::Stale => "stale".to_owned(),
        },
        exhaustive: receipt.exhaustive,
        total: receipt.total,
        matched_all: receipt.matched_all,
        sources: searched.collect(),
        expanded: receipt.expanded.iter().map(expansion).collect(),
        corrected: receipt.corrected.iter().map(correction).collect(),
        graph: receipt.graph.as_ref().map(|graph| GraphPartWire {
            question: &graph.question,
            shown: graph.shown,
            total: graph.total,
        }),
        weak: receipt.weak,
        confidence: receipt.confidence.as_ref().map(|confidence| ConfidenceWire {
            level: confidence.sureness.as_str(),
            probability: (f64::from(confidence.probability) * 100.0).round() / 100.0,
            hits: confidence.hits,
            complete: confidence.complete.as_deref(),
        }),
        semantic: &receipt.semantic,
        semantic_fallback: receipt.semantic_fallback.as_deref(),
        elapsed_ms: tenths(receipt.elapsed_ms),
    }
}

fn expansion(expansion: &Expansion) -> ExpansionWire<'_> {
    ExpansionWire { word: &expansion.word, added: &expansion.added }
}

fn correction(correction: &Correction) -> CorrectionWire<'_> {
    CorrectionWire { typed: &correction.typed, shown: &correction.shown }
}

fn skipped(counts: &SkipCounts) -> BTreeMap<&'static str, u64> {
    counts.iter().map(|(reason, count)| (reason.as_str(), *count)).collect()
}

/// Rounds to six decimals, which are equal in every run and free of binary noise.
pub fn rounded(number: f32) -> f64 {
    (f64::from(number) * 1e6).round() / 1e6
}

fn tenths(milliseconds: f64) -> f64 {
    (milliseconds * 10.0).round() / 10.0
}

/// A score of 0 to 1 in percent.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a score is between 0 and 1, and casts of floats saturate"
)]
pub fn percent(score: f32) -> u8 {
    (score * 100.0).round() as u8
}

fn display(path: &Path) -> String {
    path.display().to_string()
}
