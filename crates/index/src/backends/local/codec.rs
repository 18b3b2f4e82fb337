//! Encoding of the stored part of a row: postcard over private mirrors of the public types.
//!
//! **Invariant:** a change here, or in the order of a list that [`vocabulary`] covers, changes the
//! format.
//!
//! [`vocabulary`]: super::vocabulary::vocabulary

use std::ops::Range;

use lore_schema::{Attributes, Category, ChunkKind, DocKey, SourceName, Span, Symbol, Trust};
use serde::{Deserialize, Serialize};

use super::{
    columns::{SymbolColumns, symbol_columns, symbols},
    vocabulary::position,
};
use crate::{StoredChunk, StoredDocument};

#[derive(Serialize, Deserialize)]
struct DocumentBytes<'a> {
    #[serde(borrow)]
    locator: &'a str,
    /// `None` if it equals the locator.
    path: Option<&'a str>,
    format: &'a str,
    kind: &'a str,
    title: &'a str,
    language: Option<&'a str>,
    category: u8,
    attributes: AttributesBytes<'a>,
    from_outside: bool,
    text: Option<&'a str>,
    bytes: u64,
    fell_back: bool,
    names: Vec<&'a str>,
    outer_names: u32,
}

#[derive(Serialize, Deserialize)]
struct AttributesBytes<'a> {
    #[serde(borrow)]
    id: Option<&'a str>,
    status: Option<&'a str>,
    priority: Option<&'a str>,
    tags: Vec<&'a str>,
    assignee: Option<&'a str>,
    author: Option<&'a str>,
    description: Option<&'a str>,
    created: Option<i64>,
    updated: Option<i64>,
    lines: Option<(u32, u32)>,
    extra: Vec<(&'a str, &'a str)>,
}

#[derive(Serialize, Deserialize)]
struct ChunkBytes<'a> {
    ordinal: u32,
    start: u64,
    length: u64,
    start_line: u32,
    /// Lines from `start_line` to the last one.
    lines: u32,
    kind: u8,
    /// Position of the chunk's own symbol in `symbols` plus 1; 0 if it has none.
    symbol: u32,
    /// True if the last one of `symbols` is only the chunk's own symbol, not one of its symbols.
    is_apart: bool,
    #[serde(borrow)]
    symbols: SymbolColumns<'a>,
    breadcrumb: Vec<&'a str>,
    /// Comments: bytes since the end of the previous one, or the start of the chunk, and length.
    comments: Vec<(u32, u32)>,
}

/// Encodes a document.
pub(in crate::backends) fn encode_document(
    document: &StoredDocument,
) -> Result<Vec<u8>, postcard::Error> {
    let attributes = &document.attributes;
    postcard::to_stdvec(&DocumentBytes {
        locator: &document.key.locator,
        path: (document.path != document.key.locator).then_some(document.path.as_str()),
        format: &document.format,
        kind: &document.kind,
        title: &document.title,
        language: document.language.as_deref(),
        category: position(Category::ALL, document.category),
        attributes: AttributesBytes {
            id: attributes.id.as_deref(),
            status: attributes.status.as_deref(),
            priority: attributes.priority.as_deref(),
            tags: borrowed(&attributes.tags),
            assignee: attributes.assignee.as_deref(),
            author: attributes.author.as_deref(),
            description: attributes.description.as_deref(),
            created: attributes.created,
            updated: attributes.updated,
            lines: attributes.lines,
            extra: attributes
                .extra
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect(),
        },
        from_outside: document.trust == Trust::Outside,
        text: document.text.as_deref(),
        bytes: document.bytes,
        fell_back: document.fell_back,
        names: borrowed(&document.names),
        outer_names: document.outer_names,
    })
}

/// Decodes a document of a source; `None` if the bytes are invalid.
pub(in crate::backends) fn decode_document(
    source: SourceName,
    bytes: &[u8],
) -> Option<StoredDocument> {
    let document: DocumentBytes<'_> = postcard::from_bytes(bytes).ok()?;
    let attributes = document.attributes;
    Some(StoredDocument {
        key: DocKey { source, locator: document.locator.to_owned() },
        path: document.path.unwrap_or(document.locator).to_owned(),
        format: document.format.to_owned(),
        kind: document.kind.to_owned(),
        title: document.title.to_owned(),
        language: document.language.map(str::to_owned),
        category: *Category::ALL.get(usize::from(document.category))?,
        attributes: Attributes {
            id: attributes.id.map(str::to_owned),
            status: attributes.status.map(str::to_owned),
            priority: attributes.priority.map(str::to_owned),
            tags: owned(&attributes.tags),
            assignee: attributes.assignee.map(str::to_owned),
            author: attributes.author.map(str::to_owned),
            description: attributes.description.map(str::to_owned),
            created: attributes.created,
            updated: attributes.updated,
            lines: attributes.lines,
            extra: attributes
                .extra
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        },
        trust: if document.from_outside { Trust::Outside } else { Trust::Own },
        text: document.text.map(str::to_owned),
        bytes: document.bytes,
        fell_back: document.fell_back,
        names: owned(&document.names),
        outer_names: document.outer_names,
    })
}

