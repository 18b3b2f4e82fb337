//! The file of an export: packed index files, then a description of them, then its length and hash.
//!
//! | Part | Bytes |
//! |---|---|
//! | magic | 16 |
//! | version of this layout | 4 |
//! | the files, one after the other, each in packed blocks of 1 MiB | as described |
//! | description | as stated at the end |
//! | length of the description | 8 |
//! | hash of magic, version, description and its length | 16 |
//!
//! The description contains the hash of every packed file, so that every byte is covered by a hash.
//! It is at the end because it is complete only then, and reading it alone is fast. Numbers are
//! little-endian.
//!
//! **Invariant:** a description is returned only if it accounts for every byte of the file, and no
//! size in it leads to an allocation larger than the file justifies.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
};

use lore_schema::SourceName;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::backends::local::file_names::is_exchanged_file;

const MAGIC: [u8; 16] = *b"lorehound export";

/// Version of the layout. A change of the layout raises it.
const VERSION: u32 = 1;

/// Length of magic and version.
const START: u64 = MAGIC.len() as u64 + 4;

/// Returns true if this is a file that begins as an export does.
pub(super) fn is_export(path: &Path) -> bool {
    let mut magic = [0; MAGIC.len()];
    let mut is_read = || File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok();
    // Opening a named pipe would wait for a writer.
    path.is_file() && is_read() && magic == MAGIC
}

/// Length of the numbers at the end.
const END: u64 = 8 + 16;

/// Maximum length of a description in bytes. A usual one has a few kilobytes.
const MAX_DESCRIPTION: u64 = 4 << 20;

/// Bytes of a block, unpacked.
const BLOCK: usize = 1 << 20;

/// Mark in the length of a block that is stored as it is, because packing it saves nothing.
const STORED: u32 = 1 << 31;

/// Maximum ratio of the unpacked size of a file to its packed size: that of LZ4. Norms of a field
/// that few rows have come near it.
const MAX_RATIO: u64 = 256;

/// The description as it is encoded.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Contents {
    pub(super) program: String,
    pub(super) backend: String,
    pub(super) format: u32,
    pub(super) analysis: String,
    pub(super) options: String,
    pub(super) commit: Option<String>,
    pub(super) sources: Vec<SourceContents>,
}

/// The index of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SourceContents {
    pub(super) name: String,
    pub(super) units: u64,
    pub(super) documents: u64,
    pub(super) chunks: u64,
    pub(super) models: Vec<String>,
    pub(super) files: Vec<PackedFile>,
}

/// A packed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PackedFile {
    pub(super) name: String,
    /// Size, unpacked.
    pub(super) bytes: u64,
    /// Size, packed.
    pub(super) packed: u64,
    /// Hash of the packed bytes.
    hash: u128,
}

/// The reason why a file is refused, or an error of the system while it is read.
#[derive(Debug)]
pub(super) enum Refusal {
    /// It is no export.
    Foreign,
    /// It is an export of another layout.
    Version(u32),
    /// It is damaged, or made to look like an export.
    Damaged(String),
    /// It cannot be read.
    Unreadable(io::Error),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => damaged("it ends too early"),
            _ => Refusal::Unreadable(error),
        }
    }
}

fn damaged(reason: impl Into<String>) -> Refusal {
    Refusal::Damaged(reason.into())
}

/// Returns the hash of everything but the packed files.
fn hash_of(description: &[u8]) -> u128 {
    let mut hasher = Xxh3::new();
    hasher.update(&MAGIC);
    hasher.update(&VERSION.to_le_bytes());
    hasher.update(&(description.len() as u64).to_le_bytes());
    hasher.update(description);
    hasher.digest128()
}

/// Writes magic and version.
pub(super) fn start(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())
}

/// Packs a file.
pub(super) fn pack(name: &str, bytes: &[u8], out: &mut dyn Write) -> io::Result<PackedFile> {
    let mut hasher = Xxh3::new();
    let mut buffer = vec![0; lz4_flex::block::get_maximum_output_size(BLOCK)];
    let mut packed = 0;
    for block in bytes.chunks(BLOCK) {
        let length = lz4_flex::block::compress_into(block, &mut buffer).ok();
        let (mark, data) = match length {
            Some(length) if length < block.len() => (0, &buffer[..length]),
            _ => (STORED, block),
        };
        let length = u32::try_from(data.len()).map_err(io::Error::other)? | mark;
        for part in [&length.to_le_bytes()[..], data] {
            hasher.update(part);
            out.write_all(part)?;
            packed += part.len() as u64;
        }
    }
    let hash = hasher.digest128();
    Ok(PackedFile { name: name.to_owned(), bytes: bytes.len() as u64, packed, hash })
}

/// Writes the description and the numbers behind it.
pub(super) fn finish(contents: &Contents, out: &mut dyn Write) -> io::Result<()> {
    let description = postcard::to_stdvec(contents).map_err(io::Error::other)?;
    out.write_all(&description)?;
    out.write_all(&(description.len() as u64).to_le_bytes())?;
    out.write_all(&hash_of(&description).to_le_bytes())
}

