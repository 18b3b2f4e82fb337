//! Answers without an index, within a time limit. Used for the first query to a large tree while
//! its index is built.
//!
//! All threads scan the files for the words, starting with files whose paths contain one. The best
//! files are parsed and read again for the answer. When the time is up, the answer contains what
//! was found so far and states the number of scanned files. Embeddings take no part, and nothing is
//! written.

mod conditions;
mod rank;
mod scan;

use std::{
    cmp::{Ordering, Reverse},
    collections::BTreeMap,
    path::Path,
    sync::atomic::{self, AtomicUsize},
    time::{Duration, Instant},
};

use lore_index::{ChunkId, DocumentId, IndexedChunk, StoredChunk, StoredDocument};
use lore_schema::{
    Attributes, Chunk, ChunkKind, Chunked, DocKey, Document, Outline, SkipCounts, SkipReason,
    SourceName, Span, TextOrigin, Trust,
};
use lore_sources::{Tree, TreeCheck};

use self::{
    conditions::{Conditions, NO_INDEX, refuse_what_needs_an_index, scan_warnings},
    rank::{Statistics, best_chunk, forms_in},
    scan::{Finder, Seen},
};
use crate::{
    Absence, EngineConfig, EngineError, Explanation, Freshness, Hit, Holders, Receipt, Scanned,
    SearchRequest, SearchResponse, SourceReport,
    answers::holders::Gathered,
    query::Word,
    rank::{CandidateParts, DocumentCandidate, HighlightTerms, Ranked},
    search::score::ScoredDocument,
    search::{
        hit::{HitContext, describe},
        parse,
    },
    state::{
        analyze::analyze,
        chunking::{ChunkedDocument, chunk_document},
        proof::{Proof, ProofContext},
        storage,
    },
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

/// Answers a query by scanning the files. Several threads call `cancelled`; once it returns true,
/// the answer is made of what was found so far.
pub(crate) fn live(
    config: &EngineConfig,
    request: &SearchRequest,
    deadline: Duration,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<SearchResponse, EngineError> {
    let started = Instant::now();
    let within = |share: f64| started.elapsed() < deadline.mul_f64(share) && !cancelled();
    let plan = parse::plan_without_index(request)?;
    let phrases = refuse_what_needs_an_index(request, &plan)?;
    if plan.query.words.is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    let options = storage::walk_options(config);
    let (tree, listed_all) = Tree::walk_while(&config.root, &options, &|| within(WALKED))?;
    let finder = Finder::new(&plan.query);
    let conditions = Conditions::new(&request.filter, phrases);
    let order = in_order(&tree, &finder, &conditions);
    let (scan, head) = std::thread::scope(|scope| {
        let head = scope.spawn(|| config.tree_id(&tree));
        let scan = look_through(&tree, &order, &finder, &conditions, config, &|| within(SCANNED));
        (scan, head.join().ok().and_then(|(name, _)| name))
    });
    let scanned = Scanned { files: order.len() as u64, looked: scan.looked as u64, listed_all };
    let statistics = Statistics::of(&finder, &scan.seen, scan.looked);
    let mut best: Vec<(&Seen, f32)> =
        scan.seen.iter().map(|seen| (seen, statistics.score(&finder, seen))).collect();
    best.retain(|(_, score)| *score > 0.0);
    // If a name does not exist, similar names are no answer; if it was not seen yet, they may be.
    let is_complete = listed_all && scan.looked == order.len();
    if is_complete && plan.query.required_names().any(|word| !statistics.is_known(word)) {
        best.clear();
    }
    best.sort_by(|(left, left_score), (right, right_score)| {
        let path = |seen: &Seen| &tree.entries()[seen.index].path;
        right_score.total_cmp(left_score).then_with(|| by_path(path(left), path(right)))
    });
    let total = best.len() as u64;
    let matched_all =
        best.iter().filter(|(seen, _)| finder.query_words().all(|word| seen.holds(word))).count()
            as u64;
    best.truncate(request.limit.min(MAX_HITS));
    let read = read_best(&tree, &best, config, &within);
    let hits = hits(read, &finder, &statistics, &tree, config, request);

    let mut holders = request.extras.holders.then(|| {
        holders(&finder, &scan.seen, &tree, scanned.files - scanned.looked + scan.skipped())
    });
    if !listed_all && let Some(holders) = &mut holders {
        // The number of files in unlisted folders is unknown; there is at least one.
        holders.unseen = holders.unseen.max(1);
    }
    let mut sources = BTreeMap::<SourceName, SourceReport>::new();
    for (source, documents, skipped) in scan.reports {
        sources.insert(source, SourceReport { documents, skipped });
    }
    let unseen = scanned.files - scanned.looked;
    let fresh = match unseen {
        0 if listed_all => Freshness::Verified,
        unseen => Freshness::Partial(unseen.max(1)),
    };
    let mut warnings = plan.warnings;
    warnings.extend(scan_warnings(request, &scanned));
    let absence = hits.is_empty().then(|| absence(&finder, &statistics, &scanned));
    Ok(SearchResponse {
        query: request.query.clone(),
        receipt: Receipt {
            root: config.root.clone(),
            tree: head,
            fresh,
            check: TreeCheck::Walked,
            exhaustive: fresh == Freshness::Verified
                && total <= hits.len() as u64
                && !tree.skipped().contains_key(&SkipReason::Unreadable)
                && !sources.values().any(SourceReport::has_unreadable),
            total,
            matched_all,
            sources,
            expanded: Vec::new(),
            corrected: Vec::new(),
            graph: None,
            weak: false,
            confidence: None,
            semantic: "off".to_owned(),
            semantic_fallback: Some(NO_INDEX.to_owned()),
            failure: None,
            scanned: Some(scanned),
            elapsed_ms: started.elapsed().as_secs_f64() * 1e3,
        },
        hits,
        absence,
        follow_ups: Vec::new(),
        holders,
        facets: None,
        warnings,
    })
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

/// A file that is read for the answer.
struct BestFile {
    score: f32,
    document: StoredDocument,
    /// Its passages with their terms; a single one with all lines if the time was up.
    chunks: Vec<IndexedChunk>,
}

/// Reads the best files and parses them while there is time. `within` returns true while a share of
/// the time is left.
fn read_best(
    tree: &Tree,
    best: &[(&Seen, f32)],
    config: &EngineConfig,
    within: &(dyn Fn(f64) -> bool + Sync),
) -> Vec<BestFile> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut files = Vec::new();
        loop {
            let at = next.fetch_add(1, atomic::Ordering::Relaxed);
            let Some((seen, score)) = best.get(at) else { return files };
            if MIN_READ <= at && !within(READ) {
                return files;
            }
            let path = &tree.entries()[seen.index].path;
            let Ok(text) = tree.read_text(path) else { continue };
            let document = document(path, text);
            let cut = if within(CUT) {
                chunk_document(&document, &config.parsers)
            } else {
                let category = lore_syntax::categorize(path, &document.text);
                let chunked = in_lines(&document, seen.first);
                ChunkedDocument { chunked, category, fault: None }
            };
            let indexed = analyze(document, cut, Vec::new());
            files.push((
                at,
                BestFile { score: *score, document: indexed.stored, chunks: indexed.chunks },
            ));
        }
    };
    let mut files = std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..config.threads.max(1)).map(|_| scope.spawn(work)).collect();
        let mut files = work();
        for helper in helpers {
            files.extend(helper.join().expect("cutting a file does not panic"));
        }
        files
    });
    files.sort_by_key(|(at, _)| *at);
    files.into_iter().map(|(_, file)| file).collect()
}

