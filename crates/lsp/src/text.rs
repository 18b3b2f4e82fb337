//! Positions in a text: those of the protocol, in code units, and those of the index, in lines.
//!
//! The protocol also ends lines at a single `\r`; the index does not. Both are converted by way of
//! byte offsets.

use std::ops::Range;

use lsp_types::{Position, PositionEncodingKind};

/// Unit of the columns that the client and the server agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Encoding {
    /// Bytes.
    Utf8,
    /// 16-bit code units, which every client supports.
    #[default]
    Utf16,
}

impl Encoding {
    /// Returns the name in the protocol.
    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    fn length(self, text: &str) -> usize {
        match self {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.encode_utf16().count(),
        }
    }

    /// Returns the byte offset of a column in a line; its end for a column after it. A column inside
    /// a character means its start.
    fn offset(self, line: &str, column: usize) -> usize {
        let mut passed = 0;
        for (at, character) in line.char_indices() {
            passed += match self {
                Encoding::Utf8 => character.len_utf8(),
                Encoding::Utf16 => character.len_utf16(),
            };
            if column < passed {
                return at;
            }
        }
        line.len()
    }
}

/// A text with its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    content: String,
    /// Byte offsets at which the lines of the protocol start.
    protocol_lines: Vec<usize>,
    /// Byte offsets at which the lines of the index start.
    index_lines: Vec<usize>,
}

impl Text {
    /// Finds the lines of a text.
    pub(crate) fn new(text: String) -> Text {
        let bytes = text.as_bytes();
        let mut protocol_lines = vec![0];
        let mut index_lines = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            match byte {
                b'\n' => {
                    protocol_lines.push(at + 1);
                    index_lines.push(at + 1);
                }
                b'\r' if bytes.get(at + 1) != Some(&b'\n') => protocol_lines.push(at + 1),
                _ => {}
            }
        }
        Text { content: text, protocol_lines, index_lines }
    }

    /// Returns the text.
    pub(crate) fn as_str(&self) -> &str {
        &self.content
    }

    /// Returns the byte range of a line without its end.
    fn line(&self, starts: &[usize], index: usize) -> Option<Range<usize>> {
        let start = *starts.get(index)?;
        let end = starts.get(index + 1).copied().unwrap_or(self.content.len());
        let line = &self.content[start..end];
        Some(start..start + line.trim_end_matches(['\r', '\n']).len())
    }

    /// Returns a line of the index, 1-based, without its end; empty after the last one.
    pub(crate) fn index_line(&self, line: u32) -> &str {
        let range = (line as usize)
            .checked_sub(1)
            .and_then(|index| self.line(&self.index_lines, index))
            .unwrap_or_default();
        &self.content[range]
    }

    /// Returns the number of lines of the index.
    pub(crate) fn line_count(&self) -> u32 {
        u32::try_from(self.index_lines.len()).unwrap_or(u32::MAX)
    }

    /// Returns the byte offset of a position. One after the end of its line or of the text means that
    /// end.
    pub(crate) fn offset(&self, position: Position, encoding: Encoding) -> usize {
        match self.line(&self.protocol_lines, position.line as usize) {
            Some(range) => {
                let start = range.start;
                start + encoding.offset(&self.content[range], position.character as usize)
            }
            None => self.content.len(),
        }
    }

    /// Returns the position of a byte offset, which is at the boundary of a character.
    pub(crate) fn position(&self, offset: usize, encoding: Encoding) -> Position {
        let offset = offset.min(self.content.len());
        let line = self.protocol_lines.partition_point(|start| *start <= offset) - 1;
        let before = &self.content[self.protocol_lines[line]..offset];
        Position::new(number(line), number(encoding.length(before)))
    }

    /// Returns the line of the index, 1-based, and the byte column of an offset.
    pub(crate) fn index_position(&self, offset: usize) -> (u32, usize) {
        let line = self.index_lines.partition_point(|start| *start <= offset);
        (number(line), offset - self.index_lines[line - 1])
    }

    /// Returns the byte offset of a byte column in a line of the index, 1-based.
    pub(crate) fn index_offset(&self, line: u32, column: usize) -> usize {
        let start = self.index_lines.get((line as usize).saturating_sub(1));
        start.map_or(self.content.len(), |start| start + column).min(self.content.len())
    }

    /// Returns the text with a range replaced.
    pub(crate) fn replaced(&self, range: lsp_types::Range, with: &str, encoding: Encoding) -> Text {
        let (start, end) = (self.offset(range.start, encoding), self.offset(range.end, encoding));
        let end = end.max(start);
        let mut text = String::with_capacity(self.content.len() + with.len());
        text.push_str(&self.content[..start]);
        text.push_str(with);
        text.push_str(&self.content[end..]);
        Text::new(text)
    }
}

/// Converts a count for the protocol.
pub(crate) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position::new(line, character)
    }

    #[test]
    fn columns_count_code_units() {
        let text = Text::new("a\n🦀é = x\n".to_owned());
        let x = text.as_str().find('x').unwrap();
        assert_eq!(text.position(x, Encoding::Utf16), at(1, 6));
        assert_eq!(text.position(x, Encoding::Utf8), at(1, 9));
        assert_eq!(text.offset(at(1, 6), Encoding::Utf16), x);
        assert_eq!(text.offset(at(1, 9), Encoding::Utf8), x);
        // Inside the surrogate pair.
        assert_eq!(text.offset(at(1, 1), Encoding::Utf16), 2);
    }

    #[test]
    fn positions_after_the_end_mean_the_end() {
        let text = Text::new("ab\r\ncd".to_owned());
        assert_eq!(text.offset(at(0, 99), Encoding::Utf16), 2);
        assert_eq!(text.offset(at(9, 0), Encoding::Utf16), 6);
        assert_eq!(text.offset(at(u32::MAX, u32::MAX), Encoding::Utf8), 6);
        assert_eq!(text.index_line(2), "cd");
        assert_eq!(text.index_line(0), "");
        assert_eq!(text.index_line(9), "");
        assert_eq!(text.index_offset(9, 9), 6);
    }

    #[test]
    fn a_single_carriage_return_ends_a_line_of_the_protocol_only() {
        let text = Text::new("a\rb\nc\r\nd".to_owned());
        let offset = |text: &Text, letter| text.as_str().find(letter).unwrap();
        assert_eq!(text.position(offset(&text, 'b'), Encoding::Utf16), at(1, 0));
        assert_eq!(text.index_position(offset(&text, 'b')), (1, 2));
        assert_eq!(text.position(offset(&text, 'd'), Encoding::Utf16), at(3, 0));
        assert_eq!(text.index_position(offset(&text, 'd')), (3, 0));
    }

    #[test]
    fn edits_replace_ranges() {
        let text = Text::new("let 🦀 = 1;\n".to_owned());
        let edited = text.replaced(lsp_types::Range::new(at(0, 4), at(0, 6)), "x", Encoding::Utf16);
        assert_eq!(edited.as_str(), "let x = 1;\n");
        let backwards = lsp_types::Range::new(at(0, 6), at(0, 4));
        assert_eq!(text.replaced(backwards, "", Encoding::Utf16), text);
    }
}
