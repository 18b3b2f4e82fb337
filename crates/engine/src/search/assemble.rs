//! Stage 3 of a query: reads the chunks of every candidate and computes the values of all signals.
//!
//! Most signals depend on one document alone. Centrality and the support of neighbours depend on
//! the other candidates, too: their lookups are made for the best ones only, and neighbours count
//! by their scores. They take a second pass over preliminary scores: the sums of stage 4, in which
//! the signals of later passes are still 0.

use foldhash::HashSet;
use lore_index::{DocumentId, Reader, Summary};
use lore_schema::Symbol;

use crate::{
    EngineError,
    graph::defines,
    query::{EVERYDAY, PreparedQuery, Query, is_everyday},
    rank::{
        CandidateParts, CentralNames, DefinedOnce, DocumentCandidate, HighlightTerms, Question,
        Sequence, add_context_signals, centrality, neighbours, signals, sort_chunks,
    },
    search::{
        context::SearchContext,
        parse::{Order, ParsedQuery},
        retrieve::{RetrievedDocument, RetrievedSource, WordStatistics},
    },
};

/// The candidates of all sources with their signals.
pub(crate) struct Assembled {
    /// The candidates, by source of the snapshot.
    pub(crate) sources: Vec<Vec<Candidate>>,
    /// The words to find in texts, by source of the snapshot.
    pub(crate) terms: Vec<HighlightTerms>,
    /// The tokens of the query in their order.
    pub(crate) sequence: Sequence,
}

/// A document with everything that its score is made of.
pub(crate) struct Candidate {
    /// The document with its evidence.
    pub(crate) document: DocumentCandidate,
    /// Value of each signal, in the order of explanations; empty where the order of the hits does
    /// not depend on signals.
    pub(crate) values: Vec<f32>,
    /// Share of the query's weighted idf that the document contains, 0.0..=1.0.
    pub(crate) coverage: f32,
    /// Key of the document, which breaks ties.
    pub(crate) key: String,
    /// The definition that answers a query for implementations.
    pub(crate) subject: Option<Symbol>,
    /// True if the document contains the query word by word.
    pub(crate) is_exact: bool,
    /// True if the minimum similarity of the request excludes it.
    pub(crate) is_below_minimum: bool,
}

/// Computes the signals of all candidates.
pub(crate) fn assemble(
    sources: Vec<RetrievedSource>,
    query: &ParsedQuery,
    context: SearchContext<'_>,
) -> Result<Assembled, EngineError> {
    let words = &query.plan.query;
    let shares = content_shares(words, &sources, context);
    let of_token = |token: &str| {
        let word = words.words.iter().position(|word| word.term == token);
        word.map_or(0.0, |word| shares.of_all[word])
    };
    let mut assembled = Assembled {
        sources: Vec::with_capacity(sources.len()),
        terms: Vec::with_capacity(sources.len()),
        sequence: Sequence::new(&words.text, of_token),
    };
    for RetrievedSource { source, documents, words: statistics, supporting } in sources {
        let reader = context.snapshot.sources[source].reader.as_ref();
        let Some(statistics) = statistics else {
            assembled.sources.push(documents.into_iter().map(without_words).collect());
            assembled.terms.push(HighlightTerms::new(Vec::new(), Vec::new()));
            continue;
        };
        let WordStatistics { prepared, groups } = &statistics;
        let question = Question::new(
            words,
            groups,
            &prepared.rarity,
            &prepared.frequency,
            reader.source(),
            mean_bytes(reader.summary()),
        );
        let mut candidates = Vec::with_capacity(documents.len());
        for document in documents {
            candidates.push(read_candidate(document, &question, reader)?);
        }
        if query.order() == Order::Signals {
            for candidate in &mut candidates {
                candidate.values = signals::values(&question, &candidate.document);
            }
            if defines(reader.source()) {
                let balance = query.balance(context.request.fusion, reader.source());
                let weights = signals::weights(&context.config.ranking, &balance);
                add_relative_signals(&mut candidates, &weights, &supporting, &question, reader)?;
            }
        }
        assembled.sources.push(candidates);
        assembled.terms.push(highlight_terms(words, prepared, shares.of_typed.clone()));
    }
    Ok(assembled)
}

/// A document of a query without words.
fn without_words(document: RetrievedDocument) -> Candidate {
    let RetrievedDocument { candidate, document, .. } = document;
    let key = document.key.to_string();
    let parts = CandidateParts::listed(candidate.id, document);
    Candidate {
        document: DocumentCandidate::without_evidence(parts),
        values: Vec::new(),
        coverage: 1.0,
        key,
        subject: None,
        is_exact: false,
        is_below_minimum: false,
    }
}

/// Reads the chunks of a candidate that may count, and normalises its evidence.
fn read_candidate(
    retrieved: RetrievedDocument,
    question: &Question<'_>,
    reader: &dyn Reader,
) -> Result<Candidate, EngineError> {
    let RetrievedDocument { mut candidate, document, mut similarities, is_exact, is_below_minimum } =
        retrieved;
    let count = sort_chunks(&mut candidate, &mut similarities, &document, question);
    let ids: Vec<_> = candidate.chunks[..count].iter().map(|chunk| chunk.id).collect();
    let chunks = reader.chunks(&ids)?;
    let parts = CandidateParts { candidate, document, chunks, similarities };
    let mut document = DocumentCandidate::new(parts, question);
    add_context_signals(&mut document, question, reader);
    // Texts that quote the number of a record come after the record.
    let is_record = question.query.names_record(&document.parts.document);
    Ok(Candidate {
        values: Vec::new(),
        coverage: question.share(|word| document.holds[word]),
        key: document.parts.document.key.to_string(),
        subject: document.conforming(question).cloned(),
        document,
        is_exact: is_exact || is_record,
        is_below_minimum,
    })
}

