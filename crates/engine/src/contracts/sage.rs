//! The search of sage over documents in memory, by its published points.
//!
//! **Invariant:** pure. No I/O, no clock; the caller reads the documents and the time.

mod answer;
mod duplicates;
mod reading;
mod scoring;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use lore_schema::{Document, SourceName};

pub use self::answer::{SageAnswer, SageDocument, SageHit, SageRequest, SageSource};
use self::{
    reading::{Query, Reading},
    scoring::{COMPLETED, NEAR_WORD, PHRASE, TITLE, recency},
};
use super::{
    DocumentFilter,
    facts::Facts,
    folded::{Folded, is_word},
};
use crate::{EngineError, query::facets};

/// Seconds after which a change earns no points: dates before that need not be told apart.
pub(crate) const FADED: i64 = 7 * 86_400;

/// Where the documents of sage itself lie.
const HOME: &str = ".sage/";

/// The source of a document; `None` for what sage does not search.
pub(crate) fn source_of(document: &Document) -> Option<SageSource> {
    match document.key.source {
        SourceName::Git => Some(SageSource::Git),
        SourceName::Patterns => Some(SageSource::Patterns),
        SourceName::Specs => Some(SageSource::Specs),
        SourceName::Tickets => Some(SageSource::Tickets),
        SourceName::Code => document.path.starts_with(HOME).then_some(SageSource::Agent),
        SourceName::Docs => {
            let agent = document.attributes.extra.iter().find(|(name, _)| name == "agent");
            Some(match agent {
                Some((_, kind)) if kind == "templates" => SageSource::Templates,
                None if document.path.starts_with(".sage/templates/") => SageSource::Templates,
                None if !document.path.starts_with(HOME) => SageSource::Docs,
                _ => SageSource::Agent,
            })
        }
    }
}

/// Whether a source is asked for. `docs` are all pages: those for agents and specs, too.
fn is_asked(source: SageSource, asked: &[SageSource]) -> bool {
    if asked.is_empty() {
        return source != SageSource::Templates;
    }
    let is_page = matches!(source, SageSource::Agent | SageSource::Specs);
    asked.contains(&source) || (is_page && asked.contains(&SageSource::Docs))
}

/// The sources to read for a request.
pub(crate) fn sources_to_read(asked: &[SageSource]) -> Vec<SourceName> {
    let pages = [SageSource::Agent, SageSource::Docs, SageSource::Templates];
    let any = |sources: &[SageSource]| sources.iter().any(|source| is_asked(*source, asked));
    SourceName::ALL
        .iter()
        .copied()
        .filter(|source| match source {
            SourceName::Code => any(&[SageSource::Agent]),
            SourceName::Docs => any(&pages),
            SourceName::Git => any(&[SageSource::Git]),
            SourceName::Patterns => any(&[SageSource::Patterns]),
            SourceName::Specs => any(&[SageSource::Specs]),
            SourceName::Tickets => any(&[SageSource::Tickets]),
        })
        .collect()
}

/// Whether a file is worth reading: of code, only what lies in the folder of sage.
pub(crate) fn is_read(source: SourceName, unit: &str) -> bool {
    source != SourceName::Code || unit.starts_with(HOME)
}

/// Leaves of a commit its message: the paths of its files are told, but not searched.
pub(crate) fn keep_message(document: &mut Document) {
    if document.key.source != SourceName::Git {
        return;
    }
    let files: Vec<&str> = document
        .attributes
        .extra
        .iter()
        .filter(|(name, _)| name == "file")
        .map(|(_, path)| path.as_str())
        .collect();
    let list = files.join("\n");
    if let Some(message) = document.text.strip_suffix(list.as_str()) {
        document.text = message.trim_end().to_owned();
    }
}

/// The factor of a source.
fn factor(source: SageSource, path: &str) -> f64 {
    let is_research = path.split('/').rev().skip(1).any(|folder| folder == "research");
    match source {
        SageSource::Agent | SageSource::Specs | SageSource::Docs if is_research => 1.5,
        SageSource::Specs => 1.3,
        SageSource::Patterns => 1.2,
        SageSource::Agent | SageSource::Docs | SageSource::Templates | SageSource::Tickets => 1.0,
        SageSource::Git => 0.8,
    }
}

