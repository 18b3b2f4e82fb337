//! Finds statements in documents and comments that name something checkable: paths, links, symbols,
//! flags, environment variables, keys, versions, signatures and messages.
//!
//! [`read()`] splits a text into segments (prose, code spans, fences, links) and runs every row of
//! `kinds::KINDS` over them. [`split`] separates the comments of a source file from its code.
//! [`definition`] and [`naming`] compare names with lines of code.
//!
//! **Invariant:** this crate is pure: text in, values out. It opens no file and has no clock.

pub mod anchors;
mod comments;
pub mod definition;
mod ignore;
mod kinds;
pub mod naming;
mod read;
mod segments;
mod statement;

pub use self::{
    comments::{Split, split},
    read::read,
    statement::{Kind, Place, Statement, TextFormat},
};
