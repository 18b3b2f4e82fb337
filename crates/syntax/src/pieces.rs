//! Cuts a parsed text along its definitions: keeps whole ones, opens large ones, joins small ones.

use std::ops::Range;

use crate::{
    limits::{MAX_WHOLE, MIN_GAP, TARGET},
    line_table::LineTable,
    lines,
    outline::Outline,
};

/// A range of lines that becomes one chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The lines, from 0.
    pub(crate) lines: Range<usize>,
    /// The innermost opened definition that contains the piece.
    pub(crate) owner: Option<usize>,
    /// True if the piece starts with a whole definition.
    pub(crate) is_definition: bool,
}

/// Cuts all lines of a text into pieces, in order and without gaps.
pub(crate) fn cut(text: &str, lines: &LineTable, outline: &Outline) -> Vec<Piece> {
    let items = items(lines, outline);
    let mut small = Vec::with_capacity(items.len());
    for item in items {
        if item.is_definition || lines.size(&item.lines) <= TARGET * 3 / 2 {
            small.push(item);
            continue;
        }
        let preference = |line| lines::preference(text, lines, line);
        for lines in lines::split(lines, item.lines.clone(), TARGET, preference) {
            small.push(Piece { lines, ..item });
        }
    }
    join(text, lines, outline, small)
}

/// Splits the text into whole definitions and the text between them. A definition over
/// [`MAX_WHOLE`] is opened: its own parts become items.
fn items(lines: &LineTable, outline: &Outline) -> Vec<Piece> {
    let mut items = Vec::new();
    // Opened definitions with the line after each.
    let mut open: Vec<(usize, usize)> = Vec::new();
    // True for opened definitions, by index.
    let mut opened = vec![false; outline.definitions.len()];
    let mut next = 0;
    let mut gap = |next: &mut usize, end: usize, owner: Option<usize>| {
        if *next < end {
            items.push(Piece { lines: *next..end, owner, is_definition: false });
            *next = end;
        }
        items.len()
    };
    let mut whole = Vec::new();
    for (index, definition) in outline.definitions.iter().enumerate() {
        if definition.parent.is_some_and(|parent| !opened[parent]) {
            continue;
        }
        while let Some((owner, end)) = open.last().copied() {
            if Some(owner) == definition.parent {
                break;
            }
            gap(&mut next, end, Some(owner));
            open.pop();
        }
        let owner = open.last().map(|(owner, _)| *owner);
        gap(&mut next, definition.lines.start, owner);
        if lines.size(&definition.lines) > MAX_WHOLE {
            opened[index] = true;
            open.push((index, definition.lines.end));
        } else {
            let before = next;
            let count = gap(&mut next, definition.lines.end, owner);
            if next > before {
                whole.push(count - 1);
            }
        }
    }
    while let Some((owner, end)) = open.pop() {
        gap(&mut next, end, Some(owner));
    }
    gap(&mut next, lines.count(), None);
    for index in whole {
        items[index].is_definition = true;
    }
    items
}

/// Joins small neighbours.
fn join(text: &str, lines: &LineTable, outline: &Outline, items: Vec<Piece>) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::with_capacity(items.len());
    for item in items {
        let Some(last) = joined.last_mut() else {
            joined.push(item);
            continue;
        };
        let size = lines.size(&item.lines);
        let last_size = lines.size(&last.lines);
        let fits = |limit: usize| size + last_size <= limit;
        let same_owner = last.owner == item.owner;
        // A small rest may overfill a chunk rather than become a chunk of its own.
        let small = size.min(last_size) < MIN_GAP;
        let same_parent = same_owner && fits(if small { TARGET * 5 / 4 } else { TARGET });
        // The end of a block, or text without a word, joins the piece that it ends.
        let closing = !item.is_definition && is_insignificant(text, lines, &item.lines);
        let opening = !last.is_definition
            && last_size < MIN_GAP
            && fits(MAX_WHOLE)
            && (same_owner || is_inside(outline, item.owner, last.owner))
            || is_insignificant(text, lines, &last.lines) && fits(MAX_WHOLE);
        let trailing = !item.is_definition && same_owner && size < MIN_GAP && fits(MAX_WHOLE);
        if same_parent || closing || opening || trailing {
            last.lines.end = item.lines.end;
        } else {
            joined.push(item);
        }
    }
    joined
}

/// Returns true if `outer` is the parent of the opened definition `inner`; the text is the parent
/// of the outermost.
fn is_inside(outline: &Outline, inner: Option<usize>, outer: Option<usize>) -> bool {
    inner.is_some_and(|inner| outline.definitions[inner].parent == outer)
}

/// Returns true for lines without a word, only brackets and the like.
fn is_insignificant(text: &str, lines: &LineTable, range: &Range<usize>) -> bool {
    let bytes = lines.bytes(range);
    bytes.len() < MIN_GAP && !text[bytes].contains(|letter: char| letter.is_alphanumeric())
}
