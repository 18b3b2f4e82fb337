//! The lookups of one source: which documents meet the conditions, contain words of the query or
//! are similar to it.

use foldhash::HashSet;
use lore_index::{DenseMatches, DenseQuery, DocumentId, DocumentSet, Matches, Reader, Reserve};

use super::retrieved::{RetrievedSource, WordStatistics};
use crate::{
    EngineConfig, EngineError,
    query::{PreparedQuery, prepare},
    search::{context::SearchContext, parse::ParsedQuery, restrict::Restriction},
};

/// Documents of one source that are scored for their words. On the development set and the commit
/// sets 50 to 100 give the same figures to 0.002, with 30 for their similarity; 40 lose on one set.
pub(super) const CANDIDATES: usize = 50;

/// Documents of one source, beside the candidates, whose texts are read to see whether they contain
/// the query word by word: those that contain all of its words in one chunk, and most of them.
const MAX_READ: usize = 50;

/// Documents of one source that are scored for their similarity, whether they contain a word or
/// not.
pub(super) const NEAREST: usize = 30;

/// The answer of one index to a query.
pub(super) struct Lookup<'a> {
    /// Index of the source in the snapshot.
    pub(super) source: usize,
    /// The conditions of the query in this source.
    pub(super) restriction: Restriction<'a>,
    /// Documents that meet the conditions.
    pub(super) admitted: DocumentSet,
    /// The words with their forms in this index.
    pub(super) prepared: PreparedQuery,
    /// Documents that contain words, and statistics of the words.
    pub(super) matches: Matches,
    /// The query of vectors; `None` where similarity takes no part.
    pub(super) dense: Option<DenseQuery>,
    /// The most similar documents.
    pub(super) nearest: DenseMatches,
    /// Documents that may contain the query word by word.
    pub(super) possibly_exact: Vec<DocumentId>,
    /// Similarity of the most similar document, where none is similar enough.
    pub(super) best_similarity: Option<f32>,
}

impl<'a> Lookup<'a> {
    /// Looks a query up in one source.
    pub(super) fn new(
        source: usize,
        query: &'a ParsedQuery,
        context: SearchContext<'a>,
    ) -> Result<Lookup<'a>, EngineError> {
        let request = context.request;
        let reader = context.snapshot.sources[source].reader.as_ref();
        let restriction = Restriction::of_source(source, query, context);
        let admitted = restriction.apply(query.condition.as_ref())?;
        let dense = dense_query(query, context, reader, &admitted);
        let nearest = match &dense {
            Some(dense) => reader.dense(dense, &query.filter, NEAREST.max(request.limit))?,
            None => DenseMatches::default(),
        };
        let words = &query.plan.query;
        let mut prepared = prepare(words, reader)?;
        prepared.lexical.within = admitted.clone();
        let mut possibly_exact = Vec::new();
        if !query.is_semantic_only() {
            // Similar documents may contain words, too.
            prepared.lexical.also = nearest.candidates.iter().map(|near| near.id).collect();
            if query.plan.plain {
                possibly_exact = restriction.possible_exact_matches(&words.text)?;
            }
        }
        prepared.lexical.reserve = Reserve { documents: possibly_exact.clone(), limit: MAX_READ };
        let matches =
            reader.lexical(&prepared.lexical, &query.filter, CANDIDATES.max(request.limit))?;
        let best_similarity = match &dense {
            Some(dense) if nearest.total == 0 && dense.min_similarity.is_some() => {
                let any = DenseQuery { min_similarity: None, ..dense.clone() };
                let first = reader.dense(&any, &query.filter, 1)?.candidates;
                first.first().and_then(|near| near.chunks.first()).map(|chunk| chunk.similarity)
            }
            _ => None,
        };
        Ok(Lookup {
            source,
            restriction,
            admitted,
            prepared,
            matches,
            dense,
            nearest,
            possibly_exact,
            best_similarity,
        })
    }

    /// Returns whether any document of the source contains a word of the query, whatever the
    /// conditions.
    pub(super) fn contains(&self, word: usize) -> bool {
        self.matches.groups[word].documents > 0
    }

    /// The source without any candidate.
    pub(super) fn without_candidates(self) -> RetrievedSource {
        let words = WordStatistics { prepared: self.prepared, groups: self.matches.groups };
        RetrievedSource {
            source: self.source,
            documents: Vec::new(),
            words: Some(words),
            supporting: HashSet::default(),
        }
    }
}

/// The query of vectors for one source; `None` where similarity takes no part.
fn dense_query(
    query: &ParsedQuery,
    context: SearchContext<'_>,
    reader: &dyn Reader,
    admitted: &DocumentSet,
) -> Option<DenseQuery> {
    let vector = query.vector.query.as_ref()?;
    let balance = query.balance(context.request.fusion, reader.source());
    let takes_part = query.is_semantic_only() || balance.has_meaning();
    takes_part.then(|| DenseQuery {
        min_similarity: context.request.min_similarity,
        within: admitted.clone(),
        threads: threads_for(vector, reader, context.config),
        ..vector.clone()
    })
}

/// Vectors that justify a thread of their own: comparing them takes some milliseconds.
const VECTORS_PER_THREAD: u64 = 100_000;

/// Number of threads that compare the vectors of a source.
fn threads_for(query: &DenseQuery, reader: &dyn Reader, config: &EngineConfig) -> usize {
    let vectors = reader.vector_counts(&query.model).map_or(0, |counts| counts.vectors);
    let useful = usize::try_from(vectors / VECTORS_PER_THREAD).unwrap_or(usize::MAX);
    config.threads.min(useful).max(1)
}
