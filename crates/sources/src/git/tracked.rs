//! Git's index: the files that git tracks, whatever the ignore rules say.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use gix::{
    bstr::{BStr, ByteSlice},
    hash::Kind,
    index::{State, decode, entry::Mode},
};

use crate::{fingerprint::FileStat, regular::open_regular};

/// Maximum size in bytes of an index: two million files have about 200 MB.
pub(super) const MAX_INDEX_BYTES: u64 = 2 << 30;

/// Number of decoded indexes that a process keeps.
const MAX_KEPT: usize = 4;

/// A decoded index.
pub(crate) type Index = gix::index::File;

/// A decoded index, and the path and fingerprint of its file.
type Kept = (PathBuf, u64, Arc<Index>);

/// The indexes that were decoded last, newest last.
static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

/// Reads the index of a repository. It is decoded again only if its file changed: git replaces the
/// file, and never writes into it. `None` if it is missing, damaged, or no regular file.
pub(crate) fn read_index(path: &Path, hash: Kind) -> Option<Arc<Index>> {
    let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let (file, _) = open_regular(path, MAX_INDEX_BYTES).ok()?;
    let fingerprint = FileStat::of(&file.metadata().ok()?).fingerprint;
    let is_same = |known: &&Kept| known.0 == path && known.1 == fingerprint;
    if let Some((_, _, index)) = kept().iter().find(is_same) {
        return Some(Arc::clone(index));
    }
    let options = decode::Options { thread_limit: Some(1), ..decode::Options::default() };
    // The checksum is not verified: the content is compared with the disk anyway.
    let index = Arc::new(Index::at(path, hash, true, options).ok()?);
    let mut kept = kept();
    kept.retain(|known| known.0 != path);
    if kept.len() == MAX_KEPT {
        kept.remove(0);
    }
    kept.push((path.to_owned(), fingerprint, Arc::clone(&index)));
    Some(index)
}

/// Returns true if git tracks a file, or a file below a folder. `path` starts at the root of the
/// repository and has no final `/`. Always false for a sparse or split index, which does not list
/// all files.
pub(crate) fn is_tracked(index: &State, path: &str, is_folder: bool) -> bool {
    if index.is_sparse() || index.link().is_some() {
        return false;
    }
    let wanted: &BStr = path.as_bytes().as_bstr();
    let entries = index.entries();
    let at = entries.partition_point(|entry| entry.path(index) < wanted);
    let own = entries.get(at).filter(|entry| entry.path(index) == wanted);
    if !is_folder {
        return own.is_some_and(|entry| entry.mode != Mode::COMMIT);
    }
    // A submodule is an entry of its own.
    if own.is_some() {
        return true;
    }
    let inside = format!("{path}/");
    let at = entries.partition_point(|entry| entry.path(index) < inside.as_bytes().as_bstr());
    entries.get(at).is_some_and(|entry| entry.path(index).starts_with(inside.as_bytes()))
}
