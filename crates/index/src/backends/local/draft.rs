//! The state that a commit leads to.

use lore_schema::{Category, Field, SkipCounts, SkipReason, Stamp};

use super::{
    codec::position,
    record::{DocumentRecord, Record, Skip, Text, UnitRecord},
    state::{Header, State, Totals},
};

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

/// Writes the state after a commit: `base` with changes, which are ordered by name. Fails when
/// the names do not fit into 4 GiB.
pub(super) fn advance<'a>(
    base: &State,
    changes: impl Iterator<Item = (&'a str, &'a UnitChange)>,
    cursor: &str,
) -> Option<Vec<u8>> {
    let mut draft = Draft { labels: base.labels().to_vec(), ..Draft::default() };
    // Where each unit of the base went.
    let mut moved: Vec<Option<u32>> = vec![None; base.units().len()];
    let mut next = 0;
    for (name, change) in changes {
        let (index, exists) = match base.find_unit(name) {
            Ok(index) => (index, true),
            Err(index) => (index, false),
        };
        for (kept, moved) in (next..index).zip(&mut moved[next..index]) {
            *moved = Some(draft.keep(base, kept, None)?);
        }
        next = index + usize::from(exists);
        match change {
            UnitChange::Replace(unit) => draft.add(name, unit)?,
            UnitChange::Restamp(stamp) if exists => {
                moved[index] = Some(draft.keep(base, index, Some(*stamp))?);
            }
            UnitChange::Restamp(_) | UnitChange::Delete => {}
        }
    }
    for (kept, moved) in (next..).zip(&mut moved[next..]) {
        *moved = Some(draft.keep(base, kept, None)?);
    }
    for document in base.documents().iter() {
        if let Some(unit) = moved.get(document.unit as usize).copied().flatten() {
            let name = draft.units[unit as usize].name;
            let locator = draft.push_text(base.text(document.locator), Some(name))?;
            let path = draft.push_text(base.text(document.path), Some(locator))?;
            draft.documents.push(DocumentRecord { unit, locator, path, ..document });
        }
    }
    draft.documents.sort_unstable_by_key(|document| document.number);
    draft.encode(cursor)
}

/// A state that is being written.
#[derive(Debug, Default)]
struct Draft {
    text: String,
    labels: Vec<String>,
    skips: Vec<Skip>,
    units: Vec<UnitRecord>,
    documents: Vec<DocumentRecord>,
}

impl Draft {
    fn encode(self, cursor: &str) -> Option<Vec<u8>> {
        let mut totals = Totals { documents: self.documents.len() as u64, ..Totals::default() };
        for unit in &self.units {
            totals.chunks += u64::from(unit.chunks);
            for (total, tokens) in totals.tokens.iter_mut().zip(&unit.tokens) {
                *total += u64::from(*tokens);
            }
        }
        let header = Header {
            cursor: cursor.to_owned(),
            labels: self.labels,
            skips: self.skips,
            totals,
            text_bytes: self.text.len() as u64,
            unit_bytes: (self.units.len() * UnitRecord::LENGTH) as u64,
            document_bytes: (self.documents.len() * DocumentRecord::LENGTH) as u64,
        };
        let mut file = postcard::to_stdvec(&header).ok()?;
        file.extend_from_slice(self.text.as_bytes());
        for unit in &self.units {
            unit.write(&mut file);
        }
        for document in &self.documents {
            document.write(&mut file);
        }
        Some(file)
    }

    /// Copies a unit of the base. Its documents follow at the end.
    fn keep(&mut self, base: &State, index: usize, stamp: Option<Stamp>) -> Option<u32> {
        let unit = base.units().get(index)?;
        let name = self.push_text(base.text(unit.name), None)?;
        let kept = u32::try_from(self.units.len()).ok()?;
        let first = base.skips().partition_point(|skip| (skip.unit as usize) < index);
        let skips = base.skips()[first..].iter().take_while(|skip| skip.unit as usize == index);
        self.skips.extend(skips.map(|skip| Skip { unit: kept, ..*skip }));
        self.units.push(UnitRecord { name, stamp: stamp.unwrap_or(unit.stamp), ..unit });
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
        if let Some(Text { start, length }) = same
            && self.text.get(start as usize..start as usize + length as usize) == Some(text)
        {
            return same;
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
