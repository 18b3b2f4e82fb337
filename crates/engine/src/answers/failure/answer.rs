//! The answer to a log: the spans of its places, innermost first, then who tests them, which commits
//! put them there, and what an ordinary search for the message finds.

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
    sites::{Read, Resolved, Site, Sites},
    sought::{rare_words, words_of},
    span::{Reason, span},
};
use crate::{
    EngineConfig, EngineError, FailureReport, Hit, IndexMode, Moved, Progress, SearchRequest,
    SearchResponse, Syntax, Undecided,
    answers::follow_ups::FollowUpCache,
    graph::{CodeGraph, defines},
    search::search_in,
    search::{parse, restrict::Restriction, templates::without_templates},
    state::{refresh, snapshot::Snapshot},
};

/// A question with a log.
#[derive(Debug, Clone, PartialEq)]
pub struct FailureRequest {
    /// The log, or the beginning and the end of a long one.
    pub log: String,
    /// Bytes between both that are missing.
    pub left_out: u64,
    /// Everything else that is asked. The query is added to the words of the messages; its syntax
    /// is that of words alone.
    pub search: SearchRequest,
}

/// Most tests, and most commits, of one answer.
const MAX_TESTS: usize = 3;
const MAX_COMMITS: usize = 3;
const MAX_TICKETS: usize = 2;

/// Most places that are told one by one beside the hits.
const MAX_TOLD: usize = 10;

/// What the score of a place loses with each place before it; of what stands beside it, the share
/// of its score.
const STEP: f32 = 0.95;
const BESIDE: f32 = 0.5;

