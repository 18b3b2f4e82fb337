//! Turns pieces into chunks: exact spans, names, comments.
//!
//! **Invariant:** only this module makes a [`Chunk`]. The laws of chunks hold for any pieces that
//! are ordered and cover all lines.

use std::ops::Range;

use lore_schema::{Chunk, ChunkKind, Span, Symbol};

use crate::{
    limits::{MAX_PIECE, MAX_WHOLE},
    line_table::LineTable,
    outline::{Outline, is_function, line_number},
    pieces::Piece,
    prose::Section,
};

/// Maximum distance in bytes from the wanted position at which an overlong line is cut at
/// whitespace.
const MAX_CUT_SHIFT: usize = 200;

/// Makes the chunks of one text.
pub(crate) struct Assembler<'t> {
    text: &'t str,
    lines: &'t LineTable,
    /// Metadata, on character boundaries.
    excluded: Vec<Range<usize>>,
}

impl<'t> Assembler<'t> {
    /// Creates an assembler for a text; no chunk contains the `excluded` ranges.
    pub(crate) fn new(text: &'t str, lines: &'t LineTable, excluded: &[Range<usize>]) -> Self {
        let boundary = |byte: usize| text.floor_char_boundary(byte);
        let excluded =
            excluded.iter().map(|range| boundary(range.start)..boundary(range.end)).collect();
        Assembler { text, lines, excluded }
    }

    /// Builds the chunks of prose.
    pub(crate) fn sections(&self, sections: &[Section]) -> Vec<Chunk> {
        let mut chunks = Vec::with_capacity(sections.len());
        for section in sections {
            for range in self.parts(&section.lines) {
                let mut chunk = self.chunk(&chunks, range, ChunkKind::Section);
                chunk.breadcrumb.clone_from(&section.breadcrumb);
                chunks.push(chunk);
            }
        }
        chunks
    }

    /// Builds the chunks of code. A chunk without a definition has the kind `Lines`.
    pub(crate) fn code(
        &self,
        pieces: &[Piece],
        outline: &Outline,
        symbols: &[Symbol],
        kind: ChunkKind,
    ) -> Vec<Chunk> {
        let mut chunks = Vec::with_capacity(pieces.len());
        for piece in pieces {
            for range in self.parts(&piece.lines) {
                let mut chunk = self.chunk(&chunks, range, ChunkKind::Lines);
                name(&mut chunk, piece, outline, symbols);
                if chunk.symbol.is_some() {
                    chunk.kind = kind;
                }
                chunk.comments = clipped(&outline.comments, &chunk.span);
                chunks.push(chunk);
            }
        }
        chunks
    }

    fn chunk(&self, before: &[Chunk], range: Range<usize>, kind: ChunkKind) -> Chunk {
        Chunk {
            ordinal: u32::try_from(before.len()).unwrap_or(u32::MAX),
            span: Span {
                start: range.start,
                end: range.end,
                start_line: line_number(self.lines.line_of(range.start)),
                end_line: line_number(self.lines.line_of(range.end - 1)),
            },
            kind,
            symbol: None,
            symbols: Vec::new(),
            breadcrumb: Vec::new(),
            comments: Vec::new(),
        }
    }

    /// The byte ranges of a piece: without metadata, without surrounding whitespace, none too long.
    fn parts(&self, lines: &Range<usize>) -> Vec<Range<usize>> {
        let piece = self.lines.bytes(lines);
        let mut parts = Vec::new();
        let mut start = piece.start;
        for excluded in &self.excluded {
            if excluded.start >= piece.end {
                break;
            }
            self.add_parts(start..excluded.start, &mut parts);
            start = start.max(excluded.end);
        }
        self.add_parts(start..piece.end, &mut parts);
        parts
    }

    fn add_parts(&self, range: Range<usize>, parts: &mut Vec<Range<usize>>) {
        let mut rest = range;
        while let Some(trimmed) = self.trimmed(&rest) {
            if trimmed.len() <= MAX_PIECE {
                parts.push(trimmed);
                return;
            }
            let cut = self.cut_in_line(trimmed.start);
            if let Some(part) = self.trimmed(&(trimmed.start..cut)) {
                parts.push(part);
            }
            rest = cut..trimmed.end;
        }
    }

    /// A cut about [`MAX_WHOLE`] bytes further on, after whitespace if there is some nearby.
    fn cut_in_line(&self, start: usize) -> usize {
        let end = self.text.floor_char_boundary(start + MAX_WHOLE);
        let from = self.text.floor_char_boundary(end - MAX_CUT_SHIFT);
        let word = self.text[from..end].rfind(char::is_whitespace);
        word.map_or(end, |offset| self.text.ceil_char_boundary(from + offset + 1))
    }

    /// A range without empty lines at its start and whitespace at its end; `None` if it is blank.
    fn trimmed(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let content = self.text.get(range.clone())?;
        let end = range.start + content.trim_end().len();
        let first = range.end - content.trim_start().len();
        let line_start = self.lines.start(self.lines.line_of(first));
        (first < end).then(|| line_start.max(range.start)..end)
    }
}

/// Sets the definitions of a chunk. A part of a large definition is named after that definition,
/// unless it starts with a nested one, or the large one only contains members.
fn name(chunk: &mut Chunk, piece: &Piece, outline: &Outline, symbols: &[Symbol]) {
    let inside = outline.within(&(chunk.span.start..chunk.span.end));
    let first = inside.clone().min_by_key(|index| outline.definitions[*index].depth);
    let about = match (piece.owner, first) {
        (Some(owner), Some(first)) => {
            let continues = !piece.is_definition && !inside.contains(&owner);
            let runs = is_function(outline.definitions[owner].kind);
            if continues && runs { owner } else { first }
        }
        (Some(index), None) | (None, Some(index)) => index,
        (None, None) => return,
    };
    let mut own = symbols[about].clone();
    chunk.symbols = symbols[inside.clone()].to_vec();
    if !inside.contains(&about) {
        own.doc_comment = None;
        own.conformances.clear();
        chunk.symbols.insert(0, own.clone());
    }
    chunk.breadcrumb = outline.breadcrumb(about);
    chunk.symbol = Some(own);
}

/// The parts of ordered ranges that are inside a span.
fn clipped(ranges: &[Range<usize>], span: &Span) -> Vec<Range<usize>> {
    let first = ranges.partition_point(|range| range.end <= span.start);
    ranges[first..]
        .iter()
        .take_while(|range| range.start < span.end)
        .map(|range| range.start.max(span.start)..range.end.min(span.end))
        .collect()
}
