//! An opened tree: its settings, its engine, what makes vectors, and the user's own programs.
//!
//! Commands and servers start here.
//!
//! **Invariant:** only `embedding/endpoint.rs` and `traces/otlp.rs` open a connection, each only to the server
//! that the user's own settings name; `cluster.rs` names the cluster of these settings to the index. Only
//! three files start a program: `program.rs` starts those that the user's own settings name, `pager.rs` the
//! user's pager, and `parsers/process.rs` this program, to parse texts.
#![allow(
    clippy::disallowed_methods,
    reason = "the current folder, models and programs of the user's are opened here"
)]

pub mod absence;
#[cfg(feature = "opensearch")]
pub mod cluster;
mod context;
pub mod embedding;
pub mod extensions;
mod http_client;
pub mod interrupt;
mod pager;
pub mod parsers;
mod program;
pub mod progress;
#[cfg_attr(not(feature = "opensearch"), path = "stored_off.rs")]
pub mod stored;
pub mod traces;
pub mod workspace;

pub use context::{
    Context, OpenEngine, engine_config, number, root, tell_sources, write_output, write_paged,
};
