//! The local backend: one tantivy index per source, in a folder or in memory.
//!
//! Start with [`backend`], [`store`], [`reader`] and [`writer`]; the last two list the steps of a
//! query and of a change.
//!
//! **Invariant:** the files of one commit are read together or not at all. tantivy's `meta.json` is
//! the only file that a commit replaces; it names all others.

mod backend;
mod backlog;
mod bits;
mod bm25;
mod cache;
pub(super) mod codec;
mod collector;
mod columns;
mod compact;
mod dense;
mod dictionary;
mod directory;
mod disk;
mod docstore;
mod draft;
mod exchange;
#[cfg(feature = "failpoints")]
mod failpoints;
mod failure;
mod file_names;
mod filter;
mod kernel;
mod layout;
mod lexical;
mod lookup;
mod merge;
pub(super) mod outline;
mod overlay;
mod overlay_directory;
mod payload;
mod postings;
mod private;
mod private_folder;
pub(super) mod quantise;
mod reader;
mod record;
mod repositories;
mod revive;
mod row;
mod row_number;
mod schema;
mod seal;
mod seed;
mod segment_filter;
mod shelf;
mod snapshot;
mod state;
mod storage;
mod store;
mod tokenizer;
mod top_k;
mod vector_writer;
mod verify;
mod views;
mod vocabulary;
mod writer;

pub(super) use self::backend::LocalBackend;
pub use self::exchange::ExchangeFolder;
#[cfg(feature = "failpoints")]
pub use self::failpoints::{FailPoints, Stop};
pub use self::failure::is_reading_index;
pub use self::private_folder::PrivateFolder;
