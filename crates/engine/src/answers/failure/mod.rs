//! Failure-driven search: a log in, the spans of the tree that it is about out.
//!
//! `families` reads what tools write, one file each, and `read` makes failures of it; `whereabouts`
//! and `function` tell which file and which definition a trace means: all of that is pure. `sites`
//! finds the places in the tree, `history` the commits that wrote the failing lines, `cover` who
//! tests them, and `answer` joins all that with an ordinary search for the message.

mod answer;
mod clean;
mod cover;
mod families;
mod function;
mod group;
mod history;
mod read;
mod report;
mod sites;
mod sought;
mod span;
mod whereabouts;
mod words;

pub(crate) use self::answer::failure;
pub use self::{
    answer::FailureRequest,
    read::read as read_failures,
    report::{Failure, Frame, Reading, Severity},
};

/// The families of tools that are recognised: name, and what of each, in the order of their names.
pub fn failure_families() -> impl Iterator<Item = (&'static str, &'static str)> {
    families::FAMILIES.iter().map(|family| (family.name, family.about))
}
