//! What an index knows beside its rows: the cursor, the units with their stamps, and of every
//! document what filters and counts need. One file a commit, read whole.
//!
//! Strings lie in one buffer, so that loading it is one copy and no allocation a name.
//!
//! **Invariant:** a change of what is written here is a change of the format.

use std::ops::Range;

use lore_schema::{Category, Field, SkipCounts, SkipReason, Stamp};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    codec::position,
    record::{Bytes, Cursor, Record, read_all, write_all},
};

/// Length of the checksum at the end of the file.
const TRAILER_BYTES: usize = 8;

/// A range of the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Text {
    start: u32,
    length: u32,
}

/// A unit.
#[derive(Debug, Clone, PartialEq)]
struct UnitRecord {
    name: Text,
    stamp: Stamp,
    chunks: u32,
    tokens: [u32; Field::ALL.len()],
}

/// What a unit left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Skip {
    /// Position of the unit.
    unit: u32,
    /// Position in [`SkipReason::ALL`].
    reason: u8,
    count: u64,
}

/// A document.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DocumentRecord {
    /// Its number in the rows.
    pub(super) number: u64,
    unit: u32,
    locator: Text,
    path: Text,
    /// Position in the labels.
    pub(super) format: u32,
    /// Position in the labels.
    pub(super) kind: u32,
    /// Position in the labels.
    pub(super) language: Option<u32>,
    category: u8,
    pub(super) updated: Option<i64>,
    pub(super) bytes: u64,
    pub(super) fell_back: bool,
}

impl DocumentRecord {
    /// What its file is to the repository.
    pub(super) fn category(&self) -> Category {
        Category::ALL.get(usize::from(self.category)).copied().unwrap_or_default()
    }
}

impl Record for UnitRecord {
    const LENGTH: usize = 8 + 8 + 8 + 4 + 4 * Field::ALL.len();

    fn write(&self, bytes: &mut Vec<u8>) {
        self.name.write(bytes);
        bytes.extend_from_slice(&self.stamp.metadata.to_le_bytes());
        bytes.extend_from_slice(&self.stamp.content.to_le_bytes());
        bytes.extend_from_slice(&self.chunks.to_le_bytes());
        for tokens in self.tokens {
            bytes.extend_from_slice(&tokens.to_le_bytes());
        }
    }

    fn read(bytes: &mut Cursor<'_>) -> Option<UnitRecord> {
        Some(UnitRecord {
            name: Text::read(bytes)?,
            stamp: Stamp { metadata: bytes.u64()?, content: bytes.u64()? },
            chunks: bytes.u32()?,
            tokens: {
                let mut tokens = [0; Field::ALL.len()];
                for count in &mut tokens {
                    *count = bytes.u32()?;
                }
                tokens
            },
        })
    }
}

/// Stands for a language that was not recognised.
const NO_LANGUAGE: u32 = u32::MAX;
/// Stands for an unknown date.
const NO_DATE: i64 = i64::MIN;

impl Record for DocumentRecord {
    const LENGTH: usize = 8 + 4 + 8 + 8 + 4 + 4 + 4 + 8 + 8 + 1 + 1;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.number.to_le_bytes());
        bytes.extend_from_slice(&self.unit.to_le_bytes());
        self.locator.write(bytes);
        self.path.write(bytes);
        bytes.extend_from_slice(&self.format.to_le_bytes());
        bytes.extend_from_slice(&self.kind.to_le_bytes());
        bytes.extend_from_slice(&self.language.unwrap_or(NO_LANGUAGE).to_le_bytes());
        bytes.extend_from_slice(&self.updated.unwrap_or(NO_DATE).to_le_bytes());
        bytes.extend_from_slice(&self.bytes.to_le_bytes());
        bytes.extend_from_slice(&[self.category, u8::from(self.fell_back)]);
    }

    fn read(bytes: &mut Cursor<'_>) -> Option<DocumentRecord> {
        Some(DocumentRecord {
            number: bytes.u64()?,
            unit: bytes.u32()?,
            locator: Text::read(bytes)?,
            path: Text::read(bytes)?,
            format: bytes.u32()?,
            kind: bytes.u32()?,
            language: Some(bytes.u32()?).filter(|language| *language != NO_LANGUAGE),
            updated: Some(bytes.i64()?).filter(|date| *date != NO_DATE),
            bytes: bytes.u64()?,
            category: bytes.u8()?,
            fell_back: bytes.u8()? != 0,
        })
    }
}

