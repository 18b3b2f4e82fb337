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
        Features, HighlightTerms, Place, Ranked, Reading, Sequence, by_rank, line_count,
        rerank as rerank_one, window_evidence,
    },
    search::{
        context::SearchContext,
        parse::{Order, ParsedQuery},
        present::{ReadTexts, read_unverified},
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

/// Ranks scored candidates again, best first. Adds the texts that it reads to those that were read
/// already. Leaves the order of queries without words, and of those by similarity alone, as it is.
pub(crate) fn rerank(
    scored: &mut Vec<Ranked<ScoredDocument>>,
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
        let mut places = [0_usize; SourceName::ALL.len()];
        for document in scored.iter_mut() {
            let place = &mut places[document.source as usize];
            *place += 1;
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
