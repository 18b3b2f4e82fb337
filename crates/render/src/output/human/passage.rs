//! The lines of a hit: their choice, their colours and their layout.

use std::ops::Range;

use lore_console::text::Line;
use lore_engine::{Hit, Snippet};
use lore_highlight::{Class, Span};

use super::hit::names;
use crate::output::Style;

/// A line of a file, laid out in columns.
pub(super) struct PassageLine {
    pub(super) number: u32,
    pub(super) line: Line,
    /// The first match, as a byte offset in the line from 1.
    column: Option<usize>,
    /// Number of matches.
    matches: usize,
    /// Number of letters and digits, so that a line of code is preferred to a closing brace.
    letters: usize,
}

/// The lines of a hit that may be shown.
pub(super) struct Passage {
    pub(super) lines: Vec<PassageLine>,
    /// True if the numbers of the lines are those of the file.
    pub(super) is_numbered: bool,
}

impl Passage {
    /// The passage of a hit. `file` is the text of its file, if it is known: colours depend on the lines
    /// above. `is_whole` keeps lines that repeat the title.
    pub(super) fn new(hit: &Hit, file: Option<&str>, style: &Style, is_whole: bool) -> Passage {
        let snippet = hit.body.as_ref().unwrap_or(&hit.snippet);
        let is_numbered = hit.start_line.is_some() && !hit.is_composed;
        let spans = if style.color { spans(hit, snippet, file) } else { Vec::new() };
        let mut lines = lines(snippet, &lore_highlight::in_lines(&snippet.text, &spans));
        if !is_whole && let Some(first) = lines.first() {
            let title = names(hit).0;
            let text = snippet.text.split('\n').nth(skipped_lines(snippet, first));
            let text = text.unwrap_or_default().trim_matches(['#', '=', '-', ' ', '\t', '\r']);
            // The heading of a section, or the subject of a commit.
            if text == title {
                lines.remove(0);
            }
        }
        // Without line numbers, empty lines separate nothing; on a shared screen, they cost room.
        if !is_numbered || !is_whole {
            lines.retain(|line| !line.line.is_blank());
        }
        Passage { lines, is_numbered }
    }

    /// The best `count` lines in a row: those with the most matches, then with the most text.
    pub(super) fn best(&self, count: usize) -> &[PassageLine] {
        let count = count.min(self.lines.len());
        let mut best: Option<(&[PassageLine], (usize, usize))> = None;
        for window in self.lines.windows(count.max(1)) {
            let matches = window.iter().map(|line| line.matches).sum();
            let has_text = window.iter().filter(|line| line.letters > 0).count();
            if best.is_none_or(|(_, score)| (matches, has_text) > score) {
                best = Some((window, (matches, has_text)));
            }
        }
        let best = best.map_or(&[][..], |(window, _)| window);
        &best[..count.min(best.len())]
    }

    /// The line to open, and the column of its first match: the first matching line among those shown.
    pub(super) fn place(hit: &Hit, shown: &[PassageLine]) -> Option<(u32, usize)> {
        let start = hit.start_line?;
        if hit.is_composed {
            return Some((start, 1));
        }
        let matched = shown.iter().find_map(|line| Some((line.number, line.column?)));
        Some(matched.unwrap_or((start, 1)))
    }
}

/// The line to open for a hit, its first match as a byte offset from 1, and its text.
pub(in crate::output) fn line_to_open(hit: &Hit) -> Option<(u32, usize, &str)> {
    let passage = Passage::new(hit, None, &Style::plain(), true);
    let (number, column) = Passage::place(hit, &passage.lines)?;
    let text = number
        .checked_sub(hit.snippet.start_line)
        .filter(|_| !hit.is_composed)
        .and_then(|position| hit.snippet.text.split('\n').nth(usize::try_from(position).ok()?));
    Some((number, column, text.unwrap_or(&hit.title)))
}

fn skipped_lines(snippet: &Snippet, first: &PassageLine) -> usize {
    usize::try_from(first.number.saturating_sub(snippet.start_line)).unwrap_or(usize::MAX)
}

