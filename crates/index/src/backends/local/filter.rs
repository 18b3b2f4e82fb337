//! Decides about documents and chunks by a [`Filter`].

use lore_schema::{Category, Filter, SourceName, SymbolKind};

use super::{record::DocumentRecord, state::State, vocabulary::position};
use crate::PathFilter;

/// What a filter says of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Acceptance {
    /// It is out.
    None,
    /// It is in with all its chunks.
    All,
    /// It is in if a chunk with an allowed symbol matches, with those chunks only.
    SomeChunks,
}

/// A filter that is ready to document_filter the documents of one state.
#[derive(Debug)]
pub(super) struct DocumentFilter<'a> {
    state: &'a State,
    filter: &'a Filter,
    /// The parts of the source of which a document must lie in one, if it has parts.
    parts: Vec<(PathFilter, &'a [Category])>,
    paths: PathFilter,
    /// For each label, whether a language of that name is allowed.
    languages: Vec<bool>,
    /// For each label, whether a document kind of that name is allowed.
    kinds: Vec<bool>,
    /// Allowed kinds of symbols, as bits.
    symbol_kinds: u64,
}

impl<'a> DocumentFilter<'a> {
    /// Prepares a filter for the documents of a source; `None` if it lets everything pass.
    pub(super) fn new(
        filter: &'a Filter,
        source: SourceName,
        state: &'a State,
    ) -> Option<DocumentFilter<'a>> {
        if filter.is_empty() {
            return None;
        }
        let among = |names: &[String]| {
            let allowed =
                |label: &String| names.iter().any(|name| name.eq_ignore_ascii_case(label));
            state.labels().iter().map(allowed).collect()
        };
        let symbol_kinds = filter
            .kinds
            .iter()
            .filter_map(|name| SymbolKind::from_name(&name.to_ascii_lowercase()))
            .map(symbol_bit)
            .fold(0, |bits, bit| bits | bit);
        Some(DocumentFilter {
            state,
            filter,
            parts: filter
                .parts
                .iter()
                .filter(|part| part.source == source)
                .map(|part| (PathFilter::new(&part.paths, &[]), part.categories.as_slice()))
                .collect(),
            paths: PathFilter::new(&filter.paths, &filter.excludes),
            languages: among(&filter.languages),
            kinds: among(&filter.kinds),
            symbol_kinds,
        })
    }

    /// Decides about the document with a number.
    pub(super) fn document(&self, number: u64) -> Acceptance {
        self.state.document(number).map_or(Acceptance::None, |document| self.record(&document))
    }

    /// Decides about a document.
    pub(super) fn record(&self, document: &DocumentRecord) -> Acceptance {
        if self.accepts(document) { self.kind(document) } else { Acceptance::None }
    }

    /// Decides about a chunk of a document that is in for some of its chunks.
    pub(super) fn accepts_symbol(&self, kinds: u64) -> bool {
        kinds & self.symbol_kinds != 0
    }

    fn accepts(&self, document: &DocumentRecord) -> bool {
        let Filter { categories, without, dates, languages, .. } = self.filter;
        let allowed = |labels: &[bool], label: u32| labels.get(label as usize) == Some(&true);
        let in_part = |(paths, categories): &(PathFilter, &[Category])| {
            (categories.is_empty() || categories.contains(&document.category()))
                && paths.admits(self.state.text(document.path))
        };
        let of_file = || dates.get(self.state.text(document.path)).copied();
        let updated = || document.updated.or_else(of_file);
        (categories.is_empty() || categories.contains(&document.category()))
            && !without.contains(&document.category())
            && (self.parts.is_empty() || self.parts.iter().any(in_part))
            && self.filter.admits_date(updated())
            && (languages.is_empty()
                || document.language.is_some_and(|language| allowed(&self.languages, language)))
            && self.paths.admits(self.state.text(document.path))
    }

    fn kind(&self, document: &DocumentRecord) -> Acceptance {
        if self.filter.kinds.is_empty() || self.kinds.get(document.kind as usize) == Some(&true) {
            Acceptance::All
        } else if self.symbol_kinds != 0 {
            Acceptance::SomeChunks
        } else {
            Acceptance::None
        }
    }
}

/// The bit of a kind in the rows.
pub(super) fn symbol_bit(kind: SymbolKind) -> u64 {
    1 << position(SymbolKind::ALL, kind)
}
