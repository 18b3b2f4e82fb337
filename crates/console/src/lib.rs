//! Terminal input and output: dates, messages with hints, and text that is safe to print.
//!
//! **Invariant:** this crate reads no files, settings or environment variables. Messages go to
//! standard error.

pub mod dates;
pub mod focus;
pub mod names;
pub mod report;
pub mod shell;
pub mod text;
