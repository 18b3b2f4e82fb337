//! Signals of where a name is defined: a definition outranks a mention.

use super::Signal;
use crate::{
    query::WordForm,
    rank::{DocumentCandidate, Question, candidate::is_symbol},
};

/// The query is one name and the document defines it, divided by the root of the number of files
/// that do: a name that everything defines tells nothing.
pub(crate) struct SymbolQuery;

impl Signal for SymbolQuery {
    fn name(&self) -> &'static str {
        "symbol-query"
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        if is_symbol(question) { defined(question, candidate) } else { 0.0 }
    }
}

/// A name inside a sentence that the document defines, with the same division.
pub(crate) struct EmbeddedSymbol;

impl Signal for EmbeddedSymbol {
    fn name(&self) -> &'static str {
        "embedded-symbol"
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        if is_symbol(question) { 0.0 } else { defined(question, candidate) }
    }
}

/// The best word that the document defines.
fn defined(question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
    question
        .query
        .words
        .iter()
        .enumerate()
        .filter(|(index, word)| candidate.defines[*index] && word.form != WordForm::Joined)
        .map(|(index, _)| question.rarity[index])
        .fold(0.0, f32::max)
}