/// Creates a document from a file.
fn document(path: &str, text: String) -> Document {
    let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
    Document {
        key: DocKey { source: lore_sources::source_of_path(path), locator: path.to_owned() },
        path: path.to_owned(),
        format: "files",
        kind: "file",
        title: name.unwrap_or_default(),
        text,
        origin: TextOrigin::File,
        metadata: Vec::new(),
        attributes: Attributes::default(),
        trust: Trust::default(),
    }
}

/// Number of lines before a match that are shown of an unparsed file.
const LINES_BEFORE: usize = 5;
const LINES_AFTER: usize = 30;

/// Returns the lines around the first match as the only chunk.
fn in_lines(document: &Document, first: usize) -> Chunked {
    let text = &document.text;
    let at = text.floor_char_boundary(first.min(text.len()));
    let before = text[..at].bytes().filter(|byte| *byte == b'\n').count();
    let mut start_line = 0;
    let (mut start, mut end, mut end_line) = (0, text.len(), 0);
    let mut offset = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if number == before.saturating_sub(LINES_BEFORE) {
            (start, start_line) = (offset, number + 1);
        }
        offset += line.len();
        if number <= before + LINES_AFTER {
            (end, end_line) = (offset, number + 1);
        }
    }
    let line = |number: usize| u32::try_from(number.max(1)).unwrap_or(u32::MAX);
    let span = Span { start, end, start_line: line(start_line), end_line: line(end_line) };
    let chunk = Chunk {
        ordinal: 0,
        span,
        kind: ChunkKind::Lines,
        symbol: None,
        symbols: Vec::new(),
        breadcrumb: Vec::new(),
        comments: Vec::new(),
    };
    Chunked {
        language: lore_syntax::detect(&document.path, text).map(|language| language.name),
        chunks: vec![chunk],
        outline: Outline::default(),
        fell_back: true,
    }
}

/// Returns the hits, best first, each read again from disk.
fn hits(
    read: Vec<BestFile>,
    finder: &Finder,
    statistics: &Statistics,
    tree: &Tree,
    config: &EngineConfig,
    request: &SearchRequest,
) -> Vec<Hit> {
    let chunks = || read.iter().flat_map(|file| &file.chunks);
    let forms = forms_in(finder, chunks());
    let terms = HighlightTerms::new(forms.clone(), statistics.shares.clone());
    let found = Proof::default();
    let proof = ProofContext { config, tree, reader: None, proof: &found };
    let context = HitContext { proof, request, terms: &terms };
    let mut hits = Vec::with_capacity(read.len());
    for file in read {
        if file.score < request.min_score {
            continue;
        }
        let source = file.document.key.source;
        let chunk = best_chunk(&file.chunks, &forms, statistics);
        let chunks: Vec<StoredChunk> =
            chunk.map(|at| file.chunks[at].stored.clone()).into_iter().collect();
        let id = DocumentId { source, number: 0 };
        let parts =
            CandidateParts::reached(id, ChunkId { source, number: 0 }, file.document, chunks);
        let ranked = Ranked {
            source,
            exact: false,
            score: file.score,
            coverage: 0.0,
            key: parts.document.key.to_string(),
            payload: ScoredDocument::unlisted(
                0,
                DocumentCandidate::without_evidence(parts),
                Explanation::of_one("live", file.score),
            ),
        };
        if let Some(mut hit) = describe(&ranked, None, &context) {
            hit.rank = hits.len() + 1;
            hits.push(hit);
        }
    }
    hits
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
