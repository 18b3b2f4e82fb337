//! The seal: stamps (size and modification time) and checksums of the files that were intact at the
//! end of a commit. Opening an index verifies only files whose stamp differs: the checksum at their
//! end, and that it is the one of the seal, so that a file in place of another one is detected.
//!
//! **Invariant:** a commit with segments has a seal, which is written before the commit. Segments that
//! are merged later may be missing in it: then the checksum at their end counts alone.

use std::{collections::BTreeMap, io, path::Path};

use serde::{Deserialize, Serialize};
use tantivy::{Directory, IndexMeta, SegmentMeta, directory::ManagedDirectory};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    disk,
    failure::{damaged, while_reading_io},
    file_names::{SEAL_FILE, is_segment, is_vectors},
    private,
    state::VectorFile,
    storage::{FileStamp, Storage},
};
use crate::IndexError;

/// Extensions of the files that every segment has.
pub(super) const REQUIRED: [&str; 6] = [".fast", ".fieldnorm", ".idx", ".pos", ".store", ".term"];

/// Number of bytes at the end of a file that contain its checksum, which tantivy writes there.
const TAIL_BYTES: u64 = 128;

/// Properties of the files by name.
type Seal = BTreeMap<String, Sealed>;

/// A file that was intact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Sealed {
    size: u64,
    modified: u64,
    /// Hash of the last bytes of a segment file, which include its checksum; 0 for vectors, whose
    /// checksum is in the state.
    tail: u64,
}

impl Sealed {
    fn has(&self, stamp: FileStamp) -> bool {
        (self.size, self.modified) == (stamp.size, stamp.modified)
    }
}

/// Returns the names of the files of all segments of a commit, in order.
pub(super) fn segment_files(meta: &IndexMeta) -> Vec<String> {
    meta.segments.iter().flat_map(files_of).collect()
}

/// Returns the names of the files of a segment, in order.
pub(super) fn files_of(segment: &SegmentMeta) -> Vec<String> {
    let id = segment.id().uuid_string();
    let mut files: Vec<String> =
        REQUIRED.iter().map(|extension| format!("{id}{extension}")).collect();
    if let (true, Some(commit)) = (segment.has_deletes(), segment.delete_opstamp()) {
        files.push(deletions_file(&id, commit));
    }
    files
}

/// Returns the name of the list of deleted rows of a segment, as tantivy names it.
pub(super) fn deletions_file(id: &str, opstamp: u64) -> String {
    format!("{id}.{opstamp}.del")
}

/// Records the stamps and checksums of all segment and vector files.
///
/// # Errors
/// Of the file system.
pub(super) fn seal(storage: &Storage, directory: &dyn Directory) -> io::Result<()> {
    let Storage::Folder(path) = storage else { return Ok(()) };
    let known = read(storage, directory).ok().flatten().unwrap_or_default();
    let mut files = Seal::new();
    for name in storage.files()? {
        if !is_segment(&name) && !is_vectors(&name) {
            continue;
        }
        let Ok(Some(stamp)) = storage.stamp(Path::new(&name)) else { continue };
        let tail = match known.get(&name) {
            _ if is_vectors(&name) => Some(0),
            // The name of a list of deleted rows is used again if a commit was killed.
            Some(sealed) if sealed.has(stamp) || !is_deletions(&name) => Some(sealed.tail),
            _ => tail(&path.join(&name)),
        };
        if let Some(tail) = tail {
            let FileStamp { size, modified } = stamp;
            files.insert(name, Sealed { size, modified, tail });
        }
    }
    write(storage, &files)
}

