//! Turns places into documents: folders, git history, spec and ticket stores.
//!
//! One walk of the tree serves every source of files; each file belongs to exactly one source and
//! one reader, decided from the paths alone.

mod error;
mod source;
mod tree;

pub use crate::{
    error::SourceError,
    source::{FormatCount, Known, SOURCES, Scan, ScanReport, Source},
    tree::{Entry, Tree, WalkOptions},
};
