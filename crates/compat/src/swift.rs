//! `--as swift`: the code search of swift-index, and with `--in docs` its search of documentation.
//!
//! The list is the engine's; scores are from 0 to 1 and percentages from 0 to 100. Its factors are
//! printed as published with `--explain`.

pub(crate) mod kinds;
#[cfg(test)]
mod tests;
mod text_formats;

use std::io::{self, Write};

use lore_console::report::{self, Status, UsageError};
use lore_engine::{Absence, Engine, FollowUp, Fusion, Hit, Mode, SearchRequest, Syntax};
use lore_render::{
    output::style::Style,
    wire::{self, percent, rounded},
};
use lore_schema::{Filter, SourceName};
use lore_session::absence;
use serde::Serialize;

use super::{Answer, Contract, ContractRequest, Defaults};
use crate::ContractArguments;

/// Default number of hits in code.
const LIMIT: usize = 20;

/// Default number of hits in documentation.
const DOCS_LIMIT: usize = 10;

/// Steps of `--multi-hop`.
const HOPS: usize = 2;

/// Lines of a passage: more than any has, since the whole passage is the content of a hit.
const ALL_LINES: usize = 100_000;

/// Name for the language of a file without one.
const NO_LANGUAGE: &str = "unknown";

/// Characters per token of a language model.
const CHARACTERS_PER_TOKEN: usize = 4;

pub(super) struct Swift;

impl Contract for Swift {
    fn name(&self) -> &'static str {
        "swift"
    }

    fn defaults(&self) -> Defaults {
        Defaults {
            limit: LIMIT,
            sources: &[SourceName::Code],
            formats: &["human", "json", "toon"],
            on_terminal: "human",
            piped: "toon",
            flags: &[
                "--config",
                "--expand-query",
                "--extensions",
                "--multi-hop",
                "--no-expand-query",
                "--no-synthesize",
                "--path-filter",
                "--semantic-weight",
                "--synthesize",
                "-n",
                "-p",
            ],
            on_none: Status::NoResult,
        }
    }

    fn mode(&self) -> Option<Mode> {
        None
    }

    fn fusion(&self) -> Fusion {
        Fusion::PUBLISHED
    }

    fn limit(&self, filter: &Filter) -> usize {
        if is_docs(filter) { DOCS_LIMIT } else { LIMIT }
    }

    fn prepare(
        &self,
        request: &mut SearchRequest,
        typed: &ContractArguments,
    ) -> Result<(), UsageError> {
        // No sign and no word of a query is an operator there, and none is an error.
        request.syntax = Syntax::Raw;
        request.snippet_lines = ALL_LINES;
        if typed.multi_hop && request.hops == 0 {
            request.hops = HOPS;
        }
        if !typed.extensions.is_empty() {
            request.filter.paths = with_extensions(&request.filter.paths, &typed.extensions)?;
        }
        Ok(())
    }

    fn search(
        &self,
        asked: &ContractRequest<'_, SearchRequest>,
    ) -> anyhow::Result<Box<dyn Answer>> {
        let mut results = Results {
            query: asked.request.query.clone(),
            hits: Vec::new(),
            follow_ups: Vec::new(),
            elapsed_ms: 0.0,
            docs: is_docs(&asked.request.filter),
            filter: asked.request.filter.clone(),
            absence: None,
            notes: notes(asked.typed),
        };
        let mut request = asked.request.clone();
        let requested = std::mem::take(&mut request.filter.kinds);
        request.filter.kinds =
            requested.iter().map(|kind| kinds::stored(kind).to_owned()).collect();
        if results.docs {
            request.filter.sources.push(SourceName::Specs);
        }
        if let Some(response) = super::ask(asked.engine, &request, asked.progress)? {
            results.hits = response.hits;
            results.hits.retain(|hit| kinds::is_requested(&requested, kind(hit), &hit.kind));
            results.follow_ups = response.follow_ups;
            results.elapsed_ms = response.receipt.elapsed_ms;
            results.absence = response.absence;
        }
        Ok(Box::new(results))
    }
}

