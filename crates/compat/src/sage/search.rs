//! The search of sage over documents in memory, by its published points.
//!
//! **Invariant:** pure but for [`search`] and [`indexed`], which read the documents and
//! measure the time.

mod answer;
mod duplicates;
mod headings;
mod reading;
mod relevance;
mod scoring;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use lore_engine::{
    Engine, EngineError,
    documents::{comparable_value, is_stop_word, language_of},
};
use lore_schema::{Document, SourceName};

pub(super) use self::answer::{SageAnswer, SageHit, SageRequest};
pub use self::answer::{SageIndex, SageSource};
use self::{
    reading::{Query, Reading},
    relevance::Relevance,
    scoring::{COMPLETED, NEAR_WORD, PHRASE, TITLE, recency},
};
use crate::documents::{
    DocumentFilter, Facts, Folded, has_own_date, is_word, needs_dates, oldest_date,
};

/// Age in seconds from which a change scores nothing; older dates are not looked up.
const FADED: i64 = 7 * 86_400;

/// Directory of the documents of sage itself.
const HOME: &str = ".sage/";

/// The source of a document; `None` if sage does not search it.
fn source_of(document: &Document) -> Option<SageSource> {
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

/// Returns true if a source is requested. `docs` includes all pages: those for agents and specs, too.
fn is_requested(source: SageSource, requested: &[SageSource]) -> bool {
    if requested.is_empty() {
        return source != SageSource::Templates;
    }
    let is_page = matches!(source, SageSource::Agent | SageSource::Specs);
    requested.contains(&source) || (is_page && requested.contains(&SageSource::Docs))
}

/// The sources to read for a request.
fn sources_to_read(requested: &[SageSource]) -> Vec<SourceName> {
    let pages = [SageSource::Agent, SageSource::Docs, SageSource::Templates];
    let any =
        |sources: &[SageSource]| sources.iter().any(|source| is_requested(*source, requested));
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

/// Returns true if a file is read: of code, only files below the directory of sage.
fn is_read(source: SourceName, unit: &str) -> bool {
    source != SourceName::Code || unit.starts_with(HOME)
}

/// Removes the list of files from the text of a commit: the paths are shown, but not searched.
fn keep_message(document: &mut Document) {
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

/// Returns true if a ticket is completed, in the terms of various trackers.
fn is_completed(document: &Document) -> bool {
    document.attributes.status.as_deref().is_some_and(|status| {
        matches!(comparable_value(status).as_str(), "completed" | "complete" | "done" | "closed")
    })
}

/// Searches the sources of sage in memory, without an index.
///
/// # Errors
/// [`EngineError::EmptyQuery`] when the query is blank, [`EngineError::Query`] when it has a syntax
/// error or is an invalid pattern; otherwise when the tree cannot be read.
pub(super) fn search(engine: &Engine, request: &SageRequest) -> Result<SageAnswer, EngineError> {
    let started = Instant::now();
    let documents = read(engine, &sources_to_read(&request.sources))?;
    let in_git = engine.commit().is_some();
    let of_files = |documents: &[&Document]| -> BTreeMap<String, i64> {
        // Without a history, the time of a file is that of its copy.
        if !in_git {
            return BTreeMap::new();
        }
        let oldest = request.search.clock.now - FADED;
        let paths = documents.iter().map(|document| document.path.clone());
        engine.last_changes(paths, Some(oldest))
    };
    let mut request = request.clone();
    if needs_dates(&request.search) {
        let undated = documents.iter().filter(|document| !has_own_date(document));
        let paths = undated.map(|document| document.path.clone());
        let paths = paths.filter(|path| !path.is_empty());
        request.search.filter.dates = engine.last_changes(paths, oldest_date(&request.search));
    }
    let mut answer = rank(&documents, &request, &of_files)?;
    if is_requested(SageSource::Tickets, &request.sources) {
        answer.warnings.extend(engine.malformed_tickets()?);
    }
    answer.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
    Ok(answer)
}

/// Counts what sage searches, for its index file.
///
/// # Errors
/// If the tree cannot be read.
pub fn indexed(engine: &Engine) -> Result<SageIndex, EngineError> {
    Ok(index(&read(engine, SourceName::ALL)?))
}

/// Reads the documents of sources that sage searches.
fn read(engine: &Engine, sources: &[SourceName]) -> Result<Vec<Document>, EngineError> {
    let mut documents = engine.documents(sources, &is_read)?;
    documents.iter_mut().for_each(keep_message);
    Ok(documents)
}

/// Searches documents. `dates` returns the times of the last changes of files without a date;
/// `elapsed_ms` stays 0.
///
/// # Errors
/// If the query is blank, has a syntax error, or is an invalid pattern.
fn rank(
    documents: &[Document],
    request: &SageRequest,
    dates: &dyn Fn(&[&Document]) -> BTreeMap<String, i64>,
) -> Result<SageAnswer, EngineError> {
    let query = Query::of(documents, &request.search)?;
    let filter = DocumentFilter::new(&request.search.filter, &request.search.attributes);
    let mut found: Vec<(&Document, SageSource, Reading)> = documents
        .iter()
        .filter_map(|document| Some((document, source_of(document)?)))
        .filter(|(_, source)| is_requested(*source, &request.sources))
        .filter(|(document, _)| {
            let facts = Facts::of(document, &request.search.filter.dates);
            filter.admits(&facts) && query.admits(&facts)
        })
        .filter_map(|(document, source)| Some((document, source, query.read(document)?)))
        .collect();
    let relevance = Relevance::of(documents.len(), found.iter().map(|(_, _, reading)| reading));
    // A document with only one of several words is a hit only if there is no better one.
    if !query.demands_words() && found.iter().any(|(_, _, reading)| reading.is_relevant()) {
        found.retain(|(_, _, reading)| reading.is_relevant());
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
                // A title that is a heading counts once.
                ("header", if reading.in_heading && !reading.in_title { TITLE } else { 0.0 }),
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
    let relevance: BTreeMap<&lore_schema::DocKey, f64> =
        readings.iter().map(|(key, reading)| (*key, relevance.score(reading))).collect();
    let line = |document: &Document| readings.get(&document.key).map(|reading| reading.line);
    scored.sort_by(|(left, one), (right, other)| {
        right
            .exact
            .cmp(&left.exact)
            .then_with(|| right.score.total_cmp(&left.score))
            .then_with(|| relevance[&other.key].total_cmp(&relevance[&one.key]))
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
                    format!("{source}:{}", name(document))
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

/// The date of a document itself: of its last change, or else of its creation.
fn updated(document: &Document) -> Option<i64> {
    document.attributes.updated.or(document.attributes.created)
}

/// The identifier of a ticket, the hash of a commit, and the path of other documents.
fn name(document: &Document) -> &str {
    match (&document.attributes.id, document.key.source) {
        (Some(id), SourceName::Tickets) => id,
        _ if document.path.is_empty() => &document.key.locator,
        _ => &document.path,
    }
}

/// Identifiers of open tickets.
fn states(documents: &[Document]) -> BTreeSet<&str> {
    documents
        .iter()
        .filter(|document| document.key.source == SourceName::Tickets && !is_completed(document))
        .filter_map(|document| document.attributes.id.as_deref())
        .collect()
}

/// Fills in the fields that only shown hits need.
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
            hit.language = language_of(document).map(str::to_owned);
            // The complete value: its commas are no separators.
            let use_case = attributes.extra.iter().find(|(name, _)| name == "useCase");
            hit.use_case = use_case.map(|(_, value)| value.clone());
        }
        Some(SageSource::Git) => hit.files = extra(&["file"]),
        _ => {}
    }
}

/// The numbers of the index file of sage for these documents.
fn index(documents: &[Document]) -> SageIndex {
    let mut terms: BTreeSet<String> = BTreeSet::new();
    let mut index = SageIndex::default();
    for document in documents {
        let Some(source) = source_of(document) else { continue };
        *index.documents.entry(source).or_default() += 1;
        let folded = Folded::of(&format!("{}\n{}", document.title, document.text));
        let words = folded.as_str().split(|character| !is_word(character));
        for word in words.filter(|word| 1 < word.chars().count() && word.len() <= 64) {
            if !is_stop_word(word) && !terms.contains(word) {
                terms.insert(word.to_owned());
            }
        }
    }
    index.terms = terms.len();
    index
}
