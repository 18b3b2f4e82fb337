//! Answers a search from a failure log: the spans of the frames, innermost first, then their tests,
//! the commits that wrote them, and the results of a search for the message.

use std::{
    collections::{BTreeSet, HashSet},
    rc::Rc,
};

use lore_failures::{Failure, read};
use lore_index::DocumentSet;
use lore_schema::{SourceName, Symbol};

use super::{
    cover,
    group::{groups, numbered, reason, titled},
    history,
    query_words::{rare_words, words_of},
    span::{Reason, span},
};
use crate::{
    EngineConfig, EngineError, FailureReport, Hit, IndexMode, Moved, Progress, SearchRequest,
    SearchResponse, Syntax, Undecided,
    answers::follow_ups::FollowUpCache,
    graph::{CodeGraph, defines},
    search::{
        parse,
        restrict::Restriction,
        search_in, search_log_in,
        sites::{DocumentText, Resolved, Site, Sites},
        templates::without_templates,
    },
    state::{refresh, snapshot::Snapshot},
};

/// A request to search from a failure log.
#[derive(Debug, Clone, PartialEq)]
pub struct FailureRequest {
    /// The log, or the beginning and the end of a long one.
    pub log: String,
    /// Number of missing bytes between the two parts.
    pub skipped_bytes: u64,
    /// All other options of the search. Its query is added to the words of the messages and read as
    /// plain words.
    pub search: SearchRequest,
}

/// Maximum number of tests, and of commits, in one answer.
const MAX_TESTS: usize = 3;
const MAX_COMMITS: usize = 3;
const MAX_TICKETS: usize = 2;

/// Maximum number of frames that are reported one by one in addition to the hits.
const MAX_REPORTED: usize = 10;

/// Factor of the score for each frame before this one, and the share of that score for tests and
/// commits.
const STEP: f32 = 0.95;
const BESIDE: f32 = 0.5;

/// Answers a search from a failure log.
pub(crate) fn failure(
    config: &EngineConfig,
    request: &FailureRequest,
    progress: &dyn Progress,
    cache: &FollowUpCache,
) -> Result<SearchResponse, EngineError> {
    if request.log.trim().is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    let log = config.secrets.apply(request.log.clone());
    let reading = read(&log);
    let mut report = FailureReport {
        warnings: reading.warnings,
        beyond: reading.beyond,
        skipped_bytes: request.skipped_bytes,
        ..FailureReport::default()
    };
    // A frame may be in a source that the answer excludes, and commits are needed in any case.
    let mut snapshot = refresh::take(config, &[], IndexMode::Update, progress)?;
    let search = without_templates(
        &request.search.clone().with_syntax(Syntax::Raw).with_pattern(None),
        &snapshot,
    );
    let admitted = Admitted::new(&search, &mut snapshot, config)?;
    let found = beside(&reading.failures, &mut report, &snapshot, config, &search, &admitted)?;
    report.words = if reading.failures.is_empty() {
        rare_words(&log, &snapshot)?
    } else {
        words_of(&reading.failures, &found.functions, &snapshot)?
    };
    let query = format!("{} {}", search.query.trim(), report.words).trim().to_owned();
    report.failures = reading.failures;

    let mut response = by_words((&query, &log), &search, &mut snapshot, config, cache)?;
    let mut hits = merge(found, std::mem::take(&mut response.hits), search.limit);
    for (at, hit) in hits.iter_mut().enumerate() {
        hit.rank = at + 1;
    }
    if !hits.is_empty() {
        response.absence = None;
    }
    response.warnings.extend(remarks(&report));
    response.hits = hits;
    let documents: HashSet<&str> =
        response.hits.iter().map(|hit| hit.path.as_deref().unwrap_or(hit.id.as_str())).collect();
    response.receipt.total = response.receipt.total.max(documents.len() as u64);
    response.receipt.exhaustive = false;
    response.receipt.failure = Some(report);
    Ok(response)
}

