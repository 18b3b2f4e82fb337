//! What one source has to say to a question: candidates by words and by meaning, ranked on the
//! source's own statistics.

use std::collections::hash_map::Entry;

use foldhash::{HashMap, HashSet};
use lore_index::{
    Candidate, ChunkCandidate, DenseMatches, DenseQuery, DocumentId, DocumentSet, Evidence, Holder,
    Listed, Matches, Reader, Reserve, Similar, Summary,
};
use lore_schema::Field;

use crate::{
    EngineConfig, EngineError, Explanation, Mode, SearchRequest,
    graph::defines,
    query::{PreparedQuery, Query, Shape, definition_term, prepare},
    rank::{
        Balance, Calibration, CandidateParts, DefinedOnce, DocumentCandidate, HighlightTerms,
        Question, Ranked, centrality, look_around, neighbours, put_best_first, signals,
    },
    search::ScoredDocument,
    search::{parse::ParsedQuery, restrict::Restriction},
    state::{
        embedding::QueryVector,
        snapshot::{OpenSource, Snapshot},
    },
};

/// Documents of one source that are ranked for their words. On the development set and the commit sets
/// 50 to 100 give the same figures to 0.002, with 30 for their meaning; 40 lose on one set.
const CANDIDATES: usize = 50;

/// Documents of one source, beside the candidates, whose texts are read to see whether the question
/// stands there word for word: those that hold all of its words in one passage and most of them.
const MOST_READ: usize = 50;

/// Documents of one source that are ranked for their meaning, whether they hold a word or not.
const NEAREST: usize = 30;

/// Least similarity of a document that holds no word of the question, by the model inside the program.
/// Nonsense comes to less than 0.35 with what is nearest to it, in nine of ten trees; the right answers
/// of the development set to more than 0.39, in nineteen of twenty.
const LEAST_WITHOUT_WORDS: f32 = 0.36;

/// Passages that declare a name which are looked at where the question is that name.
const MOST_DECLARING: usize = 256;

/// What ranking one source gave.
pub(crate) struct SourceRanking {
    /// The documents, in no order.
    pub(crate) found: Vec<Ranked<ScoredDocument>>,
    /// What the index said of the words.
    pub(crate) matches: Matches,
    /// The words as they stand in texts.
    pub(crate) terms: HighlightTerms,
    /// Who meets the conditions.
    pub(crate) within: DocumentSet,
    /// Similarity of the nearest document, where none is near enough.
    pub(crate) best: Option<f32>,
}

impl SourceRanking {
    /// Forgets whatever was found.
    pub(crate) fn clear(&mut self) {
        self.found.clear();
        self.matches.total = 0;
        self.matches.matched_all = 0;
    }
}

