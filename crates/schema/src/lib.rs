//! The shared types of Lorehound: documents, chunks, symbols, fields and filters.
//!
//! **Invariant:** plain data. No I/O, no serialisation, no third-party crate. All other crates use
//! these types, so a change here affects all of them.

mod change;
mod chunk;
mod document;
mod field;
mod filter;
mod reference;
mod skip;
mod span;
mod symbol;
#[cfg(feature = "testing")]
pub mod testing;

pub use crate::{
    change::{Change, Stamp, Unit},
    chunk::{Chunk, ChunkKind, Chunked},
    document::{Attributes, Category, DocKey, Document, SourceName, TextOrigin, Trust},
    field::{Field, Level},
    filter::{Filter, Part},
    reference::{Import, Outline, Reference, ReferenceKind},
    skip::{SkipCounts, SkipReason},
    span::Span,
    symbol::{Conformance, ConformanceKind, Symbol, SymbolKind, Visibility},
};
