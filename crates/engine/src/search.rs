//! The path of a query, top to bottom.

use std::collections::HashMap;

use lore_index::Matches;
use lore_schema::{Field, Filter, SourceName};

use crate::{
    EngineConfig, EngineError, Explanation, Freshness, Hit, IndexMode, Progress, Receipt,
    SearchRequest, SearchResponse,
    absence::explain_absence,
    hit::{HitContext, describe},
    query::{PreparedQuery, Query, parse, prepare},
    rank::{CandidateParts, DocumentCandidate, Question, Ranked, Surface, interleave, signals},
    snapshot::{self, OpenSource, Snapshot},
};

/// Documents of one source that are ranked: the right one is among them in 99.9 % of the
/// development set's questions.
const CANDIDATES: usize = 100;

/// A ranked document with what a hit is made of.
pub(crate) struct Found {
    /// Which source of the snapshot.
    pub(crate) source: usize,
    /// The candidate.
    pub(crate) candidate: DocumentCandidate,
    /// Its score, part by part.
    pub(crate) explanation: Explanation,
    /// Position by the best chunk alone inside its source, from 1.
    pub(crate) bm25_rank: usize,
}

/// What ranking one source gave.
struct SourceRanking {
    found: Vec<Ranked<Found>>,
    matches: Matches,
    surface: Surface,
}

/// Answers a question.
pub(crate) fn search(
    config: &EngineConfig,
    request: &SearchRequest,
    progress: &dyn Progress,
) -> Result<SearchResponse, EngineError> {
    let query = parse(&request.query);
    if query.words.is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    let snapshot = snapshot::take(config, &request.filter.sources, IndexMode::Update, progress)?;
    let mut found = Vec::new();
    let mut surfaces = Vec::new();
    let (mut total, mut matched_all) = (0, 0);
    for (index, source) in snapshot.sources.iter().enumerate() {
        let ranking = rank_source(index, source, &query, &request.filter, config)?;
        total += ranking.matches.total;
        matched_all += ranking.matches.matched_all;
        found.extend(ranking.found);
        surfaces.push(ranking.surface);
    }
    let ranked = interleave(found, request.limit);
    let mut hits: Vec<Hit> = Vec::with_capacity(ranked.len());
    for one in &ranked {
        let context = HitContext { config, request, surface: &surfaces[one.payload.source] };
        // A file that vanished or changed since the scan is no hit.
        if let Some(mut hit) = describe(one, &context) {
            hit.rank = hits.len() + 1;
            hits.push(hit);
        }
    }
    let absence = if hits.is_empty() {
        Some(explain_absence(&snapshot, &query, request, total)?)
    } else {
        None
    };
    let receipt = Receipt {
        root: config.root.clone(),
        tree: head_of(&snapshot),
        fresh: snapshot.freshness(),
        exhaustive: total <= hits.len() as u64 && snapshot.freshness() == Freshness::Verified,
        total,
        matched_all,
        sources: snapshot.reports(),
        semantic: "off",
        elapsed_ms: 0.0,
    };
    Ok(SearchResponse {
        query: request.query.clone(),
        hits,
        receipt,
        absence,
        warnings: snapshot.warnings,
    })
}

/// Abbreviated commit of the tree, when the git source was read.
fn head_of(snapshot: &Snapshot) -> Option<String> {
    snapshot
        .sources
        .iter()
        .find(|source| source.reader.source() == SourceName::Git)
        .and_then(|source| source.reader.cursor())
        .and_then(|cursor| cursor.split_whitespace().next())
        .filter(|head| head.len() >= 8 && head.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .map(|head| head[..8].to_owned())
}

/// Retrieves and ranks the documents of one source on its own statistics.
fn rank_source(
    index: usize,
    source: &OpenSource,
    query: &Query,
    filter: &Filter,
    config: &EngineConfig,
) -> Result<SourceRanking, EngineError> {
    let reader = source.reader.as_ref();
    let prepared = prepare(query, reader)?;
    let mut matches = reader.lexical(&prepared.lexical, filter, CANDIDATES)?;
    let candidates = std::mem::take(&mut matches.candidates);
    let question = Question::new(query, &matches.groups, &prepared.rarity, reader.source());
    let documents =
        reader.documents(&candidates.iter().map(|candidate| candidate.id).collect::<Vec<_>>())?;
    let mut ranked: Vec<Ranked<Found>> = Vec::with_capacity(candidates.len());
    for (candidate, document) in candidates.into_iter().zip(documents) {
        // What differs from the disk is not shown: the receipt counts it as pending.
        if source.is_pending(&document.path) {
            continue;
        }
        let ids: Vec<_> = candidate.chunks.iter().map(|chunk| chunk.id).collect();
        let parts = CandidateParts { candidate, document, chunks: reader.chunks(&ids)? };
        let candidate = DocumentCandidate::new(parts, &question);
        let explanation = signals::explain(&question, &candidate, &config.ranking);
        ranked.push(Ranked {
            source: reader.source(),
            score: signals::score(explanation.sum()),
            coverage: question.share(|word| candidate.holds[word]),
            key: candidate.parts.document.key.to_string(),
            payload: Found { source: index, candidate, explanation, bm25_rank: 0 },
        });
    }
    number_by_evidence(&mut ranked);
    let surface = surface_of(query, &prepared, &question);
    Ok(SourceRanking { found: ranked, matches, surface })
}

/// Notes each candidate's position by lexical evidence alone.
fn number_by_evidence(ranked: &mut [Ranked<Found>]) {
    let mut order: Vec<usize> = (0..ranked.len()).collect();
    let evidence = |index: usize| ranked[index].payload.candidate.field(Field::Body);
    order.sort_by(|left, right| {
        evidence(*right)
            .total_cmp(&evidence(*left))
            .then_with(|| ranked[*left].key.cmp(&ranked[*right].key))
    });
    for (position, index) in order.into_iter().enumerate() {
        ranked[index].payload.bm25_rank = position + 1;
    }
}

/// The forms of the words as they stand in texts, with each word's share of the query.
fn surface_of(query: &Query, prepared: &PreparedQuery, question: &Question<'_>) -> Surface {
    let mut terms: HashMap<&str, usize> = HashMap::new();
    for (word, group) in prepared.lexical.groups.iter().enumerate() {
        // Parts of an identifier are not what was asked for: only the whole is highlighted.
        let asked = query.words[word].weight >= 1.0;
        for form in group.forms.iter().filter(|form| asked && form.field != Field::Symbol) {
            terms.entry(&form.term).or_insert(word);
        }
    }
    let shares = (0..query.words.len()).map(|word| question.share(|other| other == word)).collect();
    let mut terms: Vec<(String, usize)> =
        terms.into_iter().map(|(term, word)| (term.to_owned(), word)).collect();
    terms.sort();
    Surface::new(terms, shares)
}
