//! Text of files, made safe to print and cut to the terminal's width.
//!
//! The content of a repository is not trusted: a control character could clear the screen, set a
//! title or hide text. Each is replaced by a visible character.

use std::{fmt::Write, ops::Range};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns between tab stops.
const TAB: usize = 4;

/// Marks the end of text that was cut.
const ELLIPSIS: char = '…';

/// Returns true for a character that changes the display order of others, so that text reads
/// differently than it is.
pub fn is_reordering(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// Returns true for a character that programs and models see and people do not.
pub fn is_unseen(character: char) -> bool {
    matches!(
        character,
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
    )
}

/// The visible replacement of a character; the character itself if it is harmless.
fn visible(character: char) -> char {
    match character {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + character as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => '\u{fffd}',
        character if is_reordering(character) || is_unseen(character) => '\u{fffd}',
        character => character,
    }
}

/// The text on one line: line ends and tabs become spaces, other control characters become visible.
pub fn clean(text: &str) -> String {
    text.trim_end_matches(['\n', '\r'])
        .replace("\r\n", " ")
        .chars()
        .map(|character| if matches!(character, '\n' | '\t') { ' ' } else { visible(character) })
        .collect()
}

/// Like [`clean`], but keeps line ends.
pub fn clean_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(clean).collect();
    lines.join("\n")
}

/// A line of code with visible control characters; tabs stay.
pub fn clean_code(line: &str) -> String {
    let line = line.trim_end_matches(['\n', '\r']);
    line.chars()
        .map(|character| if character == '\t' { '\t' } else { visible(character) })
        .collect()
}

/// The text within `width` columns, with an ellipsis if it was cut.
pub fn cut(text: &str, width: usize) -> String {
    Line::new(text, &[]).window(width).into_iter().map(|piece| piece.text).collect()
}

/// The words of a text in lines of at most `width` columns. A longer word has a line of its own.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A part of a line with one look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The text, safe to print.
    pub text: String,
    /// True for a piece inside a match.
    pub matched: bool,
    /// The class of the text, as given to [`Line::classified`].
    pub class: Option<u8>,
}

/// A displayed character.
#[derive(Debug, Clone, Copy)]
struct Cell {
    character: char,
    width: usize,
    matched: bool,
    class: Option<u8>,
}

/// One line, laid out in columns.
pub struct Line {
    cells: Vec<Cell>,
}

impl Line {
    /// Lays out a line; the matches are ranges of character positions.
    pub fn new(text: &str, matches: &[Range<usize>]) -> Line {
        Line::classified(text, matches, &[])
    }

    /// Like [`Line::new`], with classes of parts: sorted, disjoint ranges of bytes.
    pub fn classified(
        text: &str,
        matches: &[Range<usize>],
        classes: &[(Range<usize>, u8)],
    ) -> Line {
        let mut classes = classes.iter().peekable();
        let mut cells = Vec::new();
        let mut column = 0;
        let characters = text.trim_end_matches(['\n', '\r']).char_indices();
        for (position, (offset, character)) in characters.enumerate() {
            let matched = matches.iter().any(|range| range.contains(&position));
            while classes.next_if(|(range, _)| range.end <= offset).is_some() {}
            let class = classes.peek().filter(|(range, _)| range.start <= offset);
            let class = class.map(|(_, class)| *class);
            let mut push = |character: char| {
                let width = character.width().unwrap_or(1);
                cells.push(Cell { character, width, matched, class });
                column += width;
                column
            };
            if character == '\t' {
                while push(' ') % TAB != 0 {}
            } else {
                push(visible(character));
            }
        }
        // Trailing spaces would only widen the line.
        let used = cells.iter().rposition(|cell| cell.character != ' ').map_or(0, |last| last + 1);
        cells.truncate(used);
        Line { cells }
    }

    /// Returns true if the line has no visible characters.
    pub fn is_blank(&self) -> bool {
        self.cells.is_empty()
    }

    /// Returns true if part of the line is a match.
    pub fn is_matched(&self) -> bool {
        self.cells.iter().any(|cell| cell.matched)
    }

    /// The part that fits into `width` columns and shows the first match.
    pub fn window(&self, width: usize) -> Vec<Piece> {
        let whole: usize = self.cells.iter().map(|cell| cell.width).sum();
        if whole <= width {
            return pieces(&self.cells, false, false);
        }
        let first = self.cells.iter().position(|cell| cell.matched).unwrap_or(0);
        let matched = self.cells[first..].iter().take_while(|cell| cell.matched);
        let needed: usize = self.cells[..first].iter().chain(matched).map(|cell| cell.width).sum();
        let start = if needed < width {
            0
        } else {
            // Keep some columns before the match, and leave none unused at the end of the line.
            let filled = self.back(self.cells.len(), width.saturating_sub(1));
            self.back(first, width / 3).min(filled)
        };
        let cut_left = start > 0;
        let mut room = width.saturating_sub(usize::from(cut_left));
        let rest: usize = self.cells[start..].iter().map(|cell| cell.width).sum();
        let cut_right = rest > room;
        room = room.saturating_sub(usize::from(cut_right));
        let mut end = start;
        while let Some(cell) = self.cells.get(end)
            && cell.width <= room
        {
            room -= cell.width;
            end += 1;
        }
        pieces(&self.cells[start..end], cut_left, cut_right)
    }

