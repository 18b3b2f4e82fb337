//! Failure-driven search: a log in, the spans of the tree that it is about out.
//!
//! `families` reads what tools write, one file each, and `read` makes failures of it; `whereabouts`
//! and `function` tell which file and which definition a trace means: all of that is pure. `sites`
//! finds the places in the tree, `history` the commits that wrote the failing lines, `cover` who
//! tests them, and `answer` joins all that with an ordinary search for the message.

mod answer;
mod cover;
mod group;
mod history;
mod sites;
mod sought;
mod span;

pub use self::answer::FailureRequest;
pub(crate) use self::answer::failure;
