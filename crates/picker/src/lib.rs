//! A picker: a list that is searched while its query is typed, with a preview, on a terminal.
//!
//! The picker knows neither the command line nor the engine. Its caller gives it a [`Finder`], which
//! answers queries on a thread of its own, and a [`Reader`], which reads the text behind an item on
//! another.
//!
//! | Module | Contents |
//! |---|---|
//! | `keys` | one table of keys, actions and help |
//! | `layout` | the parts of the screen |
//! | `line` | the query with its cursor |
//! | `state` | everything that is shown; a pure function of events to state and effects |
//! | `preview` | the text behind an item, with colours and the lines that answer |
//! | `draw` | the state as cells |
//! | `worker` | threads that take the newest request only |
//! | `terminal` | the terminal: opened, set, and restored in every case |
//! | `session` | the loop that connects them |
//!
//! **Invariant:** an answer is shown only if it belongs to the newest request.

mod draw;
mod item;
mod keys;
mod layout;
mod line;
mod paths;
mod preview;
mod session;
mod state;
mod terminal;
mod worker;

pub use crate::{
    item::{Answer, Document, Item, Mode, Outcome, Report, Request},
    keys::{KeyRow, table},
    paths::PathMatcher,
    session::{Cause, Choice, Finder, Options, PickError, Reader, Requests, run},
    terminal::Height,
};
