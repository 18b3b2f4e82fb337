//! Encoding of the outline of a document. Definitions that its chunks store already are not written
//! again: the outline refers to them, without their comments.
//!
//! **Invariant:** the one of [`codec`].
//!
//! [`codec`]: super::codec

use std::collections::HashMap;

use lore_schema::{Import, Outline, Reference, ReferenceKind, Symbol};
use serde::{Deserialize, Serialize};

use super::{
    columns::{SymbolColumns, symbol_columns, symbols},
    vocabulary::position,
};
use crate::StoredChunk;

#[derive(Serialize, Deserialize)]
struct OutlineBytes<'a> {
    /// Ranges of definitions, in the order of the outline.
    ranges: Vec<SymbolRange>,
    /// Definitions that no chunk has.
    #[serde(borrow)]
    own: SymbolColumns<'a>,
    /// Distinct names and qualifiers of the references.
    names: Vec<&'a str>,
    references: ReferenceColumns,
    imports: Vec<ImportBytes<'a>>,
    has_errors: bool,
}

/// A range of consecutive definitions of an outline.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum SymbolRange {
    /// Definitions of the chunks, counted over all chunks.
    OfChunks { first: u32, count: u32 },
    /// The next definitions that no chunk has.
    Own { count: u32 },
}

/// References as small numbers, property by property. Otherwise names of references would be half
/// of the stored data.
#[derive(Default, Serialize, Deserialize)]
struct ReferenceColumns {
    /// Position of the name times the number of kinds, plus the position of the kind.
    names_and_kinds: Vec<u64>,
    /// Position of the qualifier plus 1; 0 if there is none.
    qualifiers: Vec<u32>,
    /// Line minus that of the previous reference, modulo 2^32.
    lines: Vec<i32>,
    /// The same for the position of the enclosing definition plus 1, or 0 if there is none.
    within: Vec<i32>,
}

#[derive(Serialize, Deserialize)]
struct ImportBytes<'a> {
    module: &'a str,
    name: Option<&'a str>,
    alias: Option<&'a str>,
    reexported: bool,
    line: u32,
}

