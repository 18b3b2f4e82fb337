//! The shelf: units that were replaced or deleted and whose rows are still in a segment. If a unit
//! gets the same content again, its rows are restored ([`revive`](super::revive)): nothing is
//! parsed, analysed or embedded.
//!
//! The shelf is a section of the state. It has the units in the order in which they were shelved,
//! and a maximum number of rows. Entries whose segment was merged or dropped are ignored, and
//! removed by the next commit.

use std::collections::{HashMap, HashSet};

use lore_schema::{Category, Field, SkipCounts, SkipReason, Stamp};
use serde::{Deserialize, Serialize};

use super::{
    draft::{NewDocument, NewEmbedding, NewUnit},
    merge::Size,
    record::{RowRange, UnitRecord},
    state::State,
};

/// Minimum number of rows that the shelf may have.
const MIN_ROWS: u64 = 1_024;

/// The shelf has at most one row for this many live rows. Segments with more deleted rows are
/// rewritten (`merge.rs`).
const ROWS_SHARE: u64 = 4;

/// A unit that is no longer in the index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ShelvedUnit {
    pub(super) name: String,
    /// Hash of its content, never 0.
    pub(super) content: u64,
    pub(super) rows: ShelvedRows,
    chunks: u32,
    tokens: Vec<u32>,
    /// Counts of skipped items by position of the reason.
    skipped: Vec<(u8, u64)>,
    pub(super) documents: Vec<ShelvedDocument>,
}

/// The rows of a shelved unit, which are consecutive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ShelvedRows {
    /// Identifier of their segment, without hyphens.
    pub(super) segment: String,
    pub(super) first: u32,
    pub(super) count: u32,
}

/// A document of a shelved unit. Labels are positions in those of the state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ShelvedDocument {
    pub(super) number: u64,
    /// `None` if it equals the name of the unit.
    locator: Option<String>,
    path: Option<String>,
    format: u32,
    kind: u32,
    language: Option<u32>,
    category: u8,
    updated: Option<i64>,
    bytes: u64,
    fell_back: bool,
    pub(super) embeddings: Vec<ShelvedEmbedding>,
}

/// The vectors of a shelved document by one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ShelvedEmbedding {
    pub(super) model: u32,
    pub(super) rows: Option<RowRange>,
    vectors: u32,
}

/// Encodes a shelf; empty if it has no units.
pub(super) fn encode(units: &[ShelvedUnit]) -> Option<Vec<u8>> {
    if units.is_empty() { Some(Vec::new()) } else { postcard::to_stdvec(units).ok() }
}

/// Decodes a shelf. Bytes that are invalid count as an empty one.
pub(super) fn decode(bytes: &[u8]) -> Vec<ShelvedUnit> {
    if bytes.is_empty() { Vec::new() } else { postcard::from_bytes(bytes).unwrap_or_default() }
}

/// Describes units of a state, given by position with their rows, so that they can be restored.
/// Units without a content hash or with other rows than expected are skipped.
pub(super) fn describe(state: &State, leaving: Vec<(usize, ShelvedRows)>) -> Vec<ShelvedUnit> {
    let mut places = HashMap::with_capacity(leaving.len());
    let mut shelved = Vec::with_capacity(leaving.len());
    for (unit, rows) in leaving {
        let Some(record) = state.units().get(unit).filter(|record| record.stamp.content != 0)
        else {
            continue;
        };
        places.insert(unit, shelved.len());
        shelved.push(shelved_unit(state, unit, &record, rows));
    }
    if shelved.is_empty() {
        return shelved;
    }
    // Position of each document of these units.
    let mut documents = HashMap::new();
    for (position, document) in state.documents().iter().enumerate() {
        if let Some(place) = places.get(&(document.unit as usize)) {
            let unit = &mut shelved[*place];
            let other = |text: &str| (text != unit.name).then(|| text.to_owned());
            let (locator, path) =
                (other(state.text(document.locator)), other(state.text(document.path)));
            documents.insert(position, (*place, unit.documents.len()));
            unit.documents.push(ShelvedDocument {
                number: document.number,
                locator,
                path,
                format: document.format,
                kind: document.kind,
                language: document.language,
                category: document.category,
                updated: document.updated,
                bytes: document.bytes,
                fell_back: document.fell_back,
                embeddings: Vec::new(),
            });
        }
    }
    for (model, _) in (0_u32..).zip(state.models()) {
        for record in state.embeddings(model as usize).records.iter() {
            if let Some((unit, document)) = documents.get(&(record.document as usize)) {
                let (rows, vectors) = (record.rows, record.vectors);
                let embedding = ShelvedEmbedding { model, rows, vectors };
                shelved[*unit].documents[*document].embeddings.push(embedding);
            }
        }
    }
    shelved.retain(|unit| {
        u64::from(unit.rows.count) == u64::from(unit.chunks) + unit.documents.len() as u64
    });
    shelved
}

