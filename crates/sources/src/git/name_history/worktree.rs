//! Changes of the files on disk that are not committed.

use std::{collections::HashSet, rc::Rc};

use gix::{ObjectId, bstr::ByteSlice, diff::tree::visit, objs::Kind};

use super::{Changed, MAX_FILE_BYTES, Search, Step, texts::is_stat_equal};
use crate::{
    git::{files::Differences, tracked::read_index},
    regular::read_regular,
};

impl Search<'_> {
    /// Compares the files on disk with the commit that is checked out.
    pub(super) fn uncommitted(&mut self, head: ObjectId) {
        let Some(tree) = self.folder.tree(head) else { return };
        let repository = &self.folder.repository;
        let mut files: Vec<(String, ObjectId)> = Vec::new();
        let prefix = self.folder.prefix.as_str();
        let listed = Differences::default().of(repository, None, tree, |path, change| {
            if let visit::Change::Addition { oid, entry_mode, .. } = change
                && entry_mode.is_blob()
                && let Some(path) = path.to_str().ok().and_then(|path| path.strip_prefix(prefix))
            {
                files.push((path.to_owned(), oid));
            }
        });
        if listed.is_err() || self.is_done() {
            return;
        }
        let index = read_index(&repository.index_path(), repository.object_hash());
        let mut changed = Vec::new();
        // Documents that are not committed yet.
        let known: HashSet<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        for path in self.open.keys().filter(|path| !known.contains(path.as_str())) {
            let bytes = read_regular(&self.root.join(path), MAX_FILE_BYTES).ok();
            let disk = bytes.map(|bytes| Rc::from(String::from_utf8_lossy(&bytes)));
            changed.push(Changed { path: path.clone(), old: None, new: None, disk });
        }
        for (path, id) in files {
            let place = self.root.join(&path);
            let metadata = place.symlink_metadata().ok();
            let entry = index.as_ref().and_then(|index| {
                index.entry_by_path(format!("{prefix}{path}").as_bytes().as_bstr())
            });
            let is_same = entry
                .zip(metadata.as_ref())
                .is_some_and(|(entry, metadata)| entry.id == id && is_stat_equal(entry, metadata));
            if is_same {
                continue;
            }
            let bytes = metadata.and_then(|_| read_regular(&place, MAX_FILE_BYTES).ok());
            let is_equal = |bytes: &[u8]| {
                gix::objs::compute_hash(id.kind(), Kind::Blob, bytes).is_ok_and(|other| other == id)
            };
            let is_kept = |bytes: &Vec<u8>| {
                is_equal(bytes)
                    || (bytes.contains_str("\r\n") && is_equal(&bytes.replace("\r\n", "\n")))
            };
            if bytes.as_ref().is_some_and(is_kept) || (bytes.is_none() && place.exists()) {
                continue;
            }
            let disk = bytes.map(|bytes| Rc::from(String::from_utf8_lossy(&bytes)));
            changed.push(Changed { path, old: Some(id), new: None, disk });
        }
        let step = Step { index: 0, hash: None, date: None, subject: String::new() };
        self.step(&step, &changed);
    }
}
