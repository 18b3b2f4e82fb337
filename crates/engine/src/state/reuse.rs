//! Content that the index has under another name: its chunks are those of the index, so that it is not
//! parsed again.
//!
//! Category, title, facets, path terms and vectors depend on the path, and are derived again.

use lore_index::{ChunkedContent, Reader, StoredChunk};
use lore_schema::{Chunk, Chunked, Document, TextOrigin};

use crate::state::chunking::{ChunkedDocument, category_of};

/// Returns the chunks of a document from a document of the index with the same content. `None` if there
/// is none, or if its chunks might differ from those of the document.
///
/// `content` is the hash of its unit. The index is a cache: an entry that cannot be read counts as none.
pub(super) fn known_chunks(
    reader: &dyn Reader,
    document: &Document,
    content: u64,
) -> Option<ChunkedDocument> {
    if content == 0 || document.origin != TextOrigin::File || !document.metadata.is_empty() {
        return None;
    }
    let ChunkedContent { document: known, chunks, outline } =
        reader.by_content(content).ok().flatten()?;
    let language = lore_syntax::detect(&document.path, &document.text);
    let language = language.map(|language| language.name);
    let is_same = !known.fell_back
        && known.text.is_none()
        && known.bytes == document.text.len() as u64
        && known.language.as_deref() == language
        && (known.format.as_str(), known.kind.as_str()) == (document.format, document.kind)
        && extension(&known.path) == extension(&document.path);
    let is_inside = |chunk: &StoredChunk| {
        let comments = chunk.comments.iter().cloned();
        let mut ranges = comments.chain(std::iter::once(chunk.span.start..chunk.span.end));
        ranges.all(|range| document.text.get(range).is_some())
    };
    if !is_same || !chunks.iter().all(is_inside) {
        return None;
    }
    let chunked = Chunked {
        language,
        chunks: chunks.into_iter().map(chunk).collect(),
        outline,
        fell_back: false,
    };
    Some(ChunkedDocument { category: category_of(document), chunked, fault: None })
}

/// The extension of a path. Readers look for metadata by it.
fn extension(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map(|(_, extension)| extension)
}

fn chunk(stored: StoredChunk) -> Chunk {
    let StoredChunk { ordinal, span, kind, symbol, symbols, breadcrumb, comments } = stored;
    Chunk { ordinal, span, kind, symbol, symbols, breadcrumb, comments }
}

#[cfg(test)]
mod tests;
