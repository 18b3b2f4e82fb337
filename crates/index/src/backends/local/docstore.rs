//! Opens the file with the stored rows of a segment.

use std::io;

use tantivy::{HasLen as _, directory::FileSlice, store::StoreReader};

use super::row::number;

/// Decompressed blocks that a reader keeps per segment. Passages are loaded after their documents,
/// from the same blocks.
const CACHED_BLOCKS: usize = 1_024;

/// Length of tantivy's footer: version (4 bytes), start of the list of blocks (8), compressor (1),
/// unused (15).
const FOOTER: usize = 28;

/// Range of the start of the list in the footer.
const LIST: std::ops::Range<usize> = 4..12;

/// Maximum number of layers of the list. Each has an eighth of the entries of the one below.
const MAX_LAYERS: u64 = 64;

/// Opens the file of stored rows.
///
/// tantivy allocates memory for the number of layers that the list states. A damaged list may state
/// billions, and the failed allocation would end the process.
///
/// # Errors
/// `InvalidData` if the file is damaged.
pub(super) fn open(file: &FileSlice) -> io::Result<StoreReader> {
    if layers(file)?.is_none_or(|layers| layers > MAX_LAYERS) {
        let reason = "the list of the blocks of stored rows is damaged";
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    StoreReader::open(file.clone(), CACHED_BLOCKS)
}

/// Reads the number of layers of the list; `None` if there is no list.
fn layers(file: &FileSlice) -> io::Result<Option<u64>> {
    let Some(end) = file.len().checked_sub(FOOTER) else { return Ok(None) };
    let footer = file.slice_from(end).read_bytes()?;
    let start = footer.get(LIST).and_then(|start| start.try_into().ok()).map(u64::from_le_bytes);
    let start = start.and_then(|start| usize::try_from(start).ok()).filter(|start| *start <= end);
    let Some(start) = start else { return Ok(None) };
    let list = file.slice(start..end).read_bytes()?;
    Ok(number(&mut list.as_slice()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_list_is_an_error() {
        let file = |list: &[u8], start: u64| {
            let mut bytes = list.to_vec();
            bytes.extend(1_u32.to_le_bytes());
            bytes.extend(start.to_le_bytes());
            bytes.extend([0; 16]);
            FileSlice::from(bytes)
        };
        assert_eq!(layers(&file(&[0x83, 7], 0)).expect("bytes"), Some(3));
        assert_eq!(layers(&file(&[9, 0x80], 1)).expect("bytes"), Some(0));
        for damaged in [
            file(&[0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x81], 0),
            file(&[0x7F], 0),
            file(&[0x80], 1),
            file(&[0x80], 2),
            file(&[0x80], u64::MAX),
            FileSlice::from(vec![0; FOOTER - 1]),
            FileSlice::from(Vec::new()),
        ] {
            let error = open(&damaged).err().expect("damage");
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        }
    }
}