fn shelved_unit(state: &State, unit: usize, record: &UnitRecord, rows: ShelvedRows) -> ShelvedUnit {
    let skips = state.skips();
    let first = skips.partition_point(|skip| (skip.unit as usize) < unit);
    let own = skips.iter().skip(first).take_while(|skip| skip.unit as usize == unit);
    ShelvedUnit {
        name: state.text(record.name).to_owned(),
        content: record.stamp.content,
        rows,
        chunks: record.chunks,
        tokens: record.tokens.to_vec(),
        skipped: own.map(|skip| (skip.reason, skip.count)).collect(),
        documents: Vec::new(),
    }
}

/// The vectors of all shelved documents.
pub(super) fn embeddings(units: &mut [ShelvedUnit]) -> impl Iterator<Item = &mut ShelvedEmbedding> {
    let documents = units.iter_mut().flat_map(|unit| &mut unit.documents);
    documents.flat_map(|document| &mut document.embeddings)
}

/// Number of rows of each segment that can be restored.
pub(super) fn rows_by_segment(units: &[ShelvedUnit]) -> HashMap<&str, u64> {
    let mut rows: HashMap<&str, u64> = HashMap::new();
    for unit in units {
        *rows.entry(&unit.rows.segment).or_default() += u64::from(unit.rows.count);
    }
    rows
}

/// Size of a segment for the choice of merges: rows that can be restored do not count as deleted.
/// `None` for a segment that has only such rows, which is not merged.
pub(super) fn size_to_merge(size: Size, shelved: u64) -> Option<Size> {
    let Size { alive, deleted } = size;
    let is_kept = alive == 0 && shelved > 0;
    (!is_kept).then(|| Size { alive, deleted: deleted.saturating_sub(shelved) })
}

/// Drops the oldest units until the shelf is within its maximum for an index with this many live
/// rows. Of several with the same name and content, the last remains.
pub(super) fn limit(units: &mut Vec<ShelvedUnit>, live_rows: u64) {
    let mut left = (live_rows / ROWS_SHARE).max(MIN_ROWS);
    let mut is_full = false;
    let mut seen = HashSet::new();
    let mut keeps: Vec<bool> = Vec::with_capacity(units.len());
    for unit in units.iter().rev() {
        let rows = u64::from(unit.rows.count);
        let is_wanted = seen.insert((unit.name.as_str(), unit.content));
        is_full |= is_wanted && left < rows;
        let keep = is_wanted && !is_full;
        left -= if keep { rows } else { 0 };
        keeps.push(keep);
    }
    let mut keeps = keeps.into_iter().rev();
    units.retain(|_| keeps.next().unwrap_or(false));
}

impl ShelvedUnit {
    /// Returns the unit as a writer adds it. Labels, models and files are those of `state`. `None` if
    /// the entry does not fit them.
    pub(super) fn unit(&self, state: &State, stamp: Stamp) -> Option<NewUnit> {
        let label = |position: u32| state.labels().get(position as usize).cloned();
        let mut tokens = [0; Field::ALL.len()];
        if self.tokens.len() != tokens.len() {
            return None;
        }
        tokens.copy_from_slice(&self.tokens);
        let mut skipped = SkipCounts::new();
        for (reason, count) in &self.skipped {
            skipped.insert(*SkipReason::ALL.get(usize::from(*reason))?, *count);
        }
        let mut documents = Vec::with_capacity(self.documents.len());
        for document in &self.documents {
            let mut embeddings = Vec::with_capacity(document.embeddings.len());
            for ShelvedEmbedding { model, rows, vectors } in &document.embeddings {
                let file = rows.map(|rows| state.vector_files().get(rows.file as usize));
                if file.is_some_and(|file| file.is_none_or(|file| file.model != *model)) {
                    return None;
                }
                embeddings.push((*model, NewEmbedding { rows: *rows, vectors: *vectors }));
            }
            let text = |own: &Option<String>| own.clone().unwrap_or_else(|| self.name.clone());
            documents.push(NewDocument {
                number: document.number,
                locator: text(&document.locator),
                path: text(&document.path),
                format: label(document.format)?,
                kind: label(document.kind)?,
                language: match document.language {
                    Some(language) => Some(label(language)?),
                    None => None,
                },
                category: *Category::ALL.get(usize::from(document.category))?,
                updated: document.updated,
                bytes: document.bytes,
                fell_back: document.fell_back,
                embeddings,
            });
        }
        Some(NewUnit { stamp, skipped, chunks: self.chunks, tokens, documents })
    }
}

impl ShelvedRows {
    /// Position after the last row; `None` if it does not fit.
    pub(super) fn end(&self) -> Option<u32> {
        self.first.checked_add(self.count)
    }
}
