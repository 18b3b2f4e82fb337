//! Candidates for comparison with a passage: definitions, sections and documents around the chunks
//! that are similar in meaning or share its rarest names.

use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    ops::Range,
};

use lore_index::{
    ChunkId, DenseQuery, DocumentId, DocumentSet, FieldTerm, LexicalQuery, Reader, Reserve,
    StoredChunk, StoredDocument, TermGroup,
};
use lore_schema::{ChunkKind, Field, Filter, Symbol, SymbolKind};
use lore_text::{ChunkText, Embedder, parts};

use super::{copies::Fingerprint, is_code};
use crate::{
    EngineConfig, EngineError, Explanation, Hit, SearchRequest,
    graph::stands_alone,
    query::SELECTION,
    rank::{CandidateParts, DocumentCandidate, HighlightTerms, Ranked},
    search::hit::{HitContext, describe},
    search::score::ScoredDocument,
    state::snapshot::{OpenSource, Snapshot},
};

/// Maximum number of documents per source that are considered by meaning.
const NEAREST: usize = 60;

/// Maximum number of chunks per document.
const CHUNKS: usize = 4;

/// Maximum number of chunks over all sources, the most similar first, whose definitions are
/// compared one by one.
const MAX_CHUNKS: usize = 120;

/// Maximum number of documents per source that are considered for shared names.
const SHARING: usize = 30;

/// Number of the rarest names in a text by which copies are looked up.
const RAREST: usize = 12;

/// Maximum number of bytes of a definition that are embedded.
const MAX_BYTES: usize = 16 << 10;

/// A chunk that may be similar.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Near {
    /// Index of the source in the snapshot.
    pub(crate) source: usize,
    /// The document.
    pub(crate) document: DocumentId,
    /// The chunk.
    pub(crate) chunk: ChunkId,
}

/// A definition, section or document that may be similar.
#[derive(Debug)]
pub(crate) struct Piece {
    /// Index of the source in the snapshot.
    pub(crate) source: usize,
    /// The document.
    pub(crate) document: DocumentId,
    /// The stored document.
    pub(crate) stored: StoredDocument,
    /// The definition, if the piece is one.
    pub(crate) symbol: Option<Symbol>,
    /// Its lines in the document's text.
    pub(crate) lines: (u32, u32),
    /// Fingerprint for detecting copies.
    pub(crate) print: Fingerprint,
    /// Similarity in meaning, -1.0..=1.0; `None` if unknown.
    pub(crate) similarity: Option<f32>,
    chunk: (ChunkId, StoredChunk),
    /// Text that is embedded.
    embedded: String,
}

impl Piece {
    /// Returns true if the piece shares lines with the given lines of a document.
    pub(crate) fn overlaps(&self, document: DocumentId, lines: Option<(u32, u32)>) -> bool {
        let (from, to) = self.lines;
        self.document == document && lines.is_none_or(|(first, last)| first <= to && from <= last)
    }

    /// Returns the kind, as filters and answers name it.
    pub(crate) fn kind(&self) -> &str {
        self.symbol.as_ref().map_or(&self.stored.kind, |symbol| symbol.kind.as_str())
    }