/// Returns true if only documentation is searched.
fn is_docs(filter: &Filter) -> bool {
    filter.sources == [SourceName::Docs]
}

/// Notes on flags that have no effect.
fn notes(typed: &ContractArguments) -> Vec<&'static str> {
    let notes = [
        (typed.config.is_some(), "`--config` is not read: settings are those of `lore config`"),
        (typed.expand_query, "`--expand-query` adds nothing: the query is searched as typed"),
        (typed.synthesize, "`--synthesize` writes nothing: there is no language model"),
    ];
    notes.iter().filter(|(typed, _)| *typed).map(|(_, note)| *note).collect()
}

/// Globs of paths that match one of these and have one of the extensions.
fn with_extensions(globs: &[String], extensions: &[String]) -> Result<Vec<String>, UsageError> {
    let extensions: Vec<&str> = extensions
        .iter()
        .map(|extension| extension.trim().trim_start_matches('.'))
        .filter(|extension| !extension.is_empty())
        .collect();
    let is_plain = |extension: &&str| extension.chars().all(|c| c.is_alphanumeric() || c == '_');
    if extensions.is_empty() || !extensions.iter().all(is_plain) {
        return Err(UsageError::new("could not understand `--extensions`")
            .hint("write them without dots and globs, for example `--extensions swift,ts`"));
    }
    if globs.is_empty() {
        return Ok(extensions.iter().map(|extension| format!("*.{extension}")).collect());
    }
    let mut both = Vec::new();
    for glob in globs {
        let (folder, name) = glob.rsplit_once('/').unwrap_or(("", glob));
        for extension in &extensions {
            if name.ends_with(&format!(".{extension}")) {
                both.push(glob.clone());
            } else if name == "**" {
                both.push(format!("{glob}/*.{extension}"));
            } else if name.ends_with('*') {
                both.push(format!("{glob}.{extension}"));
            } else if !name.contains('.') {
                // A folder, which stands for everything in it.
                let slash = if folder.is_empty() { "" } else { "/" };
                both.push(format!("{folder}{slash}{name}/**/*.{extension}"));
            }
        }
    }
    if both.is_empty() {
        return Err(UsageError::new("no path has one of the extensions and matches the glob")
            .hint("leave `--extensions` or `--path-filter` out"));
    }
    Ok(both)
}

/// The hits of a query.
struct Results {
    query: String,
    hits: Vec<Hit>,
    /// Suggested queries, if requested.
    follow_ups: Vec<FollowUp>,
    elapsed_ms: f64,
    /// True for a search of documentation.
    docs: bool,
    filter: Filter,
    absence: Option<Absence>,
    notes: Vec<&'static str>,
}

impl Answer for Results {
    fn is_empty(&self) -> bool {
        self.hits.is_empty()
    }

    fn write(&self, format: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        let chunks: Vec<Chunk<'_>> = self.hits.iter().map(Chunk::of).collect();
        let seconds = self.elapsed_ms / 1e3;
        match (format, self.docs) {
            ("json", false) => wire::write(&self.envelope(&chunks, Chunk::json), out),
            ("json", true) => wire::write(&self.envelope(&chunks, Chunk::docs_json), out),
            ("toon", false) => {
                text_formats::toon(&self.query, &chunks, seconds, out)?;
                text_formats::toon_follow_ups(&self.follow_ups, out)
            }
            ("toon", true) => text_formats::docs_toon(&self.query, &chunks, out),
            (_, docs) => {
                text_formats::human(&chunks, seconds, docs, style, out)?;
                text_formats::human_follow_ups(&self.follow_ups, out)
            }
        }
    }

    fn report(&self, engine: &Engine) {
        for note in &self.notes {
            report::note(note);
        }
        if self.is_empty() {
            absence::tell(&[engine], &self.query, &self.filter, self.absence.as_ref());
        }
    }
}

