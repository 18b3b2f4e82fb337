//! What resembles a passage.

use std::{cmp::Ordering, collections::HashSet};

use lore_index::{DocumentId, DocumentSet, IndexError};
use lore_schema::{ReferenceKind, Symbol};
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
    search::{parse, restrict::Restriction, templates::without_templates},
    state::{embedding::QueryVector, refresh},
};

/// Least similarity of what resembles a passage, where nothing else is asked for: one of ten functions
/// of another repository finds nothing nearer, half of them nothing nearer than 0.48.
pub(super) const LEAST: f32 = 0.4;

/// Share of the longer text that both hold, of near clones; as of those of pasted code.
const CLONE: f32 = 0.6;

/// Most titles that are told where nothing is near enough.
const NEAREST: usize = 3;

/// Names a near clone in the type of a match, and what is only near in meaning.
pub(super) const NEAR_CLONE: &str = "near-clone";
pub(super) const SIMILAR: &str = "similar";

/// Finds what resembles a passage, in every source that is asked for.
pub(crate) fn related(
    config: &EngineConfig,
    request: &RelatedRequest,
    progress: &dyn Progress,
) -> Result<RelatedResponse, EngineError> {
    if request.subject.trim().is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    // The passage may be of a source that the answer leaves out.
    let mut snapshot = refresh::take(config, &[], IndexMode::Update, progress)?;
    let passage = subject::find(&request.subject, &snapshot, config)?;
    let search = SearchRequest {
        filter: request.filter.clone(),
        attributes: request.attributes.clone(),
        clock: request.clock,
        limit: request.limit,
        snippet_lines: request.snippet_lines,
        ..SearchRequest::new("")
    };
    let search = without_templates(&search, &snapshot);
    let asked = parse::read_filters(&search, &mut snapshot, config)?;
    let mut within = Vec::with_capacity(snapshot.sources.len());
    for source in &snapshot.sources {
        let reader = source.reader.as_ref();
        let (filter, shape) = (&asked.filter, asked.plan.query.shape);
        let is_asked = filter.sources.is_empty() || filter.sources.contains(&reader.source());
        within.push(if is_asked {
            let listed = Some((source, &*snapshot.tree));
            let restriction = Restriction { config, reader, listed, filter, shape };
            restriction.apply(asked.condition.as_ref())?
        } else {
            DocumentSet::none()
        });
    }

    let text = ChunkText { path: "", text: &passage.embedded };
    let mut meaning = QueryVector::of_passage(text, &config.embedding, &snapshot.readers())?;
    let least = request.min_similarity.unwrap_or(LEAST);
    let mut near = Vec::new();
    if let Some(query) = &meaning.query {
        (near, _) = by_meaning(query, &snapshot, &asked.filter, &within)?;
    }
    if passage.is_code {
        let names = names(&passage.text);
        near.extend(by_names(&names, &snapshot, &asked.filter, &within)?);
    }
    let mut pieces = pieces(&near, &snapshot, config)?;
    let kinds = &asked.filter.kinds;
    pieces.retain(|piece| {
        !piece.overlaps(passage.document, passage.lines)
            && (kinds.is_empty() || kinds.iter().any(|kind| kind == piece.kind()))
    });
    if let Some(query) = &meaning.query
        && let Some(embedder) = config.embedding.embedder(&query.model)
    {
        compare(&mut pieces, query, embedder, &snapshot)?;
    }
    let print = Fingerprint::new(&passage.text, passage.is_code);
    let (mut found, far): (Vec<Compared>, Vec<Compared>) = pieces
        .into_iter()
        .map(|piece| Compared::new(piece, &print))
        .partition(|one| one.score >= least || (one.is_clone && request.min_similarity.is_none()));
    found.sort_by(Compared::order);
    let mut found = apart(found, |one| &one.piece, usize::MAX);
    let documents: HashSet<DocumentId> = found.iter().map(|one| one.piece.document).collect();
    let mut total = documents.len() as u64;
    if found.len() > request.limit
        && let Some(query) = &mut meaning.query
    {
        // There may be more than were compared one by one.
        query.min_similarity = Some(least);
        let near_enough = by_meaning(query, &snapshot, &asked.filter, &within)?.1;
        total = total.max(near_enough.unwrap_or(0)).max(request.limit as u64 + 1);
    }
    found.truncate(request.limit);

    let graph = snapshot.graph();
    let relatives = Relatives::of(&passage, &graph)?;
    let mut hits: Vec<Hit> = Vec::with_capacity(found.len());
    for one in &found {
        let match_type = if one.is_clone { NEAR_CLONE } else { SIMILAR };
        let described = one.piece.describe(&snapshot, config, &search, (one.score, match_type));
        // A file that vanished or changed since the scan is no hit.
        let Some(mut hit) = described else { continue };
        hit.rank = hits.len() + 1;
        hit.links = relatives.links(&one.piece, &graph, &passage.told)?;
        hits.push(hit);
    }
    let absence = hits.is_empty().then(|| nothing(far, least, meaning.query.is_some()));
    total = total.max(hits.len() as u64);
    let receipt = Receipt {
        semantic: meaning.name,
        semantic_fallback: meaning.fallback.clone(),
        ..snapshot.receipt(config, total, total, hits.len() as u64)
    };
    let mut warnings = snapshot.warnings;
    if meaning.query.is_none() {
        warnings.push("no embedding takes part: copies of the text alone are found".to_owned());
    } else if let Some(reason) = meaning.fallback {
        warnings.push(format!("{reason}; the model inside the program takes its place"));
    }
    let query = passage.told.id.clone();
    let answer = SearchResponse {
        query,
        hits,
        receipt,
        absence,
        follow_ups: Vec::new(),
        holders: None,
        warnings,
    };
    Ok(RelatedResponse { subject: passage.told, answer })
}

