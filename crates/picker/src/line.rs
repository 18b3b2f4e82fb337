//! The query: a line of text with a cursor.

use crate::keys::Edit;

/// Maximum length of a query in bytes. More is not taken from the keyboard or a paste.
const MAX_LEN: usize = 4_096;

/// A line of text with a cursor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Line {
    text: String,
    /// Offset of the cursor in bytes, at a character boundary.
    cursor: usize,
}

impl Line {
    /// A line with the cursor at its end.
    pub(crate) fn new(text: &str) -> Line {
        let mut line = Line::default();
        line.insert(text);
        line
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The text to the left of the cursor.
    pub(crate) fn before(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// Inserts text at the cursor; line ends and other control characters become spaces.
    pub(crate) fn insert(&mut self, text: &str) {
        let room = MAX_LEN.saturating_sub(self.text.len());
        let taken = &text[..text.floor_char_boundary(room)];
        let plain: String =
            taken.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        self.text.insert_str(self.cursor, &plain);
        self.cursor += plain.len();
    }

    /// Applies an edit.
    pub(crate) fn edit(&mut self, edit: Edit) {
        match edit {
            Edit::Back => self.cursor = self.left(),
            Edit::Forward => self.cursor = self.right(),
            Edit::BackWord => self.cursor = self.word_left(),
            Edit::ForwardWord => self.cursor = self.word_right(),
            Edit::Start => self.cursor = 0,
            Edit::End => self.cursor = self.text.len(),
            Edit::DeleteBack => self.delete_from(self.left()),
            Edit::DeleteWordBack => self.delete_from(self.space_left()),
            Edit::ClearBack => self.delete_from(0),
            Edit::DeleteForward => self.delete_to(self.right()),
            Edit::DeleteWordForward => self.delete_to(self.word_right()),
        }
    }

    fn delete_from(&mut self, start: usize) {
        self.text.replace_range(start..self.cursor, "");
        self.cursor = start;
    }

    fn delete_to(&mut self, end: usize) {
        self.text.replace_range(self.cursor..end, "");
    }

    fn left(&self) -> usize {
        self.before().char_indices().next_back().map_or(0, |(at, _)| at)
    }

    fn right(&self) -> usize {
        self.cursor + self.text[self.cursor..].chars().next().map_or(0, char::len_utf8)
    }

    /// The start of the word to the left: of letters and digits.
    fn word_left(&self) -> usize {
        let trimmed = self.before().trim_end_matches(|letter: char| !letter.is_alphanumeric());
        trimmed.trim_end_matches(char::is_alphanumeric).len()
    }

    /// The end of the word to the right.
    fn word_right(&self) -> usize {
        let rest = &self.text[self.cursor..];
        let word = rest.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        self.text.len() - word.trim_start_matches(char::is_alphanumeric).len()
    }

    /// The start of the word to the left: of anything but whitespace.
    fn space_left(&self) -> usize {
        let trimmed = self.before().trim_end();
        trimmed.trim_end_matches(|letter: char| !letter.is_whitespace()).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies edits to a line whose cursor is at `|`.
    fn check(before: &str, edits: &[Edit], after: &str) {
        let cursor = before.find('|').expect("a cursor");
        let mut line = Line { text: before.replace('|', ""), cursor };
        for edit in edits {
            line.edit(*edit);
        }
        let mut text = line.text.clone();
        text.insert(line.cursor, '|');
        assert_eq!(text, after, "{before} {edits:?}");
    }

    #[test]
    fn edits_are_those_of_readline() {
        check("ab|", &[Edit::Back, Edit::Back, Edit::Back], "|ab");
        check("|ab", &[Edit::Forward], "a|b");
        check("é漢|", &[Edit::DeleteBack], "é|");
        check("é|漢", &[Edit::DeleteForward], "é|");
        check("foo-bar baz|", &[Edit::BackWord], "foo-bar |baz");
        check("foo-bar baz|", &[Edit::BackWord, Edit::BackWord], "foo-|bar baz");
        check("|foo-bar baz", &[Edit::ForwardWord], "foo|-bar baz");
        check("path:src/a b |", &[Edit::DeleteWordBack], "path:src/a |");
        check("path:src/a|", &[Edit::DeleteWordBack], "|");
        check("|foo bar", &[Edit::DeleteWordForward], "| bar");
        check("foo |bar", &[Edit::ClearBack], "|bar");
        check("foo| bar", &[Edit::Start], "|foo bar");
        check("foo| bar", &[Edit::End], "foo bar|");
        check(
            "|",
            &[
                Edit::DeleteBack,
                Edit::DeleteForward,
                Edit::DeleteWordBack,
                Edit::DeleteWordForward,
                Edit::BackWord,
                Edit::ForwardWord,
            ],
            "|",
        );
    }

    #[test]
    fn pasted_text_is_one_line_of_bounded_length() {
        let mut line = Line::new("a");
        line.insert("b\r\nc\u{1b}[0m");
        assert_eq!(line.text(), "ab  c [0m");
        line.insert(&"é".repeat(MAX_LEN));
        assert!(line.text().len() <= MAX_LEN);
    }
}