/// Retrieves and ranks the documents of one source of a snapshot.
pub(crate) fn rank_source(
    index: usize,
    snapshot: &Snapshot,
    asked: &ParsedQuery,
    request: &SearchRequest,
    config: &EngineConfig,
    meaning: &QueryVector,
) -> Result<SourceRanking, EngineError> {
    let source = &snapshot.sources[index];
    let reader = source.reader.as_ref();
    let query = &asked.plan.query;
    let listed = Some((source, &*snapshot.tree));
    let restriction =
        Restriction { config, reader, listed, filter: &asked.filter, shape: query.shape };
    let within = restriction.apply(asked.condition.as_ref())?;
    if query.words.is_empty() {
        return list_source(index, source, asked, request, &within);
    }
    let balance = if request.mode == Mode::Hybrid && meaning.query.is_some() {
        Balance::hybrid(request.fusion, reader.source())
    } else {
        Balance::of_words()
    };
    let of_meaning_alone = request.mode == Mode::Semantic && meaning.query.is_some();
    let takes_part = of_meaning_alone || balance.has_meaning();
    let dense = meaning.query.as_ref().filter(|_| takes_part).map(|query| DenseQuery {
        min_similarity: request.min_similarity,
        within: within.clone(),
        threads: threads_for(query, reader, config),
        ..query.clone()
    });
    let mut prepared = prepare(query, reader)?;
    prepared.lexical.within = within.clone();
    let limit = CANDIDATES.max(request.limit);
    let nearest = match &dense {
        Some(dense) => reader.dense(dense, &asked.filter, NEAREST.max(request.limit))?,
        None => DenseMatches::default(),
    };
    // What is near may hold words, too.
    if !of_meaning_alone {
        prepared.lexical.also = nearest.candidates.iter().map(|one| one.id).collect();
    }
    let is_sought = asked.plan.plain && !of_meaning_alone;
    let possible = if is_sought { restriction.may_hold_question(&query.text)? } else { Vec::new() };
    prepared.lexical.reserve = Reserve { documents: possible.clone(), limit: MOST_READ };
    let mut matches = reader.lexical(&prepared.lexical, &asked.filter, limit)?;
    let by_words = std::mem::take(&mut matches.candidates);
    // However many hits are asked for, the same documents speak for each other.
    let mut speakers: HashSet<DocumentId> =
        by_words.iter().take(CANDIDATES).map(|one| one.id).collect();
    let mut candidates = Candidates::new(if of_meaning_alone { Vec::new() } else { by_words });
    let mut reserve = std::mem::take(&mut matches.reserve);
    let compared: Vec<DocumentId> = possible
        .into_iter()
        .filter(|id| candidates.places.contains_key(id))
        .chain(reserve.iter().map(|one| one.id))
        .collect();
    let exact = restriction.holding_question(&query.text, &compared)?;
    reserve.retain(|one| exact.contains(one.id));
    candidates.add(reserve);
    let mut near = HashMap::default();
    let mut best = None;
    let is_counted_by_meaning = of_meaning_alone || request.min_similarity.is_some();
    if let Some(dense) = &dense {
        let ids: Vec<DocumentId> = nearest.candidates.iter().map(|one| one.id).collect();
        speakers.extend(ids.iter().take(NEAREST));
        candidates.add_without_words(&ids, query.words.len());
        // All of what speaks for a document counts, however far its other passages are.
        let all = DenseQuery { min_similarity: None, ..dense.clone() };
        if is_counted_by_meaning {
            matches.total = nearest.total;
            matches.matched_all = matches.matched_all.min(nearest.total);
        }
        // Only where nothing is near enough does anybody ask how near the nearest is.
        if nearest.total == 0 && dense.min_similarity.is_some() {
            let first = reader.dense(&all, &asked.filter, 1)?.candidates;
            best = first.first().and_then(|one| one.chunks.first()).map(|one| one.similarity);
        }
        let ids: Vec<DocumentId> = candidates.list.iter().map(|one| one.id).collect();
        let similar = reader.similar(&all, &asked.filter, &ids)?;
        near.extend(similar.into_iter().map(|one| (one.id, one)));
    }
    // Who asks for a kind of definition is shown no other one.
    if query.shape == Shape::Symbol && asked.filter.kinds.is_empty() {
        for name in query.words.iter().filter_map(|word| word.name.as_deref()) {
            let term = definition_term(name);
            let mut declaring = reader.holders(Field::Symbol, &term, usize::MAX)?;
            declaring.retain(|holder| candidates.places.contains_key(&holder.document));
            // Those of the best candidates, in whatever order they were indexed.
            declaring.sort_by_key(|holder| candidates.places.get(&holder.document).copied());
            declaring.truncate(MOST_DECLARING);
            candidates.add_chunks(&declaring, query.words.len());
        }
    }
    let question = Question::new(
        query,
        &matches.groups,
        &prepared.rarity,
        &prepared.frequency,
        reader.source(),
        mean_bytes(reader.summary()),
    );
    // Whoever asks for one word asks for that word, not for another one like it.
    let admits_without_words = query.asked().count() > 1;
    let least_without_words = if meaning.is_built_in {
        LEAST_WITHOUT_WORDS
    } else if knows_half(query, &matches) {
        0.0
    } else {
        f32::INFINITY
    };
    let documents =
        reader.documents(&candidates.list.iter().map(|one| one.id).collect::<Vec<_>>())?;
    let mut ranked: Vec<Ranked<ScoredDocument>> = Vec::with_capacity(documents.len());
    let mut left_out = Vec::with_capacity(documents.len());
    for (candidate, document) in candidates.list.into_iter().zip(documents) {
        // What differs from the disk is not shown: the receipt counts it as pending.
        if source.is_pending(&document.path) {
            continue;
        }
        let (mut candidate, mut similarities) = with_nearest(candidate, &near, query.words.len());
        let worth_reading = put_best_first(&mut candidate, &mut similarities, &document, &question);
        let ids: Vec<_> = candidate.chunks[..worth_reading].iter().map(|chunk| chunk.id).collect();
        let chunks = reader.chunks(&ids)?;
        let parts = CandidateParts { candidate, document, chunks, similarities };
        let mut candidate = DocumentCandidate::new(parts, &question);
        // Words that the program added are no words of the question.
        let holds_words = candidate.holds[..query.typed()].contains(&true);
        let nearness = candidate.nearest.unwrap_or(0.0);
        let is_far = request.min_similarity.is_some_and(|least| nearness < least);
        let is_left_out = dense.is_some() && is_far;
        if !holds_words && !of_meaning_alone {
            if !admits_without_words || nearness < least_without_words {
                matches.total = matches.total.saturating_sub(u64::from(is_counted_by_meaning));
                continue;
            }
            matches.total += u64::from(!is_counted_by_meaning && !is_left_out);
        }
        look_around(&mut candidate, &question, reader);
        let explanation = if of_meaning_alone {
            Explanation::of_one("similarity", nearness)
        } else {
            signals::explain(&question, &candidate, &config.ranking, &balance)
        };
        left_out.push(is_left_out);
        ranked.push(Ranked {
            source: reader.source(),
            exact: exact.contains(candidate.parts.candidate.id),
            score: 0.0,
            coverage: question.share(|word| candidate.holds[word]),
            key: candidate.parts.document.key.to_string(),
            payload: ScoredDocument {
                source: index,
                subject: candidate.conforming(&question).cloned(),
                also: Vec::new(),
                candidate,
                explanation,
                bm25_rank: None,
                semantic_rank: None,
                reached: None,
            },
        });
    }
    if defines(reader.source()) && !of_meaning_alone {
        let defined_once = DefinedOnce::new(reader);
        add_centrality(&mut ranked, &left_out, &question, &defined_once)?;
        ask_neighbours(&mut ranked, &speakers, &question, &defined_once)?;
    }
    let calibration = if of_meaning_alone {
        // A similarity means the same in every source.
        Calibration::COMMON
    } else {
        Calibration::of(reader.source(), coverage_of_best(&ranked))
    };
    // Whoever is left out for a least similarity has spoken for its neighbours: it moves no score.
    let mut left_out = left_out.into_iter();
    ranked.retain(|_| left_out.next() == Some(false));
    number(&mut ranked);
    for one in &mut ranked {
        let found = &mut one.payload;
        balance.complete(&mut found.explanation, found.bm25_rank, found.semantic_rank);
        one.score = calibration.score(found.explanation.sum());
    }
    let terms = highlight_terms(query, &prepared, &question);
    Ok(SourceRanking { found: ranked, matches, terms, within, best })
}

