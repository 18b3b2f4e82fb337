//! Reads and parses the best files of a scan, and makes the hits.

use std::{
    path::Path,
    sync::atomic::{self, AtomicUsize},
};

use lore_index::{ChunkId, DocumentId, IndexedChunk, StoredChunk, StoredDocument};
use lore_schema::{
    Attributes, Chunk, ChunkKind, Chunked, DocKey, Document, Outline, Span, TextOrigin, Trust,
};
use lore_sources::Tree;

use super::{
    CUT, MIN_READ, READ,
    rank::{Statistics, best_chunk, forms_in},
    scan::{Finder, Seen},
};
use crate::{
    EngineConfig, Explanation, Hit, SearchRequest,
    rank::{CandidateParts, DocumentCandidate, HighlightTerms, Ranked},
    search::{
        hit::{HitContext, describe},
        score::ScoredDocument,
    },
    state::{
        analyze::analyze,
        chunking::{ChunkedDocument, chunk_document},
        proof::{Proof, ProofContext},
    },
};

/// A file that is read for the answer.
pub(super) struct BestFile {
    score: f32,
    document: StoredDocument,
    /// Its passages with their terms; a single one with all lines if the time was up.
    chunks: Vec<IndexedChunk>,
}

/// Reads the best files and parses them while there is time. `within` returns true while a share of
/// the time is left.
pub(super) fn read_best(
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
            let indexed = analyze(document, cut, Vec::new(), false);
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
pub(super) fn hits(
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