/// A piece beside the passage.
#[derive(Debug)]
struct Compared {
    piece: Piece,
    /// Similarity in meaning; where that is not known, how far the texts are one.
    score: f32,
    overlap: f32,
    is_clone: bool,
}

impl Compared {
    fn new(piece: Piece, print: &Fingerprint) -> Compared {
        let overlap = print.overlap(&piece.print);
        let tells = print.tells() && piece.print.tells();
        let is_clone = tells && overlap >= CLONE;
        let textual = if tells { overlap } else { 0.0 };
        let score = piece.similarity.unwrap_or(textual).clamp(0.0, 1.0);
        Compared { piece, score, overlap, is_clone }
    }

    /// The nearest first; among equals by what is more of a copy, then by place.
    fn order(left: &Compared, right: &Compared) -> Ordering {
        let place = |one: &Compared| (one.piece.stored.key.clone(), one.piece.lines);
        right
            .score
            .total_cmp(&left.score)
            .then(right.overlap.total_cmp(&left.overlap))
            .then_with(|| place(left).cmp(&place(right)))
    }
}

/// Why nothing resembles the passage.
fn nothing(mut far: Vec<Compared>, least: f32, by_meaning: bool) -> Absence {
    far.sort_by(Compared::order);
    let reason = if by_meaning {
        match far.first() {
            Some(best) => format!(
                "the nearest comes to a similarity of {:.2}, and {least} is the least that counts",
                best.score
            ),
            None => "there is nothing else that meets the filter".to_owned(),
        }
    } else {
        "no text is nearly the same".to_owned()
    };
    let name = |one: &Compared| match &one.piece.symbol {
        Some(symbol) => symbol.name.clone(),
        None => one.piece.stored.title.clone(),
    };
    let mut nearest: Vec<String> = Vec::new();
    for name in far.iter().map(name).filter(|name| !name.is_empty()) {
        if nearest.len() < NEAREST && !nearest.contains(&name) {
            nearest.push(name);
        }
    }
    Absence { reasons: vec![reason], nearest, ..Absence::default() }
}

/// What the graph knows of the passage.
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
        // A guess among many definitions of a name links nothing.
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

    /// How a piece is linked to the passage.
    fn links(
        &self,
        piece: &Piece,
        graph: &CodeGraph<'_>,
        told: &Subject,
    ) -> Result<Vec<Link>, IndexError> {
        let mut links = Vec::new();
        let (Some(subject), Some(symbol)) = (&self.definition, &piece.symbol) else {
            return Ok(links);
        };
        if !defines(piece.document.source) {
            return Ok(links);
        }
        let Some(definition) = definition_of(piece.document, symbol, graph)? else {
            return Ok(links);
        };
        let own = subject.symbol();
        let same_type = own.container.is_some()
            && own.container == symbol.container
            && subject.file.language == definition.file.language
            && subject.file.id == definition.file.id;
        let relations = [
            (self.callers.contains(&definition.key()), "calls"),
            (self.callees.contains(&definition.key()), "called by"),
            (same_type, "same type as"),
        ];
        for (_, relation) in relations.into_iter().filter(|(holds, _)| *holds) {
            links.push(Link {
                relation,
                id: told.id.clone(),
                path: told.path.clone().unwrap_or_default(),
                start_line: told.start_line,
                end_line: told.end_line,
                found: true,
            });
        }
        Ok(links)
    }
}

/// A definition as a place of the graph.
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