/// Vectors that are worth a thread of their own: comparing them takes some milliseconds.
const VECTORS_PER_THREAD: u64 = 100_000;

/// How many threads compare the vectors of a source.
fn threads_for(query: &DenseQuery, reader: &dyn Reader, config: &EngineConfig) -> usize {
    let vectors = reader.vector_counts(&query.model).map_or(0, |counts| counts.vectors);
    let worth = usize::try_from(vectors / VECTORS_PER_THREAD).unwrap_or(usize::MAX);
    config.threads.min(worth).max(1)
}

/// The share of the question that the best of these holds; of equals, the larger one.
fn coverage_of_best(ranked: &[Ranked<ScoredDocument>]) -> f32 {
    let of = |one: &Ranked<ScoredDocument>| (one.payload.explanation.sum(), one.coverage);
    let best = ranked
        .iter()
        .map(of)
        .max_by(|left, right| left.0.total_cmp(&right.0).then_with(|| left.1.total_cmp(&right.1)));
    best.map_or(1.0, |(_, coverage)| coverage)
}

/// Candidates of which it is looked up how central they are: the best ones, however many hits are
/// asked for. On the development set and the commit sets 20 and 30 give the figures of all of them
/// to the fourth digit.
const MOST_CENTRAL: usize = 20;

