//! Answers a question about uses from the graph: "who calls X", "what uses X", "what breaks if X
//! changes", "implementations of X". The places that use a definition come first, each with the line
//! that names it, and the definition after the first of them.
//!
//! Words alone find the definition and little else, because nothing in a caller says that it is one.

use std::collections::{HashMap, HashSet};

use lore_index::{ChunkId, DocumentId, DocumentSet, StoredChunk};
use lore_schema::{Category, Field};

use super::{
    context::SearchContext,
    parse::{Order, ParsedQuery},
    score::{Reached, ScoredDocument},
};
use crate::{
    Certainty, EngineError, Explanation, GraphPart, Relation,
    graph::{CodeGraph, Definition, End, Link, ask, defines, direct_uses, exact_symbols},
    rank::{CandidateParts, DocumentCandidate, Ranked},
    state::snapshot::OpenSource,
};

/// Maximum number of definitions with one name. A more common name says too little.
const MAX_SUBJECTS: usize = 12;

/// Puts the uses of a definition first, if the query is a question about them. Returns what the graph
/// contributed.
pub(crate) fn add_uses(
    ranked: &mut Vec<Ranked<ScoredDocument>>,
    admitted: &[DocumentSet],
    query: &ParsedQuery,
    context: SearchContext<'_>,
) -> Result<Option<GraphPart>, EngineError> {
    let searches_code = context.snapshot.sources.iter().any(|open| defines(open.reader.source()));
    if !query.plan.plain || query.order() != Order::Signals || !searches_code {
        return Ok(None);
    }
    let Some(question) = ask(&query.plan.query.text) else { return Ok(None) };
    let (Some(name), relation) = (&question.subject, question.relation) else { return Ok(None) };
    if !matches!(
        relation,
        Relation::Callers | Relation::References | Relation::Implementations | Relation::Dependents
    ) {
        return Ok(None);
    }
    let graph = context.snapshot.graph();
    let subjects = subjects(&graph, name)?;
    if subjects.is_empty() || subjects.len() > MAX_SUBJECTS {
        return Ok(None);
    }
    let links = direct_uses(&graph, relation, name, &subjects)?;
    let admission = Admission::new(&graph, admitted, query, context)?;
    let uses: Vec<Use> =
        group(links, &subjects).into_iter().filter(|found| admission.admits(&found.end)).collect();
    if uses.is_empty() {
        return Ok(None);
    }
    let total = uses.len();
    let via = subjects[0].symbol().name.clone();
    // The definition takes one place.
    let limit = context.ranking_limit();
    let listed = total.min(limit - 1);
    let shown = total.min(context.request.limit.saturating_sub(1).max(1));
    let mut hits = Vec::with_capacity(listed + 1);
    for found in &uses[..listed] {
        hits.extend(hit_of_use(found, &via, name, &graph, context)?);
    }
    if let Some(definition) = subjects.iter().find(|subject| admission.admits_definition(subject)) {
        hits.truncate(limit - 1);
        let at = hits.len().min(1);
        hits.splice(at..at, hit_of_definition(definition, &graph, context)?);
    }
    put_first(hits, ranked, limit);
    let question = format!("{} {name}", words_of(relation));
    Ok(Some(GraphPart { question, shown: shown as u64, total: total as u64 }))
}

/// The definitions that a name means. Its qualifier may also be the name of a package: `pool.New` in
/// `lib/pool/new.go`.
fn subjects(graph: &CodeGraph<'_>, name: &str) -> Result<Vec<Definition>, EngineError> {
    let found = exact_symbols(graph, name)?;
    let Some(at) = name.rfind(['.', ':']).filter(|_| found.is_empty()) else { return Ok(found) };
    let (package, bare) = (name[..at].trim_end_matches(':'), &name[at + 1..]);
    let package = package.rsplit(['.', ':', '/']).next().unwrap_or(package);
    let mut found = exact_symbols(graph, bare)?;
    found.retain(|definition| {
        let path = &definition.file.path;
        path.split('/').any(|part| part.split('.').next() == Some(package))
    });
    Ok(found)
}