/// Maximum number of candidates with a centrality: the best ones, however many hits are requested.
/// On the development set and the commit sets 20 and 30 give the figures of all of them to the
/// fourth digit.
const MAX_CENTRAL: usize = 20;

/// Adds the signals that depend on the other candidates: first centrality, for the best by all
/// other signals; then the support of neighbours, by the sums that include centrality.
fn add_relative_signals(
    candidates: &mut [Candidate],
    weights: &[f32],
    supporting: &HashSet<DocumentId>,
    question: &Question<'_>,
    reader: &dyn Reader,
) -> Result<(), EngineError> {
    let defined_once = DefinedOnce::new(reader);
    let documents = reader.unit_count();
    let mut best: Vec<(f32, &mut Candidate)> = candidates
        .iter_mut()
        .filter(|candidate| !candidate.is_below_minimum)
        .map(|candidate| (signals::sum(&candidate.values, weights), candidate))
        .collect();
    best.sort_by(|left, right| {
        right.0.total_cmp(&left.0).then_with(|| left.1.key.cmp(&right.1.key))
    });
    best.truncate(MAX_CENTRAL);
    let names = best.iter().map(|(_, candidate)| CentralNames::new(&candidate.document, question));
    let names: Vec<CentralNames> = names.collect();
    CentralNames::announce(&names, reader)?;
    for ((_, candidate), names) in best.into_iter().zip(&names) {
        let Candidate { document, values, .. } = candidate;
        let by = document.parts.candidate.id;
        document.centrality = centrality(by, names, &defined_once, documents)?;
        signals::update_relative(values, question, document);
    }
    let sums: Vec<f32> =
        candidates.iter().map(|candidate| signals::sum(&candidate.values, weights)).collect();
    let all: Vec<&DocumentCandidate> =
        candidates.iter().map(|candidate| &candidate.document).collect();
    let support = neighbours(&all, &sums, |id| supporting.contains(&id), &defined_once)?;
    for (candidate, neighbours) in candidates.iter_mut().zip(support) {
        let Candidate { document, values, .. } = candidate;
        document.neighbours = neighbours;
        signals::update_relative(values, question, document);
    }
    Ok(())
}

/// Mean length of the texts of a source.
fn mean_bytes(summary: &Summary) -> u64 {
    summary.text_bytes / summary.documents.max(1)
}

/// The weight of each word of a query by its rarity in all searched sources.
struct ContentShares {
    /// Shares of the typed words; the sum is 1.0. The words that were not typed have 0.0.
    of_typed: Vec<f32>,
    /// Weights of all words on the same scale.
    of_all: Vec<f32>,
}

/// The weight of each word by its rarity: `ln(1 + (N - df + 0.5) / (df + 0.5))` over the documents
/// of all searched sources (Robertson and Zaragoza, 2009), less for everyday words. A word that
/// occurs nowhere weighs as much as the median of those that do: its rarity
/// is unknown.
fn content_shares(
    query: &Query,
    sources: &[RetrievedSource],
    context: SearchContext<'_>,
) -> ContentShares {
    let documents: u64 = sources
        .iter()
        .map(|source| context.snapshot.sources[source.source].reader.summary().documents)
        .sum();
    let frequency = |word: usize| -> u64 {
        let statistics = sources.iter().filter_map(|source| source.words.as_ref());
        statistics.map(|words| words.groups.get(word).map_or(0, |group| group.documents)).sum()
    };
    let rarity = |word: usize| {
        let held = frequency(word).min(documents) as f32;
        (held > 0.0).then(|| (1.0 + (documents as f32 - held + 0.5) / (held + 0.5)).ln())
    };
    let known: Vec<Option<f32>> = (0..query.words.len()).map(rarity).collect();
    let mut sorted: Vec<f32> = known.iter().flatten().copied().collect();
    sorted.sort_by(f32::total_cmp);
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(1.0);
    let mut of_all: Vec<f32> = known.into_iter().map(|weight| weight.unwrap_or(median)).collect();
    for (weight, word) in of_all.iter_mut().zip(&query.words) {
        if word.name.is_none() && is_everyday(&word.term) {
            *weight *= EVERYDAY;
        }
    }
    let typed: f32 = query.required_words().map(|(word, _)| of_all[word]).sum();
    let scale = if typed > 0.0 { 1.0 / typed } else { 0.0 };
    for weight in &mut of_all {
        *weight *= scale;
    }
    let mut of_typed = vec![0.0; of_all.len()];
    for (word, _) in query.required_words() {
        of_typed[word] = of_all[word];
    }
    ContentShares { of_typed, of_all }
}

/// The forms of the words as they occur in texts, with the share of the query that each word has.
fn highlight_terms(query: &Query, prepared: &PreparedQuery, shares: Vec<f32>) -> HighlightTerms {
    let mut terms: Vec<(String, Option<usize>)> = Vec::new();
    for (word, group) in prepared.lexical.groups.iter().enumerate() {
        // Parts of an identifier were not typed and are not highlighted; but they find the lines
        // that contain it.
        let asked = query.words[word].is_required().then_some(word);
        for form in group.forms.iter().filter(|form| form.field != lore_schema::Field::Symbol) {
            terms.push((form.term.clone(), asked));
        }
    }
    terms
        .sort_by(|left, right| left.0.cmp(&right.0).then(right.1.is_some().cmp(&left.1.is_some())));
    terms.dedup_by(|next, kept| next.0 == kept.0);
    HighlightTerms::new(terms, shares)
}
