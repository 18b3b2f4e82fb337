//! The files of one unit, each read once.
//!
//! A stamp vouches for documents only if both come from the same bytes. Reading twice, once for the
//! hash and once for the documents, would let a failure or an edit in between give a valid stamp to
//! documents that are empty or others.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    ops::Deref,
};

use lore_schema::SkipReason;
use xxhash_rust::xxh3::xxh3_64;

use crate::{text, tree::Tree};

/// Maximum number of bytes that are kept between hashing a unit and reading its documents. Files
/// beyond it are read again, and their hashes compared.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// The files of one unit of a tree. Reading goes through it; everything else is the tree's.
pub(crate) struct UnitFiles<'a> {
    tree: &'a Tree,
    known: RefCell<HashMap<String, Result<ReadFile, SkipReason>>>,
    /// Number of bytes that may still be kept.
    room: Cell<usize>,
    is_consistent: Cell<bool>,
}

/// A file that was read.
struct ReadFile {
    hash: u64,
    /// Its bytes, until they are read for documents.
    bytes: Option<Vec<u8>>,
}

impl<'a> UnitFiles<'a> {
    /// Creates the view for one unit.
    pub(crate) fn new(tree: &'a Tree) -> UnitFiles<'a> {
        UnitFiles {
            tree,
            known: RefCell::default(),
            room: Cell::new(MAX_KEPT_BYTES),
            is_consistent: Cell::new(true),
        }
    }

    /// Reads a file for hashing and passes its bytes to `use_bytes`; keeps them for the reader.
    pub(crate) fn hash(
        &self,
        path: &str,
        max: u64,
        use_bytes: impl FnOnce(&[u8]),
    ) -> Result<(), SkipReason> {
        let read = self.tree.read_bytes(path, max);
        if let Ok(bytes) = &read {
            use_bytes(bytes);
        }
        let outcome = read.as_ref().map(|_| ()).map_err(|reason| *reason);
        let known = read.map(|bytes| ReadFile {
            hash: xxh3_64(&bytes),
            bytes: (bytes.len() <= self.room.get()).then(|| {
                self.room.set(self.room.get() - bytes.len());
                bytes
            }),
        });
        self.known.borrow_mut().insert(path.to_owned(), known);
        outcome
    }

    /// Returns true if everything that was read equals what was hashed. False if a file could not
    /// be read again, or changed in between.
    pub(crate) fn is_consistent(&self) -> bool {
        self.is_consistent.get()
    }

    /// Reads a file of the tree as text, up to the size limit of the walk.
    pub(crate) fn read_text(&self, path: &str) -> Result<String, SkipReason> {
        self.read_text_up_to(path, self.tree.options().max_file_size)
    }

    /// Reads a file of the tree as text, up to a size in bytes.
    pub(crate) fn read_text_up_to(&self, path: &str, max: u64) -> Result<String, SkipReason> {
        text::decode(self.read_bytes(path, max)?, self.tree.options().secrets)
    }

    /// Reads a file of the tree, up to a size in bytes.
    pub(crate) fn read_bytes(&self, path: &str, max: u64) -> Result<Vec<u8>, SkipReason> {
        let hashed = match self.known.borrow_mut().get_mut(path) {
            Some(Err(reason)) => return Err(*reason),
            Some(Ok(file)) => match file.bytes.take() {
                Some(bytes) if bytes.len() as u64 > max => return Err(SkipReason::TooLarge),
                Some(bytes) => return Ok(bytes),
                None => Some(file.hash),
            },
            None => None,
        };
        let read = self.tree.read_bytes(path, max);
        let is_same = match (&read, hashed) {
            (Ok(bytes), Some(hash)) => xxh3_64(bytes) == hash,
            (Ok(_), None) => true,
            (Err(reason), _) => *reason != SkipReason::Unreadable,
        };
        self.is_consistent.set(self.is_consistent.get() && is_same);
        read
    }
}

impl Deref for UnitFiles<'_> {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        self.tree
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::fixture::Folder;

    #[test]
    fn documents_are_made_of_the_hashed_bytes() {
        let folder = Folder::of("//- /a.rs\none\n//- /b.rs\ntwo\n");
        let tree = folder.walk();
        let files = UnitFiles::new(&tree);
        let mut hashed = Vec::new();
        files.hash("a.rs", 99, |bytes| hashed = bytes.to_vec()).unwrap();
        fs::write(folder.join("a.rs"), "new\n").unwrap();
        assert_eq!(
            (&hashed[..], files.read_bytes("a.rs", 99)),
            (&b"one\n"[..], Ok(hashed.clone()))
        );
        assert!(files.is_consistent());
        // Read again, it is another file than the hashed one.
        assert_eq!(files.read_text("a.rs"), Ok("new\n".to_owned()));
        assert!(!files.is_consistent());
    }

    #[test]
    fn files_that_cannot_be_read_again_have_no_stamp() {
        let folder = Folder::of("//- /a.rs\none\n//- /b.rs\ntwo\n");
        let tree = folder.walk();
        let files = UnitFiles::new(&tree);
        files.room.set(0);
        files.hash("a.rs", 99, |_| ()).unwrap();
        fs::remove_file(folder.join("a.rs")).unwrap();
        assert_eq!(files.read_bytes("a.rs", 99), Err(SkipReason::Unreadable));
        assert!(!files.is_consistent());
        let files = UnitFiles::new(&tree);
        assert_eq!(files.hash("a.rs", 99, |_| ()), Err(SkipReason::Unreadable));
        folder.write("a.rs", "back\n");
        assert_eq!(files.read_bytes("a.rs", 99), Err(SkipReason::Unreadable), "as it was hashed");
    }
}
