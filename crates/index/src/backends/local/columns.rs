//! Encoding of definitions, property by property. Similar values are adjacent, so that they
//! compress well.
//!
//! **Invariant:** the one of [`codec`].
//!
//! [`codec`]: super::codec

use std::borrow::Cow;

use lore_schema::{Conformance, ConformanceKind, Symbol, SymbolKind, Visibility};
use serde::{Deserialize, Serialize};

use super::vocabulary::position;

/// All visibilities, in the order of their stored positions.
const VISIBILITIES: [Visibility; 3] =
    [Visibility::Public, Visibility::Private, Visibility::Unknown];

/// The definitions, one property after the other.
#[derive(Serialize, Deserialize)]
pub(super) struct SymbolColumns<'a> {
    /// One byte each: the kind times the number of visibilities, plus the visibility.
    #[serde(borrow)]
    kinds: Cow<'a, [u8]>,
    /// Seven numbers for each definition; first the first number of all definitions, then the
    /// second of all, and so on:
    ///
    /// 1. line of the name minus that of the previous definition, modulo 2^32, in zigzag;
    /// 2. lines from the first line to that of the name;
    /// 3. lines from that of the name to the last one;
    /// 4. start of the name in the signature plus 1, or 0 if the name follows the signature;
    /// 5. bytes of the name;
    /// 6. bytes of the signature;
    /// 7. position of the container plus 1, or 0.
    numbers: Vec<u32>,
    /// Signatures, each followed by the name if the signature does not contain it.
    #[serde(borrow)]
    texts: Cow<'a, str>,
    containers: Vec<&'a str>,
    /// Repetitions other than 1, with the position of the definition.
    repetitions: Vec<(u32, u32)>,
    doc_comments: Vec<(u32, &'a str)>,
    /// Position of the definition, kind, qualifier or the empty string, name.
    conformances: Vec<(u32, u8, &'a str, &'a str)>,
}

/// Number of numbers per definition.
const PROPERTIES: usize = 7;

/// Encodes definitions. Lines are counted from `first_line`.
pub(super) fn symbol_columns<'a>(symbols: &[&'a Symbol], first_line: u32) -> SymbolColumns<'a> {
    let count = symbols.len();
    let mut columns = SymbolColumns {
        kinds: symbols.iter().map(|symbol| kind_and_visibility(symbol)).collect(),
        numbers: vec![0; count * PROPERTIES],
        texts: Cow::default(),
        containers: Vec::new(),
        repetitions: Vec::new(),
        doc_comments: Vec::new(),
        conformances: Vec::new(),
    };
    let mut texts = String::new();
    let mut line = first_line;
    for ((index, symbol), number) in symbols.iter().enumerate().zip(0..) {
        let text = &symbol.signature;
        let place = text.find(&symbol.name).filter(|_| !symbol.name.is_empty());
        texts.push_str(text);
        if place.is_none() {
            texts.push_str(&symbol.name);
        }
        let container = symbol.container.as_deref().map(|container| {
            let known = columns.containers.iter().rposition(|other| *other == container);
            known.unwrap_or_else(|| {
                columns.containers.push(container);
                columns.containers.len() - 1
            })
        });
        let properties = [
            zigzag(symbol.line.wrapping_sub(line).cast_signed()),
            symbol.line.saturating_sub(symbol.start_line),
            symbol.end_line.saturating_sub(symbol.line),
            place.map_or(0, |start| length(start) + 1),
            length(symbol.name.len()),
            length(text.len()),
            container.map_or(0, |container| length(container) + 1),
        ];
        for (property, value) in properties.into_iter().enumerate() {
            columns.numbers[property * count + index] = value;
        }
        line = symbol.line;
        if symbol.repetition != 1 {
            columns.repetitions.push((number, symbol.repetition));
        }
        if let Some(comment) = &symbol.doc_comment {
            columns.doc_comments.push((number, comment));
        }
        for of in &symbol.conformances {
            let qualifier = of.qualifier.as_deref().unwrap_or_default();
            let kind = position(ConformanceKind::ALL, of.kind);
            columns.conformances.push((number, kind, qualifier, &of.name));
        }
    }
    columns.texts = texts.into();
    columns
}