impl Results {
    fn envelope<'a, T: Serialize>(
        &'a self,
        chunks: &'a [Chunk<'a>],
        form: impl Fn(&'a Chunk<'a>) -> T,
    ) -> Envelope<'a, T> {
        Envelope {
            query: &self.query,
            result_count: chunks.len(),
            elapsed_seconds: (self.elapsed_ms * 1e3).round() / 1e6,
            results: chunks.iter().map(form).collect(),
            follow_ups: self
                .follow_ups
                .iter()
                .map(|next| FollowUpWire { query: &next.query, category: next.category.as_str() })
                .collect(),
        }
    }
}

/// A hit in the form of swift-index: a part of a file with its metadata.
struct Chunk<'a> {
    hit: &'a Hit,
    /// The text of the lines.
    content: String,
    /// Ranges in `content`, in Unicode scalar values, end exclusive.
    highlights: Vec<(usize, usize)>,
    /// Enclosing definitions and its own name: `A > B > c`.
    breadcrumb: Option<String>,
    /// Names that it defines.
    symbols: Vec<&'a str>,
}

impl<'a> Chunk<'a> {
    fn of(hit: &'a Hit) -> Chunk<'a> {
        let (content, highlights) = content(hit);
        let symbols: Vec<&str> = hit.signature.iter().map(|_| hit.title.as_str()).collect();
        let mut names: Vec<&str> = hit.breadcrumb.iter().map(String::as_str).collect();
        names.extend(
            symbols.iter().filter(|name| hit.breadcrumb.last().is_none_or(|last| last != *name)),
        );
        let breadcrumb = (!names.is_empty()).then(|| names.join(" > "));
        Chunk { hit, content, highlights, breadcrumb, symbols }
    }

    fn path(&self) -> &'a str {
        self.hit.path.as_deref().unwrap_or(&self.hit.id)
    }

    fn lines(&self) -> (u32, u32) {
        (self.hit.start_line.unwrap_or(1), self.hit.end_line.unwrap_or(1))
    }

    fn language(&self) -> &'a str {
        self.hit.language.as_deref().unwrap_or(NO_LANGUAGE)
    }

    /// Number of tokens of the content, as swift-index estimates it: a quarter of its characters,
    /// rounded up.
    fn tokens(&self) -> u64 {
        self.content.chars().count().div_ceil(CHARACTERS_PER_TOKEN) as u64
    }

    fn json(&self) -> ChunkWire<'_> {
        let hit = self.hit;
        let (start_line, end_line) = self.lines();
        ChunkWire {
            id: &hit.id,
            path: self.path(),
            start_line,
            end_line,
            kind: kind(hit),
            symbols: &self.symbols,
            content: &self.content,
            doc_comment: hit.doc_comment.as_deref(),
            signature: hit.signature.as_deref(),
            breadcrumb: self.breadcrumb.as_deref(),
            token_count: self.tokens(),
            language: self.language(),
            score: rounded(hit.score),
            relevance_percent: percent(hit.score),
            match_type: match_type(hit.match_type),
            highlights: &self.highlights,
            is_multi_hop: 0 < hit.hops,
            hop_depth: hit.hops,
            bm25_score: hit.bm25_score.map(rounded),
            semantic_score: hit.semantic_score.map(rounded),
            bm25_rank: hit.bm25_rank,
            semantic_rank: hit.semantic_rank,
            boosts: hit.explanation.is_some().then(|| Boosts::of(hit)),
        }
    }

    fn docs_json(&self) -> DocsWire<'_> {
        let (start_line, end_line) = self.lines();
        DocsWire {
            id: &self.hit.id,
            path: self.path(),
            start_line,
            end_line,
            breadcrumb: self.breadcrumb.as_deref(),
            kind: kind(self.hit),
            content: &self.content,
            token_count: self.tokens(),
            language: self.language(),
            relevance_percent: percent(self.hit.score),
        }
    }
}

