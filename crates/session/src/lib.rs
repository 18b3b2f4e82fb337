//! An opened tree: its settings, its engine, what makes vectors, and the user's own programs.
//!
//! Commands and servers start here.
//!
//! **Invariant:** only `embedding/endpoint.rs` opens a connection, and only `program.rs` starts a
//! program: those that the user's own settings name.
#![allow(
    clippy::disallowed_methods,
    reason = "the current folder, models and programs of the user's are opened here"
)]

pub mod absence;
mod context;
pub mod embedding;
pub mod extensions;
pub mod interrupt;
mod program;
pub mod progress;

pub use context::{Context, OpenEngine, number, root, tell_sources, write_output};
