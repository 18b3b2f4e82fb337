//! The records of the state: little-endian numbers of fixed length, so that a mapped file of them
//! is searched without decoding it.

use std::{cmp::Ordering, marker::PhantomData, ops::Range};

use lore_schema::{Category, Field, Stamp};
use serde::{Deserialize, Serialize};
use tantivy::directory::OwnedBytes;

/// A value that is encoded as a fixed number of bytes.
pub(super) trait Record: Sized {
    /// Number of bytes.
    const LENGTH: usize;

    /// Appends exactly [`Record::LENGTH`] bytes.
    fn write(&self, bytes: &mut Vec<u8>);

    /// Decodes the bytes that [`Record::write`] appended.
    fn read(bytes: &mut Cursor<'_>) -> Option<Self>;
}

/// The rest of the bytes of a record.
#[derive(Debug)]
pub(super) struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    #[inline]
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*head)
    }

    #[inline]
    pub(super) fn u8(&mut self) -> Option<u8> {
        self.take().map(u8::from_le_bytes)
    }

    #[inline]
    pub(super) fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    #[inline]
    pub(super) fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    #[inline]
    pub(super) fn i64(&mut self) -> Option<i64> {
        self.take().map(i64::from_le_bytes)
    }
}

/// The records in a file.
#[derive(Debug, Clone)]
pub(super) struct Records<R> {
    bytes: OwnedBytes,
    record: PhantomData<R>,
}

impl<R: Record> Records<R> {
    /// Returns the records in these bytes; `None` if there is an incomplete one.
    pub(super) fn new(bytes: OwnedBytes) -> Option<Records<R>> {
        let is_complete = bytes.len().is_multiple_of(R::LENGTH);
        is_complete.then_some(Records { bytes, record: PhantomData })
    }

    /// Number of records.
    pub(super) fn len(&self) -> usize {
        self.bytes.len() / R::LENGTH
    }

    /// Decodes a record.
    pub(super) fn get(&self, index: usize) -> Option<R> {
        record_at(&self.bytes, index)
    }

    /// Returns a range of the records; empty if the range is invalid.
    pub(super) fn range(&self, range: Range<usize>) -> Records<R> {
        let bytes = range.start.checked_mul(R::LENGTH).zip(range.end.checked_mul(R::LENGTH));
        match bytes {
            Some((start, end)) if start <= end && end <= self.bytes.len() => {
                Records { bytes: self.bytes.slice(start..end), record: PhantomData }
            }
            _ => Records::default(),
        }
    }

    /// Iterates over all records in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = R> {
        self.bytes.chunks_exact(R::LENGTH).filter_map(|bytes| R::read(&mut Cursor(bytes)))
    }

    /// Searches sorted records. Returns the position of the equal record, or the position where it
    /// would be inserted.
    pub(super) fn search(&self, order: impl Fn(&R) -> Ordering) -> Result<usize, usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.get(middle).map_or(Ordering::Greater, |record| order(&record)) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Ok(middle),
                Ordering::Greater => high = middle,
            }
        }
        Err(low)
    }
}

/// Decodes the record at a position in these bytes.
fn record_at<R: Record>(bytes: &[u8], index: usize) -> Option<R> {
    let start = index.checked_mul(R::LENGTH)?;
    R::read(&mut Cursor(bytes.get(start..start.checked_add(R::LENGTH)?)?))
}

/// A buffer of encoded records.
#[derive(Debug)]
pub(super) struct RecordBuffer<R> {
    bytes: Vec<u8>,
    record: PhantomData<R>,
}

impl<R: Record> RecordBuffer<R> {
    /// Returns an empty buffer with capacity for some records.
    pub(super) fn with_capacity(records: usize) -> RecordBuffer<R> {
        RecordBuffer { bytes: Vec::with_capacity(records * R::LENGTH), record: PhantomData }
    }