    /// Returns the piece as a hit with a score; `None` if its file changed during this search.
    pub(crate) fn describe(
        &self,
        snapshot: &Snapshot,
        config: &EngineConfig,
        request: &SearchRequest,
        (score, match_type): (f32, &'static str),
    ) -> Option<Hit> {
        let terms = HighlightTerms::new(Vec::new(), Vec::new());
        let context = HitContext {
            proof: snapshot.proof_context(self.source, config),
            request,
            terms: &terms,
        };
        let (id, chunk) = self.chunk.clone();
        let parts = CandidateParts::reached(self.document, id, self.stored.clone(), vec![chunk]);
        let ranked = Ranked {
            source: self.document.source,
            exact: false,
            score,
            coverage: 0.0,
            key: self.stored.key.to_string(),
            payload: ScoredDocument {
                subject: self.symbol.clone(),
                ..ScoredDocument::unlisted(
                    self.source,
                    DocumentCandidate::without_evidence(parts),
                    Explanation::of_one("similarity", score),
                )
            },
        };
        let mut hit = describe(&ranked, None, &context)?;
        hit.match_type = match_type;
        hit.semantic_score = self.similarity.map(|similarity| similarity.clamp(0.0, 1.0));
        Some(hit)
    }
}

/// Returns the chunks most similar to a vector over all sources, and the number of similar
/// documents if not all of them are returned.
pub(crate) fn by_meaning(
    query: &DenseQuery,
    snapshot: &Snapshot,
    filter: &Filter,
    within: &[DocumentSet],
) -> Result<(Vec<Near>, Option<u64>), EngineError> {
    let mut near: Vec<(f32, Near)> = Vec::new();
    let (mut total, mut seen) = (0, 0);
    for (source, (open, within)) in snapshot.sources.iter().zip(within).enumerate() {
        let query =
            DenseQuery { chunks_per_document: CHUNKS, within: within.clone(), ..query.clone() };
        let found = open.reader.dense(&query, filter, NEAREST)?;
        total += found.total;
        seen += found.candidates.len() as u64;
        for document in found.candidates {
            near.extend(document.chunks.iter().map(|chunk| {
                (chunk.similarity, Near { source, document: document.id, chunk: chunk.id })
            }));
        }
    }
    near.sort_by(|left, right| right.0.total_cmp(&left.0));
    let is_cut = seen < total || near.len() > MAX_CHUNKS;
    near.truncate(MAX_CHUNKS);
    Ok((near.into_iter().map(|(_, near)| near).collect(), is_cut.then_some(total)))
}

/// Returns the chunks that contain the rarest of the names.
pub(crate) fn by_names(
    names: &[&str],
    snapshot: &Snapshot,
    filter: &Filter,
    within: &[DocumentSet],
) -> Result<Vec<Near>, EngineError> {
    let mut near = Vec::new();
    for (source, (open, within)) in snapshot.sources.iter().zip(within).enumerate() {
        let reader = open.reader.as_ref();
        let groups = rarest(names, reader)?;
        if groups.is_empty() || !is_code(reader.source()) {
            continue;
        }
        let query = LexicalQuery {
            groups,
            weights: SELECTION,
            chunks_per_document: CHUNKS,
            within: within.clone(),
            also: Vec::new(),
            reserve: Reserve::default(),
        };
        for candidate in reader.lexical(&query, filter, SHARING)?.candidates {
            near.extend(candidate.chunks.iter().map(|chunk| Near {
                source,
                document: candidate.id,
                chunk: chunk.id,
            }));
        }
    }
    Ok(near)
}

/// Returns the rarest of the names in a source, each as a group of terms.
fn rarest(names: &[&str], reader: &dyn Reader) -> Result<Vec<TermGroup>, EngineError> {
    let mut known: Vec<(u64, TermGroup)> = Vec::new();
    let mut seen = HashSet::new();
    for name in names {
        let parts = parts(name);
        let joined = parts.concat();
        // A name with one part is indexed as a word; one with several parts also as a whole.
        let field = if parts.len() > 1 { Field::Whole } else { Field::Body };
        if joined.is_empty() || !seen.insert(joined.clone()) {
            continue;
        }
        let documents = reader.document_frequency(field, &joined)?;
        if documents > 0 {
            let term = |field, term: String| FieldTerm { field, term, weight: 1.0 };
            let forms = vec![term(field, joined.clone()), term(Field::Symbol, joined)];
            known.push((documents, TermGroup { forms, weight: 1.0, optional: false }));
        }
    }
    // Ties keep the order of the text.
    known.sort_by_key(|(documents, _)| *documents);
    Ok(known.into_iter().take(RAREST).map(|(_, group)| group).collect())
}

/// Returns the definitions, sections and documents of chunks, without duplicates. Files that
/// changed on disk are skipped.
pub(crate) fn pieces(
    near: &[Near],
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> Result<Vec<Piece>, EngineError> {
    let mut pieces = Vec::new();
    let mut documents: HashMap<DocumentId, Option<Whole>> = HashMap::new();
    let mut chunks: HashSet<ChunkId> = HashSet::new();
    let mut seen: HashSet<(DocumentId, u32, String)> = HashSet::new();
    for near_chunk in near.iter().filter(|near_chunk| chunks.insert(near_chunk.chunk)) {
        let open = &snapshot.sources[near_chunk.source];
        let reader = open.reader.as_ref();
        let text = match documents.entry(near_chunk.document) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let stored = reader.documents(&[near_chunk.document])?.pop();
                unknown.insert(
                    stored.and_then(|near_chunk| Whole::read(near_chunk, open, snapshot, config)),
                )
            }
        };
        let Some(text) = text else { continue };
        let Some(chunk) = reader.chunks(&[near_chunk.chunk])?.pop() else { continue };
        for (symbol, lines, range) in text.parts_of(&chunk) {
            let name = match &symbol {
                Some(symbol) => symbol.name.clone(),
                None if text.is_composed() => String::new(),
                None if chunk.kind == ChunkKind::Section => chunk.breadcrumb.join("\n"),
                None => near_chunk.chunk.number.to_string(),
            };
            let line = symbol.as_ref().map_or(0, |symbol| symbol.line);
            if seen.insert((near_chunk.document, line, name)) {
                pieces.push(text.piece(*near_chunk, chunk.clone(), symbol, lines, range));
            }
        }
    }
    Ok(pieces)
}

/// A definition, or a part without one, with its lines and bytes.
type Part = (Option<Symbol>, (u32, u32), Range<usize>);

/// A document with its text and the start of each line.
struct Whole {
    stored: StoredDocument,
    text: String,
    lines: Vec<usize>,
}

impl Whole {
    fn read(
        stored: StoredDocument,
        open: &OpenSource,
        snapshot: &Snapshot,
        config: &EngineConfig,
    ) -> Option<Whole> {
        if open.is_pending(&stored.path) {
            return None;
        }
        let text = if let Some(text) = &stored.text {
            text.clone()
        } else {
            if !snapshot.is_as_listed(&stored.path, config) {
                return None;
            }
            config.read_text(&stored.path).ok()?
        };
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(breaks).collect();
        Some(Whole { stored, text, lines })
    }

