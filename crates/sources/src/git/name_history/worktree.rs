//! Changes of the files on disk that are not committed.

use std::{collections::HashSet, rc::Rc};

use gix::ObjectId;

use super::{Changed, MAX_FILE_BYTES, Search, Step};
use crate::{
    git::disk_changes::{disk_changes, files_of},
    text::read_bytes,
};

impl Search<'_> {
    /// Compares the files on disk with the commit that is checked out.
    pub(super) fn uncommitted(&mut self, head: ObjectId) {
        let Some(files) = files_of(self.folder, head) else { return };
        if self.is_done() {
            return;
        }
        let as_text = |bytes: Vec<u8>| Rc::from(String::from_utf8_lossy(&bytes));
        let mut changed = Vec::new();
        // Documents that are not committed yet.
        let known: HashSet<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        for path in self.open.keys().filter(|path| !known.contains(path.as_str())) {
            let disk = read_bytes(self.root, path, MAX_FILE_BYTES).ok().map(as_text);
            changed.push(Changed { path: path.clone(), old: None, new: None, disk });
        }
        for change in disk_changes(self.folder, self.root, files, MAX_FILE_BYTES) {
            let disk = change.bytes.map(as_text);
            changed.push(Changed { path: change.path, old: Some(change.old), new: None, disk });
        }
        let step = Step { index: 0, hash: None, date: None, subject: String::new() };
        self.step(&step, &changed);
    }
}