/// The words of `lore research` for a relation.
fn words_of(relation: Relation) -> &'static str {
    match relation {
        Relation::Callers => "callers of",
        Relation::Implementations => "implementations of",
        _ => "references to",
    }
}

/// A place that uses a definition: a definition, or the code of a file outside of any.
struct Use {
    end: End,
    /// Line of the first use.
    line: u32,
    certainty: Certainty,
}

/// The uses by place, the best evidence first: the code of the product before its tests, other files
/// before that of the definition, certain before possible ones, then by path and line.
fn group(links: Vec<Link>, subjects: &[Definition]) -> Vec<Use> {
    let mut places: HashMap<(DocumentId, Option<u32>), Use> = HashMap::new();
    for link in links {
        let found = places.entry(link.from.key()).or_insert_with(|| Use {
            end: link.from.clone(),
            line: link.line,
            certainty: link.certainty,
        });
        found.line = found.line.min(link.line);
        found.certainty = found.certainty.min(link.certainty);
    }
    let mut uses: Vec<Use> = places.into_values().collect();
    uses.sort_by(|left, right| {
        let key = |found: &Use| {
            let is_aside = found.end.file.category != Category::Own;
            let is_beside = subjects.iter().any(|subject| subject.file.id == found.end.file.id);
            // What is certain by import or by scope is equally certain.
            let certainty = found.certainty.max(Certainty::Import);
            (is_aside, is_beside, certainty, found.end.file.path.clone(), found.line)
        };
        key(left).cmp(&key(right))
    });
    uses
}

/// The documents that a hit may be in.
pub(super) struct Admission<'a> {
    context: SearchContext<'a>,
    admitted: &'a [DocumentSet],
    /// The documents that pass the filter; `None` for all.
    filtered: Option<HashSet<DocumentId>>,
}

impl<'a> Admission<'a> {
    pub(super) fn new(
        graph: &CodeGraph<'_>,
        admitted: &'a [DocumentSet],
        query: &ParsedQuery,
        context: SearchContext<'a>,
    ) -> Result<Admission<'a>, EngineError> {
        let filtered = if query.filter.is_empty() {
            None
        } else {
            let listing = graph.listing(&query.filter)?;
            Some(listing.into_iter().map(|listed| listed.id).collect())
        };
        Ok(Admission { context, admitted, filtered })
    }

    fn admits(&self, end: &End) -> bool {
        self.admits_file(end.file.id, &end.file.path)
    }

    pub(super) fn admits_definition(&self, definition: &Definition) -> bool {
        self.admits_file(definition.file.id, &definition.file.path)
    }

    fn admits_file(&self, id: DocumentId, path: &str) -> bool {
        let Some((index, source)) = source_of(id, self.context) else { return false };
        self.filtered.as_ref().is_none_or(|filtered| filtered.contains(&id))
            && self.admitted.get(index).is_none_or(|admitted| admitted.contains(id))
            && !source.is_pending(path)
    }
}

/// The open source of a document, and its index in the snapshot.
fn source_of(id: DocumentId, context: SearchContext<'_>) -> Option<(usize, &OpenSource)> {
    let mut sources = context.snapshot.sources.iter().enumerate();
    sources.find(|(_, open)| open.reader.source() == id.source)
}

/// The hit of a use: the chunk with the line that names the definition.
fn hit_of_use(
    found: &Use,
    via: &str,
    name: &str,
    graph: &CodeGraph<'_>,
    context: SearchContext<'_>,
) -> Result<Option<Ranked<ScoredDocument>>, EngineError> {
    let id = found.end.file.id;
    let Some((index, source)) = source_of(id, context) else { return Ok(None) };
    let definition = found.end.definition();
    let chunk = match chunk_with(id, found.line, name, source)? {
        Some(chunk) => Some(chunk),
        None => match &definition {
            Some(definition) => graph.declaring_chunk(definition)?,
            None => None,
        },
    };
    let Some(chunk) = chunk else { return Ok(None) };
    let Some(mut hit) = hit(id, index, chunk, source)? else { return Ok(None) };
    hit.payload.reached = Some(Reached { hops: 1, via: via.to_owned() });
    hit.payload.subject = definition.map(|definition| definition.symbol().clone());
    hit.payload.around = Some(found.line);
    Ok(Some(hit))
}