    /// Number of records.
    pub(super) fn len(&self) -> usize {
        self.bytes.len() / R::LENGTH
    }

    /// The encoded records.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Decodes a record.
    pub(super) fn get(&self, index: usize) -> Option<R> {
        record_at(&self.bytes, index)
    }

    /// Appends a record.
    pub(super) fn push(&mut self, record: &R) {
        record.write(&mut self.bytes);
    }

    /// Appends encoded records.
    pub(super) fn extend(&mut self, records: &Records<R>) {
        self.bytes.extend_from_slice(&records.bytes);
    }
}

impl<R: Record> Default for RecordBuffer<R> {
    fn default() -> RecordBuffer<R> {
        RecordBuffer::with_capacity(0)
    }
}

impl<R> Default for Records<R> {
    fn default() -> Records<R> {
        Records { bytes: OwnedBytes::empty(), record: PhantomData }
    }
}

/// A range of the text buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Text {
    pub(super) start: u32,
    pub(super) length: u32,
}

/// A unit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct UnitRecord {
    /// The first field, so that a search by name reads only this one.
    pub(super) name: Text,
    pub(super) stamp: Stamp,
    pub(super) chunks: u32,
    /// Number of terms of each field, in the order of [`Field::ALL`].
    pub(super) tokens: [u32; Field::ALL.len()],
}

/// Number of skipped items of a unit for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Skip {
    /// Position of the unit.
    pub(super) unit: u32,
    /// Position in [`SkipReason::ALL`].
    ///
    /// [`SkipReason::ALL`]: lore_schema::SkipReason::ALL
    pub(super) reason: u8,
    pub(super) count: u64,
}

/// A document.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DocumentRecord {
    /// Number of the document in its row.
    pub(super) number: u64,
    /// Position of its unit.
    pub(super) unit: u32,
    pub(super) locator: Text,
    pub(super) path: Text,
    /// Position in the labels.
    pub(super) format: u32,
    /// Position in the labels.
    pub(super) kind: u32,
    /// Position in the labels.
    pub(super) language: Option<u32>,
    /// Position in [`Category::ALL`].
    pub(super) category: u8,
    pub(super) updated: Option<i64>,
    pub(super) bytes: u64,
    pub(super) fell_back: bool,
}

/// The vectors of a document by one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EmbeddingRecord {
    /// Position of the document.
    pub(super) document: u32,
    /// Rows of its vectors; `None` if the model processed it and made none.
    pub(super) rows: Option<RowRange>,
    /// Number of rows that are vectors.
    pub(super) vectors: u32,
}

/// A range of rows of a vector file, one row per chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct RowRange {
    /// Position among the files.
    pub(super) file: u32,
    pub(super) first: u32,
    pub(super) count: u32,
}

impl DocumentRecord {
    /// Category of its file.
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

/// Encodes an unknown language.
const NO_LANGUAGE: u32 = u32::MAX;
/// Encodes an unknown date.
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

/// Encodes the lack of rows.
const NO_FILE: u32 = u32::MAX;

impl Record for EmbeddingRecord {
    const LENGTH: usize = 4 * 5;

    fn write(&self, bytes: &mut Vec<u8>) {
        let rows = self.rows.unwrap_or(RowRange { file: NO_FILE, first: 0, count: 0 });
        for number in [self.document, rows.file, rows.first, rows.count, self.vectors] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
    }

    fn read(bytes: &mut Cursor<'_>) -> Option<EmbeddingRecord> {
        let document = bytes.u32()?;
        let rows = RowRange { file: bytes.u32()?, first: bytes.u32()?, count: bytes.u32()? };
        let rows = Some(rows).filter(|rows| rows.file != NO_FILE);
        Some(EmbeddingRecord { document, rows, vectors: bytes.u32()? })
    }
}

impl Record for u32 {
    const LENGTH: usize = 4;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }

    fn read(bytes: &mut Cursor<'_>) -> Option<u32> {
        bytes.u32()
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
