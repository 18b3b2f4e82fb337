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
        if !is_symbol(question) {
            return 0.0;
        }
        let defined = defined(question, candidate);
        match &question.query.qualifier {
            Some(qualifier) if !is_inside(candidate, qualifier) => defined * OTHER_CONTAINER,
            _ => defined,
        }
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

/// What a definition of the name elsewhere counts for, beside one inside what was named.
const OTHER_CONTAINER: f32 = 0.3;

/// Whether the best chunks define something inside a container of this folded name, or the file is
/// named so.
fn is_inside(candidate: &DocumentCandidate, qualifier: &str) -> bool {
    let folded = |name: &str| lore_text::fold(name).replace('_', "");
    let mut containers = candidate
        .parts
        .chunks
        .iter()
        .flat_map(|chunk| &chunk.symbols)
        .filter_map(|symbol| symbol.container.as_deref());
    let path = &candidate.parts.document.path;
    let name = path.rsplit('/').next().unwrap_or(path);
    containers.any(|container| folded(container) == qualifier)
        || folded(name.split('.').next().unwrap_or(name)) == qualifier
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
