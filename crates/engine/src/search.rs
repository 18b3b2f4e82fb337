//! The path of a query, top to bottom.

pub(crate) mod hit;
pub(crate) mod parse;
pub(crate) mod restrict;
pub(crate) mod retrieval;
pub(crate) mod rewrite;
pub(crate) mod templates;

use std::collections::{HashMap, HashSet};

use lore_index::{ChunkId, DocumentId, DocumentSet};
use lore_schema::{Field, Filter, SourceName, Symbol};

use crate::{
    Embedding, EngineConfig, EngineError, Expansion, Explanation, FollowUp, Hit, IndexMode, Mode,
    Part, Progress, Receipt, SearchRequest, SearchResponse,
    answers::{
        absence::{Nearness, explain_absence},
        follow_ups::{self, FollowUpCache},
        holders,
    },
    graph::{Seed, defines, follow},
    query::{Query, expand, facets},
    rank::{
        Calibration, CandidateParts, DocumentCandidate, Passage, Ranked, by_rank, group, interleave,
    },
    search::{
        hit::{HitContext, describe},
        parse::ParsedQuery,
        retrieval::{SourceRanking, rank_source},
        rewrite::rewrite,
        templates::without_templates,
    },
    state::{
        embedding::QueryVector,
        files::Unchecked,
        refresh,
        snapshot::{OpenSource, Snapshot},
    },
};

/// A ranked document with what a hit is made of.
pub(crate) struct ScoredDocument {
    /// Which source of the snapshot.
    pub(crate) source: usize,
    /// The candidate.
    pub(crate) candidate: DocumentCandidate,
    /// Its score, part by part.
    pub(crate) explanation: Explanation,
    /// Position by the best chunk alone inside its source, from 1; `None` for what was reached from
    /// another hit.
    pub(crate) bm25_rank: Option<usize>,
    /// Position by the nearest passage in meaning alone inside its source, from 1.
    pub(crate) semantic_rank: Option<usize>,
    /// How it was reached from another hit.
    pub(crate) reached: Option<Reached>,
    /// The definition that answers, where that is known.
    pub(crate) subject: Option<Symbol>,
    /// Keys of the documents whose passage says the same.
    pub(crate) also: Vec<String>,
}

/// How a hit was reached from another one.
pub(crate) struct Reached {
    /// Steps, from 1.
    pub(crate) hops: usize,
    /// What led here.
    pub(crate) via: String,
}

/// Answers a question.
pub(crate) fn search(
    config: &EngineConfig,
    request: &SearchRequest,
    progress: &dyn Progress,
    remembered: &FollowUpCache,
) -> Result<SearchResponse, EngineError> {
    parse::check(request)?;
    let mut snapshot = refresh::take(config, &request.filter.sources, IndexMode::Update, progress)?;
    search_in(&mut snapshot, config, request, remembered)
}

