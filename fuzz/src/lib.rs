//! Shared code of the targets: builds documents, and checks the laws of documents and chunks.

use std::ops::Range;

use lore_schema::{Attributes, Chunked, DocKey, Document, SourceName, TextOrigin, Trust};

/// A file as the code source yields it.
pub fn file(path: &str, text: String) -> Document {
    Document {
        key: DocKey { source: SourceName::Code, locator: path.to_owned() },
        path: path.to_owned(),
        format: "files",
        kind: "file",
        title: String::new(),
        text,
        origin: TextOrigin::File,
        metadata: Vec::new(),
        attributes: Attributes::default(),
        trust: Trust::Own,
    }
}

/// Panics unless the metadata of a document is ordered and on line boundaries.
pub fn assert_metadata(document: &Document) {
    let text = &document.text;
    let is_boundary = |byte: usize| {
        byte == 0 || byte == text.len() || text.as_bytes().get(byte - 1) == Some(&b'\n')
    };
    let mut end = 0;
    for range in &document.metadata {
        assert!(end <= range.start && range.start <= range.end, "{range:?} is out of order");
        assert!(range.end <= text.len(), "{range:?} ends behind the text");
        assert!(is_boundary(range.start) && is_boundary(range.end), "{range:?} cuts a line");
        end = range.end;
    }
}

/// Panics unless the chunks of a document keep the laws of [`lore_schema::Chunk`].
pub fn assert_chunks(document: &Document, chunked: &Chunked) {
    let text = &document.text;
    let (mut end, mut line) = (0, 1);
    for (ordinal, chunk) in chunked.chunks.iter().enumerate() {
        let span = chunk.span;
        assert_eq!(chunk.ordinal as usize, ordinal);
        assert!(end <= span.start, "{span:?} overlaps or is out of order");
        let content = text.get(span.start..span.end).expect("spans lie on character boundaries");
        assert!(!content.trim().is_empty(), "{span:?} is blank");
        assert_skippable(document, end..span.start);
        for range in &document.metadata {
            let apart = range.is_empty() || range.end <= span.start || span.end <= range.start;
            assert!(apart, "{span:?} holds the metadata {range:?}");
        }
        line += line_ends(&text[end..span.start]);
        assert_eq!(span.start_line as usize, line, "{span:?}");
        let last = text.floor_char_boundary(span.end - 1);
        line += line_ends(&text[span.start..last]);
        assert_eq!(span.end_line as usize, line, "{span:?}");
        line += line_ends(&text[last..span.end]);
        let mut comment_end = span.start;
        for comment in &chunk.comments {
            assert!(comment_end <= comment.start && comment.start < comment.end, "{comment:?}");
            assert!(comment.end <= span.end, "{comment:?} leaves {span:?}");
            assert!(text.get(comment.clone()).is_some(), "{comment:?} cuts a character");
            comment_end = comment.end;
        }
        if let Some(symbol) = &chunk.symbol {
            assert!(chunk.symbols.contains(symbol), "{symbol:?} is not among the symbols");
        }
        end = span.end;
    }
    assert_skippable(document, end..text.len());
}

fn line_ends(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// Panics if a character that is neither metadata nor whitespace is in no chunk.
fn assert_skippable(document: &Document, gap: Range<usize>) {
    for (offset, letter) in document.text[gap.clone()].char_indices() {
        let byte = gap.start + offset;
        let is_known =
            letter.is_whitespace() || document.metadata.iter().any(|range| range.contains(&byte));
        assert!(is_known, "{letter:?} at {byte} is in no chunk");
    }
}