/// Whether a ticket is done, by the words that systems use.
fn is_completed(document: &Document) -> bool {
    document.attributes.status.as_deref().is_some_and(|status| {
        matches!(facets::normal(status).as_str(), "completed" | "complete" | "done" | "closed")
    })
}

/// Searches documents. `dates` tells when files without a date were last changed; `elapsed_ms` is
/// left at 0.
///
/// # Errors
/// When the query is blank, none of the query language, or a pattern that cannot be understood.
pub(crate) fn search(
    documents: &[Document],
    request: &SageRequest,
    dates: &dyn Fn(&[&Document]) -> BTreeMap<String, i64>,
) -> Result<SageAnswer, EngineError> {
    let query = Query::of(documents, &request.search)?;
    let filter = DocumentFilter::new(&request.search.filter, &request.search.attributes);
    let mut found: Vec<(&Document, SageSource, Reading)> = documents
        .iter()
        .filter_map(|document| Some((document, source_of(document)?)))
        .filter(|(_, source)| is_asked(*source, &request.sources))
        .filter(|(document, _)| {
            let facts = Facts::of(document, &request.search.filter.dates);
            filter.admits(&facts) && query.admits(&facts)
        })
        .filter_map(|(document, source)| Some((document, source, query.read(document)?)))
        .collect();
    // What holds one of several words somewhere is an answer only where there is no better one.
    if !query.demands_words() && found.iter().any(|(_, _, reading)| reading.is_worth_something()) {
        found.retain(|(_, _, reading)| reading.is_worth_something());
    }
    let undated: Vec<&Document> = found
        .iter()
        .map(|(document, _, _)| *document)
        .filter(|document| updated(document).is_none() && !document.path.is_empty())
        .collect();
    let dates = dates(&undated);
    let now = request.search.clock.now;
    let mut scored: Vec<(SageHit, &Document)> = found
        .iter()
        .map(|(document, source, reading)| {
            let updated = updated(document).or_else(|| dates.get(&document.path).copied());
            let parts: Vec<(&'static str, f64)> = [
                ("exact phrase", if reading.exact { PHRASE } else { 0.0 }),
                ("title", if reading.in_title { TITLE } else { 0.0 }),
                ("header", if reading.in_heading { TITLE } else { 0.0 }),
                (
                    "near words",
                    if reading.near < 2 { 0.0 } else { NEAR_WORD * f64::from(reading.near) },
                ),
                ("recency", recency(updated, now)),
                (
                    "completed",
                    if *source == SageSource::Tickets && is_completed(document) {
                        COMPLETED
                    } else {
                        0.0
                    },
                ),
            ]
            .into_iter()
            .filter(|(_, points)| 0.0 < *points)
            .collect();
            let factor = factor(*source, &document.path);
            let score = parts.iter().map(|(_, points)| points).sum::<f64>() * factor;
            let hit = SageHit {
                source: Some(*source),
                path: document.path.clone(),
                score,
                exact: reading.exact,
                parts,
                factor,
                updated,
                ..SageHit::default()
            };
            (hit, *document)
        })
        .collect();
    let readings: BTreeMap<&lore_schema::DocKey, &Reading> =
        found.iter().map(|(document, _, reading)| (&document.key, reading)).collect();
    let line = |document: &Document| readings.get(&document.key).map(|reading| reading.line);
    scored.sort_by(|(left, one), (right, other)| {
        right
            .exact
            .cmp(&left.exact)
            .then_with(|| right.score.total_cmp(&left.score))
            .then_with(|| left.path.cmp(&right.path))
            .then_with(|| line(one).cmp(&line(other)))
            .then_with(|| one.key.cmp(&other.key))
    });
    let groups = duplicates::merge(&scored, request.search.limit);
    let total = scored.len() - groups.iter().map(|group| group.others.len()).sum::<usize>();
    let states = states(documents);
    let hits = groups
        .iter()
        .take(request.search.limit)
        .map(|group| {
            let (hit, document) = &scored[group.first];
            let mut hit = hit.clone();
            hit.also_in = group
                .others
                .iter()
                .map(|&other| {
                    let (hit, document) = &scored[other];
                    let source = hit.source.map_or("", SageSource::as_str);
                    format!("{source}:{}", place(document))
                })
                .collect();
            if let Some(reading) = readings.get(&document.key) {
                complete(&mut hit, document, reading, &query, &states);
            }
            hit
        })
        .collect();
    Ok(SageAnswer { hits, total, warnings: query.warnings, elapsed_ms: 0.0 })
}