/// Answers a question with a log.
pub(crate) fn failure(
    config: &EngineConfig,
    request: &FailureRequest,
    progress: &dyn Progress,
    remembered: &FollowUpCache,
) -> Result<SearchResponse, EngineError> {
    if request.log.trim().is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    let log = config.secrets.apply(request.log.clone());
    let reading = read(&log);
    let mut report = FailureReport {
        warnings: reading.warnings,
        beyond: reading.beyond,
        left_out: request.left_out,
        ..FailureReport::default()
    };
    // A place may be of a source that the answer leaves out, and commits are asked for it.
    let mut snapshot = refresh::take(config, &[], IndexMode::Update, progress)?;
    let search = without_templates(
        &SearchRequest { syntax: Syntax::Raw, pattern: None, ..request.search.clone() },
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

    let mut response = by_words(&query, &search, &mut snapshot, config, remembered)?;
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

/// What the filter of a request lets into the answer.
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
        let blank = SearchRequest { query: String::new(), ..search.clone() };
        let asked = parse::read_filters(&blank, snapshot, config)?;
        snapshot.warnings.truncate(known);
        let filter = &asked.filter;
        let mut within = Vec::new();
        let mut documents = (!filter.is_empty()).then(HashSet::new);
        for source in &snapshot.sources {
            let reader = source.reader.as_ref();
            let name = reader.source();
            if !filter.sources.is_empty() && !filter.sources.contains(&name) {
                continue;
            }
            let (listed, shape) = (Some((source, &*snapshot.tree)), asked.plan.query.shape);
            let restriction = Restriction { config, reader, listed, filter, shape };
            within.push((name, restriction.apply(asked.condition.as_ref())?));
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

/// What was found by the places of the failures.
#[derive(Default)]
struct Beside {
    spans: Vec<Hit>,
    tests: Vec<Hit>,
    commits: Vec<Hit>,
    /// For each failure, the functions of its places in the tree, innermost first.
    functions: Vec<Vec<String>>,
}

/// Finds the places of failures, who tests them and which commits changed them.
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
    let with_texts: Vec<(Site, Rc<Read>)> =
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

/// Counts what became of the places, and tells those that need telling.
fn count(failures: &[Failure], resolved: &[Vec<Resolved>], report: &mut FailureReport) {
    for (failure, of_failure) in failures.iter().zip(resolved) {
        for (frame, one) in failure.all_frames().zip(of_failure) {
            match one {
                Resolved::Outside => report.outside += 1,
                Resolved::Unresolved(candidates) => {
                    report.unresolved += 1;
                    let undecided =
                        Undecided { place: frame.summary(), candidates: candidates.clone() };
                    if report.undecided.len() < MAX_TOLD && !report.undecided.contains(&undecided) {
                        report.undecided.push(undecided);
                    }
                }
                Resolved::Site(site) => {
                    report.in_tree += 1;
                    let Some(was) = &site.was else { continue };
                    report.relocated += 1;
                    let line = site.line.map_or(String::new(), |line| format!(":{line}"));
                    let moved = Moved { from: was.clone(), to: format!("{}{line}", site.path) };
                    if report.moved.len() < MAX_TOLD && !report.moved.contains(&moved) {
                        report.moved.push(moved);
                    }
                }
            }
        }
    }
}

/// What an ordinary search for words finds; tickets among it where there are any.
fn by_words(
    query: &str,
    search: &SearchRequest,
    snapshot: &mut Snapshot,
    config: &EngineConfig,
    remembered: &FollowUpCache,
) -> Result<SearchResponse, EngineError> {
    let wanted = &search.filter.sources;
    snapshot.sources.retain(|open| wanted.is_empty() || wanted.contains(&open.reader.source()));
    let request = SearchRequest { query: query.to_owned(), ..search.clone() };
    let answer = if query.is_empty() {
        Err(EngineError::EmptyQuery)
    } else {
        search_in(snapshot, config, &request, remembered)
    };
    let mut response = match answer {
        Ok(response) => response,
        Err(EngineError::EmptyQuery) => SearchResponse {
            query: String::new(),
            hits: Vec::new(),
            receipt: snapshot.receipt(config, 0, 0, 0),
            absence: Some(crate::Absence {
                reasons: vec!["the log contains no position and no word of this tree".to_owned()],
                ..crate::Absence::default()
            }),
            follow_ups: Vec::new(),
            holders: None,
            warnings: std::mem::take(&mut snapshot.warnings),
        },
        Err(error) => return Err(error),
    };
    let has_ticket = response.hits.iter().any(|hit| hit.source == SourceName::Tickets);
    if !has_ticket && !query.is_empty() {
        snapshot.sources.retain(|open| open.reader.source() == SourceName::Tickets);
        if !snapshot.sources.is_empty() {
            let request = SearchRequest { limit: MAX_TICKETS, ..request };
            // What there is to say was said.
            if let Ok(tickets) = search_in(snapshot, config, &request, remembered) {
                response.hits.extend(tickets.hits);
            }
        }
    }
    Ok(response)
}

/// One list: the spans of places, and of the rest as much as the limit leaves, at least a third of
/// it. Each hit once.
fn merge(found: Beside, mut words: Vec<Hit>, limit: usize) -> Vec<Hit> {
    let Beside { spans, mut tests, mut commits, .. } = found;
    let mut seen: HashSet<String> = spans.iter().map(|hit| hit.id.clone()).collect();
    tests.retain(|hit| seen.insert(hit.id.clone()));
    commits.retain(|hit| seen.insert(hit.id.clone()));
    // What the words find may be the same definition, under the same name, or lie in a span.
    let lies_in = |hit: &Hit| {
        spans.iter().chain(&tests).any(|span| {
            span.path.is_some()
                && span.path == hit.path
                && span.start_line <= hit.start_line
                && hit.end_line <= span.end_line
        })
    };
    words.retain(|hit| !lies_in(hit) && seen.insert(hit.id.clone()));
    tests.truncate(MAX_TESTS);
    commits.truncate(MAX_COMMITS);
    let (mut tickets, rest): (Vec<Hit>, Vec<Hit>) =
        words.into_iter().partition(|hit| hit.source == SourceName::Tickets);
    let more = tickets.split_off(tickets.len().min(MAX_TICKETS));
    let mut beside: Vec<Hit> = Vec::new();
    // In turn, so that a small limit has some of each.
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

/// What the user should know beside the hits, one line each.
fn remarks(report: &FailureReport) -> Vec<String> {
    let mut remarks = Vec::new();
    if report.failures.is_empty() {
        remarks.push(format!(
            "no known failure format in the log; searching for its rarest words: {}",
            if report.words.is_empty() { "none is in the index" } else { &report.words }
        ));
    }
    if report.left_out > 0 {
        remarks.push(format!(
            "the log is long: {} bytes in the middle were not read",
            report.left_out
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
            [only] => format!("`{place}` may not be `{only}`: its folder or its length differ"),
            several => format!("`{place}` may be any of {}", several.join(", ")),
        });
    }
    remarks
}
