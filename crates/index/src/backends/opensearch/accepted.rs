//! The documents that a query accepts, as conditions of the cluster.

use lore_schema::Filter;
use serde_json::{Value, json};

use super::{
    snapshot::Snapshot,
    table::{Acceptance, DocumentFilter},
};
use crate::DocumentSet;

/// The documents and chunks that a filter and a set accept.
#[derive(Debug)]
pub(super) struct Accepted {
    /// Accepted with all their chunks; `None` for all documents.
    pub(super) whole: Option<Vec<u64>>,
    /// Accepted only with chunks of these kinds of symbols, if such a chunk matches.
    pub(super) partly: Vec<u64>,
    symbols: Vec<&'static str>,
    /// The complement of `whole`, where it is shorter and `partly` is empty.
    without: Option<Vec<u64>>,
}

impl Accepted {
    /// Decides about all documents of a snapshot.
    pub(super) fn new(snapshot: &Snapshot, filter: &Filter, within: &DocumentSet) -> Accepted {
        let prepared = DocumentFilter::new(filter, snapshot.source);
        let symbols = prepared.symbols().iter().map(|symbol| symbol.as_str()).collect();
        let mut accepted = Accepted { whole: None, partly: Vec::new(), symbols, without: None };
        if !filter.sources.is_empty() && !filter.sources.contains(&snapshot.source) {
            accepted.whole = Some(Vec::new());
            return accepted;
        }
        if filter.is_empty() && within.is_all() {
            return accepted;
        }
        let (mut whole, mut without) = (Vec::new(), Vec::new());
        for (_, document) in snapshot.table.documents() {
            let acceptance = if within.contains_number(document.number) {
                prepared.document(document)
            } else {
                Acceptance::None
            };
            match acceptance {
                Acceptance::None => without.push(document.number),
                Acceptance::All => whole.push(document.number),
                Acceptance::SomeChunks => accepted.partly.push(document.number),
            }
        }
        if accepted.partly.is_empty() && without.len() < whole.len() {
            accepted.without = Some(without);
        }
        accepted.whole = Some(whole);
        accepted
    }

    /// Returns true if no document is accepted.
    pub(super) fn is_none(&self) -> bool {
        self.whole.as_ref().is_some_and(Vec::is_empty) && self.partly.is_empty()
    }

    /// Returns true if only some chunks of this document are accepted.
    pub(super) fn is_partly(&self, document: u64) -> bool {
        self.partly.binary_search(&document).is_ok()
    }

    /// Returns true if the document is accepted, at least with some chunks.
    pub(super) fn contains(&self, document: u64) -> bool {
        self.whole.as_ref().is_none_or(|whole| whole.binary_search(&document).is_ok())
            || self.is_partly(document)
    }

    /// The condition of the rows of accepted documents themselves.
    pub(super) fn documents(&self) -> Value {
        if let Some(without) = &self.without {
            return json!({"bool": {"must_not": [{"terms": {"document": without}}]}});
        }
        match &self.whole {
            None => json!({"match_all": {}}),
            Some(whole) => {
                let all: Vec<u64> = whole.iter().chain(&self.partly).copied().collect();
                json!({"terms": {"document": all}})
            }
        }
    }

    /// The condition of the rows of accepted chunks, and of vectors of such chunks.
    pub(super) fn chunks(&self) -> Value {
        let (Some(whole), false) = (&self.whole, self.partly.is_empty()) else {
            return self.documents();
        };
        json!({"bool": {"should": [
            {"terms": {"document": whole}},
            {"bool": {"filter": [
                {"terms": {"document": self.partly}},
                {"terms": {"symbols": self.symbols}},
            ]}},
        ]}})
    }
}