/// The lines of a snippet with their numbers and matches, without empty lines at both ends.
fn lines(snippet: &Snippet, spans: &[Vec<Span>]) -> Vec<PassageLine> {
    let mut lines = Vec::new();
    let mut start = 0;
    for (position, text) in snippet.text.split('\n').enumerate() {
        let number = u32::try_from(position).unwrap_or(u32::MAX);
        let end = start + text.chars().count();
        let matches: Vec<Range<usize>> = snippet
            .highlights
            .iter()
            .filter(|(from, to)| *from < end && *to > start)
            .map(|(from, to)| from.saturating_sub(start)..to.saturating_sub(start))
            .collect();
        let first = matches.iter().map(|range| range.start).min();
        let column =
            first.map(|first| 1 + text.chars().take(first).map(char::len_utf8).sum::<usize>());
        let classes: Vec<(Range<usize>, u8)> = spans
            .get(position)
            .into_iter()
            .flatten()
            .map(|span| (span.range.clone(), span.class as u8))
            .collect();
        lines.push(PassageLine {
            number: snippet.start_line.saturating_add(number),
            line: Line::classified(text, &matches, &classes),
            column,
            matches: matches.len(),
            letters: text.chars().filter(|character| character.is_alphanumeric()).count(),
        });
        start = end + 1;
    }
    let is_blank = |line: &PassageLine| line.line.is_blank();
    let first = lines.iter().position(|line| !is_blank(line)).unwrap_or(lines.len());
    let last = lines.iter().rposition(|line| !is_blank(line)).map_or(first, |last| last + 1);
    lines.truncate(last);
    lines.drain(..first);
    lines
}

/// The class that was given to a line as a number.
pub(super) fn class(number: u8) -> Option<Class> {
    Class::ALL.get(usize::from(number)).copied()
}

/// The classes of a passage.
fn spans(hit: &Hit, snippet: &Snippet, file: Option<&str>) -> Vec<Span> {
    if !hit.is_composed
        && let (Some(path), Some(file)) = (&hit.path, file)
        && let Some(start) = offset(file, snippet)
    {
        let end = start + snippet.text.len();
        let spans = lore_highlight::highlight_file(path, &file[..end]);
        return spans
            .into_iter()
            .filter(|span| span.range.end > start)
            .map(|span| Span {
                range: span.range.start.saturating_sub(start)..span.range.end - start,
                class: span.class,
            })
            .collect();
    }
    lore_highlight::highlight(&snippet.text, hit.language.as_deref())
}

/// The offset of a snippet in its file; `None` if the file has another text there.
fn offset(file: &str, snippet: &Snippet) -> Option<usize> {
    let mut start = 0;
    for _ in 1..snippet.start_line {
        start += file[start..].find('\n')? + 1;
    }
    file[start..].starts_with(&snippet.text).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixture;

    fn passage(text: &str, highlights: &[(usize, usize)]) -> Passage {
        let mut hit = fixture::response().hits.swap_remove(0);
        hit.snippet =
            Snippet { text: text.to_owned(), start_line: 5, highlights: highlights.to_vec() };
        Passage::new(&hit, None, &Style::plain(), false)
    }

    fn numbers(lines: &[PassageLine]) -> Vec<u32> {
        lines.iter().map(|line| line.number).collect()
    }

    #[test]
    fn the_lines_with_the_most_matches_are_shown() {
        let passage = passage("a\n}\nrefund refund\nb\nrefund", &[(4, 10), (11, 17), (20, 26)]);
        assert_eq!(numbers(passage.best(1)), [7]);
        assert_eq!(numbers(passage.best(2)), [7, 8]);
        assert_eq!(numbers(passage.best(3)), [7, 8, 9]);
        assert_eq!(numbers(passage.best(9)), [5, 6, 7, 8, 9]);
        assert_eq!(numbers(passage.best(0)), [0; 0]);
    }

    #[test]
    fn a_line_of_code_is_preferred_to_a_brace() {
        assert_eq!(numbers(passage("}\na\nb", &[]).best(2)), [6, 7]);
    }

    #[test]
    fn colours_follow_the_lines_above_the_passage() {
        let file = "/* one\nlet two\n*/\nlet x = 1;\n";
        let mut hit = fixture::response().hits.swap_remove(0);
        hit.path = Some("src/a.rs".into());
        hit.snippet = Snippet { text: "let two\n*/".into(), start_line: 2, highlights: vec![] };
        let found = spans(&hit, &hit.snippet, Some(file));
        assert_eq!(found, [Span { range: 0..10, class: Class::Comment }]);
        // Another text at these lines: the file changed.
        let alone = spans(&hit, &hit.snippet, Some("let a\nlet three\n*/\n"));
        assert_ne!(alone, found);
    }
}
