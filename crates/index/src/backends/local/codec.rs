//! The stored part of a row as bytes: postcard over private mirrors of the public types.
//!
//! **Invariant:** a change here, or in the order of a list that [`vocabulary`] covers, is a change
//! of the format.
//!
//! [`vocabulary`]: super::schema::vocabulary

use std::collections::HashMap;

use lore_schema::{
    Attributes, Category, ChunkKind, Conformance, ConformanceKind, DocKey, Import, Outline,
    Reference, ReferenceKind, SourceName, Span, Symbol, SymbolKind, Trust, Visibility,
};
use serde::{Deserialize, Serialize};

use crate::{StoredChunk, StoredDocument};

#[derive(Serialize, Deserialize)]
struct DocumentBytes<'a> {
    #[serde(borrow)]
    locator: &'a str,
    /// `None` where it equals the locator.
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
    extra: Vec<(&'a str, &'a str)>,
}

#[derive(Serialize, Deserialize)]
struct ChunkBytes<'a> {
    ordinal: u32,
    start: u64,
    length: u64,
    start_line: u32,
    end_line: u32,
    kind: u8,
    /// Position of the chunk's own symbol in `symbols`; `symbols.len()` if it is `apart`.
    symbol: Option<u32>,
    #[serde(borrow)]
    apart: Option<SymbolBytes<'a>>,
    symbols: Vec<SymbolBytes<'a>>,
    breadcrumb: Vec<&'a str>,
}

#[derive(Serialize, Deserialize)]
struct SymbolBytes<'a> {
    /// Empty where the signature holds it.
    #[serde(borrow)]
    name: &'a str,
    /// Where in the signature it begins, and how long it is there.
    name_start: u32,
    name_length: u32,
    kind: u8,
    visibility: u8,
    container: Option<&'a str>,
    line: u32,
    /// Lines from `start_line` to `line`.
    before: u32,
    /// Lines from `line` to `end_line`.
    after: u32,
    repetition: u32,
    signature: &'a str,
    doc_comment: Option<&'a str>,
    /// Kind, qualifier or the empty string, name.
    conformances: Vec<(u8, &'a str, &'a str)>,
}

#[derive(Serialize, Deserialize)]
struct OutlineBytes<'a> {
    #[serde(borrow)]
    symbols: Vec<SymbolBytes<'a>>,
    /// Names and qualifiers of the references, each once: a text repeats them.
    names: Vec<&'a str>,
    references: Vec<ReferenceBytes>,
    imports: Vec<ImportBytes<'a>>,
    has_errors: bool,
}

/// A reference in numbers that are small as a rule: half of what an index stores would be names of
/// references otherwise.
#[derive(Serialize, Deserialize)]
struct ReferenceBytes {
    /// Position of the name times the number of kinds, plus the position of the kind.
    name_and_kind: u64,
    /// Position of the qualifier plus 1; 0 if there is none.
    qualifier: u32,
    /// Lines since the reference before, modulo 2^32.
    line: i32,
    /// The same for the position of the definition around plus 1; 0 if there is none.
    within: i32,
}

#[derive(Serialize, Deserialize)]
struct ImportBytes<'a> {
    module: &'a str,
    name: Option<&'a str>,
    alias: Option<&'a str>,
    reexported: bool,
    line: u32,
}

