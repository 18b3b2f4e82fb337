//! Stores analysed documents and returns candidates from an immutable snapshot.
//!
//! The wall stands at the level of candidates: what crosses it is terms in and evidence out, so
//! that another engine than the local one fits behind it. No ranking happens here beyond the
//! choice of which candidates are worth ranking.
//!
//! **Invariant:** a [`Reader`] never changes. What a writer commits is seen by the next reader.

mod backend;
mod backends;
mod cache;
mod dense;
mod document_set;
mod error;
mod globs;
mod meter;
mod query;
mod record;

#[cfg(feature = "failpoints")]
pub use crate::backends::{FailPoints, Stop};
pub use crate::{
    backend::{
        Backend, DiskUsage, IndexLocation, IndexVersion, Opened, Overlay, Reader, Store, Summary,
        UnitUpdate, Writer,
    },
    backends::{BACKENDS, backend, default_backend},
    cache::{CachedRepository, CachedView, DescribedView, IndexCache, ViewDescription},
    dense::{ChunkSimilarity, DenseMatches, DenseQuery, DocumentVectors, Similar, VectorCounts},
    document_set::DocumentSet,
    error::IndexError,
    globs::PathFilter,
    meter::{own_memory, written_bytes},
    query::{
        Candidate, ChunkCandidate, Evidence, FieldTerm, GroupStatistics, Holder, LexicalQuery,
        Listed, Matches, Reserve, TermGroup,
    },
    record::{
        ChunkId, DocumentId, IndexedChunk, IndexedDocument, StoredChunk, StoredDocument, Terms,
    },
};
