//! Where in a text the answer stands: the passage to show and the lines that match.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, MatchKind};
use lore_schema::Span;
use lore_text::analyzer;

use crate::{Match, Snippet};

/// Most matches that a hit lists.
const MOST_MATCHES: usize = 5;

/// Matches stand at least this many lines apart.
const LINES_APART: u32 = 4;

/// The forms of a query's words, as they stand in texts.
#[derive(Debug)]
pub(crate) struct Surface {
    /// Folded term to word.
    terms: HashMap<String, usize>,
    /// Share of the query's information of each word; sums to 1.0 or less.
    shares: Vec<f32>,
    /// Finds lines that may hold a term, many times faster than analysing them. `None` when a term
    /// is not ASCII, whose spellings differ in more than case.
    prefilter: Option<AhoCorasick>,
}

impl Surface {
    /// Builds the surface of a prepared query from its folded terms, without repetition. A term
    /// without a word only helps to find lines.
    pub(crate) fn new(terms: Vec<(String, Option<usize>)>, shares: Vec<f32>) -> Surface {
        let prefilter = if terms.iter().all(|(term, _)| term.is_ascii()) {
            // An identifier's joints differ from text to text: its parts are among the terms.
            AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::Standard)
                .build(terms.iter().map(|(term, _)| term.as_str()))
                .ok()
        } else {
            None
        };
        let terms =
            terms.into_iter().filter_map(|(term, word)| word.map(|word| (term, word))).collect();
        Surface { terms, shares, prefilter }
    }

    /// The part of a line that is looked at and shown: all of it, or, of a line that nobody can
    /// read, the part around the first thing that looks like a match.
    fn visible<'t>(&self, line: &'t str) -> &'t str {
        if line.len() <= LONGEST_LINE {
            return line;
        }
        let first = self.prefilter.as_ref().and_then(|prefilter| prefilter.find(line));
        let at = first.map_or(0, |found| found.start());
        let start = line.floor_char_boundary(at.saturating_sub(LONGEST_LINE / 4));
        let end = line.floor_char_boundary((start + LONGEST_LINE).min(line.len()));
        &line[start..end]
    }

    /// Finds the words in one line: which ones, and their byte ranges, ordered and merged.
    fn find(&self, line: &str) -> LineMatches {
        let mut found = LineMatches { words: vec![false; self.shares.len()], ranges: Vec::new() };
        let may_match = !line.is_ascii()
            || self.prefilter.as_ref().is_none_or(|prefilter| prefilter.is_match(line));
        if !may_match {
            return found;
        }
        analyzer("code").analyze(line, &mut |token| {
            if let Some(&word) = self.terms.get(token.term) {
                found.words[word] = true;
                found.ranges.push((token.start, token.end));
            }
        });
        found.ranges.sort_unstable();
        found.ranges.dedup_by(|next, kept| {
            let overlaps = next.0 <= kept.1;
            if overlaps {
                kept.1 = kept.1.max(next.1);
            }
            overlaps
        });
        found
    }

    /// Share of the query that a single value holds and where, in Unicode scalar values; `None` when
    /// it holds nothing of it.
    pub(crate) fn highlight(&self, value: &str) -> Option<(f32, Vec<(usize, usize)>)> {
        let found = self.find(value);
        (!found.ranges.is_empty())
            .then(|| (self.share(&found.words), scalar_ranges(value, &found.ranges)))
    }

    /// Share of the query's information that these words carry.
    fn share(&self, words: &[bool]) -> f32 {
        words.iter().zip(&self.shares).filter(|(held, _)| **held).map(|(_, share)| *share).sum()
    }
}

/// Longest line, in bytes, that is shown whole: longer ones are data.
const LONGEST_LINE: usize = 1_000;

struct LineMatches {
    words: Vec<bool>,
    ranges: Vec<(usize, usize)>,
}

/// What is shown of a text.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Passages {
    /// The best passage inside the span.
    pub(crate) snippet: Snippet,
    /// The best lines of the whole text.
    pub(crate) matches: Vec<Match>,
    /// Number of lines of the whole text that hold a word.
    pub(crate) total: usize,
}

/// What the passage may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    /// Most lines that are shown, at least 1.
    pub(crate) lines: usize,
    /// A line that has to be shown, where the span holds it: the definition that was asked for.
    pub(crate) around: Option<u32>,
}

/// Finds the passage of at most `window.lines` lines inside `span` that holds most of the query, and the
/// lines of the whole text that match. `span` is cut to the text when the text became shorter.
pub(crate) fn find_passages(text: &str, span: Span, surface: &Surface, window: Window) -> Passages {
    let mut passage_lines: Vec<(u32, &str, LineMatches)> = Vec::new();
    let mut matches: Vec<Match> = Vec::new();
    let mut total = 0;
    for (number, line) in (1_u32..).zip(text.lines()) {
        let line = surface.visible(line);
        let found = surface.find(line);
        if !found.ranges.is_empty() {
            total += 1;
            matches.push(Match {
                field: "content",
                text: line.to_owned(),
                line: Some(number),
                score: surface.share(&found.words),
                highlights: scalar_ranges(line, &found.ranges),
            });
        }
        if (span.start_line..=span.end_line).contains(&number) {
            passage_lines.push((number, line, found));
        }
    }
    Passages {
        snippet: best_window(&passage_lines, surface, window),
        matches: spread(matches),
        total,
    }
}