    /// The position that is `columns` columns before `from`.
    fn back(&self, from: usize, columns: usize) -> usize {
        let mut left = columns;
        let mut position = from;
        while position > 0 && self.cells[position - 1].width <= left {
            left -= self.cells[position - 1].width;
            position -= 1;
        }
        position
    }
}

fn pieces(cells: &[Cell], cut_left: bool, cut_right: bool) -> Vec<Piece> {
    let ellipsis = Piece { text: ELLIPSIS.to_string(), matched: false, class: None };
    let mut pieces = Vec::new();
    pieces.extend(cut_left.then(|| ellipsis.clone()));
    for run in
        cells.chunk_by(|left, right| left.matched == right.matched && left.class == right.class)
    {
        let text = run.iter().map(|cell| cell.character).collect();
        pieces.push(Piece { text, matched: run[0].matched, class: run[0].class });
    }
    pieces.extend(cut_right.then_some(ellipsis));
    pieces
}

/// A name as git quotes it: in double quotes with escapes if it contains a control character, a
/// quote or a backslash, otherwise unchanged.
pub fn quoted(name: &str) -> String {
    let needs_quotes =
        |character: char| visible(character) != character || matches!(character, '"' | '\\');
    if !name.chars().any(needs_quotes) {
        return name.to_owned();
    }
    let mut quoted = String::from("\"");
    for character in name.chars() {
        match character {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            character if visible(character) == character => quoted.push(character),
            character => {
                for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(quoted, "\\{byte:03o}");
                }
            }
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line with its match in brackets; an empty match has none.
    fn shown(text: &str, matched: Range<usize>, width: usize) -> String {
        let pieces = Line::new(text, std::slice::from_ref(&matched)).window(width);
        pieces
            .iter()
            .map(
                |piece| {
                    if piece.matched { format!("[{}]", piece.text) } else { piece.text.clone() }
                },
            )
            .collect()
    }

    #[test]
    fn control_characters_become_visible() {
        assert_eq!(clean("a\x1b[2Jb\x07\u{9b}c\u{202e}d"), "a␛[2Jb␇\u{fffd}c\u{fffd}d");
        assert_eq!(clean("one\r\ntwo\tthree\rfour\n"), "one two three␍four");
        assert_eq!(clean_lines("a\nb\x1b\n"), "a\nb␛");
        assert_eq!(shown("\tlet\tx\x1b;  ", 0..0, 40), "    let x␛;");
    }

    #[test]
    fn long_lines_are_cut_around_the_first_match() {
        assert_eq!(shown("0123456789", 0..0, 10), "0123456789");
        assert_eq!(shown("0123456789a", 0..0, 10), "012345678…");
        assert_eq!(shown("0123456789a", 2..4, 10), "01[23]45678…");
        assert_eq!(shown("0123456789abcdefghij", 12..14, 10), "…9ab[cd]efg…");
        assert_eq!(shown("0123456789abcdefghij", 18..20, 10), "…bcdefgh[ij]");
        assert_eq!(shown("日本語日本語", 0..0, 8), "日本語…");
        assert_eq!(cut("a long title", 7), "a long…");
        assert_eq!(cut("", 7), "");
    }

    #[test]
    fn pieces_have_the_class_of_their_text() {
        let matched = 4..5;
        let line = Line::classified(
            "let é = 1",
            std::slice::from_ref(&matched),
            &[(0..3, 7), (4..6, 2), (9..10, 5)],
        );
        let pieces: Vec<(String, bool, Option<u8>)> = line
            .window(40)
            .into_iter()
            .map(|piece| (piece.text, piece.matched, piece.class))
            .collect();
        let expected = [
            ("let", false, Some(7)),
            (" ", false, None),
            ("é", true, Some(2)),
            (" = ", false, None),
            ("1", false, Some(5)),
        ];
        assert_eq!(
            pieces,
            expected.map(|(text, matched, class)| (text.to_owned(), matched, class))
        );
    }

    #[test]
    fn lines_are_wrapped_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("日本 日本 x", 7), ["日本", "日本 x"]);
        assert_eq!(wrapped("abcdefghij k", 4), ["abcdefghij", "k"]);
        assert_eq!(wrapped("", 4), [""]);
    }

    #[test]
    fn a_match_wider_than_the_line_is_cut() {
        let text = "x".repeat(50);
        assert_eq!(shown(&text, 0..50, 8), format!("[{}]…", "x".repeat(7)));
        assert_eq!(shown(&text, 20..50, 9), format!("…xxx[{}]…", "x".repeat(4)));
    }

    #[test]
    fn only_names_with_special_characters_are_quoted() {
        assert_eq!(quoted("src/ä b.rs"), "src/ä b.rs");
        assert_eq!(quoted("a\nb\t\"\\\x1b\u{9b}"), r#""a\nb\t\"\\\033\302\233""#);
    }
}