/// The name of that system for how a hit was found.
fn match_type(own: &'static str) -> &'static str {
    if own == "lexical" { "bm25" } else { own }
}

/// The kind of a hit under the name of swift-index.
fn kind(hit: &Hit) -> &str {
    kinds::published(&hit.kind, hit.language.as_deref(), hit.signature.as_deref())
}

/// The text of a hit's lines and the highlights in it. The passage may begin before the requested
/// definition, and end after it.
fn content(hit: &Hit) -> (String, Vec<(usize, usize)>) {
    let snippet = &hit.snippet;
    let (Some(first), Some(last)) = (hit.start_line, hit.end_line) else {
        return (snippet.text.clone(), snippet.highlights.clone());
    };
    if hit.is_composed {
        return (snippet.text.clone(), snippet.highlights.clone());
    }
    let mut content = String::new();
    let (mut from, mut seen) = (None, 0);
    for (number, line) in (snippet.start_line..).zip(snippet.text.split('\n')) {
        if (first..=last).contains(&number) {
            if from.is_none() {
                from = Some(seen);
            } else {
                content.push('\n');
            }
            content.push_str(line);
        }
        seen += line.chars().count() + 1;
    }
    let Some(from) = from else {
        return (snippet.text.clone(), snippet.highlights.clone());
    };
    let to = from + content.chars().count();
    let inside = |range: &&(usize, usize)| from <= range.0 && range.1 <= to;
    let highlights = snippet
        .highlights
        .iter()
        .filter(inside)
        .map(|(start, end)| (start - from, end - from))
        .collect();
    (content, highlights)
}

/// The published factors, by the name of the signal that stands for each here.
const FACTORS: &[(&str, f64)] = &[
    ("conformance", 1.5),
    ("exact-symbol", 2.5),
    ("implementing-declaration", 3.0),
    ("partial-name", 0.3),
    ("protocol-definition", 1.3),
    ("public", 1.1),
    ("standard-extension", 0.5),
    ("type-declaration", 1.5),
];

/// The factor of the repository's own source: the only one that is a setting.
const SOURCE_PATH: &str = "source-path";

/// The published factors that apply to a hit, and their product.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Boosts {
    factors: Vec<Factor>,
    product: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Factor {
    name: &'static str,
    factor: f64,
}

impl Boosts {
    /// The engine adds logarithms: a part of weight ln m stands for the factor m.
    fn of(hit: &Hit) -> Boosts {
        let hundredths = |factor: f64| (factor * 100.0).round() / 100.0;
        let parts = hit.explanation.iter().flat_map(|explanation| &explanation.parts);
        let mut factors: Vec<Factor> = parts
            .filter(|part| 0.0 < part.value)
            .filter_map(|part| {
                let published = FACTORS.iter().find(|(name, _)| *name == part.name);
                let factor = match published {
                    Some((_, factor)) => *factor,
                    None if part.name == SOURCE_PATH => hundredths(f64::from(part.weight).exp()),
                    None => return None,
                };
                Some(Factor { name: part.name, factor })
            })
            .collect();
        factors.sort_by_key(|factor| factor.name);
        let product = hundredths(factors.iter().map(|factor| factor.factor).product());
        Boosts { factors, product }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<'a, T> {
    query: &'a str,
    result_count: usize,
    elapsed_seconds: f64,
    results: Vec<T>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    follow_ups: Vec<FollowUpWire<'a>>,
}

/// A suggested query and its category.
#[derive(Serialize)]
struct FollowUpWire<'a> {
    query: &'a str,
    category: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ChunkWire<'a> {
    id: &'a str,
    path: &'a str,
    start_line: u32,
    end_line: u32,
    kind: &'a str,
    symbols: &'a [&'a str],
    content: &'a str,
    doc_comment: Option<&'a str>,
    signature: Option<&'a str>,
    breadcrumb: Option<&'a str>,
    token_count: u64,
    language: &'a str,
    score: f64,
    relevance_percent: u8,
    match_type: &'static str,
    highlights: &'a [(usize, usize)],
    is_multi_hop: bool,
    hop_depth: usize,
    bm25_score: Option<f64>,
    semantic_score: Option<f64>,
    bm25_rank: Option<usize>,
    semantic_rank: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    boosts: Option<Boosts>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DocsWire<'a> {
    id: &'a str,
    path: &'a str,
    start_line: u32,
    end_line: u32,
    breadcrumb: Option<&'a str>,
    kind: &'a str,
    content: &'a str,
    token_count: u64,
    language: &'a str,
    relevance_percent: u8,
}
