//! The location of an index, and the identity of one of its states.

use std::path::PathBuf;

/// The location of the index of one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexLocation {
    /// This folder, which the first write creates.
    Folder(PathBuf),
    /// Memory. The index is gone when the process ends.
    Memory,
}

/// The identity of one state of one index, as its [`Reader`](crate::Reader) saw it.
///
/// A writer names the version that it is based on, so that the store can refuse it if another
/// commit came first (optimistic locking). The digest is the backend's own; it differs between any
/// two states in which a document could have another number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IndexVersion {
    /// Number of the commit; 0 before the first.
    pub generation: u64,
    /// Digest that distinguishes states of equal generation, such as those of a rebuilt index.
    pub digest: u128,
}
