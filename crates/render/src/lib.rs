//! Turns answers into bytes: JSON for programs, every format of the command line, answers for agents,
//! token budgets and token counts.
//!
//! **Invariant:** this crate does not query the engine, read files or read settings. It takes a
//! response and returns text.

pub mod budget;
pub mod output;
pub mod pack;
pub mod tokens;
pub mod wire;
