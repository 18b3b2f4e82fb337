//! Stores analysed documents and returns candidates from an immutable snapshot.
//!
//! The interface is at the level of candidates: terms go in, evidence comes out, so that engines
//! other than the local one can implement it ([`Backend`]). This crate chooses candidates; it does
//! not rank them.
//!
//! **Invariant:** a [`Reader`] never changes. A commit shows in readers that are opened after it.

mod backend;
mod backends;
mod cache;
mod cluster;
mod dense;
mod document_set;
mod error;
mod exchange;
mod globs;
mod ids;
mod location;
mod meter;
mod query;
mod record;

#[cfg(feature = "opensearch")]
pub use crate::backends::{ClusterAddress, ClusterCredentials, ClusterLayout, OpenSearchBackend};
#[cfg(feature = "failpoints")]
pub use crate::backends::{FailPoints, Stop};
pub use crate::{
    backend::{
        AcceptedPrefix, Backend, DiskUsage, Opened, Overlay, Reader, Store, Summary, UnitUpdate,
        Writer,
    },
    backends::{
        BACKENDS, ExchangeFolder, PrivateFolder, backend, default_backend, is_reading_index,
    },
    cache::{
        CacheProblem, CachedRepository, CachedView, DescribedView, FoundExport, IndexCache,
        ViewDescription,
    },
    cluster::{ClusterIndex, ClusterRepository, ClusterStatus},
    dense::{ChunkSimilarity, DenseMatches, DenseQuery, DocumentVectors, Similar, VectorCounts},
    document_set::DocumentSet,
    error::IndexError,
    exchange::{ExportDescription, ExportOptions, ExportedSource, SourceToExport},
    globs::PathFilter,
    ids::{ChunkId, DocumentId},
    location::{IndexLocation, IndexVersion},
    meter::{own_memory, written_bytes},
    query::{
        Candidate, ChunkCandidate, Evidence, FieldTerm, GroupStatistics, Holder, LexicalQuery,
        Listed, Matches, Reserve, TermGroup,
    },
    record::{ChunkedContent, IndexedChunk, IndexedDocument, StoredChunk, StoredDocument, Terms},
};
