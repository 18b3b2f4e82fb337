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

    /// Compiles a filter that accepts only documents with all of its tags, not those with any of them.
    pub(crate) fn with_all_tags(
        filter: &'a Filter,
        attributes: &AttributeFilter,
    ) -> DocumentFilter<'a> {
        let others = AttributeFilter { tags: Vec::new(), ..attributes.clone() };
        let mut compiled = DocumentFilter::new(filter, &others);
        for tag in &attributes.tags {
            let of_tag = AttributeFilter {
                tags: vec![tag.clone()],
                archived: attributes.archived,
                ..AttributeFilter::default()
            };
            compiled.conditions.extend(conditions_of(&of_tag));
        }
        compiled
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
