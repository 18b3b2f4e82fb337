//! The JSON that `lore` writes, except that of the replaced systems (see the crate `compat`).
//!
//! Keys are camelCase and always present: an unknown value is null, not absent. Times are RFC 3339 in
//! UTC. The engine's types are not serialised directly, so that the wire form changes only here.

mod absence;
pub mod agent;
mod cluster;
mod context;
mod drift;
mod exchange;
mod expand;
mod failure;
mod graph;
mod history;
mod model;
pub mod outputs;
mod owners;
pub mod page;
mod place;
mod progress;
mod repositories;
pub mod requests;
mod review;
pub mod schema;
mod similar;
mod suggest;
mod tried;
mod upkeep;
mod why;
mod workspaces;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{self, Write},
    path::Path,
};

use lore_console::{
    dates,
    text::{is_reordering, is_unseen},
};
use lore_engine::{Correction, Expansion, Explanation, FollowUp, Hit, Match, Receipt, TreeCheck};
use lore_schema::SkipCounts;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use self::{
    absence::{AbsenceWire, absence},
    repositories::{RepositoryWire, repository},
};
pub use self::{
    cluster::cluster,
    context::{
        ContextItemWire, ContextParts, ContextWire, PolicyRow, context, context_item, intent,
        intents, policies,
    },
    drift::{BaselineWire, DriftWire, drift, drift_baseline, drift_sarif},
    exchange::import_plan,
    expand::expandable,
    graph::{research, symbols},
    history::{PastQuery, history},
    model::{ListedModel, VerifiedModel, model_chosen, model_verified, models},
    owners::{LinkWire, links, owners},
    place::{PlaceWire, change, place_view},
    progress::{ProgressWire, estimate},
    review::{ReviewFindingWire, ReviewWire, review, review_finding},
    similar::{exists, related},
    suggest::suggestions,
    tried::{TriedWire, tried},
    upkeep::{
        Limit, RemovableIndex, RemovalReason, SettingRow, ValueWire, check, config, index,
        removable_indexes, sage_index, status,
    },
    why::{HopWire, WhyWire, hop, why},
    workspaces::{index_workspace, workspace, workspaces},
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
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// The query, as it was typed.
    query: &'a str,
    /// Hits, best first.
    results: Vec<HitWire<'a>>,
    /// Reasons why nothing was found; null if there is an answer.
    absence: Option<AbsenceWire<'a>>,
    /// Suggested further queries; empty unless `--follow-ups` is given.
    follow_ups: Vec<FollowUpWire<'a>>,
    /// Conditions of the answer: tree, freshness, searched sources.
    receipt: SearchReceiptWire<'a>,
    /// Problems that did not stop the run, one line each.
    warnings: &'a [String],
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HitWire<'a> {
    /// Rank, from 1.
    rank: usize,
    /// Identifier, which other commands accept, such as `code:src/a.rs#save`.
    id: &'a str,
    /// Source: code, docs, git, patterns, specs or tickets.
    source: &'static str,
    /// Format of the source, such as files, openspec or github.
    format: &'a str,
    /// Kind, such as function, class, section, spec, ticket or commit.
    kind: &'a str,
    /// Title or name.
    title: &'a str,
    /// Path from the root, with `/` between names; null without a file.
    path: Option<&'a str>,
    /// Name of the repository, in an answer over a workspace; missing otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<&'a str>,
    /// First line, from 1.
    start_line: Option<u32>,
    /// Last line, from 1, included.
    end_line: Option<u32>,
    /// Programming language; null for other text.
    language: Option<&'a str>,
    /// Names of the enclosing definitions or headings, outermost first, joined by ` > `.
    breadcrumb: String,
    /// Signature of a definition.
    signature: Option<&'a str>,
    /// Documentation comment of a definition.
    doc_comment: Option<&'a str>,
    /// Number of tokens of the whole chunk: exact with a budget, otherwise estimated.
    token_count: u64,
    /// Role of the file in the repository, such as own, test, example, generated or vendored.
    category: &'static str,
    /// `own` for text of the repository, otherwise `outside`: text of other authors, such as
    /// exported tickets.
    origin: &'static str,
    /// Status of a ticket, spec or decision.
    status: Option<&'a str>,
    /// Priority of a ticket.
    priority: Option<&'a str>,
    /// Tags or labels.
    tags: &'a [String],
    /// Author.
    author: Option<&'a str>,
    /// Time, RFC 3339 in UTC.
    date: Option<String>,
    /// Other attributes of the front matter or ticket.
    extra: Vec<NamedWire<'a>>,
    /// Score from 0 to 1; comparable between sources.
    score: f64,
    /// Score in percent.
    relevance_percent: u8,
    /// Kind of the match, such as lexical, semantic or hybrid.
    match_type: &'static str,
    /// True if `--hops` added the hit.
    is_multi_hop: bool,
    /// Number of steps from the hit that led to it; 0 for others.
    hop_depth: usize,
    /// Identifier or name of the hit that led to it.
    via: Option<&'a str>,
    /// Lexical score; null without a match by words.
    bm25_score: Option<f64>,
    /// Lexical rank.
    bm25_rank: Option<usize>,
    /// Similarity of meaning; null if it was not compared.
    semantic_score: Option<f64>,
    /// Semantic rank.
    semantic_rank: Option<usize>,
    /// Passage; null if the budget left room for less.
    snippet: Option<&'a str>,
    /// First line of the passage; null for text composed by a reader.
    snippet_start_line: Option<u32>,
    /// Form that the budget left: body, snippet, signature or path; null without a budget.
    degraded: Option<&'static str>,
    /// Matching lines.
    matches: Vec<MatchWire<'a>>,
    /// Number of matching lines.
    total_matches: usize,
    /// Paths of copies of the same text.
    also_found_in: &'a [String],
    /// Targets of references; empty unless `--follow` is given.
    links: Vec<owners::LinkWire<'a>>,
    /// Sum of the parts; null unless `--explain` is given.
    raw_score: Option<f64>,
    /// Parts of the score; null unless `--explain` is given.
    explanation: Option<Vec<PartWire>>,
}

