//! Opens the file in which a segment keeps its stored rows.

use std::io;

use tantivy::{HasLen as _, directory::FileSlice, store::StoreReader};

use super::row::number;

/// Blocks that a reader keeps of a segment: passages are asked for after their documents.
const CACHED_BLOCKS: usize = 1_024;

/// Bytes at the end of the file, as tantivy writes them: the version of the format in four, where the
/// list of its blocks begins in eight, the compressor in one and fifteen that are not used.
const FOOTER: usize = 28;

/// Where the place of the list stands in them.
const LIST: std::ops::Range<usize> = 4..12;

/// Most layers of the list: each one has an eighth of the entries below it.
const MAX_LAYERS: u64 = 64;

/// Opens the file of stored rows; an error of the kind `InvalidData` where it is damaged.
///
/// The storage makes room for as many layers as the list says that it has: where a damaged one says
/// billions, there is no such room, and the process would end.
pub(super) fn open(file: &FileSlice) -> io::Result<StoreReader> {
    if layers(file)?.is_none_or(|layers| layers > MAX_LAYERS) {
        let reason = "the list of the blocks of stored rows is damaged";
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    StoreReader::open(file.clone(), CACHED_BLOCKS)
}

/// How many layers the list says that it has; `None` where there is no list.
fn layers(file: &FileSlice) -> io::Result<Option<u64>> {
    let Some(end) = file.len().checked_sub(FOOTER) else { return Ok(None) };
    let footer = file.slice_from(end).read_bytes()?;
    let place = footer.get(LIST).and_then(|place| place.try_into().ok()).map(u64::from_le_bytes);
    let start = place.and_then(|place| usize::try_from(place).ok()).filter(|start| *start <= end);
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
