//! The candidates of one source from its lookups, and the number of documents that match.

use foldhash::{HashMap, HashSet};
use lore_index::{
    Candidate, DenseMatches, DenseQuery, DocumentId, DocumentSet, Matches, Reader, Similar,
};
use lore_schema::{Field, Filter};

use super::{
    candidates::{Candidates, contains_any, with_similar_chunks},
    lookup::{CANDIDATES, Lookup, NEAREST},
    retrieved::{RetrievedDocument, RetrievedSource, WordStatistics},
};
use crate::{
    EngineError,
    query::{Query, Shape, definition_term},
    search::{context::SearchContext, parse::ParsedQuery, restrict::Restriction},
};

/// Minimum similarity of a document that contains no word of the query, by the built-in model.
/// Nonsense has less than 0.35 with the most similar document, in nine of ten trees; the right
/// answers of the development set have more than 0.39, in nineteen of twenty.
const MIN_WITHOUT_WORDS: f32 = 0.36;

/// Maximum number of chunks that declare a name, where the query is that name.
const MAX_DECLARING: usize = 256;

/// Gathers the candidates of a source, those in `kept` if there is such a list. Returns them with the
/// number of documents that match, and of those that contain every word, which do not depend on `kept`.
pub(super) fn gather(
    lookup: Lookup<'_>,
    kept: Option<&HashSet<DocumentId>>,
    query: &ParsedQuery,
    context: SearchContext<'_>,
) -> Result<(RetrievedSource, u64, u64), EngineError> {
    let source = &context.snapshot.sources[lookup.source];
    let reader = source.reader.as_ref();
    let words = &query.plan.query;
    let mut admission = Admission::new(&lookup, query, context);
    let Lookup { source: at, restriction, prepared, mut matches, dense, nearest, .. } = lookup;
    let mut similar_ids: Vec<DocumentId> = nearest.candidates.iter().map(|near| near.id).collect();
    let supporting = supporting_documents(&matches, &similar_ids);
    if query.is_semantic_only() {
        matches.candidates.clear();
    }
    if let Some(kept) = kept {
        count_others(&mut admission, &matches, &nearest, kept, words.typed());
        matches.candidates.retain(|candidate| kept.contains(&candidate.id));
        similar_ids.retain(|id| kept.contains(id));
    }
    let (mut candidates, exact) =
        word_candidates(&mut matches, lookup.possibly_exact, &restriction, &words.text)?;
    candidates.add_without_words(&similar_ids, words.words.len());
    let similar = match dense {
        Some(dense) => similar_chunks(dense, &query.filter, &candidates, reader)?,
        None => HashMap::default(),
    };
    // A request for one kind of definition gets no chunk that declares another one.
    if words.shape == Shape::Symbol && query.filter.kinds.is_empty() {
        add_declarations(&mut candidates, words, reader)?;
    }
    let stored = reader.documents(&candidates.ids())?;
    let mut documents = Vec::with_capacity(stored.len());
    for (candidate, document) in candidates.list.into_iter().zip(stored) {
        // A document that differs from the disk is not shown: the receipt counts it as pending.
        if source.is_pending(&document.path) {
            continue;
        }
        let near = similar.get(&candidate.id);
        let (candidate, similarities) = with_similar_chunks(candidate, near, words.words.len());
        // Added words are not words of the query.
        let contains_words = contains_any(&candidate, words.typed());
        if let Some(is_below_minimum) = admission.admit(contains_words, &similarities) {
            let is_exact = exact.contains(candidate.id);
            documents.push(RetrievedDocument {
                candidate,
                document,
                similarities,
                is_exact,
                is_below_minimum,
            });
        }
    }
    let (total, matched_all) = admission.totals(&matches, nearest.total);
    let words = Some(WordStatistics { prepared, groups: matches.groups });
    Ok((RetrievedSource { source: at, documents, words, supporting }, total, matched_all))
}

/// The similar documents that may be candidates, each with the similarity of its best chunk.
pub(super) fn admitted_similar(
    lookup: &Lookup<'_>,
    query: &ParsedQuery,
    context: SearchContext<'_>,
) -> Vec<(f32, DocumentId)> {
    let mut admission = Admission::new(lookup, query, context);
    let with_words = with_words(&lookup.matches, query.plan.query.typed());
    let nearest = lookup.nearest.candidates.iter();
    let admitted = nearest.filter_map(|near| {
        let similarities = similarities(near);
        let best = similarities.first().copied().unwrap_or(0.0);
        admission.admit(with_words.contains(&near.id), &similarities)?;
        Some((best, near.id))
    });
    admitted.collect()
}

/// Counts the similar documents that are not read. Those that contain words are counted by the index.
fn count_others(
    admission: &mut Admission,
    matches: &Matches,
    nearest: &DenseMatches,
    kept: &HashSet<DocumentId>,
    typed: usize,
) {
    let with_words = with_words(matches, typed);
    for near in nearest.candidates.iter().filter(|near| !kept.contains(&near.id)) {
        admission.admit(with_words.contains(&near.id), &similarities(near));
    }
}

/// The candidates that contain one of the first words of the query.
fn with_words(matches: &Matches, typed: usize) -> HashSet<DocumentId> {
    let with_words = matches.candidates.iter().filter(|it| contains_any(it, typed));
    with_words.map(|candidate| candidate.id).collect()
}

