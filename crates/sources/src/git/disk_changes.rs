//! Files on disk that differ from a commit.

use std::path::Path;

use gix::{ObjectId, bstr::ByteSlice, diff::tree::visit, objs::Kind};

use super::{files::Differences, repository::RepositoryFolder, tracked::read_index};
use crate::{
    safe_open::OpenRoot,
    text::{metadata_inside, read_beneath},
};

/// A file of a commit that differs on disk.
pub(super) struct DiskChange {
    /// Root-relative path.
    pub(super) path: String,
    /// The object of the commit.
    pub(super) old: ObjectId,
    /// The content on disk; `None` if the file was removed.
    pub(super) bytes: Option<Vec<u8>>,
}

/// Returns the files of a commit below a folder, with their objects; `None` if they cannot be listed.
pub(super) fn files_of(
    folder: &RepositoryFolder,
    commit: ObjectId,
) -> Option<Vec<(String, ObjectId)>> {
    let tree = folder.tree(commit)?;
    let mut files: Vec<(String, ObjectId)> = Vec::new();
    let prefix = folder.prefix.as_str();
    let note = |path: &gix::bstr::BStr, change: visit::Change| {
        if let visit::Change::Addition { oid, entry_mode, .. } = change
            && entry_mode.is_blob()
            && let Some(path) = path.to_str().ok().and_then(|path| path.strip_prefix(prefix))
        {
            files.push((path.to_owned(), oid));
        }
    };
    Differences::default().of(&folder.repository, None, tree, note).ok()?;
    Some(files)
}

/// Returns those of the files of a commit that differ on disk. A file whose size and time are those of
/// git's index is not read, and neither is one of more than `max` bytes. No link is followed.
pub(super) fn disk_changes(
    folder: &RepositoryFolder,
    root: &Path,
    files: Vec<(String, ObjectId)>,
    max: u64,
) -> Vec<DiskChange> {
    let Ok(opened) = OpenRoot::open(root) else { return Vec::new() };
    let repository = &folder.repository;
    let index = read_index(&repository.index_path(), repository.object_hash());
    let mut changes = Vec::new();
    for (path, old) in files {
        let metadata = metadata_inside(root, &path);
        let tracked = format!("{}{path}", folder.prefix);
        let entry =
            index.as_ref().and_then(|index| index.entry_by_path(tracked.as_bytes().as_bstr()));
        let is_same = entry
            .zip(metadata.as_ref())
            .is_some_and(|(entry, metadata)| entry.id == old && is_stat_equal(entry, metadata));
        if is_same {
            continue;
        }
        let is_there = metadata.is_some();
        let bytes =
            metadata.and_then(|_| read_beneath(&opened, &path, max).ok()).map(|(bytes, _)| bytes);
        let is_kept = |bytes: &Vec<u8>| {
            is_object(old, bytes)
                || (bytes.contains_str("\r\n") && is_object(old, &bytes.replace("\r\n", "\n")))
        };
        let is_unreadable = bytes.is_none() && is_there;
        if !is_unreadable && !bytes.as_ref().is_some_and(is_kept) {
            changes.push(DiskChange { path, old, bytes });
        }
    }
    changes
}

/// Returns true if a content has the hash of an object.
fn is_object(id: ObjectId, bytes: &[u8]) -> bool {
    gix::objs::compute_hash(id.kind(), Kind::Blob, bytes).is_ok_and(|other| other == id)
}

/// Returns true if a file has the size and time that git noted when it last compared it.
fn is_stat_equal(entry: &gix::index::Entry, metadata: &std::fs::Metadata) -> bool {
    let modified =
        metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let is_same_time = modified.is_some_and(|time| {
        time.as_secs() & u64::from(u32::MAX) == u64::from(entry.stat.mtime.secs)
            && time.subsec_nanos() == entry.stat.mtime.nsecs
    });
    is_same_time && metadata.len() & u64::from(u32::MAX) == u64::from(entry.stat.size)
}