#[derive(Serialize, JsonSchema)]
struct FollowUpWire<'a> {
    /// Query to type.
    query: &'a str,
    /// Kind of the suggestion.
    category: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct NamedWire<'a> {
    /// Name.
    name: &'a str,
    /// Value of the attribute.
    value: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MatchWire<'a> {
    /// Field that matches, such as content, name or title.
    field: &'static str,
    /// The matching line.
    text: &'a str,
    /// Line of the file, from 1.
    line_number: Option<u32>,
    /// Share of the words that the line contains.
    score: f64,
    /// Ranges in the text, start included and end excluded, in the unit of `receipt.offsets`.
    highlights: Vec<(usize, usize)>,
}

#[derive(Serialize, JsonSchema)]
struct PartWire {
    /// Name of the signal.
    name: &'static str,
    /// Value of the signal.
    value: f64,
    /// Weight of the signal.
    weight: f64,
    /// Value times weight.
    contribution: f64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PreliminaryWire {
    /// Number of searched files.
    searched: u64,
    /// Number of files, as far as folders were listed.
    files: u64,
    /// Number of searched files that are indexed; the others were searched for words only.
    indexed: u64,
    /// True if every folder was listed.
    listed_all: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReceiptWire<'a> {
    /// Root directory of the tree.
    root: String,
    /// Commit of the tree, and the number of files that differ from it; null without git.
    tree: Option<&'a str>,
    /// State of the answer: verified, `partial(N pending)` or stale.
    fresh: String,
    /// Basis of that: `walked` if all directories were listed, `watched` if events named the changes.
    checked: &'static str,
    /// Extent of an answer that did not wait for the first index; null for others.
    preliminary: Option<PreliminaryWire>,
    /// True if the list contains every match, and every searched file could be read.
    exhaustive: bool,
    /// Number of documents that pass the filters and contain a word of the query.
    total: u64,
    /// Number of documents that contain all words.
    matched_all: u64,
    /// Searched sources, by name.
    sources: BTreeMap<&'static str, SearchedWire>,
    /// Repositories of an answer over a workspace; missing otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    repositories: Vec<RepositoryWire<'a>>,
    /// Words that were added to the query.
    expanded: Vec<ExpansionWire<'a>>,
    /// Words that were replaced.
    corrected: Vec<CorrectionWire<'a>>,
    /// Part of the answer that the graph gave; null without one.
    graph: Option<GraphPartWire<'a>>,
    /// True if the hits may not be what is searched for.
    weak: bool,
    /// Certainty of the answer; null if there is no claim.
    confidence: Option<ConfidenceWire<'a>>,
    /// Model of the semantic search, or the reason why there is none.
    semantic: &'a str,
    /// Reason why the search was lexical only.
    semantic_fallback: Option<&'a str>,
    /// Time in milliseconds.
    elapsed_ms: f64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ConfidenceWire<'a> {
    /// found, likely or unsure.
    level: &'static str,
    /// Estimated probability that the first hits contain the answer.
    probability: f64,
    /// Number of hits that the estimate covers.
    hits: usize,
    /// Reason why the answer is complete; null if it may not be.
    complete: Option<&'a str>,
}

/// The receipt of a search, with the unit of positions, the budget and the failures of a log.
#[derive(Serialize, JsonSchema)]
struct SearchReceiptWire<'a> {
    #[serde(flatten)]
    receipt: ReceiptWire<'a>,
    /// Unit of `highlights`: char, utf16 or byte.
    offsets: &'static str,
    /// Token budget; null without one.
    budget: Option<BudgetWire<'a>>,
    /// Failures of the log of `--from-failure`.
    failure: Option<failure::FailureReportWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BudgetWire<'a> {
    /// Maximum number of tokens.
    tokens: usize,
    /// Number of tokens of the output.
    used: usize,
    /// Tokenizer that counts the tokens: o200k or cl100k.
    tokenizer: &'static str,
    /// Number of dropped results.
    dropped: usize,
    /// Their identifiers; null if there is no room.
    dropped_ids: Option<Vec<&'a str>>,
}