/// The hit of the definition that a question is about.
pub(super) fn hit_of_definition(
    definition: &Definition,
    graph: &CodeGraph<'_>,
    context: SearchContext<'_>,
) -> Result<Option<Ranked<ScoredDocument>>, EngineError> {
    let id = definition.file.id;
    let Some((index, source)) = source_of(id, context) else { return Ok(None) };
    let Some(chunk) = graph.declaring_chunk(definition)? else { return Ok(None) };
    let mut found = hit(id, index, chunk, source)?;
    if let Some(hit) = &mut found {
        hit.payload.subject = Some(definition.symbol().clone());
    }
    Ok(found)
}

/// The chunk of a document that contains a line and a name.
fn chunk_with(
    id: DocumentId,
    line: u32,
    name: &str,
    source: &OpenSource,
) -> Result<Option<(ChunkId, StoredChunk)>, EngineError> {
    let bare = name.rsplit(['.', ':', '#', '>']).next().unwrap_or(name);
    let reader = source.reader.as_ref();
    let parts = lore_text::parts(bare);
    let field = if parts.len() > 1 { Field::Whole } else { Field::Body };
    let holders = reader.holders(field, &parts.concat(), usize::MAX)?;
    let of_document = holders.iter().filter(|holder| holder.document == id);
    let ids: Vec<ChunkId> = of_document.filter_map(|holder| holder.chunk).collect();
    let chunks = reader.chunks(&ids)?;
    let mut found = ids.into_iter().zip(chunks).filter(|(_, chunk)| chunk.span.has_line(line));
    Ok(found.next())
}

/// A hit at one chunk of a document, without a score.
fn hit(
    id: DocumentId,
    index: usize,
    (chunk, stored): (ChunkId, StoredChunk),
    source: &OpenSource,
) -> Result<Option<Ranked<ScoredDocument>>, EngineError> {
    let Some(document) = source.reader.documents(&[id])?.pop() else { return Ok(None) };
    let parts = CandidateParts::reached(id, chunk, document, vec![stored]);
    Ok(Some(Ranked {
        source: id.source,
        exact: false,
        score: 0.0,
        coverage: 0.0,
        key: parts.document.key.to_string(),
        payload: ScoredDocument::unlisted(
            index,
            DocumentCandidate::without_evidence(parts),
            Explanation::of_one("graph", 0.0),
        ),
    }))
}

/// Puts hits before others, whose places they take, with scores above theirs.
fn put_first(
    hits: Vec<Ranked<ScoredDocument>>,
    ranked: &mut Vec<Ranked<ScoredDocument>>,
    limit: usize,
) {
    let documents: HashSet<DocumentId> = hits.iter().map(|hit| hit.payload.id()).collect();
    ranked.retain(|hit| !documents.contains(&hit.payload.id()));
    let highest = ranked.iter().map(|hit| hit.score).fold(MIN_SCORE, f32::max).min(MAX_SCORE);
    let step = (1.0 - highest) / (hits.len() + 2) as f32;
    let scored = hits.into_iter().enumerate().map(|(place, mut hit)| {
        hit.score = 1.0 - step * (place + 1) as f32;
        hit.payload.explanation = Explanation::of_one("graph", hit.score);
        hit
    });
    ranked.splice(0..0, scored);
    ranked.truncate(limit);
}

/// Range that the scores of all hits from the graph are above.
const MIN_SCORE: f32 = 0.9;
const MAX_SCORE: f32 = 0.99;
