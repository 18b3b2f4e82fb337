//! Finds passages that are similar to a passage.

use std::{cmp::Ordering, collections::HashSet};

use lore_index::{DenseQuery, DocumentId, DocumentSet, IndexError};
use lore_schema::{Filter, ReferenceKind, Symbol};
use lore_text::ChunkText;

use super::{
    copies::{Fingerprint, names},
    pieces::{Piece, apart, by_meaning, by_names, compare, pieces},
    subject::{self, Passage},
};
use crate::{
    Absence, EngineConfig, EngineError, Hit, IndexMode, Link, Progress, Receipt, RelatedRequest,
    RelatedResponse, SearchRequest, SearchResponse, Subject,
    graph::{CodeGraph, Definition, defines},
    search::{
        parse::{self, ParsedQuery},
        restrict::Restriction,
        templates::without_templates,
    },
    state::{embedding::QueryVector, refresh, snapshot::Snapshot},
};

/// Default for the minimum similarity. For one of ten functions of another repository the nearest
/// definition is below it, for half of them it is below 0.48.
pub(super) const MIN_SIMILARITY: f32 = 0.4;

/// Minimum share of the longer text that near clones have in common; equal to that of pasted code.
const CLONE: f32 = 0.6;

/// Maximum number of titles to suggest in an empty answer.
const NEAREST: usize = 3;

/// Match types: a near clone, and a definition that is only similar in meaning.
pub(super) const NEAR_CLONE: &str = "near-clone";
pub(super) const SIMILAR: &str = "similar";

/// Finds passages that are similar to a passage, in all requested sources.
pub(crate) fn related(
    config: &EngineConfig,
    request: &RelatedRequest,
    progress: &dyn Progress,
) -> Result<RelatedResponse, EngineError> {
    if request.subject.trim().is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    // The passage may be in a source that the answer excludes.
    let mut snapshot = refresh::take(config, &[], IndexMode::Update, progress)?;
    let passage = subject::find(&request.subject, &snapshot, config)?;
    let search = SearchRequest::new("")
        .with_filter(request.filter.clone())
        .with_attributes(request.attributes.clone())
        .with_clock(request.clock)
        .with_limit(request.limit)
        .with_snippet_lines(request.snippet_lines);
    let search = without_templates(&search, &snapshot);
    let parsed = parse::parse_filters(&search, &mut snapshot, config)?;
    let within = searched_documents(&parsed, &snapshot, config)?;

    let text = ChunkText { path: "", text: &passage.embedded };
    let mut meaning = QueryVector::of_passage(text, &config.embedding, &snapshot.readers())?;
    let min_similarity = request.min_similarity.unwrap_or(MIN_SIMILARITY);
    let pieces =
        candidates(&passage, meaning.query.as_ref(), &parsed.filter, &within, &snapshot, config)?;
    let print = Fingerprint::new(&passage.text, passage.is_code);
    let (mut found, far): (Vec<Compared>, Vec<Compared>) =
        pieces.into_iter().map(|piece| Compared::new(piece, &print)).partition(|compared| {
            compared.score >= min_similarity
                || (compared.is_clone && request.min_similarity.is_none())
        });
    found.sort_by(Compared::order);
    let mut found = apart(found, |compared| &compared.piece, usize::MAX);
    let documents: HashSet<DocumentId> =
        found.iter().map(|compared| compared.piece.document).collect();
    let mut total = documents.len() as u64;
    if found.len() > request.limit
        && let Some(query) = &mut meaning.query
    {
        // There may be more than the compared ones.
        query.min_similarity = Some(min_similarity);
        let near_enough = by_meaning(query, &snapshot, &parsed.filter, &within)?.1;
        total = total.max(near_enough.unwrap_or(0)).max(request.limit as u64 + 1);
    }
    found.truncate(request.limit);
    let hits = hits_of(&found, &passage, &snapshot, config, &search)?;
    let absence = hits.is_empty().then(|| nothing(far, min_similarity, meaning.query.is_some()));
    Ok(respond(passage, hits, total, absence, meaning, snapshot, config))
}

