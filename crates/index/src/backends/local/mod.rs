//! The local backend: one tantivy index a source, in a folder or in memory.
//!
//! **Invariant:** what one commit wrote is read together or not at all. tantivy's `meta.json` is
//! the only file that is ever replaced by another of the same meaning; it names everything else.

mod backend;
mod backlog;
mod best;
mod bits;
mod bm25;
mod cache;
mod codec;
mod columns;
mod compact;
mod dense;
mod dictionary;
mod directory;
mod disk;
mod docstore;
mod draft;
#[cfg(feature = "failpoints")]
mod failpoints;
mod failure;
mod filter;
mod gate;
mod home;
mod kernel;
mod layout;
mod lexical;
mod lookup;
mod merge;
mod outline;
mod overlay;
mod payload;
mod postings;
mod quantise;
mod reader;
mod record;
mod repositories;
mod row;
mod schema;
mod seal;
mod seed;
mod shelf;
mod snapshot;
mod state;
mod store;
mod tally;
mod tokenizer;
mod verify;
mod views;
mod writer;

pub(super) use self::backend::LocalBackend;
#[cfg(feature = "failpoints")]
pub use self::failpoints::{FailPoints, Stop};
