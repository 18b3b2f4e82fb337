//! A filter over documents in memory.

use lore_index::Globs;
use lore_schema::{Document, Filter};

/// What restricts a search, its globs compiled.
pub(crate) struct DocumentFilter<'a> {
    filter: &'a Filter,
    paths: Option<Globs>,
    excludes: Option<Globs>,
}

impl<'a> DocumentFilter<'a> {
    /// Makes a filter ready.
    pub(crate) fn new(filter: &'a Filter) -> DocumentFilter<'a> {
        let globs = |patterns: &[String]| (!patterns.is_empty()).then(|| Globs::new(patterns));
        DocumentFilter { filter, paths: globs(&filter.paths), excludes: globs(&filter.excludes) }
    }

    /// Whether it lets a document pass. Sources, languages and categories are not looked at.
    pub(crate) fn admits(&self, document: &Document) -> bool {
        let Filter { kinds, since, until, dates, .. } = self.filter;
        let path = document.path.as_str();
        let updated = || document.attributes.updated.or_else(|| dates.get(path).copied());
        (kinds.is_empty() || kinds.iter().any(|kind| kind == document.kind))
            && (since.is_none() && until.is_none()
                || updated().is_some_and(|updated| {
                    since.is_none_or(|since| since <= updated)
                        && until.is_none_or(|until| updated < until)
                }))
            && self.paths.as_ref().is_none_or(|globs| globs.is_match(path))
            && !self.excludes.as_ref().is_some_and(|globs| globs.is_match(path))
    }
}