fn updated(document: &Document) -> Option<i64> {
    document.attributes.updated.or(document.attributes.created)
}

/// The path, or the hash of a commit.
fn place(document: &Document) -> &str {
    if document.path.is_empty() { &document.key.locator } else { &document.path }
}

/// The tickets that are not done.
fn states(documents: &[Document]) -> BTreeSet<&str> {
    documents
        .iter()
        .filter(|document| document.key.source == SourceName::Tickets && !is_completed(document))
        .filter_map(|document| document.attributes.id.as_deref())
        .collect()
}

/// Fills in what is only needed of hits that are shown.
fn complete(
    hit: &mut SageHit,
    document: &Document,
    reading: &Reading,
    query: &Query,
    open: &BTreeSet<&str>,
) {
    let attributes = &document.attributes;
    let extra = |names: &[&str]| -> Vec<String> {
        let named = attributes.extra.iter().filter(|(name, _)| names.contains(&name.as_str()));
        let mut values = Vec::new();
        for value in named.flat_map(|(_, value)| value.split(',')).map(str::trim) {
            if !value.is_empty() && !values.iter().any(|known| known == value) {
                values.push(value.to_owned());
            }
        }
        values
    };
    let is_commit = document.key.source == SourceName::Git;
    hit.title.clone_from(&document.title);
    hit.id = if is_commit { Some(document.key.locator.clone()) } else { attributes.id.clone() };
    hit.section = reading.section(document);
    hit.line =
        (!is_commit && document.origin == lore_schema::TextOrigin::File).then_some(reading.line);
    hit.lines = if hit.line.is_some() { reading.lines.clone() } else { Vec::new() };
    let (snippet, highlights) = query.snippet(document, reading);
    hit.snippet = snippet;
    hit.highlights = highlights;
    hit.status.clone_from(&attributes.status);
    hit.author.clone_from(&attributes.author);
    hit.created = attributes.created;
    match hit.source {
        Some(SageSource::Tickets) => {
            let needs = extra(&["blockedBy", "blocked_by", "dependency", "dependencies"]);
            hit.blocked_by =
                needs.iter().filter(|id| open.contains(id.as_str())).cloned().collect();
            hit.related =
                extra(&["relatedTo", "related_to", "related", "discoveredFrom", "blocks"]);
            for id in needs {
                if !hit.related.contains(&id) {
                    hit.related.push(id);
                }
            }
        }
        Some(SageSource::Patterns) => {
            let language = lore_syntax::detect(&document.path, &document.text);
            hit.language = language.map(|language| language.name.to_owned());
            // The whole of it: its commas separate nothing.
            let use_case = attributes.extra.iter().find(|(name, _)| name == "useCase");
            hit.use_case = use_case.map(|(_, value)| value.clone());
        }
        Some(SageSource::Git) => hit.files = extra(&["file"]),
        _ => {}
    }
}

/// What the index file of sage holds of these documents, in the order of their identifiers.
pub(crate) fn index(documents: &[Document]) -> Vec<SageDocument> {
    let mut all: Vec<SageDocument> = documents
        .iter()
        .filter_map(|document| {
            let source = source_of(document)?;
            let folded = Folded::of(&format!("{}\n{}", document.title, document.text));
            let words: BTreeSet<&str> = folded
                .as_str()
                .split(|one| !is_word(one))
                .filter(|word| 1 < word.chars().count() && !lore_text::is_stop_word(word))
                .filter(|word| word.len() <= 64)
                .collect();
            Some(SageDocument {
                source,
                id: format!("{}:{}", source.as_str(), document.key.locator),
                path: document.path.clone(),
                title: document.title.clone(),
                updated: updated(document),
                words: words.into_iter().map(str::to_owned).collect(),
            })
        })
        .collect();
    all.sort_by(|left, right| left.id.cmp(&right.id));
    all
}
