//! A filter over documents in memory.

use lore_engine::{
    AttributeFilter,
    documents::{Condition, PathFilter, conditions_of},
};
use lore_schema::Filter;

use super::facts::Facts;

/// The compiled restrictions of a search.
pub(crate) struct DocumentFilter<'a> {
    filter: &'a Filter,
    conditions: Vec<Condition>,
    paths: PathFilter,
}

impl<'a> DocumentFilter<'a> {
    /// Compiles a filter.
    pub(crate) fn new(filter: &'a Filter, attributes: &AttributeFilter) -> DocumentFilter<'a> {
        let paths = PathFilter::new(&filter.paths, &filter.excludes);
        DocumentFilter { filter, conditions: conditions_of(attributes), paths }
    }

    /// Returns true if it accepts a document. Ignores sources, languages and categories.
    pub(crate) fn admits(&self, facts: &Facts<'_>) -> bool {
        let Filter { kinds, .. } = self.filter;
        (kinds.is_empty() || kinds.iter().any(|kind| kind == facts.document.kind))
            && self.filter.admits_date(facts.updated())
            && self.paths.admits(&facts.document.path)
            && self.conditions.iter().all(|condition| facts.holds(condition))
    }
}
