//! What a passage is compared with: definitions, sections and documents around the chunks that are
//! near it in meaning, or share its rarest names.

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

use super::{copies::Fingerprint, is_code, subject::stands_alone};
use crate::{
    EngineConfig, EngineError, Explanation, Hit, SearchRequest,
    query::SELECTION,
    rank::{CandidateParts, DocumentCandidate, HighlightTerms, Ranked},
    search::hit::{HitContext, describe},
    search::score::ScoredDocument,
    state::snapshot::{OpenSource, Snapshot},
};

/// Documents of a source that are looked at for their meaning.
const NEAREST: usize = 60;

/// Chunks of a document that are looked at.
const CHUNKS: usize = 4;

/// Chunks of all sources, the nearest ones, of which the definitions are compared one by one.
const MAX_CHUNKS: usize = 120;

/// Documents of a source that are looked at for the names that they share.
const SHARING: usize = 30;

/// Names of a text, the rarest ones, by which copies are looked for.
const RAREST: usize = 12;

/// Most bytes of a definition that are embedded.
const MAX_BYTES: usize = 16 << 10;

/// A chunk that may hold something alike.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Near {
    /// Which source of the snapshot.
    pub(crate) source: usize,
    /// The document.
    pub(crate) document: DocumentId,
    /// The chunk.
    pub(crate) chunk: ChunkId,
}

/// A definition, section or document that may be alike.
#[derive(Debug)]
pub(crate) struct Piece {
    /// Which source of the snapshot.
    pub(crate) source: usize,
    /// The document.
    pub(crate) document: DocumentId,
    /// What the index keeps of it.
    pub(crate) stored: StoredDocument,
    /// The definition, if it is one.
    pub(crate) symbol: Option<Symbol>,
    /// Its lines in the document's text.
    pub(crate) lines: (u32, u32),
    /// As its copies see it.
    pub(crate) print: Fingerprint,
    /// How near it is in meaning, -1.0..=1.0; `None` where that is not known.
    pub(crate) similarity: Option<f32>,
    chunk: (ChunkId, StoredChunk),
    /// What is embedded of it.
    embedded: String,
}

impl Piece {
    /// Whether it lies in these lines of a document, or around them, or the other way round.
    pub(crate) fn overlaps(&self, document: DocumentId, lines: Option<(u32, u32)>) -> bool {
        let (from, to) = self.lines;
        self.document == document && lines.is_none_or(|(first, last)| first <= to && from <= last)
    }

    /// Its kind, as filters and answers name it.
    pub(crate) fn kind(&self) -> &str {
        self.symbol.as_ref().map_or(&self.stored.kind, |symbol| symbol.kind.as_str())
    }

    /// The piece as a hit of a score; `None` when its file changed during this search.
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
                source: self.source,
                candidate: DocumentCandidate::without_evidence(parts),
                explanation: Explanation::of_one("similarity", score),
                bm25_rank: None,
                semantic_rank: None,
                reached: None,
                subject: self.symbol.clone(),
                also: Vec::new(),
            },
        };
        let mut hit = describe(&ranked, None, &context)?;
        hit.match_type = match_type;
        hit.semantic_score = self.similarity.map(|similarity| similarity.clamp(0.0, 1.0));
        Some(hit)
    }
}

/// The chunks that are near a vector, over all sources the nearest ones; and if they are not all that
/// are near enough, how many documents are.
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

/// The chunks that hold the rarest of some names.
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