/// Answers a question from a snapshot that holds the sources it is asked of. What there is to say of
/// the snapshot goes into the response.
pub(crate) fn search_in(
    snapshot: &mut Snapshot,
    config: &EngineConfig,
    request: &SearchRequest,
    remembered: &FollowUpCache,
) -> Result<SearchResponse, EngineError> {
    let mut asked = parse::read(request, snapshot, config)?;
    let mut expanded = add_words(&mut asked.plan.query, request, snapshot, config)?;
    let request = &without_templates(request, snapshot);
    asked.filter.without.clone_from(&request.filter.without);
    let text = asked.plan.query.meant();
    let meaning = QueryVector::of(&text, request.mode, &config.embedding, &snapshot.readers())?;
    warn_of_meaning(&meaning, request, &mut snapshot.warnings);
    let of_meaning_alone = request.mode == Mode::Semantic && meaning.query.is_some();
    let mut rankings = rank_all(snapshot, &asked, request, config, &meaning)?;
    // A sentence that cites what stands nowhere still has its words.
    if asked.plan.cites && rankings.iter().all(|one| one.within.is_none()) {
        let mut loose = parse::without_phrases(request, snapshot, config)?;
        let added = add_words(&mut loose.plan.query, request, snapshot, config)?;
        let again = rank_all(snapshot, &loose, request, config, &meaning)?;
        if again.iter().any(|one| !one.found.is_empty()) {
            let cited = asked.plan.phrases.iter().map(|cited| format!("\"{cited}\""));
            snapshot.warnings.push(format!(
                "no searched document holds {} word by word; its words are searched for",
                cited.collect::<Vec<_>>().join(" and ")
            ));
            (rankings, asked, expanded) = (again, loose, added);
        }
    }
    let query = &asked.plan.query;
    for ranking in &mut rankings {
        ranking.found.retain(|one| one.score >= request.min_score);
    }
    let total = rankings.iter().map(|ranking| ranking.matches.total).sum();
    let matched_all = rankings.iter().map(|ranking| ranking.matches.matched_all).sum();
    let mut found = Vec::new();
    let mut terms = Vec::with_capacity(rankings.len());
    let mut within = Vec::with_capacity(rankings.len());
    let best = rankings.iter().filter_map(|ranking| ranking.best).reduce(f32::max);
    for ranking in rankings {
        found.extend(ranking.found);
        terms.push(ranking.terms);
        within.push(ranking.within);
    }
    let mut texts = show_once(&mut found, request.limit, snapshot, config);
    let mut ranked = if query.words.is_empty() {
        last_changed_first(found, &asked.filter, request.limit)
    } else if of_meaning_alone {
        // A similarity means the same in every source.
        found.sort_by(by_rank);
        found.truncate(request.limit);
        found
    } else {
        interleave(found, request.limit)
    };
    if request.hops > 0 {
        add_hops(&mut ranked, snapshot, &within, &asked.filter, request)?;
    }
    ranked.truncate(request.extras.described.unwrap_or(usize::MAX));
    let mut hits: Vec<Hit> = Vec::with_capacity(ranked.len());
    for one in &ranked {
        let context = HitContext {
            proof: snapshot.proof_context(one.payload.source, config),
            request,
            terms: &terms[one.payload.source],
        };
        let path = &one.payload.candidate.parts.document.path;
        // Where the walk could not trust the times, what is read now proves nothing.
        let has_times = || snapshot.tree.entry(path).is_some_and(|listed| listed.metadata != 0);
        let read = texts.remove(path).or_else(|| {
            if has_times() { read_unchecked(&one.payload, snapshot, config) } else { None }
        });
        // A file that vanished or changed since the scan is no hit.
        let Some(mut hit) = describe(one, read, &context) else { continue };
        // A step may lead to a definition that a better hit shows already.
        if request.hops > 0 && hits.iter().any(|shown| shown.id == hit.id) {
            continue;
        }
        hit.rank = hits.len() + 1;
        hits.push(hit);
    }
    let absence = if hits.is_empty() {
        let nearness = Nearness { best, knows_nothing: meaning.is_blank(), of_meaning_alone };
        Some(explain_absence(config, snapshot, &asked, request, total, &nearness)?)
    } else {
        None
    };
    // What says the same as a hit is told by the hit.
    let told: usize = hits.iter().map(|hit| 1 + hit.also_found_in.len()).sum();
    let receipt = Receipt {
        expanded,
        semantic: meaning.name,
        semantic_fallback: meaning.fallback,
        ..snapshot.receipt(config, total, matched_all, told as u64)
    };
    let holders = if request.extras.holders && !asked.plan.query.words.is_empty() {
        Some(holders::holders(snapshot, &asked, &within)?)
    } else {
        None
    };
    let follow_ups = if request.extras.follow_ups {
        related_queries(&request.query, &hits, &ranked, snapshot, remembered)?
    } else {
        Vec::new()
    };
    Ok(SearchResponse {
        query: request.query.clone(),
        hits,
        receipt,
        absence,
        follow_ups,
        holders,
        warnings: std::mem::take(&mut snapshot.warnings),
    })
}

