//! Line starts: maps bytes to lines and back.

use std::ops::Range;

/// The lines of a text. Lines count from 0 here, and end with `\n` or the text.
pub(crate) struct LineTable {
    starts: Vec<usize>,
    length: usize,
}

impl LineTable {
    /// Finds the lines of a text. An empty text has no line.
    pub(crate) fn new(text: &str) -> LineTable {
        let mut starts = Vec::with_capacity(text.len() / 32 + 1);
        if !text.is_empty() {
            starts.push(0);
        }
        let bytes = text.as_bytes();
        for (index, byte) in bytes.iter().enumerate() {
            if *byte == b'\n' && index + 1 < bytes.len() {
                starts.push(index + 1);
            }
        }
        LineTable { starts, length: text.len() }
    }

    /// Number of lines.
    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The line that contains a byte; for the end of the text, the last line.
    pub(crate) fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }

    /// First byte of a line; the length of the text past the last line.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.length)
    }

    /// The bytes of some lines, line ends included.
    pub(crate) fn bytes(&self, lines: &Range<usize>) -> Range<usize> {
        self.start(lines.start)..self.start(lines.end)
    }

    /// Number of bytes in some lines.
    pub(crate) fn size(&self, lines: &Range<usize>) -> usize {
        self.bytes(lines).len()
    }

    /// The text of one line with its end.
    pub(crate) fn text<'t>(&self, text: &'t str, line: usize) -> &'t str {
        &text[self.bytes(&(line..line + 1))]
    }

    /// The line after the last line that a non-empty byte range touches.
    pub(crate) fn line_after(&self, range: &Range<usize>) -> usize {
        self.line_of(range.end.max(range.start + 1) - 1) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::LineTable;

    #[test]
    fn bytes_and_lines() {
        let text = "ab\n\ncd";
        let table = LineTable::new(text);
        assert_eq!(table.count(), 3);
        assert_eq!([0, 2, 3, 4, 5, 6].map(|byte| table.line_of(byte)), [0, 0, 1, 2, 2, 2]);
        assert_eq!(table.text(text, 0), "ab\n");
        assert_eq!(table.text(text, 2), "cd");
        assert_eq!(table.bytes(&(1..9)), 3..6);
        assert_eq!(LineTable::new("a\n").count(), 1);
        assert_eq!(LineTable::new("").count(), 0);
    }
}