/// The documents that the filter of a request accepts.
struct Admitted {
    documents: Option<HashSet<lore_index::DocumentId>>,
    within: Vec<(SourceName, DocumentSet)>,
    kinds: Vec<String>,
}

impl Admitted {
    fn new(
        search: &SearchRequest,
        snapshot: &mut Snapshot,
        config: &EngineConfig,
    ) -> Result<Admitted, EngineError> {
        let known = snapshot.warnings.len();
        let blank = search.clone().with_query("");
        let parsed = parse::parse_filters(&blank, snapshot, config)?;
        snapshot.warnings.truncate(known);
        let filter = &parsed.filter;
        let mut within = Vec::new();
        let mut documents = (!filter.is_empty()).then(HashSet::new);
        for source in &snapshot.sources {
            let reader = source.reader.as_ref();
            let name = reader.source();
            if !filter.sources.is_empty() && !filter.sources.contains(&name) {
                continue;
            }
            let (listed, shape) = (Some((source, &*snapshot.tree)), parsed.plan.query.shape);
            let restriction = Restriction { config, reader, listed, filter, shape };
            within.push((name, restriction.apply(parsed.condition.as_ref())?));
            if let Some(documents) = &mut documents {
                documents.extend(reader.listing(filter)?.iter().map(|listed| listed.id));
            }
        }
        Ok(Admitted { documents, within, kinds: filter.kinds.clone() })
    }

    fn lets(&self, document: lore_index::DocumentId, hit: &Hit) -> bool {
        self.within.iter().any(|(name, set)| *name == document.source && set.contains(document))
            && self.documents.as_ref().is_none_or(|all| all.contains(&document))
            && (self.kinds.is_empty() || self.kinds.contains(&hit.kind))
    }
}

/// Results found through the frames of the failures.
#[derive(Default)]
struct Beside {
    spans: Vec<Hit>,
    tests: Vec<Hit>,
    commits: Vec<Hit>,
    /// Per failure: the functions of its frames in the tree, innermost first.
    functions: Vec<Vec<String>>,
}

/// Finds the frames of the failures, their tests, and the commits that changed them.
fn beside(
    failures: &[Failure],
    report: &mut FailureReport,
    snapshot: &Snapshot,
    config: &EngineConfig,
    search: &SearchRequest,
    admitted: &Admitted,
) -> Result<Beside, EngineError> {
    let readers = snapshot.sources.iter().map(|source| source.reader.as_ref());
    let graph = CodeGraph::new(readers.filter(|reader| defines(reader.source())).collect());
    let mut sites = Sites::new(snapshot, config, &graph)?;
    let resolved = sites.resolve(failures)?;
    count(failures, &resolved, report);
    let groups = groups(&resolved, &mut sites)?;

    let mut found = Beside { functions: vec![Vec::new(); failures.len()], ..Beside::default() };
    let totals: Vec<usize> = resolved.iter().map(Vec::len).collect();
    let mut score = 1.0;
    for group in &groups {
        let via = reason(group, failures, &totals);
        let reason = Reason { match_type: "frame", via, score };
        let source = group.site.document.source;
        let hit = span(
            &group.text,
            source,
            group.site.symbol.as_ref(),
            (group.site.line, &group.lines),
            reason,
            search,
        );
        if admitted.lets(group.site.document, &hit) {
            found.spans.push(hit);
        }
        for at in group.numbers.keys() {
            let name = group.site.symbol.as_ref().map(|symbol| symbol.name.clone());
            found.functions[*at].extend(name);
        }
        score *= STEP;
    }
    let of_group =
        |at: usize| format!("{} ({})", titled(&groups[at]), numbered(&groups[at], failures.len()));
    let own: Vec<&Site> = groups.iter().take(MAX_TESTS * 2).map(|group| &group.site).collect();
    for cover in cover::tests(&own, &graph, MAX_TESTS * 2)? {
        let symbol: Symbol = cover.test.symbol().clone();
        let is_shown = groups.iter().any(|group| {
            group.site.document == cover.test.file.id
                && group.site.symbol.as_ref().is_some_and(|known| known.line == symbol.line)
        });
        let Some(text) = sites.text(cover.test.file.id)?.filter(|_| !is_shown) else { continue };
        let verb = if cover.directly { "tests" } else { "tests what calls" };
        let reason = Reason {
            match_type: "covering-test",
            via: format!("{verb} {}", of_group(cover.site)),
            score: BESIDE * STEP.powi(i32::try_from(cover.site).unwrap_or(i32::MAX)),
        };
        let source = cover.test.file.id.source;
        let hit = span(
            &text,
            source,
            Some(&symbol),
            (Some(cover.line), &BTreeSet::from([cover.line])),
            reason,
            search,
        );
        if admitted.lets(cover.test.file.id, &hit) {
            found.tests.push(hit);
        }
    }
    let with_texts: Vec<(Site, Rc<DocumentText>)> =
        groups.iter().map(|group| (group.site.clone(), Rc::clone(&group.text))).collect();
    for touch in history::touches(&with_texts, snapshot, config)? {
        let Some(text) = sites.text(touch.commit)? else { continue };
        let about = numbered(&groups[touch.place], failures.len());
        let (match_type, via) = match touch.line {
            Some(line) => ("line-history", format!("wrote {}:{line} ({about})", touch.path)),
            None => ("file-history", format!("last change of {} ({about})", touch.path)),
        };
        let score = BESIDE * STEP.powi(i32::try_from(touch.place).unwrap_or(i32::MAX));
        let reason = Reason { match_type, via, score };
        let hit = span(&text, SourceName::Git, None, (None, &BTreeSet::new()), reason, search);
        if admitted.lets(touch.commit, &hit) {
            found.commits.push(hit);
        }
    }
    Ok(found)
}

