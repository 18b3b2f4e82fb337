//! Answers without a complete index, within a time limit. Used for the first queries to a large tree
//! while its index is built.
//!
//! The files that the index already has are searched there. All threads scan the others for the words,
//! starting with files whose paths contain one. The best files are parsed and read again for the answer.
//! When the time is up, the answer contains what was found so far and states the number of searched
//! files. Embeddings take no part in a scan, and nothing is written.

mod conditions;
mod partial;
mod rank;
mod read;
mod scan;

use std::{
    cmp::{Ordering, Reverse},
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{self, AtomicUsize},
    },
    time::{Duration, Instant},
};

use lore_schema::{SkipCounts, SkipReason, SourceName};
use lore_sources::Tree;

use self::{
    conditions::{Conditions, no_embeddings, refuse_what_needs_an_index, scan_warnings},
    partial::{Indexed, merge},
    rank::Statistics,
    read::{hits, read_best},
    scan::{Finder, Seen},
};
use crate::{
    Absence, EngineConfig, EngineError, Freshness, Hit, Holders, Listing, Receipt, Scanned,
    SearchRequest, SearchResponse, SourceReport, answers::holders::Gathered, query::Word,
    search::parse, state::storage,
};

/// Shares of the time limit after which these steps end: walking, scanning, parsing the best files,
/// reading them.
const WALKED: f64 = 0.4;
const SCANNED: f64 = 0.75;
const CUT: f64 = 0.9;
const READ: f64 = 0.95;

/// Maximum number of hits. Further matches are listed as holders.
const MAX_HITS: usize = 50;

/// Number of best files that are always read; the others are listed as holders.
const MIN_READ: usize = 8;

/// Number of files that a thread takes at a time.
const BATCH: usize = 16;

