//! `--as semtree`: definitions for a question, and the definitions of files.
//!
//! Every hit is a definition of one of six kinds. Its score is in the band of its kind of match:
//! by its exact name above 5 up to 10, by its words above 1 up to 5, by the beginning of its name
//! above 0.5 up to 1, by meaning alone up to 0.5. In the bands of words and of meaning, the score is
//! the engine's.

mod changes;
mod kinds;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
    path::PathBuf,
};

use lore_console::{
    dates,
    report::{Status, UsageError},
    text,
};
use lore_engine::{
    Absence, Engine, EngineError, SearchRequest, SymbolHit, SymbolMatch, SymbolRequest, Syntax,
    documents::{LastCommit, last_commits},
};
use lore_render::{
    output::style::{Role, Style},
    wire,
};
use lore_schema::{Filter, SourceName};
use lore_session::absence::{self, only_near};
use serde::Serialize;

use self::changes::keep_changed;
use super::{Answer, Contract, ContractRequest, Defaults};
use crate::ContractArguments;

/// Default number of hits.
const LIMIT: usize = 20;

/// Score of every definition in a listing of files.
const LISTED: f64 = 2.0;

/// Maximum number of definitions searched in the files of the hits.
const MAX_DEFINITIONS: usize = 20_000;

/// Characters of a documentation comment in a search.
const SHORT_DOC: usize = 100;

/// Characters of a documentation comment in the form of the tool for agents.
const LONG_DOC: usize = 200;

/// Maximum number of query words that all count as names. In a longer query, only words that are not
/// written like words of a sentence do.
const FEW_WORDS: usize = 3;

/// Maximum number of definitions with the name of a word of a longer query. A word with more is a
/// word of the text rather than a name: `settings` in `settings priority`.
const MAX_NAMESAKES: usize = 3;

/// A second definition of a file is a hit only if it contains more than this share of the query's
/// words.
const HELD: f64 = 0.5;

pub(super) struct Semtree;

impl Contract for Semtree {
    fn name(&self) -> &'static str {
        "semtree"
    }

    fn defaults(&self) -> Defaults {
        Defaults {
            limit: LIMIT,
            sources: &[SourceName::Code],
            formats: &["human", "json", "mcp"],
            on_terminal: "human",
            piped: "human",
            flags: &["--no-prefer-exact", "-k", "-n"],
            on_none: Status::NoResult,
        }
    }

    fn prepare(
        &self,
        request: &mut SearchRequest,
        typed: &ContractArguments,
    ) -> Result<(), UsageError> {
        // No sign and no word of a query is an operator there, and none is an error.
        request.syntax = Syntax::Raw;
        request.snippet_lines = 1;
        request.filter.kinds.extend(typed.only_kind.clone());
        request.filter.kinds = kinds::own(&request.filter.kinds)?;
        Ok(())
    }

    fn search(
        &self,
        asked: &ContractRequest<'_, SearchRequest>,
    ) -> anyhow::Result<Box<dyn Answer>> {
        Ok(Box::new(find(asked)?))
    }

    fn symbols(
        &self,
        asked: &ContractRequest<'_, SymbolRequest>,
    ) -> Option<anyhow::Result<Box<dyn Answer>>> {
        Some(with_kinds(asked, |request| {
            let mut response = asked.engine.symbols(&request, asked.progress)?;
            let mut rows = Rows::default();
            for hit in &response.hits {
                match hit.matched {
                    Some(SymbolMatch::Exact) => rows.add(hit, Band::Exact, 1.0),
                    Some(SymbolMatch::Case | SymbolMatch::Member | SymbolMatch::Parts) => {
                        rows.add(hit, Band::Fts, share_of_name(hit, &request.query));
                    }
                    Some(SymbolMatch::Prefix) => {
                        rows.add(hit, Band::Prefix, share_of_name(hit, &request.query));
                    }
                    Some(SymbolMatch::Near) | None => {}
                }
            }
            let absence = response.absence.take().or_else(|| only_near(&response));
            Ok((rows.best(request.limit), absence))
        }))
    }

    fn files(
        &self,
        asked: &ContractRequest<'_, SymbolRequest>,
    ) -> Option<anyhow::Result<Box<dyn Answer>>> {
        Some(with_kinds(asked, |request| {
            let response = asked.engine.file_symbols(&request, asked.progress)?;
            let rows =
                response.hits.into_iter().map(|hit| Row { hit, band: Band::Fts, score: LISTED });
            Ok((rows.collect(), response.absence))
        }))
    }
}

