//! The seal: stamps (size and modification time) of the files that were intact at the end of a
//! commit. Opening an index verifies the checksum only of files whose stamp differs.
//!
//! **Invariant:** only writers write the seal. A missing or damaged seal costs time, but never
//! changes an answer.

use std::{collections::BTreeMap, io, path::Path};

use tantivy::{Directory, IndexMeta, SegmentMeta, directory::ManagedDirectory};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    disk,
    failure::{damaged, while_reading_io},
    file_names::{SEAL_FILE, is_segment, is_vectors},
    state::VectorFile,
    storage::{FileStamp, Storage},
};
use crate::IndexError;

/// Extensions of the files that every segment has.
const REQUIRED: [&str; 6] = [".fast", ".fieldnorm", ".idx", ".pos", ".store", ".term"];

/// Stamps by file name.
type Seal = BTreeMap<String, (u64, u64)>;

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
        files.push(format!("{id}.{commit}.del"));
    }
    files
}

/// Records the stamps of all segment and vector files. Failures are ignored.
pub(super) fn seal(storage: &Storage) {
    let Storage::Folder(_) = storage else { return };
    let mut stamps = Seal::new();
    for name in storage.files().unwrap_or_default() {
        if (is_segment(&name) || is_vectors(&name))
            && let Ok(Some(stamp)) = storage.stamp(Path::new(&name))
        {
            stamps.insert(name, (stamp.size, stamp.modified));
        }
    }
    if let Ok(mut bytes) = postcard::to_stdvec(&stamps) {
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        let _ = storage.replace_unsynced(SEAL_FILE, &bytes);
    }
}

/// Removes the seal, so that the next opening verifies every file.
///
/// # Errors
/// Of the file system, unless there is no seal.
pub(super) fn unseal(storage: &Storage) -> io::Result<()> {
    let Storage::Folder(path) = storage else { return Ok(()) };
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
    let seal = read(storage, directory).unwrap_or_default();
    let check = |name: &str, is_intact: &dyn Fn() -> bool| {
        let stamp = storage
            .stamp(Path::new(name))
            .map_err(|error| while_reading_io(storage.path(), &error))?
            .ok_or_else(|| damaged(storage.path(), format!("`{name}` is missing")))?;
        let FileStamp { size, modified } = stamp;
        if seal.get(name) != Some(&(size, modified)) && !is_intact() {
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

fn read(storage: &Storage, directory: &dyn Directory) -> Option<Seal> {
    let file = storage.read(directory, SEAL_FILE).ok()??;
    let (bytes, trailer) = file.split_at_checked(file.len().checked_sub(8)?)?;
    if xxh3_64(bytes).to_le_bytes() != trailer {
        return None;
    }
    postcard::from_bytes(bytes).ok()
}
