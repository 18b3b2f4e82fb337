//! The only door: brings the index up to date and answers searches.
//!
//! The program, the evaluation and every later front end build a [`SearchRequest`] and read a
//! [`SearchResponse`]; none of them sees an index, a parser or a source.
//!
//! **Invariant:** what is under `query` and `rank` is pure: no I/O, no clock, no randomness.

mod absence;
mod analyze;
mod config;
mod engine;
mod error;
mod floor;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod hit;
mod ingest;
mod query;
mod rank;
mod request;
mod response;
mod search;
mod snapshot;

pub use crate::{
    config::{CachePlace, EngineConfig, RankingConfig},
    engine::Engine,
    error::EngineError,
    request::{IndexMode, Mode, Progress, SearchRequest},
    response::{
        Absence, CheckReport, Explanation, Freshness, Hit, IndexReport, Match, Part, Receipt,
        SearchResponse, Snippet, SourceReport, SourceStatus, SpecAnswer, SpecHit, Status,
    },
};
pub use lore_schema as schema;
pub use lore_sources::find_root;