/// Adds how central the best candidates are. `left_out` are flags in the order of the candidates.
fn add_centrality(
    ranked: &mut [Ranked<ScoredDocument>],
    left_out: &[bool],
    question: &Question<'_>,
    defined_once: &DefinedOnce<'_>,
) -> Result<(), EngineError> {
    let documents = defined_once.reader().unit_count();
    let shown = ranked.iter_mut().zip(left_out).filter(|(_, is_left_out)| !**is_left_out);
    let mut best: Vec<(f32, &mut Ranked<ScoredDocument>)> =
        shown.map(|(one, _)| (one.payload.explanation.sum(), one)).collect();
    best.sort_by(|left, right| {
        right.0.total_cmp(&left.0).then_with(|| left.1.key.cmp(&right.1.key))
    });
    for (_, one) in best.into_iter().take(MOST_CENTRAL) {
        let found = &mut one.payload;
        found.candidate.centrality =
            centrality(&found.candidate, question, defined_once, documents)?;
        signals::complete(&mut found.explanation, question, &found.candidate);
    }
    Ok(())
}

/// Adds what candidates say for each other.
fn ask_neighbours(
    ranked: &mut [Ranked<ScoredDocument>],
    speakers: &HashSet<DocumentId>,
    question: &Question<'_>,
    defined_once: &DefinedOnce<'_>,
) -> Result<(), EngineError> {
    let raw: Vec<f32> = ranked.iter().map(|one| one.payload.explanation.sum()).collect();
    let candidates: Vec<&DocumentCandidate> =
        ranked.iter().map(|one| &one.payload.candidate).collect();
    let found = neighbours(&candidates, &raw, |id| speakers.contains(&id), defined_once)?;
    for (one, neighbours) in ranked.iter_mut().zip(found) {
        let found = &mut one.payload;
        found.candidate.neighbours = neighbours;
        signals::complete(&mut found.explanation, question, &found.candidate);
    }
    Ok(())
}

/// How long the texts of a source are in the mean.
fn mean_bytes(summary: &Summary) -> u64 {
    summary.text_bytes / summary.documents.max(1)
}

/// Whether the source knows at least half of the words. What other models than the one inside the
/// program find for nonsense is as near as what they find for sense, so that nearness tells nothing.
fn knows_half(query: &Query, matches: &Matches) -> bool {
    let known = query.asked().filter(|(index, _)| matches.groups[*index].documents > 0).count();
    2 * known >= query.asked().count()
}

/// Candidates, each once.
struct Candidates {
    list: Vec<Candidate>,
    /// Where in the list each of them stands.
    places: HashMap<DocumentId, usize>,
}

impl Candidates {
    fn new(list: Vec<Candidate>) -> Candidates {
        let places = list.iter().enumerate().map(|(at, one)| (one.id, at)).collect();
        Candidates { list, places }
    }

    fn add(&mut self, more: Vec<Candidate>) {
        for one in more {
            if let Entry::Vacant(place) = self.places.entry(one.id) {
                place.insert(self.list.len());
                self.list.push(one);
            }
        }
    }

    /// Adds chunks to the candidates whose they are: what declares a name need not be among the
    /// passages that hold most of it.
    fn add_chunks(&mut self, holders: &[Holder], words: usize) {
        for holder in holders {
            let Some(id) = holder.chunk else { continue };
            let Some(&place) = self.places.get(&holder.document) else { continue };
            let of = &mut self.list[place];
            if of.chunks.iter().all(|chunk| chunk.id != id) {
                of.chunks.push(ChunkCandidate { id, evidence: Evidence::zeros(words) });
            }
        }
    }

    /// Adds those that are not there yet as documents that hold no word.
    fn add_without_words(&mut self, ids: &[DocumentId], words: usize) {
        let bare = |id: &DocumentId| Candidate {
            id: *id,
            evidence: Evidence::zeros(words),
            chunks: Vec::new(),
        };
        self.add(ids.iter().map(bare).collect());
    }
}