/// Returns the documents of each source that meet the conditions: none in sources that are not
/// requested.
fn searched_documents(
    parsed: &ParsedQuery,
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> Result<Vec<DocumentSet>, EngineError> {
    let mut within = Vec::with_capacity(snapshot.sources.len());
    for source in &snapshot.sources {
        let reader = source.reader.as_ref();
        let (filter, shape) = (&parsed.filter, parsed.plan.query.shape);
        let is_requested = filter.sources.is_empty() || filter.sources.contains(&reader.source());
        within.push(if is_requested {
            let listed = Some((source, &*snapshot.tree));
            let restriction = Restriction { config, reader, listed, filter, shape };
            restriction.apply(parsed.condition.as_ref())?
        } else {
            DocumentSet::none()
        });
    }
    Ok(within)
}

/// Returns the pieces to compare with a passage, with their similarity in meaning if `query` is known.
fn candidates(
    passage: &Passage,
    query: Option<&DenseQuery>,
    filter: &Filter,
    within: &[DocumentSet],
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> Result<Vec<Piece>, EngineError> {
    let mut near = Vec::new();
    if let Some(query) = query {
        (near, _) = by_meaning(query, snapshot, filter, within)?;
    }
    if passage.is_code {
        near.extend(by_names(&names(&passage.text), snapshot, filter, within)?);
    }
    let mut pieces = pieces(&near, snapshot, config)?;
    let kinds = &filter.kinds;
    pieces.retain(|piece| {
        !piece.overlaps(passage.document, passage.lines)
            && (kinds.is_empty() || kinds.iter().any(|kind| kind == piece.kind()))
    });
    if let Some(query) = query
        && let Some(embedder) = config.embedding.embedder(&query.model)
    {
        compare(&mut pieces, query, embedder, snapshot)?;
    }
    Ok(pieces)
}

/// Returns the hits with their links to the passage.
fn hits_of(
    found: &[Compared],
    passage: &Passage,
    snapshot: &Snapshot,
    config: &EngineConfig,
    search: &SearchRequest,
) -> Result<Vec<Hit>, EngineError> {
    let graph = snapshot.graph();
    let relatives = Relatives::of(passage, &graph)?;
    let mut hits: Vec<Hit> = Vec::with_capacity(found.len());
    for compared in found {
        let match_type = if compared.is_clone { NEAR_CLONE } else { SIMILAR };
        let described =
            compared.piece.describe(snapshot, config, search, (compared.score, match_type));
        // A file that vanished or changed since the scan is not a hit.
        let Some(mut hit) = described else { continue };
        hit.rank = hits.len() + 1;
        hit.links = relatives.links(&compared.piece, &graph, &passage.subject)?;
        hits.push(hit);
    }
    Ok(hits)
}

/// Creates the response.
fn respond(
    passage: Passage,
    hits: Vec<Hit>,
    total: u64,
    absence: Option<Absence>,
    meaning: QueryVector,
    snapshot: Snapshot,
    config: &EngineConfig,
) -> RelatedResponse {
    let shown = hits.len() as u64;
    let total = total.max(shown);
    let receipt = Receipt {
        semantic: meaning.name,
        semantic_fallback: meaning.fallback.clone(),
        ..snapshot.receipt(config, total, total, shown)
    };
    let mut warnings = snapshot.warnings;
    if meaning.query.is_none() {
        warnings.push("embeddings are not used: only near clones are found".to_owned());
    } else if let Some(reason) = meaning.fallback {
        warnings.push(format!("{reason}; the built-in model is used instead"));
    }
    let answer = SearchResponse {
        query: passage.subject.id.clone(),
        hits,
        receipt,
        absence,
        follow_ups: Vec::new(),
        holders: None,
        facets: None,
        warnings,
    };
    RelatedResponse { subject: passage.subject, answer }
}

/// A piece compared with the passage.
#[derive(Debug)]
struct Compared {
    piece: Piece,
    /// Similarity in meaning; if unknown, the overlap of the texts.
    score: f32,
    overlap: f32,
    is_clone: bool,
}

impl Compared {
    fn new(piece: Piece, print: &Fingerprint) -> Compared {
        let overlap = print.overlap(&piece.print);
        let are_distinctive = print.is_distinctive() && piece.print.is_distinctive();
        let is_clone = are_distinctive && overlap >= CLONE;
        let textual = if are_distinctive { overlap } else { 0.0 };
        let score = piece.similarity.unwrap_or(textual).clamp(0.0, 1.0);
        Compared { piece, score, overlap, is_clone }
    }

    /// Sorts by similarity, highest first; then by overlap, then by path and lines.
    fn order(left: &Compared, right: &Compared) -> Ordering {
        let place = |compared: &Compared| (compared.piece.stored.key.clone(), compared.piece.lines);
        right
            .score
            .total_cmp(&left.score)
            .then(right.overlap.total_cmp(&left.overlap))
            .then_with(|| place(left).cmp(&place(right)))
    }
}

/// Explains why nothing resembles the passage.
fn nothing(mut far: Vec<Compared>, min_similarity: f32, by_meaning: bool) -> Absence {
    far.sort_by(Compared::order);
    let reason = if by_meaning {
        match far.first() {
            Some(best) => format!(
                "the best similarity is {:.2}, below the minimum of {min_similarity}",
                best.score
            ),
            None => "nothing else meets the filter".to_owned(),
        }
    } else {
        "no text is nearly equal".to_owned()
    };
    let name = |compared: &Compared| match &compared.piece.symbol {
        Some(symbol) => symbol.name.clone(),
        None => compared.piece.stored.title.clone(),
    };
    let mut nearest: Vec<String> = Vec::new();
    for name in far.iter().map(name).filter(|name| !name.is_empty()) {
        if nearest.len() < NEAREST && !nearest.contains(&name) {
            nearest.push(name);
        }
    }
    Absence { reasons: vec![reason], nearest, ..Absence::default() }
}

/// Relations of the passage in the code graph.
#[derive(Default)]
struct Relatives {
    definition: Option<Definition>,
    callers: HashSet<(DocumentId, u32)>,
    callees: HashSet<(DocumentId, u32)>,
}

impl Relatives {
    fn of(passage: &Passage, graph: &CodeGraph<'_>) -> Result<Relatives, IndexError> {
        let Some(symbol) = passage.symbol.as_ref().filter(|_| defines(passage.document.source))
        else {
            return Ok(Relatives::default());
        };
        let Some(definition) = definition_of(passage.document, symbol, graph)? else {
            return Ok(Relatives::default());
        };
        let calls = [ReferenceKind::Call];
        // An edge with several candidates is a guess and gives no link.
        let users = graph.users(std::slice::from_ref(&definition), &calls)?;
        let callers = users.iter().filter(|link| link.certainty.candidates() == 1);
        let (used, _) = graph.used_by(&definition, &calls)?;
        let callees = used.iter().filter(|link| link.certainty.candidates() == 1);
        let end = |end: &crate::graph::End| end.definition().map(|definition| definition.key());
        Ok(Relatives {
            callers: callers.filter_map(|link| end(&link.from)).collect(),
            callees: callees.filter_map(|link| end(&link.to)).collect(),
            definition: Some(definition),
        })
    }

    /// Returns the links between a piece and the passage.
    fn links(
        &self,
        piece: &Piece,
        graph: &CodeGraph<'_>,
        subject: &Subject,
    ) -> Result<Vec<Link>, IndexError> {
        let mut links = Vec::new();
        let (Some(own_definition), Some(symbol)) = (&self.definition, &piece.symbol) else {
            return Ok(links);
        };
        if !defines(piece.document.source) {
            return Ok(links);
        }
        let Some(definition) = definition_of(piece.document, symbol, graph)? else {
            return Ok(links);
        };
        let own = own_definition.symbol();
        let same_type = own.container.is_some()
            && own.container == symbol.container
            && own_definition.file.language == definition.file.language
            && own_definition.file.id == definition.file.id;
        let relations = [
            (self.callers.contains(&definition.key()), "calls"),
            (self.callees.contains(&definition.key()), "called by"),
            (same_type, "same type as"),
        ];
        for (_, relation) in relations.into_iter().filter(|(holds, _)| *holds) {
            links.push(Link {
                relation,
                id: subject.id.clone(),
                path: subject.path.clone().unwrap_or_default(),
                start_line: subject.start_line,
                end_line: subject.end_line,
                found: true,
            });
        }
        Ok(links)
    }
}

/// Returns the definition of a symbol in the graph.
pub(super) fn definition_of(
    document: DocumentId,
    symbol: &Symbol,
    graph: &CodeGraph<'_>,
) -> Result<Option<Definition>, IndexError> {
    let file = graph.file(document)?;
    let is_it = |definition: &Definition| {
        let own = definition.symbol();
        own.line == symbol.line && own.name == symbol.name && own.kind == symbol.kind
    };
    Ok(Definition::all(&file).find(is_it))
}