    fn is_composed(&self) -> bool {
        self.stored.text.is_some()
    }

    /// Returns the byte range of lines.
    fn bytes(&self, (from, to): (u32, u32)) -> Range<usize> {
        let start = |line: u32| self.lines.get(line as usize).copied().unwrap_or(self.text.len());
        let first = start(from.saturating_sub(1));
        first..start(to).max(first)
    }

    /// Returns the definitions of a chunk; if it has none, the part that it belongs to.
    fn parts_of(&self, chunk: &StoredChunk) -> Vec<Part> {
        let mut found: Vec<&Symbol> = Vec::new();
        // In text that was cut by lines, the end of a definition is unknown.
        if chunk.kind != ChunkKind::Lines {
            let alone = chunk.symbol.iter().chain(&chunk.symbols);
            for symbol in alone.filter(|symbol| stands_alone(symbol.kind)) {
                if !found.iter().any(|known| known.line == symbol.line && known.name == symbol.name)
                {
                    found.push(symbol);
                }
            }
        }
        // The members of a block that extends a type count, not the block.
        if found.iter().any(|symbol| symbol.kind != SymbolKind::Impl) {
            found.retain(|symbol| symbol.kind != SymbolKind::Impl);
        }
        let part = |symbol: &Symbol| {
            let lines = (symbol.start_line, symbol.end_line);
            (Some(symbol.clone()), lines, self.bytes(lines))
        };
        if !found.is_empty() {
            return found.into_iter().map(part).collect();
        }
        let span = chunk.span;
        let (lines, range) = if self.is_composed() {
            ((1, u32::MAX), 0..self.text.len())
        } else {
            ((span.start_line, span.end_line), span.start..span.end)
        };
        vec![(None, lines, range)]
    }

    fn piece(
        &self,
        near: Near,
        mut chunk: StoredChunk,
        symbol: Option<Symbol>,
        lines: (u32, u32),
        range: Range<usize>,
    ) -> Piece {
        let text = self.text.get(range.clone()).unwrap_or_default();
        let mut around = chunk.breadcrumb.clone();
        if let Some(symbol) = &symbol {
            // The whole definition is shown, not only its part in this chunk.
            (chunk.span.start, chunk.span.end) = (range.start, range.end.max(range.start));
            (chunk.span.start_line, chunk.span.end_line) = lines;
            if let Some(container) =
                symbol.container.as_ref().filter(|of| around.last() != Some(of))
            {
                around.push(container.clone());
            }
            if around.last() == Some(&symbol.name) {
                around.pop();
            }
        }
        let code = is_code(near.document.source) && chunk.kind != ChunkKind::Section;
        let cut = &text[..text.floor_char_boundary(MAX_BYTES.min(text.len()))];
        Piece {
            source: near.source,
            document: near.document,
            stored: self.stored.clone(),
            lines,
            print: Fingerprint::new(text, code),
            similarity: None,
            embedded: format!("{}\n{cut}", around.join(" ")),
            chunk: (near.chunk, chunk),
            symbol,
        }
    }
}

/// Computes the similarity of each piece to a vector: with the piece's own vector if the embedder
/// is fast, otherwise with that of its chunk.
pub(crate) fn compare(
    pieces: &mut [Piece],
    query: &DenseQuery,
    embedder: &dyn Embedder,
    snapshot: &Snapshot,
) -> Result<(), EngineError> {
    let vectors: Vec<Option<Vec<f32>>> = if embedder.is_fast() {
        // Only the content counts, not the path.
        let texts: Vec<ChunkText<'_>> =
            pieces.iter().map(|piece| ChunkText { path: "", text: &piece.embedded }).collect();
        match embedder.embed_chunks(&texts) {
            Ok(vectors) => vectors.into_iter().map(Some).collect(),
            Err(_) => vec![None; pieces.len()],
        }
    } else {
        let mut vectors = Vec::with_capacity(pieces.len());
        for piece in pieces.iter() {
            let reader = snapshot.sources[piece.source].reader.as_ref();
            vectors.push(reader.vector(&query.model, piece.chunk.0)?);
        }
        vectors
    };
    for (piece, vector) in pieces.iter_mut().zip(vectors) {
        piece.similarity = vector
            .filter(|vector| vector.len() == query.vector.len())
            .map(|vector| vector.iter().zip(&query.vector).map(|(a, b)| a * b).sum());
    }
    Ok(())
}

/// Selects pieces, best first, that do not overlap a piece selected before.
pub(crate) fn apart<T>(ranked: Vec<T>, piece: impl Fn(&T) -> &Piece, limit: usize) -> Vec<T> {
    let mut taken: Vec<T> = Vec::new();
    for item in ranked {
        if taken.len() == limit {
            break;
        }
        let own = piece(&item);
        if !taken.iter().any(|other| piece(other).overlaps(own.document, Some(own.lines))) {
            taken.push(item);
        }
    }
    taken
}
