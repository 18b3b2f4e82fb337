//! Reads logs into failures: panics, exceptions, compiler messages and failed tests, with their
//! stack frames.
//!
//! [`read()`] runs every parser in `families` over the cleaned lines of a log and keeps the
//! non-overlapping failures. [`PathMatcher`] and [`FunctionName`] map the paths and names that a log
//! contains to files and definitions of a repository.
//!
//! **Invariant:** this crate is pure: text in, values out. It opens no file and has no clock.

mod clean;
mod families;
mod function;
mod paths;
mod read;
mod report;
mod stable;

pub use self::{
    clean::lines,
    families::{families, positions},
    function::FunctionName,
    paths::{PathMatch, PathMatcher},
    read::read,
    report::{Failure, Frame, Reading, Severity, one_line},
    stable::stable_words,
};