/// The rarest names that a source knows, each as a group of terms.
fn rarest(names: &[&str], reader: &dyn Reader) -> Result<Vec<TermGroup>, EngineError> {
    let mut known: Vec<(u64, TermGroup)> = Vec::new();
    let mut seen = HashSet::new();
    for name in names {
        let parts = parts(name);
        let joined = parts.concat();
        // A single part is indexed as a word, several ones as a whole as well.
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
    // In the order of the text among equals.
    known.sort_by_key(|(documents, _)| *documents);
    Ok(known.into_iter().take(RAREST).map(|(_, group)| group).collect())
}

/// The definitions, sections and documents of chunks, each once. What changed on disk is left out.
pub(crate) fn pieces(
    near: &[Near],
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> Result<Vec<Piece>, EngineError> {
    let mut pieces = Vec::new();
    let mut documents: HashMap<DocumentId, Option<Whole>> = HashMap::new();
    let mut chunks: HashSet<ChunkId> = HashSet::new();
    let mut seen: HashSet<(DocumentId, u32, String)> = HashSet::new();
    for one in near.iter().filter(|one| chunks.insert(one.chunk)) {
        let open = &snapshot.sources[one.source];
        let reader = open.reader.as_ref();
        let text = match documents.entry(one.document) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let stored = reader.documents(&[one.document])?.pop();
                unknown.insert(stored.and_then(|one| Whole::read(one, open, snapshot, config)))
            }
        };
        let Some(text) = text else { continue };
        let Some(chunk) = reader.chunks(&[one.chunk])?.pop() else { continue };
        for (symbol, lines, range) in text.parts_of(&chunk) {
            let name = match &symbol {
                Some(symbol) => symbol.name.clone(),
                None if text.is_composed() => String::new(),
                None if chunk.kind == ChunkKind::Section => chunk.breadcrumb.join("\n"),
                None => one.chunk.number.to_string(),
            };
            let line = symbol.as_ref().map_or(0, |symbol| symbol.line);
            if seen.insert((one.document, line, name)) {
                pieces.push(text.piece(*one, chunk.clone(), symbol, lines, range));
            }
        }
    }
    Ok(pieces)
}

/// A definition, or a part without one, with its lines and bytes.
type Part = (Option<Symbol>, (u32, u32), Range<usize>);

/// A document with its text and where its lines begin.
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

    /// The bytes of these lines.
    fn bytes(&self, (from, to): (u32, u32)) -> Range<usize> {
        let start = |line: u32| self.lines.get(line as usize).copied().unwrap_or(self.text.len());
        let first = start(from.saturating_sub(1));
        first..start(to).max(first)
    }

    /// The definitions of a chunk; where there is none, what the chunk is a part of.
    fn parts_of(&self, chunk: &StoredChunk) -> Vec<Part> {
        let mut found: Vec<&Symbol> = Vec::new();
        // Where lines were cut, nothing tells how far a definition goes.
        if chunk.kind != ChunkKind::Lines {
            let alone = chunk.symbol.iter().chain(&chunk.symbols);
            for symbol in alone.filter(|symbol| stands_alone(symbol.kind)) {
                if !found.iter().any(|one| one.line == symbol.line && one.name == symbol.name) {
                    found.push(symbol);
                }
            }
        }
        // Of a block that extends a type, its members are what is meant.
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
            // All of the definition is shown, not only what this chunk has of it.
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

/// Finds out how near each piece is to a vector in meaning: by its own vector where that is made at
/// once, otherwise by that of its chunk.
pub(crate) fn compare(
    pieces: &mut [Piece],
    query: &DenseQuery,
    embedder: &dyn Embedder,
    snapshot: &Snapshot,
) -> Result<(), EngineError> {
    let vectors: Vec<Option<Vec<f32>>> = if embedder.is_fast() {
        // What they say counts, not where they lie.
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

/// Takes, best first, each piece that lies in none of those taken before and around none.
pub(crate) fn apart<T>(ranked: Vec<T>, piece: impl Fn(&T) -> &Piece, limit: usize) -> Vec<T> {
    let mut taken: Vec<T> = Vec::new();
    for one in ranked {
        if taken.len() == limit {
            break;
        }
        let own = piece(&one);
        if !taken.iter().any(|other| piece(other).overlaps(own.document, Some(own.lines))) {
            taken.push(one);
        }
    }
    taken
}