fn kind_and_visibility(symbol: &Symbol) -> u8 {
    let visibilities = position(&VISIBILITIES, Visibility::Unknown) + 1;
    position(SymbolKind::ALL, symbol.kind) * visibilities
        + position(&VISIBILITIES, symbol.visibility)
}

/// A length in bytes. A text on one line is shorter than the maximum.
fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX - 1)
}

impl SymbolColumns<'_> {
    /// Iterates over the names of the definitions except the last `without` ones. Both the iterator
    /// and its items are `None` if the bytes are invalid.
    pub(super) fn names(&self, without: usize) -> Option<impl Iterator<Item = Option<&str>>> {
        if self.numbers.len() != self.kinds.len().checked_mul(PROPERTIES)? {
            return None;
        }
        let mut texts: &str = &self.texts;
        let count = self.kinds.len().checked_sub(without)?;
        Some((0..count).map(move |index| Some(self.name_and_signature(index, &mut texts)?.0)))
    }

    /// Name and signature of a definition. `texts` starts at its text and is advanced.
    fn name_and_signature<'t>(
        &self,
        index: usize,
        texts: &mut &'t str,
    ) -> Option<(&'t str, &'t str)> {
        let number = |property: usize| self.numbers[property * self.kinds.len() + index];
        let (signature, rest) = texts.split_at_checked(number(5) as usize)?;
        let bytes = number(4) as usize;
        let (name, rest) = if let Some(start) = number(3).checked_sub(1) {
            let start = start as usize;
            (signature.get(start..start.checked_add(bytes)?)?, rest)
        } else {
            rest.split_at_checked(bytes)?
        };
        *texts = rest;
        Some((name, signature))
    }
}

/// Decodes definitions whose lines are counted from `first_line`; `None` if the bytes are invalid.
pub(super) fn symbols(columns: &SymbolColumns<'_>, first_line: u32) -> Option<Vec<Symbol>> {
    let count = columns.kinds.len();
    if columns.numbers.len() != count.checked_mul(PROPERTIES)? {
        return None;
    }
    let mut symbols = Vec::with_capacity(count);
    let mut line = first_line;
    let mut texts: &str = &columns.texts;
    for (index, kind) in columns.kinds.iter().enumerate() {
        let number = |property: usize| columns.numbers[property * count + index];
        line = line.wrapping_add(unzigzag(number(0)).cast_unsigned());
        let (name, signature) = columns.name_and_signature(index, &mut texts)?;
        let container = match number(6).checked_sub(1) {
            Some(container) => Some((*columns.containers.get(container as usize)?).to_owned()),
            None => None,
        };
        let kind = usize::from(*kind);
        symbols.push(Symbol {
            name: name.to_owned(),
            kind: *SymbolKind::ALL.get(kind / VISIBILITIES.len())?,
            visibility: VISIBILITIES[kind % VISIBILITIES.len()],
            container,
            line,
            start_line: line.saturating_sub(number(1)),
            end_line: line.saturating_add(number(2)),
            repetition: 1,
            signature: signature.to_owned(),
            doc_comment: None,
            conformances: Vec::new(),
        });
    }
    for (index, repetition) in &columns.repetitions {
        symbols.get_mut(*index as usize)?.repetition = *repetition;
    }
    for (index, comment) in &columns.doc_comments {
        symbols.get_mut(*index as usize)?.doc_comment = Some((*comment).to_owned());
    }
    for (index, kind, qualifier, name) in &columns.conformances {
        symbols.get_mut(*index as usize)?.conformances.push(Conformance {
            kind: *ConformanceKind::ALL.get(usize::from(*kind))?,
            name: (*name).to_owned(),
            qualifier: Some(*qualifier).filter(|path| !path.is_empty()).map(str::to_owned),
        });
    }
    Some(symbols)
}

/// Encodes a signed number so that small absolute values are small.
pub(super) fn zigzag(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)).cast_unsigned()
}

/// Decodes a number of [`zigzag`].
pub(super) fn unzigzag(value: u32) -> i32 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}
