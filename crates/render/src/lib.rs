//! Answers as bytes: the JSON that programs read, every format of the command line, the answers for
//! agents, budgets and token counts.
//!
//! **Invariant:** nothing here asks the engine, reads files or knows settings: a response comes in and
//! text goes out.

pub mod budget;
pub mod output;
pub mod pack;
pub mod tokens;
pub mod wire;
