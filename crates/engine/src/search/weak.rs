//! Recognises answers without enough evidence: the repository probably has no answer to the
//! question. They are reported as weak, with the closest hits.

use super::{
    context::SearchContext,
    parse::{Order, ParsedQuery},
    score::ScoredDocument,
};
use crate::{
    Absence, Fusion,
    query::{Shape, is_everyday},
    rank::{AnswerEvidence, Ranked},
};

/// Maximum number of hits of a weak answer.
pub(crate) const MAX_WEAK: usize = 3;

/// Number of best hits whose evidence counts.
pub(crate) const MAX_JUDGED: usize = 10;

/// Returns whether the answer of these documents, best first, is weak. Only a query of several plain words is judged: a name, a
/// quotation or an operator decides by itself what is found.
pub(crate) fn is_weak(
    ranked: &[&Ranked<ScoredDocument>],
    query: &ParsedQuery,
    context: SearchContext<'_>,
) -> bool {
    let request = context.request;
    let words = &query.plan.query;
    let is_judged = request.extras.judge
        && query.plan.plain
        && !request.query.contains('"')
        && words.shape == Shape::Natural
        && query.order() == Order::Signals
        && request.fusion == Fusion::default()
        && query.vector.query.is_some();
    let Some(first) = ranked.first() else { return false };
    let mut evidence = AnswerEvidence::default();
    for document in ranked.iter().take(MAX_JUDGED) {
        let explanation = &document.payload.explanation;
        let value = |name| explanation.value(name);
        evidence.add(value("window"), value("wide-window"), value("nearest-window"));
    }
    let is_named = words.names_record(&first.payload.candidate.parts.document);
    is_judged && !is_named && evidence.is_weak(first.score, words.text.split_whitespace().count())
}

/// States what a weak answer lacks.
pub(crate) fn explain_weak(query: &ParsedQuery) -> Absence {
    let is_searched_otherwise =
        |word: &String| query.expanded.iter().any(|expansion| expansion.word == *word);
    let unknown = query.unknown_words.iter();
    let unknown = unknown.filter(|word| !is_everyday(word) && !is_searched_otherwise(word));
    let unknown_words: Vec<String> = unknown.cloned().collect();
    let named: Vec<String> = unknown_words.iter().map(|word| format!("`{word}`")).collect();
    let reason = match &named[..] {
        [] => "no passage contains enough of the question".to_owned(),
        [only] => format!("no searched document contains the word {only}"),
        _ => format!("no searched document contains any of the words {}", named.join(", ")),
    };
    Absence { reasons: vec![reason], unknown_words, ..Absence::default() }
}
