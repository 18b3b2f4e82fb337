//! The units and documents of a state, in memory: what filters, listings and the order of equal
//! documents need. Each unit has a row with its part.

use std::sync::Arc;

use lore_schema::{Category, Field, Filter, SkipReason, SourceName, Stamp, SymbolKind};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::{PathFilter, Summary, UnitUpdate};

/// A unit, as its row stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Unit {
    pub(super) name: String,
    pub(super) metadata: u64,
    pub(super) content: u64,
    /// Position in [`SkipReason::ALL`] and count.
    pub(super) skipped: Vec<(u8, u64)>,
    /// Number of terms of each field, in the order of [`Field::ALL`].
    pub(super) tokens: [u32; Field::ALL.len()],
    pub(super) documents: Vec<Document>,
}

/// A document of a unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Document {
    /// Number of its own row. The rows of its chunks precede it.
    pub(super) number: u64,
    pub(super) chunks: u32,
    pub(super) locator: String,
    pub(super) path: String,
    pub(super) format: String,
    pub(super) kind: String,
    pub(super) language: Option<String>,
    pub(super) category: u8,
    pub(super) updated: Option<i64>,
    pub(super) bytes: u64,
    pub(super) fell_back: bool,
}

/// The name of a unit in rows, of a fixed length.
pub(super) fn unit_number(name: &str) -> String {
    format!("{:032x}", xxh3_128(name.as_bytes()))
}

impl Unit {
    /// Describes a new unit without documents.
    pub(super) fn new(update: &UnitUpdate) -> Unit {
        let skipped = update.skipped.iter().filter_map(|(reason, count)| {
            let position = SkipReason::ALL.iter().position(|known| known == reason)?;
            Some((u8::try_from(position).ok()?, *count))
        });
        Unit {
            name: update.name.clone(),
            metadata: update.stamp.metadata,
            content: update.stamp.content,
            skipped: skipped.collect(),
            tokens: [0; Field::ALL.len()],
            documents: Vec::new(),
        }
    }

    pub(super) fn stamp(&self) -> Stamp {
        Stamp { metadata: self.metadata, content: self.content }
    }

    pub(super) fn chunks(&self) -> u64 {
        self.documents.iter().map(|document| u64::from(document.chunks)).sum()
    }
}

impl Document {
    pub(super) fn category(&self) -> Category {
        Category::ALL.get(usize::from(self.category)).copied().unwrap_or_default()
    }
}

/// The part of a document that a filter accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Acceptance {
    /// Nothing.
    None,
    /// The document with all its chunks.
    All,
    /// Only chunks with an accepted kind of symbol; the document only if such a chunk matches.
    SomeChunks,
}

/// All units and documents of a state.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// By name.
    units: Vec<Arc<Unit>>,
    /// Unit and position in it, by the number of the document.
    documents: Vec<(u64, u32, u32)>,
}

impl Table {
    pub(super) fn new(mut units: Vec<Arc<Unit>>) -> Table {
        units.sort_unstable_by(|left, right| left.name.cmp(&right.name));
        let mut documents = Vec::new();
        for (unit, entry) in (0_u32..).zip(&units) {
            let numbered = (0_u32..).zip(&entry.documents);
            documents.extend(numbered.map(|(place, document)| (document.number, unit, place)));
        }
        documents.sort_unstable();
        Table { units, documents }
    }

    pub(super) fn units(&self) -> &[Arc<Unit>] {
        &self.units
    }

    pub(super) fn unit(&self, name: &str) -> Option<&Arc<Unit>> {
        let found = self.units.binary_search_by(|unit| unit.name.as_str().cmp(name));
        found.ok().map(|place| &self.units[place])
    }

    /// Returns true if a unit is in this folder.
    pub(super) fn has_folder(&self, folder: &str) -> bool {
        let start = format!("{folder}/");
        let place = self.units.partition_point(|unit| unit.name < start);
        self.units.get(place).is_some_and(|unit| unit.name.starts_with(&start))
    }

    /// The document with this number, with its unit.
    pub(super) fn document(&self, number: u64) -> Option<(&Unit, &Document)> {
        let found = self.documents.binary_search_by_key(&number, |(number, _, _)| *number);
        Some(self.at(found.ok()?))
    }

    /// All documents, by number.
    pub(super) fn documents(&self) -> impl Iterator<Item = (&Unit, &Document)> {
        (0..self.documents.len()).map(|place| self.at(place))
    }

    fn at(&self, place: usize) -> (&Unit, &Document) {
        let (_, unit, document) = self.documents[place];
        let unit = &self.units[unit as usize];
        (unit, &unit.documents[document as usize])
    }

    /// Adds the counts of all documents.
    pub(super) fn count(&self, summary: &mut Summary) {
        for (_, document) in self.documents() {
            *summary.formats.entry(document.format.clone()).or_default() += 1;
            if let Some(language) = &document.language {
                *summary.languages.entry(language.clone()).or_default() += 1;
            }
            summary.fell_back += u64::from(document.fell_back);
            summary.text_bytes += document.bytes;
        }
    }
}

/// A [`Filter`], prepared for the documents of a source.
#[derive(Debug)]
pub(super) struct DocumentFilter<'a> {
    filter: &'a Filter,
    /// Parts of the source. If there are any, a document must be in one of them.
    parts: Vec<(PathFilter, &'a [Category])>,
    paths: PathFilter,
    symbols: Vec<SymbolKind>,
}

impl<'a> DocumentFilter<'a> {
    /// Prepares a filter. The sources of the filter are not considered.
    pub(super) fn new(filter: &'a Filter, source: SourceName) -> DocumentFilter<'a> {
        let parts = filter.parts.iter().filter(|part| part.source == source);
        let kinds = filter.kinds.iter();
        DocumentFilter {
            filter,
            parts: parts
                .map(|part| (PathFilter::new(&part.paths, &[]), part.categories.as_slice()))
                .collect(),
            // Commits have no path: the engine restricts them by the files that they change.
            paths: match source {
                SourceName::Git => PathFilter::new(&[], &filter.excludes),
                _ => PathFilter::new(&filter.paths, &filter.excludes),
            },
            symbols: kinds
                .filter_map(|name| SymbolKind::from_name(&name.to_ascii_lowercase()))
                .collect(),
        }
    }

    /// Accepted kinds of symbols.
    pub(super) fn symbols(&self) -> &[SymbolKind] {
        &self.symbols
    }

    /// Decides about a document.
    pub(super) fn document(&self, document: &Document) -> Acceptance {
        let Filter { categories, without, dates, languages, kinds, .. } = self.filter;
        let category = document.category();
        let among = |names: &[String], name: &str| {
            names.iter().any(|other| other.eq_ignore_ascii_case(name))
        };
        let in_part = |(paths, categories): &(PathFilter, &[Category])| {
            (categories.is_empty() || categories.contains(&category))
                && paths.admits(&document.path)
        };
        let updated = || document.updated.or_else(|| dates.get(&document.path).copied());
        let is_in = (categories.is_empty() || categories.contains(&category))
            && !without.contains(&category)
            && (self.parts.is_empty() || self.parts.iter().any(in_part))
            && self.filter.admits_date(updated())
            && (languages.is_empty()
                || document.language.as_deref().is_some_and(|name| among(languages, name)))
            && self.paths.admits(&document.path);
        if !is_in {
            Acceptance::None
        } else if kinds.is_empty() || among(kinds, &document.kind) {
            Acceptance::All
        } else if self.symbols.is_empty() {
            Acceptance::None
        } else {
            Acceptance::SomeChunks
        }
    }
}
