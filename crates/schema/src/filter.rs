//! Filters: restrictions of a search. A filter never scores and never changes statistics.

use std::collections::BTreeMap;

use crate::{Category, SourceName};

/// Restrictions that every hit meets, all of them. An empty list restricts nothing; the values of
/// one list are alternatives.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter {
    /// Sources to search.
    pub sources: Vec<SourceName>,
    /// Restrictions of single sources: a document of a source with parts must be in one of them.
    /// The source itself is also among `sources`.
    pub parts: Vec<Part>,
    /// Globs; the root-relative path must match at least one. `**` crosses folders, a pattern
    /// without `/` matches the file name at any depth, a plain folder its whole content.
    pub paths: Vec<String>,
    /// Globs; the path must match none.
    pub excludes: Vec<String>,
    /// Language names, lower case.
    pub languages: Vec<String>,
    /// Kinds: symbol kinds for code (`function`, `class` …), otherwise the document's kind.
    pub kinds: Vec<String>,
    /// Categories of files.
    pub categories: Vec<Category>,
    /// Excluded categories of files.
    pub without: Vec<Category>,
    /// Earliest date of the last update, seconds since the epoch, inclusive.
    pub since: Option<i64>,
    /// Latest date of the last update, seconds since the epoch, exclusive.
    pub until: Option<i64>,
    /// Times of the last change of files without such an attribute, by root-relative path.
    pub dates: BTreeMap<String, i64>,
}

/// A part of a source. An empty list restricts nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The source.
    pub source: SourceName,
    /// Globs; the path must match at least one, as in [`Filter::paths`].
    pub paths: Vec<String>,
    /// Categories of files.
    pub categories: Vec<Category>,
}

impl Filter {
    /// Returns true if the filter accepts a date of the last change. A filter by date rejects
    /// unknown dates.
    pub fn admits_date(&self, updated: Option<i64>) -> bool {
        (self.since.is_none() && self.until.is_none())
            || updated.is_some_and(|updated| {
                self.since.is_none_or(|since| updated >= since)
                    && self.until.is_none_or(|until| updated < until)
            })
    }

    /// Returns true if the filter accepts everything, apart from the choice of sources.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
            && self.paths.is_empty()
            && self.excludes.is_empty()
            && self.languages.is_empty()
            && self.kinds.is_empty()
            && self.categories.is_empty()
            && self.without.is_empty()
            && self.since.is_none()
            && self.until.is_none()
    }
}
