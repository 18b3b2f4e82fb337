//! Stage 5 of a query: reads the texts of the best candidates of every source, and ranks all
//! candidates again by one model.
//!
//! The first score compares documents by their statistics in the index. The second one also knows
//! where in the text the words stand, which takes reading it: so only the best of each source are
//! read.
//!
//! **Invariant:** no candidate is added or removed, but for the minimum score of the request.

use lore_schema::SourceName;

use crate::{
    Fusion,
    query::{QueryProfile, Shape},
    rank::{
        Features, HighlightTerms, Place, Ranked, Reading, Sequence, by_rank, exact_first,
        line_count, rerank as rerank_one, window_evidence,
    },
    search::{
        context::SearchContext,
        parse::{Order, ParsedQuery},
        present::{ReadTexts, read_ahead, read_unverified},
        score::ScoredDocument,
    },
    state::files::UnverifiedText,
};

/// Number of candidates of a source that are read.
const fn depth(source: SourceName) -> usize {
    match source {
        SourceName::Code => 30,
        SourceName::Docs => 25,
        // Messages are short.
        SourceName::Git => 50,
        SourceName::Specs | SourceName::Tickets | SourceName::Patterns => 15,
    }
}

/// Place of each candidate among those of its source, from 1, in the lists of all trees together. Each
/// list is in the order of [`exact_first`].
pub(crate) fn places(lists: &[&[Ranked<ScoredDocument>]]) -> Vec<Vec<usize>> {
    let mut places: Vec<Vec<usize>> = lists.iter().map(|list| vec![0; list.len()]).collect();
    let mut all: Vec<(usize, usize)> = Vec::with_capacity(places.iter().map(Vec::len).sum());
    for (list, documents) in lists.iter().enumerate() {
        all.extend((0..documents.len()).map(|at| (list, at)));
    }
    if lists.len() > 1 {
        let document = |(list, at): &(usize, usize)| &lists[*list][*at];
        // Stable: of equals, the first tree is first.
        all.sort_by(|left, right| exact_first(document(left), document(right)));
    }
    let mut last = [0_usize; SourceName::ALL.len()];
    for (list, at) in all {
        let place = &mut last[lists[list][at].source as usize];
        *place += 1;
        places[list][at] = *place;
    }
    places
}

/// Ranks scored candidates again, best first; `places` has the place of each among those of its source. Adds the texts that it reads to those that were read
/// already. Leaves the order of queries without words, and of those by similarity alone, as it is.
pub(crate) fn rerank(
    scored: &mut Vec<Ranked<ScoredDocument>>,
    places: &[usize],
    query: &ParsedQuery,
    terms: &[HighlightTerms],
    sequence: &Sequence,
    texts: &mut ReadTexts,
    context: SearchContext<'_>,
) {
    // Weights that the request sets order the answer as they are.
    if query.order() == Order::Signals && context.request.fusion == Fusion::default() {
        let words = &query.plan.query;
        let profile = QueryProfile::of(&words.text, words.shape == Shape::Symbol);
        let read = scored.iter().zip(places).filter(|(it, place)| **place <= depth(it.source));
        read_ahead(read.map(|(document, _)| document), context);
        for (document, place) in scored.iter_mut().zip(places) {
            let features = (*place <= depth(document.source)).then(|| {
                let candidate = &document.payload.candidate;
                let stored = &candidate.parts.document;
                let known = texts.remove(&stored.path);
                let read = known.or_else(|| read_unverified(&document.payload, context));
                let text = stored.text.as_deref();
                let text =
                    text.or(read.as_ref().map(UnverifiedText::to_compare)).unwrap_or_default();
                let terms = &terms[document.payload.source];
                let evidence = window_evidence(text, terms, sequence);
                let place = Place {
                    source: document.source,
                    position: *place,
                    is_exact: document.exact,
                    is_record: words.names_record(stored),
                };
                let reading = Reading { evidence, lines: line_count(text) };
                let features = Features::new(candidate, place, reading, terms, &profile);
                if let Some(read) = read {
                    texts.insert(stored.path.clone(), read);
                }
                features
            });
            document.score = rerank_one(
                document.score,
                &mut document.payload.explanation,
                document.source,
                features,
                &profile,
            );
        }
    }
    scored.retain(|document| document.score >= context.request.min_score);
    scored.sort_by(by_rank);
}