/// Requests a listing, with the kinds of semtree mapped to those of the engine.
fn with_kinds(
    asked: &ContractRequest<'_, SymbolRequest>,
    find: impl Fn(SymbolRequest) -> Result<(Vec<Row>, Option<Absence>), EngineError>,
) -> anyhow::Result<Box<dyn Answer>> {
    let mut request = asked.request.clone();
    if !request.filter.kinds.is_empty() {
        request.filter.kinds = kinds::own(&request.filter.kinds)?;
    }
    let (rows, absence) = find(request)?;
    let filter = asked.request.filter.clone();
    let (root, query) = (asked.root.to_owned(), asked.request.query.clone());
    Ok(Box::new(Definitions { rows, root, query, filter, absence }))
}

/// Definitions by exact name, then by words; by the beginning of the name where there is neither.
fn find(asked: &ContractRequest<'_, SearchRequest>) -> anyhow::Result<Definitions> {
    let ContractRequest { engine, request, progress, .. } = asked;
    let wider = request.clone().with_limit(request.limit.saturating_mul(2));
    let Some(response) = super::ask(engine, &wider, progress)? else {
        return Ok(Definitions {
            rows: Vec::new(),
            root: asked.root.to_owned(),
            query: request.query.clone(),
            filter: request.filter.clone(),
            absence: None,
        });
    };
    let mut rows = Rows::default();
    let is_dated = request.filter.since.is_some() || request.filter.until.is_some();
    // Definitions have no dates of their own: hits use the dates of their files.
    let undated = Filter { since: None, until: None, ..request.filter.clone() };
    let by_name = |name: &str| -> Result<Vec<SymbolHit>, EngineError> {
        let limit = if is_dated { MAX_DEFINITIONS } else { request.limit };
        let symbols = SymbolRequest { query: name.to_owned(), filter: undated.clone(), limit };
        let mut hits = engine.symbols(&symbols, *progress)?.hits;
        keep_changed(asked.root, &request.filter, &mut hits);
        hits.truncate(request.limit);
        Ok(hits)
    };
    let names = names(&request.query);
    let names = if asked.typed.no_prefer_exact { Vec::new() } else { names };
    for (name, share) in &names {
        let mut exact = by_name(name)?;
        // `Type.name` finds the definition, too; only a name as typed is exact.
        exact.retain(|hit| {
            hit.matched == Some(SymbolMatch::Exact) && hit.name == *name && !is_data(hit)
        });
        if *share < 1.0 && MAX_NAMESAKES < exact.len() {
            continue;
        }
        for hit in &exact {
            rows.add(hit, Band::Exact, *share);
        }
    }
    let found: BTreeMap<&str, (Band, f64)> = response
        .hits
        .iter()
        .rev()
        .filter_map(|hit| {
            let band = if hit.match_type == "semantic" { Band::Semantic } else { Band::Fts };
            Some((hit.path.as_deref()?, (band, f64::from(hit.score))))
        })
        .collect();
    if !found.is_empty() {
        let subjects: BTreeSet<&str> = response.hits.iter().map(|hit| hit.id.as_str()).collect();
        let filter = Filter {
            paths: found.keys().map(|path| globset::escape(path)).collect(),
            ..undated.clone()
        };
        let words = words(&request.query);
        for hit in engine.definitions(&filter, MAX_DEFINITIONS, *progress)?.hits {
            let Some((band, score)) = found.get(hit.path.as_str()) else { continue };
            let share = if subjects.contains(hit.id.as_str()) { 1.0 } else { held(&hit, &words) };
            if HELD < share && !is_data(&hit) {
                rows.add(&hit, *band, score * share);
            }
        }
    }
    if rows.is_empty() {
        for hit in by_name(request.query.trim())? {
            if matches!(hit.matched, Some(SymbolMatch::Case | SymbolMatch::Prefix)) {
                rows.add(&hit, Band::Prefix, share_of_name(&hit, &request.query));
            }
        }
    }
    Ok(Definitions {
        rows: rows.best(request.limit),
        root: asked.root.to_owned(),
        query: request.query.clone(),
        filter: request.filter.clone(),
        absence: response.absence,
    })
}