impl Text {
    fn write(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.start.to_le_bytes());
        bytes.extend_from_slice(&self.length.to_le_bytes());
    }

    fn read(bytes: &mut Cursor<'_>) -> Option<Text> {
        Some(Text { start: bytes.u32()?, length: bytes.u32()? })
    }
}

/// What the file holds: cursor, buffer, labels, units, documents, skips. Units and documents are
/// records of one length, which load several times faster than numbers of variable length.
type StateBytes<'a> = (&'a str, &'a str, Vec<&'a str>, Bytes<'a>, Bytes<'a>, Vec<Skip>);

/// Sums over all units.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Totals {
    pub(super) documents: u64,
    pub(super) chunks: u64,
    /// Terms of each field, in the order of [`Field::ALL`].
    pub(super) tokens: [u64; Field::ALL.len()],
}

/// The state of one generation.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct State {
    cursor: String,
    text: String,
    /// Names of formats, kinds and languages.
    labels: Vec<String>,
    /// By name.
    units: Vec<UnitRecord>,
    /// By number.
    documents: Vec<DocumentRecord>,
    /// By unit.
    skips: Vec<Skip>,
    totals: Totals,
}

impl State {
    /// Decodes a file; `None` if it is not whole.
    pub(super) fn decode(file: &[u8]) -> Option<State> {
        let (bytes, trailer) = file.split_at_checked(file.len().checked_sub(TRAILER_BYTES)?)?;
        if xxh3_64(bytes).to_le_bytes() != trailer {
            return None;
        }
        let (cursor, text, labels, units, documents, skips): StateBytes<'_> =
            postcard::from_bytes(bytes).ok()?;
        let (units, documents) = (read_all(units)?, read_all(documents)?);
        let totals = totals(&units, &documents);
        Some(State {
            cursor: cursor.to_owned(),
            text: text.to_owned(),
            labels: labels.into_iter().map(str::to_owned).collect(),
            units,
            documents,
            skips,
            totals,
        })
    }

    /// Encodes the state with its checksum.
    pub(super) fn encode(&self) -> Result<Vec<u8>, postcard::Error> {
        let State { cursor, text, labels, units, documents, skips, totals: _ } = self;
        let (units, documents) = (write_all(units), write_all(documents));
        let (units, documents) = (Bytes(&units), Bytes(&documents));
        let mut file = postcard::to_stdvec(&(cursor, text, labels, units, documents, skips))?;
        let checksum = xxh3_64(&file);
        file.extend_from_slice(&checksum.to_le_bytes());
        Ok(file)
    }

    /// What the last scan ended with.
    pub(super) fn cursor(&self) -> &str {
        &self.cursor
    }

    /// Sums over all units.
    pub(super) fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Rows that the index must have.
    pub(super) fn rows(&self) -> u64 {
        self.totals.documents + self.totals.chunks
    }

    /// Names of the units, in byte order.
    pub(super) fn units(&self) -> impl Iterator<Item = &str> {
        self.units.iter().map(|unit| self.text(unit.name))
    }

    /// Whether the unit exists.
    pub(super) fn has_unit(&self, name: &str) -> bool {
        self.unit(name).is_some()
    }

    /// The stamp of a unit.
    pub(super) fn stamp(&self, name: &str) -> Option<Stamp> {
        Some(self.units[self.unit(name)?].stamp)
    }

