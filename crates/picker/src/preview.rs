//! The text behind an item, as lines with classes.

use std::ops::Range;

use lore_highlight::{Span, highlight_file, in_lines};

use crate::{Document, Item};

/// Maximum number of bytes that are shown: a preview is for a look.
const MAX_BYTES: usize = 2 << 20;

/// The text behind an item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Preview {
    /// Key of the item.
    pub(crate) key: String,
    /// Title: the place and the label of the item.
    pub(crate) title: String,
    /// The lines with their spans, in bytes.
    pub(crate) lines: Vec<(String, Vec<Span>)>,
    /// Lines that answer, 1-based, without the end; empty if the lines are not those of the item.
    pub(crate) answer: Range<u32>,
    /// Matches in these lines: line and character range.
    pub(crate) marks: Vec<(u32, Range<usize>)>,
    /// True if the lines have numbers.
    pub(crate) has_numbers: bool,
}

impl Preview {
    /// Prepares the text of an item.
    pub(crate) fn new(item: &Item, document: &Document) -> Preview {
        let text = &document.text[..document.text.floor_char_boundary(MAX_BYTES)];
        let spans = match &document.path {
            Some(path) => highlight_file(path, text),
            None => Vec::new(),
        };
        let mut spans = in_lines(text, &spans).into_iter();
        let lines =
            text.lines().map(|line| (line.to_owned(), spans.next().unwrap_or_default())).collect();
        let title = if item.label.is_empty() {
            item.location()
        } else {
            format!("{}  {}", item.location(), item.label)
        };
        let (answer, marks) = if document.has_lines {
            (item.answer.clone(), item.answer_marks.clone())
        } else {
            (0..0, Vec::new())
        };
        Preview {
            key: item.key.clone(),
            title,
            lines,
            answer,
            marks,
            has_numbers: document.has_lines,
        }
    }

    /// The first line to show, 0-based, in a window of some lines that is scrolled by some lines from where
    /// the lines that answer are centred.
    pub(crate) fn top(&self, height: usize, scrolled: isize) -> usize {
        let first = (self.answer.start as usize).saturating_sub(1);
        let count = (self.answer.end.saturating_sub(self.answer.start) as usize).min(height);
        let centred = first.saturating_sub((height - count) / 2);
        let most = self.lines.len().saturating_sub(height);
        centred.min(most).saturating_add_signed(scrolled).min(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_that_answer_are_centred_within_the_text() {
        let text = "x\n".repeat(100);
        let document = Document { text, path: None, has_lines: true };
        let top = |answer: Range<u32>, scrolled| {
            let item = Item { answer, ..Item::default() };
            Preview::new(&item, &document).top(20, scrolled)
        };
        assert_eq!(top(50..52, 0), 40);
        assert_eq!(top(50..52, -15), 25);
        assert_eq!(top(1..2, 0), 0);
        assert_eq!(top(1..2, -5), 0);
        assert_eq!(top(100..101, 3), 80);
        assert_eq!(top(30..90, 0), 29);
        assert_eq!(top(0..0, 0), 0);
        assert_eq!(top(5_000..5_001, 0), 80);
    }
}