/// Answers a query from the files that the index already has, and by scanning the others. Several
/// threads call `cancelled`; once it returns true, the answer is made of what was found so far.
///
/// `listing` has the files, if the request has listed them already.
pub(crate) fn live(
    config: &EngineConfig,
    listing: Option<&Listing>,
    request: &SearchRequest,
    deadline: Duration,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<SearchResponse, EngineError> {
    let started = Instant::now();
    let within = |share: f64| started.elapsed() < deadline.mul_f64(share) && !cancelled();
    let plan = parse::plan_without_index(request)?;
    if plan.query.words.is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    let refused = refuse_what_needs_an_index(request, &plan);
    let (tree, listed_all) = if let Some(Listing(tree)) = listing {
        (Arc::clone(tree), true)
    } else {
        let options = storage::walk_options(config);
        let (tree, listed_all) = Tree::walk_while(&config.root, &options, &|| within(WALKED))?;
        (Arc::new(tree), listed_all)
    };
    let mut indexed = Indexed::open(config, &tree);
    let phrases = match refused {
        Ok(phrases) => phrases,
        Err(error) => {
            // A pattern is matched with every file, whatever is indexed.
            let indexed = indexed.filter(|_| request.pattern.is_none()).ok_or(error)?;
            return answer_of_index(indexed, config, request, &tree, listed_all);
        }
    };
    let finder = Finder::new(&plan.query);
    let conditions = Conditions::new(&request.filter, phrases);
    let mut order = in_order(&tree, &finder, &conditions);
    let files = order.len() as u64;
    if let Some(indexed) = &indexed {
        order.retain(|at| !indexed.knows(*at));
    }
    let (mut scan, head, by_index) = std::thread::scope(|scope| {
        let head = scope.spawn(|| config.tree_id(&tree));
        let search = |indexed: &mut Indexed| indexed.answer(config, request).ok();
        let by_index = indexed.as_mut().map(|indexed| scope.spawn(move || search(indexed)));
        let scan = look_through(&tree, &order, &finder, &conditions, config, &|| within(SCANNED));
        let by_index = by_index.and_then(|search| search.join().ok().flatten());
        (scan, head.join().ok().and_then(|(name, _)| name), by_index)
    });
    let indexed = indexed.filter(|_| by_index.is_some());
    let in_index = if indexed.is_some() { files - order.len() as u64 } else { 0 };
    let looked = in_index + scan.looked as u64;
    let scanned = Scanned { files, looked, indexed: in_index, listed_all };
    let found = by_index.as_ref().map_or(&[][..], |answer| &answer.hits);
    let again = look_at_hits(found, &tree, &finder, &mut scan.seen);
    let statistics = Statistics::of(&finder, &scan.seen, scan.looked + again);
    let mut best: Vec<(&Seen, f32)> =
        scan.seen.iter().map(|seen| (seen, statistics.score(&finder, seen))).collect();
    best.retain(|(_, score)| *score > 0.0);
    // Relatives of a name, however many, come after the files that contain the name itself.
    let names: Vec<usize> = plan.query.required_names().collect();
    if !names.is_empty() {
        for (seen, score) in &mut best {
            let has_name = names.iter().any(|name| seen.holds(*name));
            *score = f32::midpoint(*score, f32::from(u8::from(has_name)));
        }
    }
    // If a name does not exist, similar names are no answer; if it was not seen yet, they may be.
    let is_complete = listed_all && scanned.looked == files;
    if is_complete
        && indexed.is_none()
        && plan.query.required_names().any(|word| !statistics.is_known(word))
    {
        best.clear();
    }
    best.sort_by(|(left, left_score), (right, right_score)| {
        let path = |seen: &Seen| &tree.entries()[seen.index].path;
        right_score.total_cmp(left_score).then_with(|| by_path(path(left), path(right)))
    });
    let scores: BTreeMap<&str, f32> =
        best.iter().map(|(seen, score)| (&*tree.entries()[seen.index].path, *score)).collect();
    if let Some(indexed) = &indexed {
        let shown: BTreeSet<&str> = found.iter().filter_map(|hit| hit.path.as_deref()).collect();
        best.retain(|(seen, _)| {
            !indexed.knows(seen.index) && !shown.contains(&*tree.entries()[seen.index].path)
        });
    }
    let mut total = best.len() as u64;
    let mut matched_all =
        best.iter().filter(|(seen, _)| finder.query_words().all(|word| seen.holds(word))).count()
            as u64;
    best.truncate(request.limit.min(MAX_HITS));
    let read = read_best(&tree, &best, config, &within);
    let mut hits = hits(read, &finder, &statistics, &tree, config, request);

    let unseen = files - scanned.looked;
    let mut holders = request.extras.holders.then(|| {
        let unread = files - scan.looked as u64;
        holders(&finder, &scan.seen, &tree, unread + scan.skipped())
    });
    if !listed_all && let Some(holders) = &mut holders {
        // The number of files in unlisted folders is unknown; there is at least one.
        holders.unseen = holders.unseen.max(1);
    }
    let mut sources = BTreeMap::<SourceName, SourceReport>::new();
    for (source, documents, skipped) in scan.reports {
        sources.insert(source, SourceReport { documents, skipped });
    }
    let fresh = match unseen {
        0 if listed_all => Freshness::Verified,
        unseen => Freshness::Partial(unseen.max(1)),
    };
    let mut warnings = plan.warnings;
    warnings.extend(scan_warnings(request, &scanned, indexed.as_ref()));
    let mut semantic = "off".to_owned();
    if let Some(answer) = by_index {
        total += answer.receipt.total;
        matched_all += answer.receipt.matched_all;
        semantic = answer.receipt.semantic;
        sources = answer.receipt.sources;
        hits = merge(answer.hits, hits, &scores, request.limit);
    }
    let absence = hits.is_empty().then(|| absence(&finder, &statistics, &scanned));
    Ok(SearchResponse {
        query: request.query.clone(),
        receipt: Receipt {
            tree: head,
            fresh,
            exhaustive: fresh == Freshness::Verified
                && indexed.is_none()
                && total <= hits.len() as u64
                && !tree.skipped().contains_key(&SkipReason::Unreadable)
                && !sources.values().any(SourceReport::has_unreadable),
            total,
            matched_all,
            sources,
            semantic,
            semantic_fallback: Some(no_embeddings(indexed.as_ref()).to_owned()),
            scanned: Some(scanned),
            elapsed_ms: started.elapsed().as_secs_f64() * 1e3,
            ..Receipt::new(config.root.clone())
        },
        hits,
        absence,
        follow_ups: Vec::new(),
        holders,
        facets: None,
        warnings,
    })
}

/// Answers a request that only an index can answer, from the part of it that exists.
fn answer_of_index(
    mut indexed: Indexed,
    config: &EngineConfig,
    request: &SearchRequest,
    tree: &Tree,
    listed_all: bool,
) -> Result<SearchResponse, EngineError> {
    let mut answer = indexed.answer(config, request)?;
    let (files, looked) = (tree.entries().len() as u64, indexed.files);
    let scanned = Scanned { files, looked, indexed: looked, listed_all };
    answer.warnings.extend(scan_warnings(request, &scanned, Some(&indexed)));
    let receipt = &mut answer.receipt;
    receipt.scanned = Some(scanned);
    receipt.exhaustive = false;
    if let (Freshness::Verified, 1..) = (receipt.fresh, files - looked) {
        receipt.fresh = Freshness::Partial(files - looked);
    }
    Ok(answer)
}

/// Scans the files with hits of the index, so that their scores compare with those of other files, and
/// adds them to what was seen. Returns the number of files.
fn look_at_hits(found: &[Hit], tree: &Tree, finder: &Finder, seen: &mut Vec<Seen>) -> usize {
    let paths = found.iter().filter_map(|hit| hit.path.as_deref());
    let mut files: BTreeSet<usize> = paths
        .filter_map(|path| tree.entries().binary_search_by(|entry| (*entry.path).cmp(path)).ok())
        .collect();
    for file in &*seen {
        files.remove(&file.index);
    }
    for &index in &files {
        let path = &tree.entries()[index].path;
        let text = tree.read_text(path);
        seen.extend(text.ok().and_then(|text| finder.look(index, path, &text)));
    }
    seen.sort_unstable_by_key(|file| file.index);
    files.len()
}

/// Orders paths by length, then by name.
fn by_path(left: &str, right: &str) -> Ordering {
    left.len().cmp(&right.len()).then_with(|| left.cmp(right))
}

/// Returns the files to scan: those whose paths contain most words first, the rest by path.
fn in_order(tree: &Tree, finder: &Finder, conditions: &Conditions<'_>) -> Vec<usize> {
    let entries = tree.entries();
    let mut order: Vec<(u32, usize)> = (0..entries.len())
        .filter(|at| conditions.admit_path(&entries[*at].path))
        .map(|at| (finder.words_in_path(&entries[at].path).count_ones(), at))
        .collect();
    order.sort_by_key(|(words, at)| (Reverse(*words), *at));
    order.into_iter().map(|(_, at)| at).collect()
}

/// Result of scanning the files.
struct Scan {
    /// The files with a word, by index in the tree.
    seen: Vec<Seen>,
    /// Number of scanned files.
    looked: usize,
    reports: Vec<(SourceName, u64, SkipCounts)>,
}

impl Scan {
    /// Number of files that were unreadable or too large.
    fn skipped(&self) -> u64 {
        let skipped = self.reports.iter().flat_map(|(.., skipped)| skipped);
        skipped
            .filter(|(reason, _)| !matches!(reason, SkipReason::Binary | SkipReason::Empty))
            .map(|(_, count)| count)
            .sum()
    }
}

/// Result of one thread.
#[derive(Default)]
struct Share {
    seen: Vec<Seen>,
    looked: usize,
    reports: BTreeMap<SourceName, (u64, SkipCounts)>,
}

/// Scans the files in order until all are done or the time is up.
fn look_through(
    tree: &Tree,
    order: &[usize],
    finder: &Finder,
    conditions: &Conditions<'_>,
    config: &EngineConfig,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Scan {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut share = Share::default();
        // The first files contain a word in their paths, so some of them are always scanned.
        while share.looked == 0 || goes_on() {
            let from = next.fetch_add(BATCH, atomic::Ordering::Relaxed);
            let Some(batch) = order.get(from..order.len().min(from + BATCH)) else { break };
            if batch.is_empty() {
                break;
            }
            for &index in batch {
                let path = &tree.entries()[index].path;
                let report = share.reports.entry(lore_sources::source_of_path(path)).or_default();
                share.looked += 1;
                match tree.read_text(path) {
                    Err(reason) => *report.1.entry(reason).or_default() += 1,
                    Ok(text) => {
                        report.0 += 1;
                        let seen = finder.look(index, path, &text);
                        let seen = seen.filter(|_| conditions.admit_text(path, &text));
                        share.seen.extend(seen);
                    }
                }
            }
        }
        share
    };
    let shares: Vec<Share> = std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..config.threads.max(1)).map(|_| scope.spawn(work)).collect();
        let mut shares = vec![work()];
        for helper in helpers {
            shares.push(helper.join().expect("looking through a file does not panic"));
        }
        shares
    });
    let mut all = Share::default();
    for share in shares {
        all.seen.extend(share.seen);
        all.looked += share.looked;
        for (source, (documents, skipped)) in share.reports {
            let report = all.reports.entry(source).or_default();
            report.0 += documents;
            for (reason, count) in skipped {
                *report.1.entry(reason).or_default() += count;
            }
        }
    }
    all.seen.sort_unstable_by_key(|seen| seen.index);
    let reports = all.reports.into_iter();
    let reports = reports.map(|(source, (documents, skipped))| (source, documents, skipped));
    Scan { seen: all.seen, looked: all.looked, reports: reports.collect() }
}

/// Returns every file that contains a word literally.
fn holders(finder: &Finder, seen: &[Seen], tree: &Tree, unseen: u64) -> Holders {
    let mut gathered = Gathered::new(finder.literal.len());
    for file in seen {
        let path = &tree.entries()[file.index].path;
        gathered.add(lore_sources::source_of_path(path), path, file.literal, file.lines);
    }
    gathered.finish(finder.literal.clone(), "line", unseen)
}

/// Explains why there is no hit.
fn absence(finder: &Finder, statistics: &Statistics, scanned: &Scanned) -> Absence {
    let unknown = finder.query_words().filter(|word| !statistics.is_known(*word));
    let as_typed = |word: &Word| word.name.clone().unwrap_or_else(|| word.term.clone());
    let unknown = unknown.map(|word| as_typed(&finder.words[word])).collect();
    let reason = if scanned.looked == scanned.files && scanned.listed_all {
        format!("none of the {} files contains a word of it", scanned.files)
    } else {
        format!("none of the first {} files contains a word of it", scanned.looked)
    };
    Absence { reasons: vec![reason], unknown_words: unknown, ..Absence::default() }
}
