//! The path of a query, top to bottom.

use lore_index::Matches;
use lore_schema::Field;

use crate::{
    EngineConfig, EngineError, Explanation, Freshness, Hit, IndexMode, Progress, Receipt,
    SearchRequest, SearchResponse,
    absence::explain_absence,
    hit::{HitContext, describe},
    query::{PreparedQuery, Query, parse, prepare},
    rank::{CandidateParts, DocumentCandidate, Question, Ranked, Surface, interleave, signals},
    snapshot::{self, OpenSource},
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

impl SourceRanking {
    /// Forgets whatever was found.
    fn clear(&mut self) {
        self.found.clear();
        self.matches.total = 0;
        self.matches.matched_all = 0;
    }
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
    let mut snapshot =
        snapshot::take(config, &request.filter.sources, IndexMode::Update, progress)?;
    if query.dropped > 0 {
        snapshot.warnings.push(format!(
            "the query is long: only its beginning is searched, its last {} words are left out",
            query.dropped
        ));
    }
    let mut rankings = Vec::with_capacity(snapshot.sources.len());
    for (index, source) in snapshot.sources.iter().enumerate() {
        rankings.push(rank_source(index, source, &query, request, config)?);
    }
    // A name that does not exist is not answered with its relatives.
    let exists = |word: usize| rankings.iter().any(|one| one.matches.groups[word].documents > 0);
    if query.sought_names().any(|word| !exists(word)) {
        rankings.iter_mut().for_each(SourceRanking::clear);
    }
    let total = rankings.iter().map(|ranking| ranking.matches.total).sum();
    let matched_all = rankings.iter().map(|ranking| ranking.matches.matched_all).sum();
    let mut found = Vec::new();
    let mut surfaces = Vec::with_capacity(rankings.len());
    for ranking in rankings {
        found.extend(ranking.found);
        surfaces.push(ranking.surface);
    }
    let ranked = interleave(found, request.limit);
    let mut hits: Vec<Hit> = Vec::with_capacity(ranked.len());
    for one in &ranked {
        let context = HitContext {
            config,
            request,
            tree: &snapshot.tree,
            surface: &surfaces[one.payload.source],
        };
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
        tree: lore_sources::head_commit(&config.root).map(|head| head[..8].to_owned()),
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

/// Retrieves and ranks the documents of one source on its own statistics.
fn rank_source(
    index: usize,
    source: &OpenSource,
    query: &Query,
    request: &SearchRequest,
    config: &EngineConfig,
) -> Result<SourceRanking, EngineError> {
    let reader = source.reader.as_ref();
    let prepared = prepare(query, reader)?;
    let mut matches =
        reader.lexical(&prepared.lexical, &request.filter, CANDIDATES.max(request.limit))?;
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
    let mut terms: Vec<(String, Option<usize>)> = Vec::new();
    for (word, group) in prepared.lexical.groups.iter().enumerate() {
        // Parts of an identifier are not what was asked for, and are not highlighted; but the
        // lines that hold it are found by them.
        let asked = query.words[word].is_asked().then_some(word);
        for form in group.forms.iter().filter(|form| form.field != Field::Symbol) {
            terms.push((form.term.clone(), asked));
        }
    }
    terms
        .sort_by(|left, right| left.0.cmp(&right.0).then(right.1.is_some().cmp(&left.1.is_some())));
    terms.dedup_by(|next, kept| next.0 == kept.0);
    let shares = (0..query.words.len()).map(|word| question.share(|other| other == word)).collect();
    Surface::new(terms, shares)
}