/// Reads and checks the description, and that it accounts for all bytes of the file.
pub(super) fn contents(file: &mut (impl Read + Seek)) -> Result<Contents, Refusal> {
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(0))?;
    let mut magic = [0; MAGIC.len()];
    if length < START || file.read_exact(&mut magic).is_err() || magic != MAGIC {
        return Err(Refusal::Foreign);
    }
    let mut version = [0; 4];
    file.read_exact(&mut version)?;
    let version = u32::from_le_bytes(version);
    if version != VERSION {
        return Err(Refusal::Version(version));
    }
    let cut = || damaged("it ends too early");
    file.seek(SeekFrom::Start(length.checked_sub(END).ok_or_else(cut)?))?;
    let (mut described, mut hash) = ([0; 8], [0; 16]);
    file.read_exact(&mut described)?;
    file.read_exact(&mut hash)?;
    let described = u64::from_le_bytes(described);
    let start = length - END;
    let start = start.checked_sub(described).filter(|start| START <= *start).ok_or_else(cut)?;
    if MAX_DESCRIPTION < described {
        return Err(damaged("its description is too long"));
    }
    let mut description = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.by_ref().take(described).read_to_end(&mut description)?;
    if hash_of(&description) != u128::from_le_bytes(hash) {
        return Err(damaged("the hash of its description differs"));
    }
    let invalid = || damaged("its description is invalid");
    let (contents, rest) =
        postcard::take_from_bytes::<Contents>(&description).map_err(|_| invalid())?;
    if !rest.is_empty() {
        return Err(invalid());
    }
    check(&contents, start - START)?;
    Ok(contents)
}

/// Checks names and sizes. `packed` is the number of bytes between version and description.
fn check(contents: &Contents, packed: u64) -> Result<(), Refusal> {
    let mut sources = BTreeSet::new();
    let mut total: u64 = 0;
    for source in &contents.sources {
        let is_known = SourceName::ALL.iter().any(|name| name.as_str() == source.name);
        if !is_known || !sources.insert(&source.name) {
            return Err(damaged(format!("it has an unexpected index `{}`", shown(&source.name))));
        }
        let mut files = BTreeSet::new();
        for file in &source.files {
            if !is_exchanged_file(&file.name) || !files.insert(&file.name) {
                return Err(damaged(format!("it has an unexpected file `{}`", shown(&file.name))));
            }
            let limit = file.packed.saturating_mul(MAX_RATIO);
            if limit < file.bytes || (file.bytes == 0) != (file.packed == 0) {
                return Err(damaged(format!("the size of `{}` is impossible", file.name)));
            }
            total = total.saturating_add(file.packed);
        }
    }
    if total != packed {
        return Err(damaged("its length differs from its description"));
    }
    Ok(())
}

/// A name of a hostile file, as a message shows it.
fn shown(name: &str) -> String {
    name.chars().take(40).flat_map(char::escape_default).collect()
}

/// Position of the first packed file.
pub(super) const FIRST_FILE: u64 = START;