#[derive(Serialize, JsonSchema)]
struct ExpansionWire<'a> {
    /// Word of the query.
    word: &'a str,
    /// Added words.
    added: &'a [String],
}

#[derive(Serialize, JsonSchema)]
struct CorrectionWire<'a> {
    /// Word as typed.
    typed: &'a str,
    /// Word that was searched instead.
    shown: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct GraphPartWire<'a> {
    /// Question to the graph.
    question: &'a str,
    /// Number of shown definitions.
    shown: u64,
    /// Number of definitions.
    total: u64,
}

#[derive(Serialize, JsonSchema)]
struct SearchedWire {
    /// Number of documents.
    documents: u64,
    /// Number of skipped files, by reason.
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
        repository: hit.repository.as_deref(),
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

fn receipt(receipt: &Receipt) -> ReceiptWire<'_> {
    let searched = receipt.sources.iter().map(|(source, report)| {
        let report =
            SearchedWire { documents: report.documents, skipped: skipped(&report.skipped) };
        (source.as_str(), report)
    });
    ReceiptWire {
        root: display(&receipt.root),
        tree: receipt.tree.as_deref(),
        fresh: receipt.fresh.to_string(),
        checked: match receipt.check {
            TreeCheck::Walked => "walked",
            TreeCheck::Watched => "watched",
        },
        preliminary: receipt.scanned.map(|scanned| PreliminaryWire {
            searched: scanned.looked,
            files: scanned.files,
            indexed: scanned.indexed,
            listed_all: scanned.listed_all,
        }),
        exhaustive: receipt.exhaustive,
        total: receipt.total,
        matched_all: receipt.matched_all,
        sources: searched.collect(),
        repositories: receipt.repositories.iter().map(repository).collect(),
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
