//! A filter over documents in memory.

use lore_index::PathFilter;
use lore_schema::Filter;

use super::facts::Facts;
use crate::{AttributeFilter, query::Condition};

/// What restricts a search, made ready.
pub(crate) struct DocumentFilter<'a> {
    filter: &'a Filter,
    conditions: Vec<Condition>,
    paths: PathFilter,
}

impl<'a> DocumentFilter<'a> {
    /// Makes a filter ready.
    pub(crate) fn new(filter: &'a Filter, attributes: &AttributeFilter) -> DocumentFilter<'a> {
        let paths = PathFilter::new(&filter.paths, &filter.excludes);
        let conditions = attributes.conditions().into_iter().map(|(_, condition)| condition);
        DocumentFilter { filter, conditions: conditions.collect(), paths }
    }

    /// Whether it lets a document pass. Sources, languages and categories are not looked at.
    pub(crate) fn admits(&self, facts: &Facts<'_>) -> bool {
        let Filter { kinds, .. } = self.filter;
        (kinds.is_empty() || kinds.iter().any(|kind| kind == facts.document.kind))
            && self.filter.admits_date(facts.updated())
            && self.paths.admits(&facts.document.path)
            && self.conditions.iter().all(|condition| facts.holds(condition))
    }
}
