//! The only door: brings the index up to date and answers searches.
//!
//! The program, the evaluation and every later front end build a [`SearchRequest`] and read a
//! [`SearchResponse`]; none of them sees an index, a parser or a source.
//!
//! **Invariant:** what is under `query` and `rank` is pure: no I/O, no clock, no randomness.

mod config;
mod engine;
mod error;
mod request;
mod response;

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
