//! The result of a parser: what a text defines and uses, before it is cut.

mod bytes;

use crate::{line_table::LineTable, outline::Outline};

/// The definitions, comments, references and imports of a text. Only meaningful together with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed(Outline);

impl Parsed {
    pub(crate) fn new(outline: Outline) -> Parsed {
        Parsed(outline)
    }

    pub(crate) fn into_outline(self) -> Outline {
        self.0
    }

    /// Appends its bytes, to be sent to another process of the same version.
    pub fn encode(&self, bytes: Vec<u8>) -> Vec<u8> {
        bytes::encode(&self.0, bytes)
    }

    /// The result for this text from its bytes. `None` if the bytes are invalid, or do not fit the
    /// text: the other process may have been damaged by it.
    pub fn decode(bytes: &[u8], text: &str) -> Option<Parsed> {
        bytes::decode(bytes).filter(|outline| fits(outline, text)).map(Parsed)
    }
}

/// Returns true if the positions of an outline are valid in a text.
fn fits(outline: &Outline, text: &str) -> bool {
    let lines = LineTable::new(text).count();
    let definitions = &outline.definitions;
    let definitions_fit = definitions.iter().enumerate().all(|(index, definition)| {
        definition.name_line < lines
            && definition.anchor <= text.len()
            && definition.lines.start <= definition.lines.end
            && definition.lines.end <= lines
            && definition.parent.is_none_or(|parent| parent < index)
    });
    let is_boundary = |byte: usize| text.is_char_boundary(byte);
    definitions_fit
        && definitions.is_sorted_by_key(|definition| definition.anchor)
        && outline.comments.iter().all(|range| {
            range.start <= range.end && is_boundary(range.start) && is_boundary(range.end)
        })
        && outline.comments.is_sorted_by(|left, right| left.end <= right.start)
        && outline
            .references
            .iter()
            .all(|reference| reference.within.is_none_or(|at| (at as usize) < definitions.len()))
}

#[cfg(test)]
mod tests;
