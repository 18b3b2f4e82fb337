//! A range of a text, in bytes and in lines.

/// A half-open byte range with the lines that it covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First byte, 0-based, on a character boundary.
    pub start: usize,
    /// End, exclusive, on a character boundary.
    pub end: usize,
    /// Line of the first byte, 1-based.
    pub start_line: u32,
    /// Line of the last byte, 1-based, never below `start_line`.
    pub end_line: u32,
}

impl Span {
    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Returns true if the span covers a line, 1-based.
    pub fn has_line(&self, line: u32) -> bool {
        (self.start_line..=self.end_line).contains(&line)
    }

    /// Returns true if the span has no bytes.
    pub fn is_empty(&self) -> bool {
        self.end <= self.start
    }
}