/// Clears the stamps of the seal, so that the next opening verifies every file. Removes a damaged seal.
///
/// # Errors
/// Of the file system, unless there is no seal.
pub(super) fn unseal(storage: &Storage, directory: &dyn Directory) -> io::Result<()> {
    let Storage::Folder(path) = storage else { return Ok(()) };
    if let Ok(Some(mut files)) = read(storage, directory) {
        for sealed in files.values_mut() {
            (sealed.size, sealed.modified) = (0, 0);
        }
        return write(storage, &files);
    }
    match disk::remove(&path.join(SEAL_FILE)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Checks that every file of a commit exists and is intact.
pub(super) fn check(
    storage: &Storage,
    directory: &dyn Directory,
    managed: &ManagedDirectory,
    meta: &IndexMeta,
    vectors: &[VectorFile],
) -> Result<(), IndexError> {
    let Storage::Folder(_) = storage else { return Ok(()) };
    let seal = match read(storage, directory)? {
        Some(seal) => seal,
        None if meta.segments.is_empty() => Seal::new(),
        None => return Err(damaged(storage.path(), format!("`{SEAL_FILE}` is missing"))),
    };
    let check = |name: &str, is_intact: &dyn Fn() -> bool| {
        let stamp = storage
            .stamp(Path::new(name))
            .map_err(|error| while_reading_io(storage.path(), &error))?
            .ok_or_else(|| damaged(storage.path(), format!("`{name}` is missing")))?;
        let sealed = seal.get(name);
        let is_own = || match sealed {
            Some(sealed) if sealed.tail != 0 => is_own(storage, name, sealed.tail),
            _ => true,
        };
        let is_known = sealed.is_some_and(|sealed| sealed.has(stamp));
        if !(is_known || is_intact() && is_own()) {
            return Err(damaged(storage.path(), format!("the checksum of `{name}` differs")));
        }
        Ok(())
    };
    for name in segment_files(meta) {
        check(&name, &|| is_intact(managed, &name))?;
    }
    for file in vectors {
        check(&file.name(), &|| is_vector_file_intact(storage, directory, file))?;
    }
    Ok(())
}

/// Returns true if a vector file has the length and checksum of the state.
pub(super) fn is_vector_file_intact(
    storage: &Storage,
    directory: &dyn Directory,
    file: &VectorFile,
) -> bool {
    let bytes = storage.map(directory, &file.name()).ok().flatten();
    bytes
        .is_some_and(|bytes| bytes.len() as u64 == file.bytes() && xxh3_64(&bytes) == file.checksum)
}

/// Returns true if a file of tantivy has the checksum at its end.
pub(super) fn is_intact(directory: &ManagedDirectory, name: &str) -> bool {
    directory.validate_checksum(Path::new(name)).unwrap_or(false)
}

/// Returns true for a list of deleted rows.
fn is_deletions(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending == "del")
}

/// Returns true if a file of a segment has the end of the one that was sealed.
fn is_own(storage: &Storage, name: &str, expected: u64) -> bool {
    tail(&storage.path().join(name)) == Some(expected)
}

/// Returns the hash of the end of a file, never 0; `None` if it cannot be read.
fn tail(path: &Path) -> Option<u64> {
    let bytes = private::read_end(path, TAIL_BYTES).ok()?;
    Some(xxh3_64(&bytes).max(1))
}

/// Replaces the seal.
fn write(storage: &Storage, files: &Seal) -> io::Result<()> {
    let mut bytes = postcard::to_stdvec(files).map_err(io::Error::other)?;
    let checksum = xxh3_64(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    storage.replace_unsynced(SEAL_FILE, &bytes)
}

/// Reads the seal; `None` if there is none.
///
/// # Errors
/// [`IndexError::Damaged`] if its checksum differs: then other files may be damaged as well.
fn read(storage: &Storage, directory: &dyn Directory) -> Result<Option<Seal>, IndexError> {
    let Some(file) = storage.read(directory, SEAL_FILE)? else { return Ok(None) };
    let refused = || damaged(storage.path(), format!("the checksum of `{SEAL_FILE}` differs"));
    let (bytes, trailer) = file.split_last_chunk::<8>().ok_or_else(refused)?;
    if xxh3_64(bytes).to_le_bytes() != *trailer {
        return Err(refused());
    }
    postcard::from_bytes(bytes).map(Some).map_err(|_| refused())
}