/// Unpacks a file from its packed bytes, which are read to their end. Without `out`, only the hash is
/// checked.
pub(super) fn unpack(
    input: &mut dyn Read,
    file: &PackedFile,
    mut out: Option<&mut dyn Write>,
) -> Result<(), Refusal> {
    let differs = || damaged(format!("the hash of `{}` differs", file.name));
    let mut hasher = Xxh3::new();
    let (mut data, mut block) = (Vec::new(), Vec::new());
    let (mut left, mut packed) = (file.bytes, file.packed);
    while packed > 0 {
        let mut length = [0; 4];
        input.read_exact(&mut length)?;
        hasher.update(&length);
        let length = u32::from_le_bytes(length);
        let (is_stored, length) = (length & STORED != 0, length & !STORED);
        let size = left.min(BLOCK as u64);
        packed = packed.checked_sub(4 + u64::from(length)).ok_or_else(differs)?;
        let size = usize::try_from(size).map_err(|_| differs())?;
        let length = usize::try_from(length).map_err(|_| differs())?;
        // A block is packed only if that makes it shorter.
        if size == 0 || length > size || is_stored && length != size {
            return Err(differs());
        }
        data.resize(length, 0);
        input.read_exact(&mut data)?;
        hasher.update(&data);
        if let Some(out) = &mut out {
            if is_stored {
                out.write_all(&data).map_err(Refusal::Unreadable)?;
            } else {
                block.resize(size, 0);
                let written = lz4_flex::block::decompress_into(&data, &mut block);
                if written.ok() != Some(size) {
                    return Err(differs());
                }
                out.write_all(&block).map_err(Refusal::Unreadable)?;
            }
        }
        left -= size as u64;
    }
    if left != 0 || hasher.digest128() != file.hash {
        return Err(differs());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    /// An export with one source of these files.
    fn export(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        start(&mut bytes).unwrap();
        let files = files.iter().map(|(name, text)| pack(name, text, &mut bytes).unwrap());
        let source = SourceContents {
            name: "code".to_owned(),
            units: 1,
            documents: 2,
            chunks: 3,
            models: vec!["m".to_owned()],
            files: files.collect(),
        };
        let contents = Contents { sources: vec![source], ..Contents::default() };
        finish(&contents, &mut bytes).unwrap();
        bytes
    }

    /// Reads an export as an import does: the names and bytes of its files.
    fn read(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Refusal> {
        let mut file = Cursor::new(bytes);
        let contents = contents(&mut file)?;
        let mut position = FIRST_FILE;
        let mut files = Vec::new();
        for packed in &contents.sources[0].files {
            file.seek(SeekFrom::Start(position))?;
            let mut text = Vec::new();
            unpack(&mut file, packed, Some(&mut text))?;
            position += packed.packed;
            files.push((packed.name.clone(), text));
        }
        Ok(files)
    }

    fn noise(length: usize) -> Vec<u8> {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state.to_le_bytes()[4]
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn files_are_read_back() {
        let (zeros, noise) = (vec![0; 2 * BLOCK + 5], noise(BLOCK + 3));
        let bytes = export(&[("meta.json", b"{}"), ("state-1.bin", &zeros), ("state-2.bin", b"")]);
        assert!(bytes.len() < BLOCK, "zeros are packed");
        let files = read(&bytes).unwrap();
        assert_eq!(files[0], ("meta.json".to_owned(), b"{}".to_vec()));
        assert_eq!((&files[1].1, files[2].1.len()), (&zeros, 0));
        let bytes = export(&[("vectors-1-0.bin", &noise)]);
        assert_eq!(read(&bytes).unwrap()[0].1, noise);
        assert!(bytes.len() < noise.len() + 500, "noise is stored");
    }

    #[test]
    fn every_flipped_byte_and_every_cut_is_refused() {
        let text = noise(300);
        let bytes = export(&[
            ("meta.json", b"{ \"a\": \"aaaaaaaaaaaaaaaaaaaaaaaa\" }"),
            ("state-1.bin", &text),
        ]);
        assert!(read(&bytes).is_ok());
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            assert!(read(&flipped).is_err(), "byte {at}");
            assert!(read(&bytes[..at]).is_err(), "cut at {at}");
        }
        let longer = [&bytes[..], b"x"].concat();
        assert!(read(&longer).is_err());
    }

    #[test]
    fn names_and_sizes_of_hostile_files_are_refused() {
        for name in [
            "../meta.json",
            "/etc/passwd",
            "seal.bin",
            ".managed.json",
            "notes.md",
            "meta.json.new",
            "",
        ] {
            let refused = read(&export(&[(name, b"text")])).unwrap_err();
            assert!(
                matches!(refused, Refusal::Damaged(reason) if reason.contains("unexpected file"))
            );
        }
        assert!(read(&export(&[("meta.json", b"a"), ("meta.json", b"b")])).is_err());
        let with = |change: fn(&mut PackedFile)| {
            let mut bytes = Vec::new();
            start(&mut bytes).unwrap();
            let mut file = pack("meta.json", &[7; 5000], &mut bytes).unwrap();
            change(&mut file);
            let source = SourceContents {
                name: "code".to_owned(),
                units: 0,
                documents: 0,
                chunks: 0,
                models: Vec::new(),
                files: vec![file],
            };
            let contents = Contents { sources: vec![source], ..Contents::default() };
            finish(&contents, &mut bytes).unwrap();
            read(&bytes)
        };
        assert!(with(|_| {}).is_ok());
        assert!(with(|file| file.bytes = u64::MAX).is_err());
        assert!(with(|file| file.bytes -= 1).is_err());
        assert!(with(|file| file.packed -= 1).is_err());
        assert!(with(|file| file.packed = u64::MAX).is_err());
    }

    #[test]
    fn other_files_and_versions_have_reasons_of_their_own() {
        assert!(matches!(read(b"").unwrap_err(), Refusal::Foreign));
        assert!(matches!(
            read(b"PK and so on, long enough for a header").unwrap_err(),
            Refusal::Foreign
        ));
        let mut bytes = export(&[("meta.json", b"{}")]);
        bytes[MAGIC.len()] = 9;
        assert!(matches!(read(&bytes).unwrap_err(), Refusal::Version(9)));
    }

    proptest! {
        #[test]
        fn any_bytes_are_an_error_or_files(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in any::<prop::sample::Index>()) {
            let _ = read(&bytes);
            let mut with_start = Vec::new();
            start(&mut with_start).unwrap();
            with_start.extend_from_slice(&bytes);
            let _ = read(&with_start);
            let export = export(&[("meta.json", &bytes), ("state-3.bin", &bytes)]);
            prop_assert_eq!(&read(&export).unwrap()[1].1, &bytes);
            prop_assert!(read(&export[..cut.index(export.len())]).is_err());
        }
    }
}