/// The window that holds most of the query; among equals the first, which starts nearest to the
/// declaration.
fn best_window(passage: &[(u32, &str, LineMatches)], surface: &Surface, window: Window) -> Snippet {
    let lines = window.lines.max(1);
    let is_blank = |index: usize| passage[index].1.trim().is_empty();
    let (mut start, mut end) = (0, passage.len());
    while start < end && is_blank(start) {
        start += 1;
    }
    while start < end && is_blank(end - 1) {
        end -= 1;
    }
    if end - start > lines {
        let value = |from: usize| {
            let mut words = vec![false; surface.shares.len()];
            let mut hits = 0.0;
            for (_, _, found) in &passage[from..from + lines] {
                for (held, here) in words.iter_mut().zip(&found.words) {
                    *held |= here;
                }
                hits += f32::from(u8::from(!found.ranges.is_empty()));
            }
            // Distinct words decide; the number of lines that hold one settles ties.
            surface.share(&words) + 0.001 * hits
        };
        let last = end - lines;
        let wanted = window
            .around
            .and_then(|line| passage[start..end].iter().position(|(number, ..)| *number == line))
            .map(|at| start + at);
        let (first, last) = match wanted {
            Some(at) => (start.max((at + 1).saturating_sub(lines)).min(last), last.min(at)),
            None => (start, last),
        };
        let mut best = first;
        let mut best_value = value(first);
        for from in first + 1..=last {
            let value = value(from);
            if value > best_value && !is_blank(from) {
                best = from;
                best_value = value;
            }
        }
        (start, end) = (best, best + lines);
        while start < end && is_blank(end - 1) {
            end -= 1;
        }
    }
    let mut snippet =
        Snippet { start_line: passage.get(start).map_or(1, |line| line.0), ..Snippet::default() };
    let mut scalars = 0;
    for (index, (_, line, found)) in passage[start..end].iter().enumerate() {
        if index > 0 {
            snippet.text.push('\n');
            scalars += 1;
        }
        snippet.text.push_str(line);
        let ranges = scalar_ranges(line, &found.ranges);
        snippet.highlights.extend(ranges.iter().map(|(from, to)| (from + scalars, to + scalars)));
        scalars += line.chars().count();
    }
    snippet
}

/// The best matches that stand apart, best first.
fn spread(mut matches: Vec<Match>) -> Vec<Match> {
    matches.sort_by(|left, right| {
        right.score.total_cmp(&left.score).then_with(|| left.line.cmp(&right.line))
    });
    let mut kept: Vec<Match> = Vec::new();
    for candidate in matches {
        let near = kept.iter().any(|other| match (other.line, candidate.line) {
            (Some(left), Some(right)) => left.abs_diff(right) < LINES_APART,
            _ => false,
        });
        if !near {
            kept.push(candidate);
        }
        if kept.len() == MOST_MATCHES {
            break;
        }
    }
    kept
}

/// Byte ranges as ranges of Unicode scalar values.
fn scalar_ranges(line: &str, ranges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    if line.is_ascii() {
        return ranges.to_vec();
    }
    let count = |from: usize, to: usize| line[from..to].chars().count();
    ranges
        .iter()
        .map(|&(start, end)| {
            let before = count(0, start);
            (before, before + count(start, end))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(words: &[&str]) -> Surface {
        let terms = words.iter().enumerate().map(|(index, word)| ((*word).to_owned(), Some(index)));
        Surface::new(terms.collect(), vec![1.0 / words.len() as f32; words.len()])
    }

    fn window(lines: usize) -> Window {
        Window { lines, around: None }
    }

    fn whole(text: &str) -> Span {
        let lines = u32::try_from(text.lines().count()).expect("a short text");
        Span { start: 0, end: text.len(), start_line: 1, end_line: lines.max(1) }
    }

    #[test]
    fn window_holds_most_words() {
        let text = "fn a() {\n  one();\n\n  two();\n  retry();\n  refund();\n}\n";
        let found = find_passages(text, whole(text), &surface(&["retry", "refund"]), window(2));
        assert_eq!(found.snippet.text, "  retry();\n  refund();");
        assert_eq!(found.snippet.start_line, 5);
        assert_eq!(found.snippet.highlights, [(2, 7), (13, 19)]);
        assert_eq!(found.total, 2);
        assert_eq!(found.matches.len(), 1, "neighbours are one match");
    }

    #[test]
    fn window_keeps_the_definition() {
        let text = "fn retry() {\n  a();\n  b();\n  retry(refund);\n}\n";
        let window = Window { lines: 2, around: Some(1) };
        let found = find_passages(text, whole(text), &surface(&["retry", "refund"]), window);
        assert_eq!(found.snippet.start_line, 1);
    }

    #[test]
    fn highlights_count_scalar_values() {
        let text = "🦀 ÉTUDE İ retry\r\n";
        let found = find_passages(text, whole(text), &surface(&["retry", "etude"]), window(5));
        let characters: Vec<char> = found.snippet.text.chars().collect();
        let shown: Vec<String> = found
            .snippet
            .highlights
            .iter()
            .map(|&(from, to)| characters[from..to].iter().collect())
            .collect();
        assert_eq!(shown, ["ÉTUDE", "retry"]);
    }

    #[test]
    fn a_text_that_became_shorter_is_no_panic() {
        let span = Span { start: 100, end: 200, start_line: 50, end_line: 60 };
        let found = find_passages("retry\n", span, &surface(&["retry"]), window(5));
        assert_eq!(found.snippet.text, "");
        assert_eq!(found.total, 1);
    }
}