/// Counts the resolutions of the frames and collects those to report.
fn count(failures: &[Failure], resolved: &[Vec<Resolved>], report: &mut FailureReport) {
    for (failure, of_failure) in failures.iter().zip(resolved) {
        for (frame, one) in failure.all_frames().zip(of_failure) {
            match one {
                Resolved::Outside => report.outside += 1,
                Resolved::Unresolved(candidates) => {
                    report.unresolved += 1;
                    let undecided =
                        Undecided { place: frame.summary(), candidates: candidates.clone() };
                    if report.undecided.len() < MAX_REPORTED
                        && !report.undecided.contains(&undecided)
                    {
                        report.undecided.push(undecided);
                    }
                }
                Resolved::Site(site) => {
                    report.in_tree += 1;
                    let Some(was) = &site.was else { continue };
                    report.relocated += 1;
                    let line = site.line.map_or(String::new(), |line| format!(":{line}"));
                    let moved = Moved { from: was.clone(), to: format!("{}{line}", site.path) };
                    if report.moved.len() < MAX_REPORTED && !report.moved.contains(&moved) {
                        report.moved.push(moved);
                    }
                }
            }
        }
    }
}

/// Runs an ordinary search for words, and one for tickets if it found none.
fn by_words(
    (query, log): (&str, &str),
    search: &SearchRequest,
    snapshot: &mut Snapshot,
    config: &EngineConfig,
    cache: &FollowUpCache,
) -> Result<SearchResponse, EngineError> {
    let wanted = &search.filter.sources;
    snapshot.sources.retain(|open| wanted.is_empty() || wanted.contains(&open.reader.source()));
    let request = search.clone().with_query(query.to_owned());
    let answer = if query.is_empty() {
        Err(EngineError::EmptyQuery)
    } else {
        search_log_in(snapshot, config, &request, log, cache)
    };
    let mut response = match answer {
        Ok(response) => response,
        Err(EngineError::EmptyQuery) => SearchResponse {
            query: String::new(),
            hits: Vec::new(),
            receipt: snapshot.receipt(config, 0, 0, 0),
            absence: Some(crate::Absence {
                reasons: vec!["the log contains no location and no word of this tree".to_owned()],
                ..crate::Absence::default()
            }),
            follow_ups: Vec::new(),
            holders: None,
            facets: None,
            warnings: std::mem::take(&mut snapshot.warnings),
        },
        Err(error) => return Err(error),
    };
    let has_ticket = response.hits.iter().any(|hit| hit.source == SourceName::Tickets);
    if !has_ticket && !query.is_empty() {
        snapshot.sources.retain(|open| open.reader.source() == SourceName::Tickets);
        if !snapshot.sources.is_empty() {
            let request = request.with_limit(MAX_TICKETS);
            // The warnings of the first search suffice.
            if let Ok(tickets) = search_in(snapshot, config, &request, cache) {
                response.hits.extend(tickets.hits);
            }
        }
    }
    Ok(response)
}

