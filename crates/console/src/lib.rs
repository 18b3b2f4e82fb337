//! What people type and read at a terminal: dates, messages with their hints, and text that is safe
//! to print.
//!
//! **Invariant:** nothing here reads files, settings or the environment; messages go to standard error.

pub mod dates;
pub mod focus;
pub mod names;
pub mod report;
pub mod shell;
pub mod text;
