//! Records of one length: numbers as they lie in memory, little end first.

use serde::{Deserialize, Serialize, Serializer};

/// Something that is written as a fixed number of bytes.
pub(super) trait Record: Sized {
    /// Number of bytes.
    const LENGTH: usize;

    /// Appends exactly [`Record::LENGTH`] bytes.
    fn write(&self, bytes: &mut Vec<u8>);

    /// Reads what was written.
    fn read(bytes: &mut Cursor<'_>) -> Option<Self>;
}

/// What is still to be read of a record.
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

/// Bytes that serde copies at once instead of one by one.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// Writes records one after the other.
pub(super) fn write_all<R: Record>(records: &[R]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(records.len() * R::LENGTH);
    for record in records {
        record.write(&mut bytes);
    }
    bytes
}

/// Reads records; `None` unless they fill the bytes.
pub(super) fn read_all<R: Record>(Bytes(bytes): Bytes<'_>) -> Option<Vec<R>> {
    let records = bytes.chunks_exact(R::LENGTH);
    if !records.remainder().is_empty() {
        return None;
    }
    let mut all = Vec::with_capacity(records.len());
    for record in records {
        all.push(R::read(&mut Cursor(record))?);
    }
    Some(all)
}