    /// What the units left out.
    pub(super) fn skipped(&self) -> SkipCounts {
        let mut counts = SkipCounts::new();
        for Skip { reason, count, .. } in &self.skips {
            if let Some(reason) = SkipReason::ALL.get(usize::from(*reason)) {
                *counts.entry(*reason).or_default() += count;
            }
        }
        counts
    }

    /// The documents, by number.
    pub(super) fn documents(&self) -> &[DocumentRecord] {
        &self.documents
    }

    /// The document with this number.
    pub(super) fn document(&self, number: u64) -> Option<&DocumentRecord> {
        let index = self.documents.binary_search_by_key(&number, |document| document.number);
        index.ok().map(|index| &self.documents[index])
    }

    /// Name of the unit that yielded a document.
    pub(super) fn unit_of(&self, document: &DocumentRecord) -> &str {
        self.units.get(document.unit as usize).map_or("", |unit| self.text(unit.name))
    }

    /// The locator of a document.
    pub(super) fn locator(&self, document: &DocumentRecord) -> &str {
        self.text(document.locator)
    }

    /// The path of a document.
    pub(super) fn path(&self, document: &DocumentRecord) -> &str {
        self.text(document.path)
    }

    /// Names of formats, kinds and languages.
    pub(super) fn labels(&self) -> &[String] {
        &self.labels
    }

    fn unit(&self, name: &str) -> Option<usize> {
        self.units.binary_search_by(|unit| self.text(unit.name).cmp(name)).ok()
    }

    fn text(&self, text: Text) -> &str {
        let start = text.start as usize;
        self.text.get(start..start + text.length as usize).unwrap_or_default()
    }
}

fn totals(units: &[UnitRecord], documents: &[DocumentRecord]) -> Totals {
    let mut totals = Totals { documents: documents.len() as u64, ..Totals::default() };
    for unit in units {
        totals.chunks += u64::from(unit.chunks);
        for (total, tokens) in totals.tokens.iter_mut().zip(&unit.tokens) {
            *total += u64::from(*tokens);
        }
    }
    totals
}

/// A unit that a writer adds.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct NewUnit {
    pub(super) stamp: Stamp,
    pub(super) skipped: SkipCounts,
    pub(super) chunks: u32,
    pub(super) tokens: [u32; Field::ALL.len()],
    pub(super) documents: Vec<NewDocument>,
}

/// A document that a writer adds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NewDocument {
    pub(super) number: u64,
    pub(super) locator: String,
    pub(super) path: String,
    pub(super) format: String,
    pub(super) kind: String,
    pub(super) language: Option<String>,
    pub(super) category: Category,
    pub(super) updated: Option<i64>,
    pub(super) bytes: u64,
    pub(super) fell_back: bool,
}

/// What happens to a unit in a commit.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum UnitChange {
    Replace(Box<NewUnit>),
    Restamp(Stamp),
    Delete,
}

