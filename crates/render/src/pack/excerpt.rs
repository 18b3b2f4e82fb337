//! The lines of a hit that decide whether it answers, with their numbers.

use std::{cmp::Reverse, fmt::Write as _};

use lore_console::text::clean_code;
use lore_engine::{Hit, Snippet};

use super::size::Size;
use crate::tokens::Tokenizer;

/// Maximum number of characters of a line. Longer lines are data.
const MAX_LINE_LEN: usize = 240;

/// Mark of lines that are not shown, and of the missing part of a line.
const GAP: &str = "…";

/// Lines of a hit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Excerpt {
    /// The lines with their numbers, each with a line end; empty if the hit has no text.
    pub(super) text: String,
    /// Numbers of the shown lines in the file, ascending; empty for a composed text.
    pub(super) numbers: Vec<u32>,
}

/// A line of a hit.
struct Line {
    number: u32,
    text: String,
    tokens: usize,
    /// Number of characters that match the query.
    matching: usize,
    is_blank: bool,
}

impl Excerpt {
    /// The lines of a hit that decide, within a size: those of its best passage; if there is room,
    /// the first line of its text, and the lines after and before the passage.
    pub(super) fn of(hit: &Hit, size: Size, tokenizer: Tokenizer) -> Excerpt {
        let body = hit.body.as_ref().filter(|body| overlaps(body, &hit.snippet));
        let mut lines = lines(body.unwrap_or(&hit.snippet), tokenizer);
        if hit.path.is_none() {
            // The place of a commit contains its title.
            for line in lines.iter_mut().filter(|line| line.text == hit.title) {
                line.is_blank = true;
            }
        }
        let from = hit.snippet.start_line;
        let count = u32::try_from(hit.snippet.text.lines().count()).unwrap_or(u32::MAX);
        let position = |number: u32| lines.partition_point(|line| line.number < number);
        let passage = trimmed(&lines, position(from), position(from.saturating_add(count)));
        let mut shown =
            Selection { lines: &lines, size, shown: vec![false; lines.len()], left: size };
        if size.has_head && lines.iter().any(|line| !line.is_blank) {
            shown.add(lines.iter().position(|line| !line.is_blank).unwrap_or(0));
        }
        let window = best_window(&lines[passage.0..passage.1], size.lines);
        let (start, end) = trimmed(&lines, passage.0 + window.start, passage.0 + window.end);
        let is_whole = (start..end).try_for_each(|at| shown.add(at).then_some(())).is_some();
        if size.has_head && is_whole {
            shown.extend(passage);
        }
        let shown = shown.shown;
        let is_numbered = !hit.is_composed && hit.path.is_some();
        written(&lines, &shown, is_numbered)
    }

    /// The line of the best passage that matches most, with its number in the file; `None` if the hit
    /// has no text.
    pub(super) fn best_line(hit: &Hit) -> Option<(Option<u32>, String)> {
        let is_numbered = !hit.is_composed && hit.path.is_some();
        let says_more = |line: &str| !line.trim().is_empty() && line != hit.title;
        let most = lines_matching(&hit.snippet)
            .filter(|(_, line, _)| says_more(line))
            .max_by_key(|(number, _, matching)| (*matching, Reverse(*number)));
        if let Some((number, line, _)) = most {
            return Some((Some(number).filter(|_| is_numbered), shortened(line)));
        }
        let value = hit.matches.iter().find(|value| says_more(&value.text))?;
        Some((None, shortened(&value.text)))
    }
}

/// The lines of a text with their numbers.
fn numbered(text: &Snippet) -> impl Iterator<Item = (u32, &str)> {
    (text.start_line..).zip(text.text.lines())
}

/// Returns whether a text and a passage have lines in common. A passage may start above its definition.
fn overlaps(body: &Snippet, passage: &Snippet) -> bool {
    let end = |text: &Snippet| {
        let count = u32::try_from(text.text.lines().count()).unwrap_or(u32::MAX);
        text.start_line.saturating_add(count)
    };
    body.start_line < end(passage) && passage.start_line < end(body)
}

