//! Failure-driven search: a log in, the spans of the tree that it is about out.
//!
//! `families` reads what tools write, one file each, and `read` makes failures of it: pure. `places`
//! finds their frames in the tree, `history` the commits that put the failing lines there, `tests`
//! who covers them, and `answer` joins all that with an ordinary search for the message.

mod clean;
mod families;
mod read;
mod report;
mod words;

pub use self::{
    read::read as read_failures,
    report::{Failure, Frame, Reading, Severity},
};

/// The families of tools that are recognised: name, and what of each, in the order of their names.
pub fn failure_families() -> impl Iterator<Item = (&'static str, &'static str)> {
    families::FAMILIES.iter().map(|family| (family.name, family.about))
}