/// The state after a commit: `base` with changes, which are ordered by name. Fails when the names
/// do not fit into 4 GiB.
pub(super) fn advance<'a>(
    base: &State,
    changes: impl Iterator<Item = (&'a str, &'a UnitChange)>,
    cursor: &str,
) -> Option<State> {
    let mut next = State {
        cursor: cursor.to_owned(),
        text: String::with_capacity(base.text.len()),
        labels: base.labels.clone(),
        units: Vec::with_capacity(base.units.len()),
        documents: Vec::with_capacity(base.documents.len()),
        skips: Vec::new(),
        totals: Totals::default(),
    };
    // Where each unit of the base went.
    let mut moved: Vec<Option<u32>> = vec![None; base.units.len()];
    let mut position_in_base = 0;
    let keep_until = |next: &mut State, moved: &mut Vec<Option<u32>>, range: Range<usize>| {
        for index in range {
            moved[index] = Some(next.keep(base, index, None)?);
        }
        Some(())
    };
    for (name, change) in changes {
        let (index, exists) =
            match base.units.binary_search_by(|unit| base.text(unit.name).cmp(name)) {
                Ok(index) => (index, true),
                Err(index) => (index, false),
            };
        keep_until(&mut next, &mut moved, position_in_base..index)?;
        position_in_base = index + usize::from(exists);
        match change {
            UnitChange::Replace(unit) => next.add(name, unit)?,
            UnitChange::Restamp(stamp) if exists => {
                moved[index] = Some(next.keep(base, index, Some(*stamp))?);
            }
            UnitChange::Restamp(_) | UnitChange::Delete => {}
        }
    }
    keep_until(&mut next, &mut moved, position_in_base..base.units.len())?;
    for document in &base.documents {
        if let Some(unit) = moved.get(document.unit as usize).copied().flatten() {
            let name = next.units[unit as usize].name;
            let locator = next.push_text(base.locator(document), Some(name))?;
            let path = next.push_text(base.path(document), Some(locator))?;
            next.documents.push(DocumentRecord { unit, locator, path, ..document.clone() });
        }
    }
    next.documents.sort_unstable_by_key(|document| document.number);
    next.totals = totals(&next.units, &next.documents);
    Some(next)
}

impl State {
    /// Copies a unit of the base. Its documents follow at the end.
    fn keep(&mut self, base: &State, index: usize, stamp: Option<Stamp>) -> Option<u32> {
        let unit = &base.units[index];
        let name = self.push_text(base.text(unit.name), None)?;
        let kept = u32::try_from(self.units.len()).ok()?;
        let first = base.skips.partition_point(|skip| (skip.unit as usize) < index);
        let skips = base.skips[first..].iter().take_while(|skip| skip.unit as usize == index);
        self.skips.extend(skips.map(|skip| Skip { unit: kept, ..*skip }));
        self.units.push(UnitRecord { name, stamp: stamp.unwrap_or(unit.stamp), ..unit.clone() });
        Some(kept)
    }

    fn add(&mut self, name: &str, unit: &NewUnit) -> Option<()> {
        let name = self.push_text(name, None)?;
        let index = u32::try_from(self.units.len()).ok()?;
        self.skips.extend(unit.skipped.iter().map(|(reason, count)| Skip {
            unit: index,
            reason: position(SkipReason::ALL, *reason),
            count: *count,
        }));
        self.units.push(UnitRecord {
            name,
            stamp: unit.stamp,
            chunks: unit.chunks,
            tokens: unit.tokens,
        });
        for document in &unit.documents {
            let locator = self.push_text(&document.locator, Some(name))?;
            let path = self.push_text(&document.path, Some(locator))?;
            let record = DocumentRecord {
                number: document.number,
                unit: index,
                locator,
                path,
                format: self.push_label(&document.format)?,
                kind: self.push_label(&document.kind)?,
                language: match &document.language {
                    Some(language) => Some(self.push_label(language)?),
                    None => None,
                },
                category: position(Category::ALL, document.category),
                updated: document.updated,
                bytes: document.bytes,
                fell_back: document.fell_back,
            };
            self.documents.push(record);
        }
        Some(())
    }

    /// Appends a string, unless it is the one at `same`: a file's name, locator and path are.
    fn push_text(&mut self, text: &str, same: Option<Text>) -> Option<Text> {
        if let Some(same) = same
            && self.text(same) == text
        {
            return Some(same);
        }
        let pushed = Text {
            start: u32::try_from(self.text.len()).ok()?,
            length: u32::try_from(text.len()).ok()?,
        };
        self.text.push_str(text);
        Some(pushed)
    }

    fn push_label(&mut self, label: &str) -> Option<u32> {
        let index = self.labels.iter().position(|other| other == label).unwrap_or_else(|| {
            self.labels.push(label.to_owned());
            self.labels.len() - 1
        });
        u32::try_from(index).ok()
    }
}

#[cfg(test)]
mod tests;