/// Merges the results: spans of the frames first; at least a third of the limit is for the rest.
/// Each hit appears once.
fn merge(found: Beside, mut words: Vec<Hit>, limit: usize) -> Vec<Hit> {
    let Beside { spans, mut tests, mut commits, .. } = found;
    let mut seen: HashSet<String> = spans.iter().map(|hit| hit.id.clone()).collect();
    tests.retain(|hit| seen.insert(hit.id.clone()));
    commits.retain(|hit| seen.insert(hit.id.clone()));
    // A result for the words may be the same definition, or inside a span.
    let is_inside = |hit: &Hit| {
        spans.iter().chain(&tests).any(|span| {
            span.path.is_some()
                && span.path == hit.path
                && span.start_line <= hit.start_line
                && hit.end_line <= span.end_line
        })
    };
    words.retain(|hit| !is_inside(hit) && seen.insert(hit.id.clone()));
    tests.truncate(MAX_TESTS);
    commits.truncate(MAX_COMMITS);
    let (mut tickets, rest): (Vec<Hit>, Vec<Hit>) =
        words.into_iter().partition(|hit| hit.source == SourceName::Tickets);
    let more = tickets.split_off(tickets.len().min(MAX_TICKETS));
    let mut beside: Vec<Hit> = Vec::new();
    // Round robin, so that a small limit includes some of each kind.
    let mut kinds = [commits, tests, tickets, rest].map(Vec::into_iter);
    let first: Vec<Hit> = kinds.iter_mut().filter_map(Iterator::next).collect();
    let [commits, tests, tickets, rest] = kinds;
    beside.extend(first);
    beside.extend(tests.chain(commits).chain(tickets).chain(rest).chain(more));
    let room = limit.saturating_sub(beside.len().min(limit.div_ceil(3)));
    let mut hits = spans;
    hits.truncate(room.max(1));
    beside.truncate(limit.saturating_sub(hits.len()));
    hits.extend(beside);
    hits.truncate(limit);
    hits
}

/// Returns the warnings of the answer, one line each.
fn remarks(report: &FailureReport) -> Vec<String> {
    let mut remarks = Vec::new();
    if report.failures.is_empty() {
        remarks.push(format!(
            "no known failure format in the log; searching for its rarest words: {}",
            if report.words.is_empty() { "none is in the index" } else { &report.words }
        ));
    }
    if report.skipped_bytes > 0 {
        remarks.push(format!(
            "the log is long: {} bytes in the middle were not read",
            report.skipped_bytes
        ));
    }
    if report.beyond > 0 {
        remarks.push(format!("{} more failures of the log were skipped", report.beyond));
    }
    for Moved { from, to } in &report.moved {
        remarks.push(format!("`{from}` is `{to}` now"));
    }
    for Undecided { place, candidates } in &report.undecided {
        remarks.push(match &candidates[..] {
            [only] => format!("`{place}` may not be `{only}`: the directory or the length differs"),
            several => format!("`{place}` may be any of {}", several.join(", ")),
        });
    }
    remarks
}
