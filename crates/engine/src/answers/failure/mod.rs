//! Failure-driven search: finds the code that a log is about.
//!
//! The crate `lore_failures` parses the log. `search::sites` maps frames to the tree, `history` finds the
//! commits that wrote the failing lines, `cover` finds tests, and `answer` combines them with an
//! ordinary search for the message.

mod answer;
mod cover;
mod group;
mod history;
mod query_words;
mod span;

pub use self::answer::FailureRequest;
pub(crate) use self::answer::failure;