/// Adds words to those of a query: what the request asks for, and what the tree is known to call so.
fn add_words(
    query: &mut Query,
    request: &SearchRequest,
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> Result<Vec<Expansion>, EngineError> {
    let extras = &request.extras;
    let mut added = expand(query, extras.expand, &extras.expansions);
    if extras.rewrite && request.mode != Mode::Semantic {
        let asks_meaning =
            request.mode != Mode::Lexical && !matches!(config.embedding, Embedding::Off);
        added.extend(rewrite(query, snapshot, asks_meaning)?);
    }
    Ok(added)
}

/// Ranks every source of a snapshot, in their order.
fn rank_all(
    snapshot: &Snapshot,
    asked: &ParsedQuery,
    request: &SearchRequest,
    config: &EngineConfig,
    meaning: &QueryVector,
) -> Result<Vec<SourceRanking>, EngineError> {
    let mut rankings = Vec::with_capacity(snapshot.sources.len());
    for index in 0..snapshot.sources.len() {
        rankings.push(rank_source(index, snapshot, asked, request, config, meaning)?);
    }
    // A name that does not exist is not answered with its relatives.
    let exists = |word: usize| rankings.iter().any(|one| one.matches.groups[word].documents > 0);
    let of_meaning_alone = request.mode == Mode::Semantic && meaning.query.is_some();
    if !of_meaning_alone && asked.plan.query.sought_names().any(|word| !exists(word)) {
        rankings.iter_mut().for_each(SourceRanking::clear);
    }
    Ok(rankings)
}

/// Says what the user should know of the part that meaning takes.
fn warn_of_meaning(meaning: &QueryVector, request: &SearchRequest, warnings: &mut Vec<String>) {
    if let Some(reason) = &meaning.fallback {
        warnings.push(format!(
            "{reason}; {} takes its place",
            if meaning.query.is_some() { "the model inside the program" } else { "nothing" }
        ));
    }
    if let Some(missing) = &meaning.missing {
        warnings.push(format!("{missing}: words alone find them until the next `lore index`"));
    }
    if meaning.query.is_some() || request.query.trim().is_empty() {
        return;
    }
    if request.mode == Mode::Semantic {
        warnings.push("no embedding takes part in this search: words alone decide".to_owned());
    }
    if request.min_similarity.is_some() {
        warnings.push(
            "no embedding takes part in this search: the least similarity leaves nothing out"
                .to_owned(),
        );
    }
}

/// Hits beyond the limit that are compared, to fill the places of those that say the same.
const SPARE: usize = 10;

/// Most hits that are compared: each is compared with every one that is shown.
const MOST_COMPARED: usize = 200;

/// Leaves out, of the best hits, those whose passage says the same as a better one's. Returns the
/// texts of the files that were read for it, by path.
fn show_once(
    found: &mut Vec<Ranked<ScoredDocument>>,
    limit: usize,
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> HashMap<String, Unchecked> {
    found.sort_by(by_rank);
    let compared = found.len().min(limit.saturating_add(SPARE)).min(MOST_COMPARED);
    let places = may_say_the_same(&found[..compared]);
    let mut texts = HashMap::new();
    let passage = |place: &usize| {
        let one = &found[*place];
        let CandidateParts { document, chunks, .. } = &one.payload.candidate.parts;
        let read = read_unchecked(&one.payload, snapshot, config);
        let text = document.text.as_deref();
        let text = text.or(read.as_ref().map(Unchecked::to_compare)).unwrap_or_default();
        let span = chunks.first().map_or(0..text.len(), |chunk| chunk.span.start..chunk.span.end);
        let passage = text.get(span).unwrap_or_default();
        let old = one.payload.candidate.superseded || facets::is_archived(&document.attributes);
        let passage = Passage::new(passage, one.source, old);
        if let Some(read) = read {
            texts.insert(document.path.clone(), read);
        }
        passage
    };
    let passages: Vec<Passage> = places.iter().map(passage).collect();
    let mut gone = HashSet::new();
    for (shown, others) in group(&passages) {
        let same = others.iter().map(|other| found[places[*other]].key.clone()).collect();
        found[places[shown]].payload.also = same;
        gone.extend(others.into_iter().map(|other| places[other]));
    }
    let mut index = 0;
    found.retain(|_| {
        index += 1;
        !gone.contains(&(index - 1))
    });
    texts
}

/// The places of those whose passages are worth comparing, ascending. Copies of code hold the words of
/// the question equally often among equally many: where the index said how often each passage does,
/// only those are read of which it said the same.
fn may_say_the_same(found: &[Ranked<ScoredDocument>]) -> Vec<usize> {
    let said: Option<Vec<Vec<u32>>> = found
        .iter()
        .map(|one| {
            let chunk = one.payload.candidate.parts.candidate.chunks.first()?;
            let is_told = one.source == SourceName::Code && !chunk.evidence.is_zero();
            is_told.then(|| chunk.evidence.of(Field::Body).map(f32::to_bits).collect())
        })
        .collect();
    let Some(said) = said else { return (0..found.len()).collect() };
    let mut times: HashMap<&[u32], usize> = HashMap::new();
    for one in &said {
        *times.entry(one).or_default() += 1;
    }
    (0..found.len()).filter(|place| times[&*said[*place]] > 1).collect()
}

/// The text of a document's file, which was compared with the disk when the snapshot was taken; `None`
/// where the index has the text itself.
fn read_unchecked(
    found: &ScoredDocument,
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> Option<Unchecked> {
    let CandidateParts { candidate, document, .. } = &found.candidate.parts;
    if document.text.is_some() {
        return None;
    }
    let source = snapshot.sources.get(found.source)?;
    source.read_unchecked(candidate.id, &document.path, config).ok()
}

/// Best hits from which the search goes on.
const SEEDS: usize = 5;

/// The best hits in code, as places to go on from.
fn seeds(ranked: &[Ranked<ScoredDocument>]) -> Vec<Seed> {
    let first_chunk =
        |one: &Ranked<ScoredDocument>| one.payload.candidate.parts.chunks.first().cloned();
    ranked
        .iter()
        .filter(|one| defines(one.source))
        .take(SEEDS)
        .filter_map(|one| {
            let document = one.payload.candidate.parts.candidate.id;
            Some(Seed { document, span: first_chunk(one)?.span, score: one.score })
        })
        .collect()
}

/// What to ask next: remembered, or found by the rules from the hits and what they use.
fn related_queries(
    query: &str,
    hits: &[Hit],
    ranked: &[Ranked<ScoredDocument>],
    snapshot: &Snapshot,
    remembered: &FollowUpCache,
) -> Result<Vec<FollowUp>, EngineError> {
    let key = follow_ups::key(query, hits);
    if let Some(known) = remembered.get(&key) {
        return Ok(known);
    }
    let places = snapshot.graph();
    let hops = follow(&places, &seeds(ranked), 1)?;
    let neighbours: Vec<String> =
        hops.iter().map(|hop| hop.definition.symbol().name.clone()).collect();
    let found = follow_ups::follow_ups(query, hits, &neighbours);
    remembered.put(key, found.clone());
    Ok(found)
}

/// Adds what the best hits in code call and use, each passage once, below what led there.
fn add_hops(
    ranked: &mut Vec<Ranked<ScoredDocument>>,
    snapshot: &Snapshot,
    within: &[DocumentSet],
    filter: &Filter,
    request: &SearchRequest,
) -> Result<(), EngineError> {
    let seeds = seeds(ranked);
    let mut taken: HashSet<ChunkId> = ranked
        .iter()
        .filter_map(|one| one.payload.candidate.parts.candidate.chunks.first())
        .map(|chunk| chunk.id)
        .collect();
    let places = snapshot.graph();
    let admitted: Option<HashSet<DocumentId>> = if filter.is_empty() {
        None
    } else {
        let listing = places.listing(filter)?;
        Some(listing.into_iter().map(|listed| listed.id).collect())
    };
    for hop in follow(&places, &seeds, request.hops)? {
        let id = hop.definition.file.id;
        let of_hop = |source: &OpenSource| source.reader.source() == id.source;
        let Some(index) = snapshot.sources.iter().position(of_hop) else { continue };
        let source = &snapshot.sources[index];
        let reader = source.reader.as_ref();
        let is_out = admitted.as_ref().is_some_and(|admitted| !admitted.contains(&id))
            || !within[index].contains(id)
            || hop.score < request.min_score;
        if is_out || source.is_pending(&hop.definition.file.path) || !taken.insert(hop.chunk) {
            continue;
        }
        let Some(document) = reader.documents(&[id])?.pop() else { continue };
        let parts = CandidateParts::reached(id, hop.chunk, document, reader.chunks(&[hop.chunk])?);
        ranked.push(Ranked {
            source: id.source,
            exact: false,
            score: hop.score,
            coverage: 0.0,
            key: parts.document.key.to_string(),
            payload: ScoredDocument {
                source: index,
                explanation: Explanation::of_one("hop", hop.score),
                candidate: DocumentCandidate::without_evidence(parts),
                bm25_rank: None,
                semantic_rank: None,
                reached: Some(Reached { hops: hop.depth, via: hop.from }),
                subject: Some(hop.definition.symbol().clone()),
                also: Vec::new(),
            },
        });
    }
    ranked.sort_by(by_rank);
    ranked.truncate(request.limit);
    Ok(())
}

impl Explanation {
    /// A score that is one part alone.
    pub(crate) fn of_one(name: &'static str, score: f32) -> Explanation {
        let raw = Calibration::COMMON.raw(score);
        let value = score.max(f32::MIN_POSITIVE);
        let part = Part { name, value, weight: raw / value, contribution: raw };
        Explanation { parts: vec![part] }
    }
}

/// Orders what only meets conditions: the last changed first, ties by key.
fn last_changed_first(
    mut found: Vec<Ranked<ScoredDocument>>,
    filter: &Filter,
    limit: usize,
) -> Vec<Ranked<ScoredDocument>> {
    let date = |one: &Ranked<ScoredDocument>| {
        let document = &one.payload.candidate.parts.document;
        document.attributes.updated.or_else(|| filter.dates.get(&document.path).copied())
    };
    found.sort_by(|left, right| date(right).cmp(&date(left)).then(left.key.cmp(&right.key)));
    found.truncate(limit);
    found
}