/// Encodes a document.
pub(super) fn encode_document(document: &StoredDocument) -> Result<Vec<u8>, postcard::Error> {
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

/// Decodes a document of a source; `None` if the bytes are not one.
pub(super) fn decode_document(source: SourceName, bytes: &[u8]) -> Option<StoredDocument> {
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
pub(super) fn encode_chunk(chunk: &StoredChunk) -> Result<Vec<u8>, postcard::Error> {
    // The own symbol is nearly always one of `symbols`: its position is enough.
    let own = chunk
        .symbol
        .as_ref()
        .map(|own| chunk.symbols.iter().position(|symbol| symbol == own).ok_or(own));
    let (symbol, apart) = match own {
        None => (None, None),
        Some(Ok(index)) => (u32::try_from(index).ok(), None),
        Some(Err(own)) => (u32::try_from(chunk.symbols.len()).ok(), Some(symbol_bytes(own))),
    };
    postcard::to_stdvec(&ChunkBytes {
        ordinal: chunk.ordinal,
        start: chunk.span.start as u64,
        length: chunk.span.len() as u64,
        start_line: chunk.span.start_line,
        end_line: chunk.span.end_line,
        kind: match chunk.kind {
            ChunkKind::Definition => 0,
            ChunkKind::Section => 1,
            ChunkKind::Lines => 2,
        },
        symbol,
        apart,
        symbols: chunk.symbols.iter().map(symbol_bytes).collect(),
        breadcrumb: borrowed(&chunk.breadcrumb),
    })
}

/// Decodes a chunk; `None` if the bytes are not one.
pub(super) fn decode_chunk(bytes: &[u8]) -> Option<StoredChunk> {
    let chunk: ChunkBytes<'_> = postcard::from_bytes(bytes).ok()?;
    let start = usize::try_from(chunk.start).ok()?;
    let symbols = chunk.symbols.iter().map(symbol).collect::<Option<Vec<_>>>()?;
    let own = match (chunk.symbol, &chunk.apart) {
        (None, _) => None,
        (Some(_), Some(apart)) => Some(symbol(apart)?),
        (Some(index), None) => Some(symbols.get(usize::try_from(index).ok()?)?.clone()),
    };
    Some(StoredChunk {
        ordinal: chunk.ordinal,
        span: Span {
            start,
            end: start.checked_add(usize::try_from(chunk.length).ok()?)?,
            start_line: chunk.start_line,
            end_line: chunk.end_line,
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
    })
}

fn symbol_bytes(symbol: &Symbol) -> SymbolBytes<'_> {
    let place = symbol.signature.find(&symbol.name).and_then(|start| {
        Some((u32::try_from(start).ok()?, u32::try_from(symbol.name.len()).ok()?))
    });
    let (name_start, name_length) = place.unwrap_or_default();
    SymbolBytes {
        name: if place.is_some() { "" } else { &symbol.name },
        name_start,
        name_length,
        kind: position(SymbolKind::ALL, symbol.kind),
        visibility: match symbol.visibility {
            Visibility::Public => 0,
            Visibility::Private => 1,
            Visibility::Unknown => 2,
        },
        container: symbol.container.as_deref(),
        line: symbol.line,
        before: symbol.line.saturating_sub(symbol.start_line),
        after: symbol.end_line.saturating_sub(symbol.line),
        repetition: symbol.repetition,
        signature: &symbol.signature,
        doc_comment: symbol.doc_comment.as_deref(),
        conformances: symbol
            .conformances
            .iter()
            .map(|of| {
                let qualifier = of.qualifier.as_deref().unwrap_or_default();
                (position(ConformanceKind::ALL, of.kind), qualifier, of.name.as_str())
            })
            .collect(),
    }
}

/// Encodes an outline.
pub(super) fn encode_outline(outline: &Outline) -> Result<Vec<u8>, postcard::Error> {
    let mut names = Names::default();
    let (mut line, mut within) = (0_u32, 0_u32);
    let references = outline.references.iter().map(|reference| {
        let kind = position(ReferenceKind::ALL, reference.kind);
        let name = u64::from(names.position(&reference.name));
        let around = reference.within.map_or(0, |index| index.wrapping_add(1));
        let bytes = ReferenceBytes {
            name_and_kind: name * ReferenceKind::ALL.len() as u64 + u64::from(kind),
            qualifier: reference.qualifier.as_ref().map_or(0, |name| names.position(name) + 1),
            line: reference.line.wrapping_sub(line).cast_signed(),
            within: around.wrapping_sub(within).cast_signed(),
        };
        (line, within) = (reference.line, around);
        bytes
    });
    let references = references.collect();
    postcard::to_stdvec(&OutlineBytes {
        symbols: outline.symbols.iter().map(symbol_bytes).collect(),
        names: names.list,
        references,
        imports: outline
            .imports
            .iter()
            .map(|import| ImportBytes {
                module: &import.module,
                name: import.name.as_deref(),
                alias: import.alias.as_deref(),
                reexported: import.reexported,
                line: import.line,
            })
            .collect(),
        has_errors: outline.has_errors,
    })
}

/// Names, each once, in the order in which they come first.
#[derive(Default)]
struct Names<'a> {
    list: Vec<&'a str>,
    positions: HashMap<&'a str, u32>,
}

impl<'a> Names<'a> {
    /// The position of a name. A text of less than 4 GiB has fewer names than there are numbers.
    fn position(&mut self, name: &'a str) -> u32 {
        let next = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        *self.positions.entry(name).or_insert_with(|| {
            self.list.push(name);
            next
        })
    }
}

/// Decodes an outline; `None` if the bytes are not one. A place in `within` is always one of
/// `symbols`.
pub(super) fn decode_outline(bytes: &[u8]) -> Option<Outline> {
    let outline: OutlineBytes<'_> = postcard::from_bytes(bytes).ok()?;
    let count = outline.symbols.len();
    let name = |position: usize| outline.names.get(position).copied().map(str::to_owned);
    let (mut line, mut within) = (0_u32, 0_u32);
    let references = outline.references.iter().map(|reference| {
        let kinds = ReferenceKind::ALL.len() as u64;
        line = line.wrapping_add(reference.line.cast_unsigned());
        within = within.wrapping_add(reference.within.cast_unsigned());
        Some(Reference {
            kind: ReferenceKind::ALL[usize::try_from(reference.name_and_kind % kinds).ok()?],
            name: name(usize::try_from(reference.name_and_kind / kinds).ok()?)?,
            qualifier: match reference.qualifier.checked_sub(1) {
                Some(position) => Some(name(position as usize)?),
                None => None,
            },
            line,
            within: within.checked_sub(1).filter(|index| (*index as usize) < count),
        })
    });
    Some(Outline {
        references: references.collect::<Option<_>>()?,
        imports: outline
            .imports
            .iter()
            .map(|import| Import {
                module: import.module.to_owned(),
                name: import.name.map(str::to_owned),
                alias: import.alias.map(str::to_owned),
                reexported: import.reexported,
                line: import.line,
            })
            .collect(),
        has_errors: outline.has_errors,
        symbols: outline.symbols.iter().map(symbol).collect::<Option<_>>()?,
    })
}

fn symbol(bytes: &SymbolBytes<'_>) -> Option<Symbol> {
    let name = if bytes.name.is_empty() {
        let start = bytes.name_start as usize;
        bytes.signature.get(start..start.checked_add(bytes.name_length as usize)?)?
    } else {
        bytes.name
    };
    Some(Symbol {
        name: name.to_owned(),
        kind: *SymbolKind::ALL.get(usize::from(bytes.kind))?,
        visibility: match bytes.visibility {
            0 => Visibility::Public,
            1 => Visibility::Private,
            2 => Visibility::Unknown,
            _ => return None,
        },
        container: bytes.container.map(str::to_owned),
        line: bytes.line,
        start_line: bytes.line.saturating_sub(bytes.before),
        end_line: bytes.line.saturating_add(bytes.after),
        repetition: bytes.repetition,
        signature: bytes.signature.to_owned(),
        doc_comment: bytes.doc_comment.map(str::to_owned),
        conformances: bytes
            .conformances
            .iter()
            .map(|(kind, qualifier, name)| {
                Some(Conformance {
                    kind: *ConformanceKind::ALL.get(usize::from(*kind))?,
                    name: (*name).to_owned(),
                    qualifier: Some(*qualifier).filter(|path| !path.is_empty()).map(str::to_owned),
                })
            })
            .collect::<Option<_>>()?,
    })
}

/// Position of a value in the list of all values.
pub(super) fn position<T: PartialEq + Copy>(all: &[T], value: T) -> u8 {
    let index = all.iter().position(|other| *other == value);
    index.and_then(|index| u8::try_from(index).ok()).expect("lists of names are short and complete")
}

fn borrowed(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use lore_schema::{
        Attributes, Category, ChunkKind, Conformance, ConformanceKind, DocKey, Import, Outline,
        Reference, ReferenceKind, SourceName, Span, Symbol, SymbolKind, Trust, Visibility,
    };
    use proptest::prelude::*;

    use super::{
        decode_chunk, decode_document, decode_outline, encode_chunk, encode_document,
        encode_outline,
    };
    use crate::{StoredChunk, StoredDocument};

    fn symbol(name: &str, kind: usize, container: Option<&str>) -> Symbol {
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
        fn chunks_come_back(
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
                symbols,
                breadcrumb: names,
            };
            let bytes = encode_chunk(&chunk).expect("encodes");
            prop_assert_eq!(decode_chunk(&bytes), Some(chunk));
        }

        #[test]
        fn outlines_come_back(
            names in prop::collection::vec("\\PC{0,8}", 1..5),
            kind in 0..ReferenceKind::ALL.len(),
            line in any::<u32>(),
            has_errors in any::<bool>(),
        ) {
            let outline = Outline {
                symbols: names.iter().map(|name| symbol(name, line as usize % 40, None)).collect(),
                references: names
                    .iter()
                    .zip(0..)
                    .map(|(name, index)| Reference {
                        kind: ReferenceKind::ALL[kind],
                        name: name.clone(),
                        qualifier: names.first().cloned(),
                        line,
                        within: Some(index),
                    })
                    .collect(),
                imports: names
                    .iter()
                    .map(|name| Import {
                        module: name.clone(),
                        alias: names.first().cloned(),
                        reexported: has_errors,
                        line,
                        ..Import::default()
                    })
                    .collect(),
                has_errors,
            };
            let bytes = encode_outline(&outline).expect("encodes");
            prop_assert_eq!(decode_outline(&bytes), Some(outline));
        }

        #[test]
        fn documents_come_back(
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
        fn garbage_is_no_record(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            // Must not panic; whether it decodes is chance.
            let _ = decode_chunk(&bytes);
            let _ = decode_outline(&bytes);
            let _ = decode_document(SourceName::Code, &bytes);
        }
    }
}
