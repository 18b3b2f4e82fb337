//! What restricts a search. A filter never scores and never changes statistics.

use std::collections::BTreeMap;

use crate::{Category, SourceName};

/// Restrictions that are all met by every hit. An empty list restricts nothing; the values of one
/// list are alternatives.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter {
    /// Sources to search.
    pub sources: Vec<SourceName>,
    /// What is searched of sources of which not all is: a document of a source that has parts must
    /// lie in one of them. The source itself is also among `sources`.
    pub parts: Vec<Part>,
    /// Globs of which the root-relative path must match at least one. `**` crosses folders, a
    /// pattern without `/` matches the file name at any depth, a plain folder its whole content.
    pub paths: Vec<String>,
    /// Globs of which the path must match none.
    pub excludes: Vec<String>,
    /// Language names, lower case.
    pub languages: Vec<String>,
    /// Kinds: symbol kinds for code (`function`, `class` …), otherwise the document's kind.
    pub kinds: Vec<String>,
    /// Categories of files.
    pub categories: Vec<Category>,
    /// Categories of files that are left out.
    pub without: Vec<Category>,
    /// Earliest date of the last update, seconds since the epoch, inclusive.
    pub since: Option<i64>,
    /// First date of the last update that is too late, seconds since the epoch.
    pub until: Option<i64>,
    /// When files that do not say it themselves were last changed, by root-relative path.
    pub dates: BTreeMap<String, i64>,
}

/// A part of a source. An empty list restricts nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The source.
    pub source: SourceName,
    /// Globs of which the path must match at least one, as [`Filter::paths`].
    pub paths: Vec<String>,
    /// Categories of files.
    pub categories: Vec<Category>,
}

impl Filter {
    /// Whether a date of the last change is let pass; where dates are asked for, one that is not
    /// known is not.
    pub fn admits_date(&self, updated: Option<i64>) -> bool {
        (self.since.is_none() && self.until.is_none())
            || updated.is_some_and(|updated| {
                self.since.is_none_or(|since| updated >= since)
                    && self.until.is_none_or(|until| updated < until)
            })
    }

    /// Whether the filter lets everything pass, apart from the choice of sources.
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