/// Similarities of the best chunks of a document, best first.
fn similarities(near: &Similar) -> Vec<f32> {
    near.chunks.iter().map(|chunk| chunk.similarity).collect()
}

/// The documents whose scores support others: the same ones, however many hits are requested.
fn supporting_documents(matches: &Matches, similar: &[DocumentId]) -> HashSet<DocumentId> {
    let by_words = matches.candidates.iter().take(CANDIDATES).map(|candidate| candidate.id);
    by_words.chain(similar.iter().take(NEAREST).copied()).collect()
}

/// The candidates that contain words, and those of them that contain the query word by word.
fn word_candidates(
    matches: &mut Matches,
    possibly_exact: Vec<DocumentId>,
    restriction: &Restriction<'_>,
    text: &str,
) -> Result<(Candidates, DocumentSet), EngineError> {
    let mut candidates = Candidates::new(std::mem::take(&mut matches.candidates));
    let mut reserve: Vec<Candidate> = std::mem::take(&mut matches.reserve);
    let read: Vec<DocumentId> = possibly_exact
        .into_iter()
        .filter(|id| candidates.positions.contains_key(id))
        .chain(reserve.iter().map(|candidate| candidate.id))
        .collect();
    let exact = restriction.exact_matches(text, &read)?;
    reserve.retain(|candidate| exact.contains(candidate.id));
    candidates.add(reserve);
    Ok((candidates, exact))
}

/// The most similar chunks of every candidate, whatever the minimum similarity: all of them count
/// for a document.
fn similar_chunks(
    dense: DenseQuery,
    filter: &Filter,
    candidates: &Candidates,
    reader: &dyn Reader,
) -> Result<HashMap<DocumentId, Similar>, EngineError> {
    let dense = DenseQuery { min_similarity: None, ..dense };
    let similar = reader.similar(&dense, filter, &candidates.ids())?;
    Ok(similar.into_iter().map(|document| (document.id, document)).collect())
}

/// Adds the chunks that declare a name of the query to the candidates that contain them.
fn add_declarations(
    candidates: &mut Candidates,
    query: &Query,
    reader: &dyn Reader,
) -> Result<(), EngineError> {
    for name in query.words.iter().filter_map(|word| word.name.as_deref()) {
        let term = definition_term(name);
        let mut declaring = reader.holders(Field::Symbol, &term, usize::MAX)?;
        declaring.retain(|holder| candidates.positions.contains_key(&holder.document));
        // The best candidates first, in whatever order they were indexed.
        declaring.sort_by_key(|holder| candidates.positions.get(&holder.document).copied());
        declaring.truncate(MAX_DECLARING);
        candidates.add_chunks(&declaring, query.words.len());
    }
    Ok(())
}

/// Decides which documents without a word of the query are candidates, and counts them.
struct Admission {
    is_semantic_only: bool,
    /// True if the index counted by similarity instead of by words.
    counts_similar: bool,
    has_similarity: bool,
    min_similarity: Option<f32>,
    /// Minimum similarity of a document without words; `None` where none is admitted.
    min_without_words: Option<f32>,
    rejected: u64,
    added: u64,
}

impl Admission {
    fn new(lookup: &Lookup<'_>, query: &ParsedQuery, context: SearchContext<'_>) -> Admission {
        let words = &query.plan.query;
        let min_without_words = if words.required_words().count() < 2 {
            // A query of one word requires that word.
            None
        } else if query.vector.is_built_in {
            Some(MIN_WITHOUT_WORDS)
        } else {
            contains_half(words, lookup).then_some(0.0)
        };
        let min_similarity = context.request.min_similarity;
        Admission {
            is_semantic_only: query.is_semantic_only(),
            counts_similar: query.is_semantic_only() || min_similarity.is_some(),
            has_similarity: lookup.dense.is_some(),
            min_similarity,
            min_without_words,
            rejected: 0,
            added: 0,
        }
    }

    /// Returns whether a candidate is below the minimum similarity of the request; `None` if it is
    /// rejected.
    fn admit(&mut self, contains_words: bool, similarities: &[f32]) -> Option<bool> {
        let similarities = similarities.iter().map(|similarity| similarity.clamp(0.0, 1.0));
        let nearest = similarities.max_by(f32::total_cmp).unwrap_or(0.0);
        let is_below = self.has_similarity && self.min_similarity.is_some_and(|min| nearest < min);
        if !contains_words && !self.is_semantic_only {
            if self.min_without_words.is_none_or(|min| nearest < min) {
                self.rejected += 1;
                return None;
            }
            self.added += u64::from(!is_below);
        }
        Some(is_below)
    }

    /// Number of documents that match, and of those that contain every word.
    fn totals(&self, matches: &Matches, similar: u64) -> (u64, u64) {
        if !self.counts_similar {
            return (matches.total + self.added, matches.matched_all);
        }
        let (total, matched_all) = if self.has_similarity {
            (similar, matches.matched_all.min(similar))
        } else {
            (matches.total, matches.matched_all)
        };
        (total.saturating_sub(self.rejected), matched_all)
    }
}

/// Returns whether the source contains at least half of the words. Other models than the built-in
/// one find documents for nonsense that are as similar as those for sense, so that similarity
/// decides nothing.
fn contains_half(query: &Query, lookup: &Lookup<'_>) -> bool {
    let contained = query.required_words().filter(|(index, _)| lookup.contains(*index)).count();
    2 * contained >= query.required_words().count()
}
