//! Signals of definitions: a definition outranks a mention.

use super::Signal;
use crate::{
    query::WordForm,
    rank::{DocumentCandidate, Question, candidate::is_symbol, naming::Naming},
};

/// The query is one name and the document defines it; divided by the square root of the number of
/// files that define it, as a common name distinguishes little.
pub(crate) struct SymbolQuery;

impl Signal for SymbolQuery {
    fn name(&self) -> &'static str {
        "symbol-query"
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        if !is_symbol(question) {
            return 0.0;
        }
        let written = candidate
            .parts
            .chunks
            .iter()
            .flat_map(|chunk| &chunk.symbols)
            .any(|symbol| question.names().any(|(_, name)| symbol.name == name));
        let defined = defined(question, candidate) * if written { 1.0 } else { OTHER_CASE };
        match &question.query.qualifier {
            Some(qualifier) if !is_inside(candidate, qualifier) => defined * OTHER_CONTAINER,
            _ => defined,
        }
    }
}

/// A name inside a sentence that the document defines, divided in the same way.
pub(crate) struct EmbeddedSymbol;

impl Signal for EmbeddedSymbol {
    fn name(&self) -> &'static str {
        "embedded-symbol"
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        if is_symbol(question) { 0.0 } else { defined(question, candidate) }
    }
}

/// The document defines a name that consists of words of the query: `RetryBudget` for "budget of a
/// retry". Names of three parts and more count most; members count less than top-level names.
pub(crate) struct NamedDefinition;

impl Signal for NamedDefinition {
    fn name(&self) -> &'static str {
        "named-definition"
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        let document = &candidate.parts.document;
        let longest: usize =
            question.query.required_words().map(|(_, word)| word.term.len() + 3).sum();
        let outer = document.outer_names as usize;
        let mut best: f32 = 0.0;
        for (index, name) in document.names.iter().enumerate() {
            let share = if index < outer { 1.0 } else { MEMBER };
            if share <= best || name.len() > longest || !question.asked.may_name_all_of(name) {
                continue;
            }
            let naming = Naming::new(name, &question.asked);
            if naming.is_typed() {
                best = best.max(share * naming.parts.min(WHOLE_NAME) as f32 / WHOLE_NAME as f32);
            }
        }
        best
    }
}

/// Weight of the name of a member.
const MEMBER: f32 = 0.6;

/// Number of parts of a name with the full value.
const WHOLE_NAME: usize = 3;

/// Names that only this document defines and the query contains are used throughout the tree.
pub(crate) struct Centrality;

impl Signal for Centrality {
    fn name(&self) -> &'static str {
        "centrality"
    }

    fn value(&self, _: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        candidate.centrality
    }

    fn is_relative(&self) -> bool {
        true
    }
}

/// Weight of a definition that differs from the name in letter case or separators.
const OTHER_CASE: f32 = 0.5;

/// Weight of a definition of the name outside the container that the query names.
const OTHER_CONTAINER: f32 = 0.3;

/// Returns whether the best chunks define something inside a container of this folded name, or the
/// file has this name.
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

/// The rarity of the rarest word that the document defines.
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