/// Encodes the outline of a document with these chunks.
pub(in crate::backends) fn encode_outline(
    outline: &Outline,
    chunks: &[StoredChunk],
) -> Result<Vec<u8>, postcard::Error> {
    let mut names = Names::default();
    let (mut line, mut within) = (0_u32, 0_u32);
    let mut references = ReferenceColumns::default();
    for reference in &outline.references {
        let kind = u64::from(position(ReferenceKind::ALL, reference.kind));
        let name = u64::from(names.position(&reference.name));
        let qualifier = reference.qualifier.as_ref().map_or(0, |name| names.position(name) + 1);
        let around = reference.within.map_or(0, |index| index.wrapping_add(1));
        references.names_and_kinds.push(name * ReferenceKind::ALL.len() as u64 + kind);
        references.qualifiers.push(qualifier);
        references.lines.push(reference.line.wrapping_sub(line).cast_signed());
        references.within.push(around.wrapping_sub(within).cast_signed());
        (line, within) = (reference.line, around);
    }
    let (ranges, own) = ranges(&outline.symbols, chunks);
    postcard::to_stdvec(&OutlineBytes {
        ranges,
        own: symbol_columns(&own, 0),
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

/// Finds definitions among those of the chunks. Returns also those that no chunk has.
fn ranges<'a>(
    symbols: &'a [Symbol],
    chunks: &[StoredChunk],
) -> (Vec<SymbolRange>, Vec<&'a Symbol>) {
    let of_chunks: Vec<&Symbol> = chunks.iter().flat_map(|chunk| &chunk.symbols).collect();
    let mut positions: HashMap<(u32, &str), usize> = HashMap::with_capacity(of_chunks.len());
    for (place, symbol) in of_chunks.iter().enumerate() {
        // A definition in several chunks refers to the first of them.
        positions.entry((symbol.line, &symbol.name)).or_insert(place);
    }
    // Each is referred to once, so that the total detects damaged bytes that refer to one
    // repeatedly.
    let mut is_used = vec![false; of_chunks.len()];
    let fits = |place: usize, is_used: &[bool], symbol: &Symbol| {
        is_used.get(place) == Some(&false) && equal_but_comment(of_chunks[place], symbol)
    };
    let mut ranges = Vec::new();
    let mut own = Vec::new();
    for symbol in symbols {
        if let Some(SymbolRange::OfChunks { first, count }) = ranges.last_mut()
            && fits((*first + *count) as usize, &is_used, symbol)
        {
            is_used[(*first + *count) as usize] = true;
            *count += 1;
            continue;
        }
        let known = positions.get(&(symbol.line, symbol.name.as_str())).copied();
        let place = known.filter(|place| fits(*place, &is_used, symbol));
        if let Some((place, first)) = place.zip(place.and_then(|place| u32::try_from(place).ok())) {
            is_used[place] = true;
            ranges.push(SymbolRange::OfChunks { first, count: 1 });
            continue;
        }
        own.push(symbol);
        match ranges.last_mut() {
            Some(SymbolRange::Own { count }) => *count += 1,
            _ => ranges.push(SymbolRange::Own { count: 1 }),
        }
    }
    (ranges, own)
}

/// Returns true if a definition of an outline equals one of a chunk except for the comment.
fn equal_but_comment(of_chunk: &Symbol, symbol: &Symbol) -> bool {
    symbol.doc_comment.is_none()
        && of_chunk.name == symbol.name
        && of_chunk.kind == symbol.kind
        && of_chunk.visibility == symbol.visibility
        && of_chunk.container == symbol.container
        && of_chunk.line == symbol.line
        && of_chunk.start_line == symbol.start_line
        && of_chunk.end_line == symbol.end_line
        && of_chunk.repetition == symbol.repetition
        && of_chunk.signature == symbol.signature
        && of_chunk.conformances == symbol.conformances
}

/// Distinct names, in the order of their first occurrence.
#[derive(Default)]
struct Names<'a> {
    list: Vec<&'a str>,
    positions: HashMap<&'a str, u32>,
}

impl<'a> Names<'a> {
    /// Returns the position of a name, which is added if it is new. A text of less than 4 GiB has
    /// fewer names than the maximum.
    fn position(&mut self, name: &'a str) -> u32 {
        let next = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        *self.positions.entry(name).or_insert_with(|| {
            self.list.push(name);
            next
        })
    }
}

/// Decodes an outline; `None` if the bytes are invalid. `chunks` loads the document's chunks and is
/// called only if the outline refers to them. `within` is always a valid position in `symbols`.
pub(in crate::backends) fn decode_outline<E>(
    bytes: &[u8],
    chunks: impl FnOnce() -> Result<Vec<StoredChunk>, E>,
) -> Result<Option<Outline>, E> {
    let Ok(outline) = postcard::from_bytes::<OutlineBytes<'_>>(bytes) else { return Ok(None) };
    let is_of_chunks = |stretch: &SymbolRange| matches!(stretch, SymbolRange::OfChunks { .. });
    let of_chunks = if outline.ranges.iter().any(is_of_chunks) {
        chunks()?.into_iter().flat_map(|chunk| chunk.symbols).collect()
    } else {
        Vec::new()
    };
    Ok(decode(&outline, of_chunks))
}

fn decode(outline: &OutlineBytes<'_>, mut of_chunks: Vec<Symbol>) -> Option<Outline> {
    for symbol in &mut of_chunks {
        symbol.doc_comment = None;
    }
    let mut own = symbols(&outline.own, 0)?.into_iter();
    let max_symbols = of_chunks.len() + own.len();
    let mut all = Vec::with_capacity(max_symbols);
    for stretch in &outline.ranges {
        match *stretch {
            SymbolRange::OfChunks { first, count } => {
                let first = first as usize;
                let end = first.checked_add(count as usize)?;
                if all.len() + count as usize > max_symbols {
                    return None;
                }
                all.extend_from_slice(of_chunks.get(first..end)?);
            }
            SymbolRange::Own { count } => {
                let before = own.len();
                all.extend(own.by_ref().take(count as usize));
                if before - own.len() < count as usize {
                    return None;
                }
            }
        }
    }
    let name = |position: usize| outline.names.get(position).copied().map(str::to_owned);
    let (mut line, mut within) = (0_u32, 0_u32);
    let columns = &outline.references;
    let lengths = [columns.qualifiers.len(), columns.lines.len(), columns.within.len()];
    if lengths != [columns.names_and_kinds.len(); 3] {
        return None;
    }
    let kinds = ReferenceKind::ALL.len() as u64;
    let mut references = Vec::with_capacity(columns.lines.len());
    for (index, name_and_kind) in columns.names_and_kinds.iter().enumerate() {
        line = line.wrapping_add(columns.lines[index].cast_unsigned());
        within = within.wrapping_add(columns.within[index].cast_unsigned());
        references.push(Reference {
            kind: ReferenceKind::ALL[usize::try_from(name_and_kind % kinds).ok()?],
            name: name(usize::try_from(name_and_kind / kinds).ok()?)?,
            qualifier: match columns.qualifiers[index].checked_sub(1) {
                Some(position) => Some(name(position as usize)?),
                None => None,
            },
            line,
            within: within.checked_sub(1).filter(|index| (*index as usize) < all.len()),
        });
    }
    Some(Outline {
        references,
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
        symbols: all,
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use lore_schema::{ChunkKind, Import, Outline, Reference, ReferenceKind, Span, Symbol};
    use proptest::prelude::*;

    use super::{decode_outline, encode_outline};
    use crate::{StoredChunk, backends::local::codec::tests::symbol};

    /// Chunks that contain some of the definitions each, with comments.
    fn chunks(symbols: &[Symbol], held: &[(usize, usize)]) -> Vec<StoredChunk> {
        let chunk = |(ordinal, (first, count)): (u32, &(usize, usize))| {
            let mut symbols: Vec<Symbol> =
                symbols.iter().skip(*first).take(*count).cloned().collect();
            for symbol in &mut symbols {
                symbol.doc_comment = Some("A comment.".to_owned());
            }
            StoredChunk {
                ordinal,
                span: Span { start: 0, end: 9, start_line: 1, end_line: 60 },
                kind: ChunkKind::Definition,
                symbol: symbols.first().cloned(),
                symbols,
                breadcrumb: Vec::new(),
                comments: Vec::new(),
            }
        };
        (0..).zip(held).map(chunk).collect()
    }

    proptest! {
        #[test]
        fn outlines_round_trip(
            names in prop::collection::vec("\\PC{0,8}", 1..7),
            // A definition may be in several chunks or in none.
            held in prop::collection::vec((0_usize..7, 0_usize..4), 0..4),
            kind in 0..ReferenceKind::ALL.len(),
            line in any::<u32>(),
            has_errors in any::<bool>(),
        ) {
            let mut symbols: Vec<Symbol> =
                names.iter().zip(0..).map(|(name, kind)| symbol(name, kind, None)).collect();
            for symbol in &mut symbols {
                symbol.doc_comment = None;
            }
            let chunks = chunks(&symbols, &held);
            let outline = Outline {
                symbols,
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
            let bytes = encode_outline(&outline, &chunks).expect("encodes");
            let decoded = decode_outline(&bytes, || Ok::<_, Infallible>(chunks));
            prop_assert_eq!(decoded, Ok(Some(outline)));
        }

        #[test]
        fn decoding_garbage_does_not_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..80),
            held in prop::collection::vec((0_usize..2, 0_usize..2), 0..2),
        ) {
            // It may or may not decode, but must not panic.
            let symbols = [symbol("a", 1, None), symbol("b", 2, None)];
            let _ = decode_outline(&bytes, || Ok::<_, Infallible>(chunks(&symbols, &held)));
        }
    }

    #[test]
    fn definitions_of_chunks_are_not_stored_twice() {
        let symbols: Vec<Symbol> = (0..100).map(|kind| symbol("walk", kind, None)).collect();
        let outline = Outline { symbols: symbols.clone(), ..Outline::default() };
        let alone = encode_outline(&outline, &[]).expect("encodes");
        let beside = encode_outline(&outline, &chunks(&symbols, &[(0, 40), (40, 60)]));
        assert!(alone.len() > 1_000);
        assert!(beside.expect("encodes").len() < 20);
    }
}