/// Languages of data: their keys are no definitions for that system.
const DATA: &[&str] = &["json", "toml", "xml", "yaml"];

fn is_data(hit: &SymbolHit) -> bool {
    hit.language.as_deref().is_some_and(|language| DATA.contains(&language))
}

/// The names that a query may hold, each with the share of the query that it is: the whole query,
/// and its words.
fn names(query: &str) -> Vec<(&str, f64)> {
    let query = query.trim();
    let words: Vec<&str> = query.split_whitespace().collect();
    if words.len() < 2 {
        return vec![(query, 1.0)];
    }
    let is_name = |word: &&str| {
        let joined = word.contains(['_', ':', '.']) || word.chars().any(|c| c.is_ascii_digit());
        words.len() <= FEW_WORDS || joined || word.chars().skip(1).any(char::is_uppercase)
    };
    let share = 1.0 / words.len() as f64;
    let mut names: Vec<(&str, f64)> = Vec::new();
    for word in words.iter().copied().filter(is_name) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        if !word.is_empty() && !names.iter().any(|(name, _)| *name == word) {
            names.push((word, share));
        }
    }
    names
}

/// The words of a text, in lower case, identifiers in their parts.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in text.chars() {
        let starts = was_lower && character.is_uppercase();
        if (starts || !character.is_alphanumeric())
            && words.last().is_some_and(|last| !last.is_empty())
        {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase() || character.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Share of the words that begin a word of the definition's name, declaration or comment. Of a
/// longer word, six tenths are enough.
fn held(hit: &SymbolHit, queried: &[String]) -> f64 {
    let mut own = words(&hit.name);
    own.extend(words(&hit.signature));
    own.extend(words(hit.doc_comment.as_deref().unwrap_or_default()));
    let is_held = |word: &&String| {
        let length = word.chars().count();
        let enough = if 5 <= length { (length * 6).div_ceil(10).max(4) } else { length };
        let beginning: String = word.chars().take(enough).collect();
        own.iter().any(|own| own.starts_with(&beginning))
    };
    queried.iter().filter(is_held).count() as f64 / queried.len().max(1) as f64
}

/// Share of a name that the query is, at most 1.
fn share_of_name(hit: &SymbolHit, query: &str) -> f64 {
    let length = query.trim().chars().count() as f64;
    (length / hit.name.chars().count().max(1) as f64).min(1.0)
}

/// Kind of the match of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Band {
    /// By meaning alone.
    Semantic,
    /// By the beginning of its name.
    Prefix,
    /// By its words.
    Fts,
    /// By its name.
    Exact,
}

impl Band {
    fn as_str(self) -> &'static str {
        match self {
            Band::Semantic => "semantic",
            Band::Prefix => "prefix",
            Band::Fts => "fts",
            Band::Exact => "exact",
        }
    }

    /// The score of evidence from 0 to 1: above the band below, never in the band above.
    fn score(self, evidence: f64) -> f64 {
        let (floor, ceiling) = match self {
            Band::Semantic => (0.0, 0.5),
            Band::Prefix => (0.5, 1.0),
            Band::Fts => (1.0, 5.0),
            Band::Exact => (5.0, 10.0),
        };
        // A hit without any evidence still scores above the next lower band.
        let evidence = evidence.clamp(0.001, 1.0);
        floor + (ceiling - floor) * evidence
    }
}

/// A definition as it is written.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    hit: SymbolHit,
    band: Band,
    score: f64,
}

/// Definitions that were found, each once, by identifier.
#[derive(Default)]
struct Rows(BTreeMap<String, Row>);

