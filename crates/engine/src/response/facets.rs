//! Counts of the attributes of the documents that match.

use lore_schema::SourceName;

/// Counts of attributes over the ranked documents of a query, the most frequent values first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facets {
    /// Number of counted documents: all that match, or the best of them where these are too many.
    pub counted: u64,
    /// Sources.
    pub sources: Vec<FacetValue>,
    /// Languages.
    pub languages: Vec<FacetValue>,
    /// Kinds of the documents, and of the definitions in the passages of code that were ranked.
    pub kinds: Vec<FacetValue>,
    /// Statuses, as written.
    pub statuses: Vec<FacetValue>,
    /// Authors.
    pub authors: Vec<FacetValue>,
    /// Documents with a date of their own, such as commits and tickets, that changed within the last days:
    /// `7d`, `30d` and `365d`.
    pub dates: Vec<FacetValue>,
    /// The sources of these documents.
    pub dated: Vec<SourceName>,
}

/// A value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FacetValue {
    /// The value, as a filter takes it.
    pub value: String,
    /// Number of documents with the value.
    pub count: u64,
}
