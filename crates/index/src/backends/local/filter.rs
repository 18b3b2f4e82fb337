//! A [`Filter`], prepared for the documents of one state.

use lore_schema::{Category, Filter, SourceName, SymbolKind};

use super::{record::DocumentRecord, state::State, vocabulary::position};
use crate::PathFilter;

/// The part of a document that a filter accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Acceptance {
    /// Nothing.
    None,
    /// The document with all its chunks.
    All,
    /// Only the chunks with an accepted kind of symbol; the document only if such a chunk matches.
    SomeChunks,
}

/// A filter that is prepared for the documents of one state.
#[derive(Debug)]
pub(super) struct DocumentFilter<'a> {
    state: &'a State,
    filter: &'a Filter,
    /// Parts of the source. If there are any, a document must be in one of them.
    parts: Vec<(PathFilter, &'a [Category])>,
    paths: PathFilter,
    /// For each label, true if a language of that name is accepted.
    languages: Vec<bool>,
    /// For each label, true if a document kind of that name is accepted.
    kinds: Vec<bool>,
    /// Accepted kinds of symbols, as bits.
    symbol_kinds: u64,
}

impl<'a> DocumentFilter<'a> {
    /// Prepares a filter for the documents of a source; `None` if it accepts everything.
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
            // Commits have no path: the engine restricts them by the files that they change.
            paths: match source {
                SourceName::Git => PathFilter::new(&[], &filter.excludes),
                _ => PathFilter::new(&filter.paths, &filter.excludes),
            },
            languages: among(&filter.languages),
            kinds: among(&filter.kinds),
            symbol_kinds,
        })
    }

    /// Decides about the document with this number.
    pub(super) fn document(&self, number: u64) -> Acceptance {
        self.state.document(number).map_or(Acceptance::None, |document| self.record(&document))
    }

    /// Decides about a document.
    pub(super) fn record(&self, document: &DocumentRecord) -> Acceptance {
        if self.accepts(document) { self.kind(document) } else { Acceptance::None }
    }

    /// Returns true if a chunk with these kinds of symbols is accepted.
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

/// Returns the bit of a kind in the rows.
pub(super) fn symbol_bit(kind: SymbolKind) -> u64 {
    1 << position(SymbolKind::ALL, kind)
}