impl Rows {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a definition with evidence from 0 to 1, unless it was found in a better way.
    fn add(&mut self, hit: &SymbolHit, band: Band, evidence: f64) {
        let row = Row { hit: hit.clone(), band, score: band.score(evidence) };
        let known = self.0.entry(hit.id.clone()).or_insert_with(|| row.clone());
        if known.score < row.score {
            *known = row;
        }
    }

    /// The best ones, by score, then by name, path and line.
    fn best(self, limit: usize) -> Vec<Row> {
        let mut rows: Vec<Row> = self.0.into_values().collect();
        rows.sort_by(|left, right| {
            let key =
                |row: &Row| (row.hit.name.chars().count(), row.hit.path.clone(), row.hit.line);
            right.score.total_cmp(&left.score).then_with(|| key(left).cmp(&key(right)))
        });
        rows.truncate(limit);
        rows
    }
}

/// An answer: definitions in their order.
struct Definitions {
    rows: Vec<Row>,
    /// The tree, absolute.
    root: PathBuf,
    query: String,
    filter: Filter,
    absence: Option<Absence>,
}

impl Answer for Definitions {
    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn write(&self, format: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        match format {
            "json" => wire::write(&self.rows.iter().map(Row::short).collect::<Vec<_>>(), out),
            "mcp" => {
                let paths: BTreeSet<String> =
                    self.rows.iter().map(|row| row.hit.path.clone()).collect();
                let commits = last_commits(&self.root, paths);
                let long = |row| Row::long(row, commits.get(&row.hit.path));
                wire::write(&self.rows.iter().map(long).collect::<Vec<_>>(), out)
            }
            _ => self.rows.iter().try_for_each(|row| row.line(style, out)),
        }
    }

    fn report(&self, engine: &Engine) {
        if self.rows.is_empty() {
            absence::tell(
                &[engine],
                &self.query,
                &Filter { kinds: Vec::new(), ..self.filter.clone() },
                self.absence.as_ref(),
            );
        }
    }
}

#[derive(Serialize)]
struct ShortWire<'a> {
    name: &'a str,
    kind: &'static str,
    file: &'a str,
    line: u32,
    signature: &'a str,
    /// The beginning of the comment; empty if there is none.
    docstring: String,
    score: f64,
}

/// The keys of [`ShortWire`] and those that only the tool for agents adds.
#[derive(Serialize)]
struct LongWire<'a> {
    #[serde(flatten)]
    short: ShortWire<'a>,
    line_start: u32,
    line_end: u32,
    git_author: Option<&'a str>,
    git_date: Option<String>,
    match_source: &'static str,
}

impl Row {
    fn wire(&self, doc: usize) -> ShortWire<'_> {
        let comment = self.hit.doc_comment.as_deref();
        ShortWire {
            name: &self.hit.name,
            kind: kinds::theirs(self.hit.kind),
            file: &self.hit.path,
            line: self.hit.line,
            signature: &self.hit.signature,
            docstring: comment.unwrap_or_default().chars().take(doc).collect(),
            score: (self.score * 1e4).round() / 1e4,
        }
    }

    fn short(&self) -> ShortWire<'_> {
        self.wire(SHORT_DOC)
    }

    /// The row with the last commit of its file.
    fn long<'a>(&'a self, commit: Option<&'a LastCommit>) -> LongWire<'a> {
        LongWire {
            short: self.wire(LONG_DOC),
            line_start: self.hit.start_line,
            line_end: self.hit.end_line,
            git_author: commit.map(|commit| commit.author.as_str()),
            git_date: commit.and_then(|commit| dates::rfc3339(commit.date)),
            match_source: self.band.as_str(),
        }
    }

    /// Kind, name, place, score; the declaration below.
    fn line(&self, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        let hit = &self.hit;
        let name = style.paint(Role::Title, text::clean(&hit.name)).to_string();
        let path = style.paint(Role::Path, text::quoted(&hit.path)).to_string();
        let kind = kinds::theirs(hit.kind);
        writeln!(out, "{kind:<8} {name}  {path}:{}  {:.2}", hit.line, self.score)?;
        if !hit.signature.is_empty() {
            writeln!(out, "         {}", text::clean(&hit.signature))?;
        }
        Ok(())
    }
}