/// Encodes a chunk.
pub(in crate::backends) fn encode_chunk(chunk: &StoredChunk) -> Result<Vec<u8>, postcard::Error> {
    let mut symbols: Vec<&Symbol> = chunk.symbols.iter().collect();
    // The own symbol is nearly always one of `symbols`, so that its position is enough.
    let own = chunk.symbol.as_ref();
    let place = own.and_then(|own| symbols.iter().position(|symbol| *symbol == own));
    let apart = own.filter(|_| place.is_none());
    symbols.extend(apart);
    let place = place.or_else(|| apart.and(symbols.len().checked_sub(1)));
    postcard::to_stdvec(&ChunkBytes {
        ordinal: chunk.ordinal,
        start: chunk.span.start as u64,
        length: chunk.span.len() as u64,
        start_line: chunk.span.start_line,
        lines: chunk.span.end_line.saturating_sub(chunk.span.start_line),
        kind: match chunk.kind {
            ChunkKind::Definition => 0,
            ChunkKind::Section => 1,
            ChunkKind::Lines => 2,
        },
        symbol: place.and_then(|place| u32::try_from(place + 1).ok()).unwrap_or_default(),
        is_apart: apart.is_some(),
        symbols: symbol_columns(&symbols, chunk.span.start_line),
        breadcrumb: borrowed(&chunk.breadcrumb),
        comments: comment_lengths(chunk),
    })
}

/// Encodes the comments of a chunk. If they are not ascending or too long, a range outside of every text
/// is stored, so that the chunks are not used for another name of the content.
fn comment_lengths(chunk: &StoredChunk) -> Vec<(u32, u32)> {
    let mut last = chunk.span.start;
    let lengths = chunk.comments.iter().map(|comment| {
        let gap = u32::try_from(comment.start.checked_sub(last)?).ok()?;
        let length = u32::try_from(comment.end.checked_sub(comment.start)?).ok()?;
        last = comment.end;
        Some((gap, length))
    });
    lengths.collect::<Option<_>>().unwrap_or_else(|| vec![(u32::MAX, u32::MAX)])
}

/// Decodes a chunk; `None` if the bytes are invalid.
pub(in crate::backends) fn decode_chunk(bytes: &[u8]) -> Option<StoredChunk> {
    let chunk: ChunkBytes<'_> = postcard::from_bytes(bytes).ok()?;
    let start = usize::try_from(chunk.start).ok()?;
    let mut symbols = symbols(&chunk.symbols, chunk.start_line)?;
    let own = match chunk.symbol.checked_sub(1) {
        None => None,
        Some(_) if chunk.is_apart => Some(symbols.pop()?),
        Some(place) => Some(symbols.get(place as usize)?.clone()),
    };
    Some(StoredChunk {
        ordinal: chunk.ordinal,
        span: Span {
            start,
            end: start.checked_add(usize::try_from(chunk.length).ok()?)?,
            start_line: chunk.start_line,
            end_line: chunk.start_line.checked_add(chunk.lines)?,
        },
        kind: match chunk.kind {
            0 => ChunkKind::Definition,
            1 => ChunkKind::Section,
            2 => ChunkKind::Lines,
            _ => return None,
        },
        symbol: own,
        symbols,
        breadcrumb: owned(&chunk.breadcrumb),
        comments: comment_ranges(start, &chunk.comments)?,
    })
}

/// Decodes the comments of a chunk that starts at a byte.
fn comment_ranges(start: usize, lengths: &[(u32, u32)]) -> Option<Vec<Range<usize>>> {
    let mut last = start;
    let range = |(gap, length): &(u32, u32)| {
        let start = last.checked_add(*gap as usize)?;
        last = start.checked_add(*length as usize)?;
        Some(start..last)
    };
    lengths.iter().map(range).collect()
}