/// The lines of a text, cleaned and cut.
fn lines(text: &Snippet, tokenizer: Tokenizer) -> Vec<Line> {
    let line = |(number, line, matching): (u32, &str, usize)| {
        let text = shortened(line);
        let tokens = tokenizer.count(&text) + TOKENS_OF_NUMBER;
        Line { number, tokens, matching, is_blank: line.trim().is_empty(), text }
    };
    lines_matching(text).map(line).collect()
}

/// The lines of a text with their numbers, and the number of characters that match the query.
fn lines_matching(text: &Snippet) -> impl Iterator<Item = (u32, &str, usize)> {
    let mut start = 0;
    let mut highlights = text.highlights.iter().copied().peekable();
    numbered(text).map(move |(number, line)| {
        let end = start + line.chars().count();
        let mut matching = 0;
        while let Some((from, to)) = highlights.next_if(|range| range.0 < end) {
            matching += to.min(end).saturating_sub(from.max(start));
        }
        start = end + 1;
        (number, line, matching)
    })
}

/// Tokens of a number and a colon before a line, and of the line end.
const TOKENS_OF_NUMBER: usize = 3;

/// A line of at most [`MAX_LINE_LEN`] characters.
fn shortened(line: &str) -> String {
    let line = clean_code(line.trim_end());
    if line.chars().count() <= MAX_LINE_LEN {
        return line;
    }
    line.chars().take(MAX_LINE_LEN).collect::<String>() + GAP
}

/// A range of lines without the blank ones at both ends.
fn trimmed(lines: &[Line], start: usize, end: usize) -> (usize, usize) {
    let (start, end) = (start.min(lines.len()), end.min(lines.len()));
    let first = (start..end).find(|at| !lines[*at].is_blank).unwrap_or(start);
    let last = (start..end).rev().find(|at| !lines[*at].is_blank).map_or(start, |at| at + 1);
    (first, last.max(first))
}

/// The positions of at most `most` consecutive lines with the most matching characters; of equals the
/// first ones.
fn best_window(lines: &[Line], most: usize) -> std::ops::Range<usize> {
    if lines.len() <= most {
        return 0..lines.len();
    }
    let weight = |at: usize| lines[at..at + most].iter().map(|line| line.matching).sum::<usize>();
    let best =
        (0..=lines.len() - most).max_by_key(|at| (weight(*at), usize::MAX - at)).unwrap_or(0);
    best..best + most
}

/// Lines that are chosen one by one while there is room.
struct Selection<'l> {
    lines: &'l [Line],
    size: Size,
    shown: Vec<bool>,
    /// The lines and tokens that are left.
    left: Size,
}

impl Selection<'_> {
    /// Adds a line. Returns false if there is no room; the first line always has some.
    fn add(&mut self, at: usize) -> bool {
        let Some(line) = self.lines.get(at).filter(|_| !self.shown[at]) else { return true };
        let is_first = self.left == self.size;
        if !is_first && (self.left.lines == 0 || self.left.tokens < line.tokens) {
            return false;
        }
        self.left.lines = self.left.lines.saturating_sub(1);
        self.left.tokens = self.left.tokens.saturating_sub(line.tokens);
        self.shown[at] = true;
        true
    }

    /// Adds the lines after a range, then those before it, while there is room.
    fn extend(&mut self, (start, end): (usize, usize)) {
        let last = self.lines.iter().rposition(|line| !line.is_blank).map_or(0, |at| at + 1);
        let _ = (end..last).try_for_each(|at| self.add(at).then_some(()));
        let _ = (0..start).rev().try_for_each(|at| self.add(at).then_some(()));
    }
}

/// The chosen lines as text.
fn written(lines: &[Line], shown: &[bool], is_numbered: bool) -> Excerpt {
    let mut excerpt = Excerpt::default();
    let mut last = None;
    for (at, line) in lines.iter().enumerate().filter(|(at, _)| shown[*at]) {
        if last.is_some_and(|last| last + 1 < at) {
            let _ = writeln!(excerpt.text, "{GAP}");
        }
        last = Some(at);
        if is_numbered {
            excerpt.numbers.push(line.number);
            let _ = writeln!(excerpt.text, "{}:{}", line.number, line.text);
        } else {
            let _ = writeln!(excerpt.text, "{}", line.text);
        }
    }
    excerpt
}