/// A candidate with its nearest chunks beside those that hold its words, and how near each of them
/// is. Of a chunk that is not among the nearest, it is only known that it is no nearer than these.
fn with_nearest(
    mut candidate: Candidate,
    near: &HashMap<DocumentId, Similar>,
    words: usize,
) -> (Candidate, Vec<f32>) {
    let Some(similar) = near.get(&candidate.id).filter(|one| !one.chunks.is_empty()) else {
        return (candidate, Vec::new());
    };
    for chunk in &similar.chunks {
        if candidate.chunks.iter().all(|other| other.id != chunk.id) {
            candidate
                .chunks
                .push(ChunkCandidate { id: chunk.id, evidence: Evidence::zeros(words) });
        }
    }
    let least = similar.chunks.last().map_or(0.0, |chunk| chunk.similarity);
    let similarity = |chunk: &ChunkCandidate| {
        let known = similar.chunks.iter().find(|other| other.id == chunk.id);
        known.map_or(least, |known| known.similarity)
    };
    let similarities = candidate.chunks.iter().map(similarity).collect();
    (candidate, similarities)
}

/// Score of what meets the conditions of a query without words: neither good nor bad.
const NEUTRAL: f32 = 0.5;

/// Lists the documents that meet the conditions of a query without words, the last changed first.
fn list_source(
    index: usize,
    source: &OpenSource,
    asked: &ParsedQuery,
    request: &SearchRequest,
    within: &DocumentSet,
) -> Result<SourceRanking, EngineError> {
    let reader = source.reader.as_ref();
    let mut listing = reader.listing(&asked.filter)?;
    listing.retain(|one| within.contains(one.id) && !source.is_pending(one.path));
    let date = |one: &Listed<'_>| {
        one.updated.or_else(|| asked.filter.dates.get(one.path).copied()).unwrap_or(i64::MIN)
    };
    // Paths in their order break ties.
    listing.sort_by_key(|one| std::cmp::Reverse(date(one)));
    let total = listing.len() as u64;
    listing.truncate(request.limit);
    let ids: Vec<DocumentId> = listing.iter().map(|one| one.id).collect();
    let mut found = Vec::with_capacity(ids.len());
    for (id, document) in ids.iter().zip(reader.documents(&ids)?) {
        let parts = CandidateParts::listed(*id, document);
        found.push(Ranked {
            source: reader.source(),
            exact: false,
            score: NEUTRAL,
            coverage: 1.0,
            key: parts.document.key.to_string(),
            payload: ScoredDocument {
                source: index,
                explanation: Explanation::of_one("conditions", NEUTRAL),
                candidate: DocumentCandidate::without_evidence(parts),
                bm25_rank: None,
                semantic_rank: None,
                reached: None,
                subject: None,
                also: Vec::new(),
            },
        });
    }
    let matches = Matches { total, matched_all: total, ..Matches::default() };
    Ok(SourceRanking {
        found,
        matches,
        terms: HighlightTerms::new(Vec::new(), Vec::new()),
        within: within.clone(),
        best: None,
    })
}

/// Notes each candidate's position by the evidence of its words alone, and by its nearness alone.
fn number(ranked: &mut [Ranked<ScoredDocument>]) {
    let places = |ranked: &[Ranked<ScoredDocument>],
                  evidence: &dyn Fn(&DocumentCandidate) -> f32| {
        let value = |index: usize| evidence(&ranked[index].payload.candidate);
        let mut order: Vec<usize> = (0..ranked.len()).filter(|index| value(*index) > 0.0).collect();
        order.sort_by(|left, right| {
            value(*right)
                .total_cmp(&value(*left))
                .then_with(|| ranked[*left].key.cmp(&ranked[*right].key))
        });
        order
    };
    let by_words = places(ranked, &|candidate| {
        if candidate.holds.contains(&true) {
            candidate.field(Field::Body).max(f32::MIN_POSITIVE)
        } else {
            0.0
        }
    });
    for (position, index) in by_words.into_iter().enumerate() {
        ranked[index].payload.bm25_rank = Some(position + 1);
    }
    let by_meaning = places(ranked, &|candidate| candidate.nearest.unwrap_or(0.0));
    for (position, index) in by_meaning.into_iter().enumerate() {
        ranked[index].payload.semantic_rank = Some(position + 1);
    }
}

/// The forms of the words as they stand in texts, with each word's share of the query.
fn highlight_terms(
    query: &Query,
    prepared: &PreparedQuery,
    question: &Question<'_>,
) -> HighlightTerms {
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
    HighlightTerms::new(terms, shares)
}
