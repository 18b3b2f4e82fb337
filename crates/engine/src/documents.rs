//! Documents in memory, and the query language applied to them: for rankings that use no index.
//!
//! The crate `lorehound-compat` builds the scorers of the replaced systems on this module. A filter
//! or a field means the same here as in a search of the index: both read the same [`Condition`]s and
//! the same [`facet_terms`].

use std::collections::{BTreeMap, BTreeSet};

pub use lore_index::PathFilter;
use lore_schema::{Chunked, Document, Outline, SourceName};
use lore_sources::Tree;
pub use lore_sources::{LastCommit, last_changes, last_commits};
pub use lore_text::{fold, form_prefixes, is_cjk, is_stop_word, same_stem, stem};

pub use crate::query::{
    Condition, Range,
    facets::{canonical as field_name, is_archived, normal as comparable_value},
    language::{Comparison, Expression, Parsed, Test, Value},
};
use crate::{
    AttributeFilter, Clock, Engine, EngineError, SearchRequest, Syntax,
    answers::owners,
    query::{
        Plan, facets,
        language::{Dialect, parse},
    },
    search::parse::is_built_in_field,
    state::storage,
};

impl Engine {
    /// Reads the documents of sources from the tree as it is now, without an index. `wanted` selects
    /// units by source and name (a path for most units).
    ///
    /// # Errors
    /// When the tree or a source cannot be read.
    pub fn documents(
        &self,
        sources: &[SourceName],
        wanted: &dyn Fn(SourceName, &str) -> bool,
    ) -> Result<Vec<Document>, EngineError> {
        let tree = Tree::walk(&self.config.root, &storage::walk_options(&self.config))?;
        let mut documents = Vec::new();
        for &source in sources {
            let wanted = |unit: &str| wanted(source, unit);
            documents.append(&mut lore_sources::read_documents(&tree, source, &wanted)?);
        }
        Ok(documents)
    }

    /// Returns one line for each store of tickets with parts that could not be read, such as an index
    /// that is not JSON. Reads all tickets.
    ///
    /// # Errors
    /// When the tree or the tickets cannot be read.
    pub fn malformed_tickets(&self) -> Result<Vec<String>, EngineError> {
        let tree = Tree::walk(&self.config.root, &storage::walk_options(&self.config))?;
        malformed_tickets(&tree)
    }

    /// Returns when files were last changed, in seconds since the epoch; like [`last_changes`], but
    /// for a tree of a commit, up to that commit.
    pub fn last_changes(
        &self,
        paths: impl IntoIterator<Item = String>,
        oldest: Option<i64>,
    ) -> BTreeMap<String, i64> {
        self.config.last_changes(paths, oldest)
    }

    /// Returns the full hash of the commit that is searched or checked out, if there is one.
    pub fn commit(&self) -> Option<String> {
        self.config.commit()
    }
}

/// Returns the lines of [`Engine::malformed_tickets`] for a tree.
pub(crate) fn malformed_tickets(tree: &Tree) -> Result<Vec<String>, EngineError> {
    let units = lore_sources::malformed_units(tree, SourceName::Tickets)?;
    let line = |(unit, count): (String, u64)| {
        let parts = if count == 1 { "1 part".to_owned() } else { format!("{count} parts") };
        format!("tickets are missing: {parts} of `{unit}` could not be read; check its JSON")
    };
    Ok(units.into_iter().map(line).collect())
}

/// Parses the query of a request. Every key that a document has is a field; in a raw query every
/// word is a word.
///
/// # Errors
/// When the query is blank or has a syntax error.
pub fn parse_query(documents: &[Document], request: &SearchRequest) -> Result<Parsed, EngineError> {
    if request.query.trim().is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    if request.syntax == Syntax::Raw {
        let words = request.query.split_whitespace().map(|word| Expression::Word(word.to_owned()));
        let expression = Some(Expression::Sequence(words.collect()));
        return Ok(Parsed { expression, unknown_fields: Vec::new() });
    }
    let is_field = |name: &str| {
        let name = facets::canonical(name);
        let mut keys = documents.iter().flat_map(|document| &document.attributes.extra);
        is_built_in_field(&name) || keys.any(|(key, _)| facets::canonical(key) == name)
    };
    let dialect = Dialect { is_field: &is_field, has_not: request.syntax == Syntax::Full };
    parse(&request.query, dialect).map_err(|error| EngineError::Query(Box::new(error)))
}

/// Returns the condition that an expression sets, its kinds of documents included, and warnings
/// about parts that may have been meant differently. Words side by side set no condition.
pub fn condition_of(expression: &Expression, clock: Clock) -> (Option<Condition>, Vec<String>) {
    let plan = Plan::new(expression, clock);
    let kinds = plan.kinds.iter().map(|kind| facets::value_term("kind", kind));
    let kinds = (!plan.kinds.is_empty()).then(|| Condition::Facets(kinds.collect()));
    let mut all: Vec<Condition> = plan.condition.into_iter().chain(kinds).collect();
    let condition = if all.len() > 1 { Some(Condition::All(all)) } else { all.pop() };
    (condition, plan.warnings)
}

/// Returns the conditions of a filter on attributes.
pub fn conditions_of(attributes: &AttributeFilter) -> Vec<Condition> {
    attributes.conditions().into_iter().map(|(_, condition)| condition).collect()
}

/// Returns the terms of a document that [`Condition::Facets`] compares.
pub fn facet_terms(document: &Document) -> BTreeSet<String> {
    let chunked = Chunked {
        language: language_of(document),
        chunks: Vec::new(),
        outline: Outline::default(),
        fell_back: false,
    };
    facets::facet_terms(document, &chunked).iter().map(str::to_owned).collect()
}

/// Returns the programming language of a document.
pub fn language_of(document: &Document) -> Option<&'static str> {
    lore_syntax::detect(&document.path, &document.text).map(|language| language.name)
}

/// Returns the paths and patterns of the code that a spec governs.
pub fn governed_code(document: &Document) -> impl Iterator<Item = &str> {
    owners::entries(&document.attributes.extra, owners::GOVERNS)
}
