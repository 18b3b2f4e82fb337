//! Cuts documents into chunks with the parsers of an engine.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lore_schema::{Category, Chunked, Document, Outline, TextOrigin};

use crate::{ParserFault, ParserHost, Parsers};

/// A document cut into chunks.
pub(crate) struct ChunkedDocument {
    pub(crate) chunked: Chunked,
    /// Role of its file in the repository.
    pub(crate) category: Category,
    /// The end of the parser, if the document ended it and was cut by lines therefore.
    pub(crate) fault: Option<ParserFault>,
}

/// Cuts a document and categorises its file.
pub(crate) fn chunk_document(document: &Document, parsers: &Parsers) -> ChunkedDocument {
    chunk_with(document, Some(parsers.host()))
}

/// Cuts a document that is in the index with the same text. `fell_back` is the field of the same name
/// there: a document whose parser gave up or ended is not parsed again.
pub(crate) fn chunk_indexed(
    document: &Document,
    fell_back: bool,
    parsers: &Parsers,
) -> ChunkedDocument {
    chunk_with(document, (!fell_back).then(|| parsers.host()))
}

/// Categorises the file of a document. A record of a store belongs to the repository, whatever file
/// contains it.
pub(super) fn category_of(document: &Document) -> Category {
    match document.origin {
        TextOrigin::File => lore_syntax::categorize(&document.path, &document.text),
        TextOrigin::Composed => Category::Own,
    }
}

fn chunk_with(document: &Document, host: Option<&dyn ParserHost>) -> ChunkedDocument {
    let category = category_of(document);
    let mut fault = None;
    let cut = || {
        lore_syntax::chunk_with(document, |language, text| match host?.parse(language.name, text) {
            Ok(parsed) => parsed,
            Err(error) => {
                fault = Some(error);
                None
            }
        })
    };
    // A panic costs the document its chunks, not the run.
    let chunked = catch_unwind(AssertUnwindSafe(cut)).unwrap_or(Chunked {
        language: None,
        chunks: Vec::new(),
        outline: Outline::default(),
        fell_back: true,
    });
    ChunkedDocument { chunked, category, fault }
}