/// Returns true if a definition of a chunk has a name in exactly this spelling; `None` if the bytes
/// are invalid.
pub(super) fn defines_name(bytes: &[u8], name: &str) -> Option<bool> {
    let chunk: ChunkBytes<'_> = postcard::from_bytes(bytes).ok()?;
    chunk
        .symbols
        .names(usize::from(chunk.is_apart))?
        .try_fold(false, |found, symbol| Some(found | (symbol? == name)))
}

fn borrowed(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use lore_schema::{
        Attributes, Category, ChunkKind, Conformance, ConformanceKind, DocKey, SourceName, Span,
        Symbol, SymbolKind, Trust, Visibility,
    };
    use proptest::prelude::*;

    use super::{decode_chunk, decode_document, defines_name, encode_chunk, encode_document};
    use crate::{StoredChunk, StoredDocument};

    pub(in super::super) fn symbol(name: &str, kind: usize, container: Option<&str>) -> Symbol {
        Symbol {
            name: name.to_owned(),
            kind: SymbolKind::ALL[kind % SymbolKind::ALL.len()],
            visibility: [Visibility::Public, Visibility::Private, Visibility::Unknown][kind % 3],
            container: container.map(str::to_owned),
            line: u32::try_from(kind).expect("small") + 2,
            start_line: 2,
            end_line: 60,
            repetition: u32::try_from(kind).expect("small") + 1,
            signature: format!("fn {name}"),
            doc_comment: container.map(str::to_owned),
            conformances: vec![Conformance {
                kind: ConformanceKind::ALL[kind % ConformanceKind::ALL.len()],
                name: name.to_owned(),
                qualifier: container.map(str::to_owned).filter(|path| !path.is_empty()),
            }],
        }
    }

    proptest! {
        #[test]
        fn chunks_round_trip(
            ordinal in any::<u32>(),
            start in 0_usize..1 << 40,
            length in 0_usize..1 << 30,
            kind in 0_usize..3,
            names in prop::collection::vec("\\PC{0,8}", 0..4),
            own in prop::option::of(0_usize..5),
        ) {
            let symbols: Vec<Symbol> = names
                .iter()
                .enumerate()
                .map(|(index, name)| symbol(name, index, names.first().map(String::as_str)))
                .collect();
            let chunk = StoredChunk {
                ordinal,
                span: Span { start, end: start + length, start_line: 3, end_line: 9 },
                kind: [ChunkKind::Definition, ChunkKind::Section, ChunkKind::Lines][kind],
                symbol: own.map(|index| {
                    symbols.get(index).cloned().unwrap_or_else(|| symbol("apart", index, None))
                }),
                comments: vec![start..start, start + length / 3..start + length / 2],
                symbols,
                breadcrumb: names,
            };
            let bytes = encode_chunk(&chunk).expect("encodes");
            for name in chunk.symbols.iter().map(|symbol| symbol.name.as_str()).chain(["other"]) {
                let expected = chunk.symbols.iter().any(|symbol| symbol.name == name);
                prop_assert_eq!(defines_name(&bytes, name), Some(expected));
            }
            prop_assert_eq!(decode_chunk(&bytes), Some(chunk));
        }

        #[test]
        fn documents_round_trip(
            locator in "\\PC{0,12}",
            path in prop::option::of("\\PC{0,12}"),
            category in 0..Category::ALL.len(),
            text in prop::option::of("\\PC{0,40}"),
            tags in prop::collection::vec("\\PC{0,5}", 0..3),
            updated in any::<Option<i64>>(),
        ) {
            let document = StoredDocument {
                key: DocKey { source: SourceName::Specs, locator: locator.clone() },
                path: path.unwrap_or(locator),
                format: "spex".to_owned(),
                kind: "spec".to_owned(),
                title: "A title".to_owned(),
                language: tags.first().cloned(),
                category: Category::ALL[category],
                attributes: Attributes {
                    id: text.clone(),
                    status: Some("open".to_owned()),
                    updated,
                    extra: tags.iter().map(|tag| (tag.clone(), tag.clone())).collect(),
                    tags: tags.clone(),
                    ..Attributes::default()
                },
                trust: if updated.is_some() { Trust::Outside } else { Trust::Own },
                text,
                bytes: 12,
                fell_back: updated.is_none(),
                names: tags,
                outer_names: 1,
            };
            let bytes = encode_document(&document).expect("encodes");
            prop_assert_eq!(decode_document(SourceName::Specs, &bytes), Some(document));
        }

        #[test]
        fn decoding_garbage_does_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            // It may or may not decode, but must not panic.
            let _ = decode_chunk(&bytes);
            let _ = decode_document(SourceName::Code, &bytes);
        }
    }
}
