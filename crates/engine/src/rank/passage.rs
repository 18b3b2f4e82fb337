//! Finds the passage of a text to show, and the lines that match.

use std::{
    mem,
    ops::{Range, RangeInclusive},
};

use lore_schema::Span;

use super::{
    highlight::{HighlightTerms, LineMatches, WordSet, scalar_ranges},
    lines::{Lines, without_end},
};
use crate::{Match, Snippet};

/// Maximum number of matches of a hit.
const MAX_MATCHES: usize = 5;

/// Maximum number of lines by which a chosen passage is longer than requested.
const MAX_REST: usize = 3;

/// Minimum number of lines between two matches.
const MIN_LINES_APART: u32 = 4;

/// The parts of a text that are shown.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Passages {
    /// The best passage inside the span, with the requested context lines.
    pub(crate) snippet: Snippet,
    /// The first line of the passage itself that contains a word.
    pub(crate) first_match: Option<u32>,
    /// The best lines of the whole text.
    pub(crate) matches: Vec<Match>,
    /// Number of lines of the whole text that contain a word.
    pub(crate) total: usize,
}

/// Limits of a passage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    /// Maximum number of lines, at least 1.
    pub(crate) lines: usize,
    /// Its first line, where that was chosen and the span contains it.
    pub(crate) start: Option<u32>,
    /// A line that must be shown, where the span contains it: that of the definition that answers.
    pub(crate) around: Option<u32>,
    /// Number of lines before and after the passage that are shown with it, also beyond the span.
    pub(crate) context: usize,
}

/// Finds the passage of at most `window.lines` lines inside `span` that contains most of the query,
/// and the lines of the whole text that match. `span` is cut to the text when the text became
/// shorter.
pub(crate) fn find_passages(
    text: &str,
    span: Span,
    terms: &HighlightTerms,
    window: Window,
) -> Passages {
    let context = u32::try_from(window.context).unwrap_or(u32::MAX);
    let near = span.start_line.saturating_sub(context)..=span.end_line.saturating_add(context);
    let (near_lines, matching) = scan_lines(text, near, terms);
    let start = near_lines.partition_point(|(number, ..)| *number < span.start_line);
    let end = near_lines.partition_point(|(number, ..)| *number <= span.end_line);
    let shown = best_window(&near_lines, start..end, terms, window);
    let matched = near_lines[shown.clone()].iter().find(|(.., found)| !found.ranges.is_empty());
    let first_match = matched.map(|(number, ..)| *number);
    let snippet = if shown.is_empty() {
        Snippet { start_line: 1, ..Snippet::default() }
    } else {
        let end = shown.end.saturating_add(window.context).min(near_lines.len());
        joined(&near_lines[shown.start.saturating_sub(window.context)..end])
    };
    let total = matching.len();
    let found = |(number, score, line): (u32, f32, &str)| Match {
        field: "content",
        text: line.to_owned(),
        line: Some(number),
        score,
        highlights: scalar_ranges(line, &terms.find(line).ranges),
    };
    let shares: Vec<(u32, f32, &str)> =
        matching.iter().map(|(number, words, line)| (*number, terms.share(words), *line)).collect();
    let matches = spread(&shares).into_iter().map(found).collect();
    Passages { snippet, first_match, matches, total }
}

/// A line with its number and its words.
pub(super) type Line<'t> = (u32, &'t str, LineMatches);

/// A line that contains words: number, words, text.
pub(super) type MatchingLine<'t> = (u32, WordSet, &'t str);

/// Searches the lines of a text. Returns all lines `near` the passage, and all lines that contain words.
pub(super) fn scan_lines<'t>(
    text: &'t str,
    near: RangeInclusive<u32>,
    terms: &HighlightTerms,
) -> (Vec<Line<'t>>, Vec<MatchingLine<'t>>) {
    let mut near_lines = Vec::new();
    let mut matching = Vec::new();
    // Lines without a possible match are only counted. Lines that are not ASCII must be analysed.
    let mut wide = first_wide(text, 0);
    let places = terms.places(text);
    let mut left = places.as_deref();
    // Most lines need only their share, so that one buffer serves them all.
    let mut found = LineMatches::default();
    let mut lines = Lines::new(text);
    loop {
        if let Some(places) = left {
            let next = places.first().copied().unwrap_or(text.len()).min(wide);
            if lines.number < *near.start() {
                lines.skip_to(next, *near.start());
            } else if lines.number > *near.end() {
                lines.skip_to(next, u32::MAX);
            }
        }
        let Some((number, start, end)) = lines.next() else { break };
        let is_near = near.contains(&number);
        let here = left.map(|places| {
            let (here, rest) =
                places.split_at(places.iter().take_while(|place| **place < end).count());
            left = Some(rest);
            here
        });
        let whole = without_end(&text[start..end]);
        let here = here.filter(|_| wide >= end);
        if wide < end {
            wide = first_wide(text, end);
        }
        let may_match = here.is_none_or(|here| !here.is_empty());
        if !may_match && !is_near {
            continue;
        }
        let line = terms.visible(whole);
        match here {
            Some(here) if here.is_empty() || line.len() == whole.len() => {
                let places = here.iter().map(|place| place - start);
                terms.analyse(line, places, &mut found);
            }
            _ => found = terms.find(line),
        }
        if !found.ranges.is_empty() {
            matching.push((number, found.words.clone(), line));
        }
        if is_near {
            near_lines.push((number, line, mem::take(&mut found)));
        }
    }
    (near_lines, matching)
}

/// Position of the first byte that is not ASCII, at or after a position; the end of the text if
/// there is none.
fn first_wide(text: &str, from: usize) -> usize {
    const STEP: usize = 256;
    let rest = &text.as_bytes()[from..];
    let before = rest.chunks(STEP).take_while(|chunk| chunk.is_ascii()).count() * STEP;
    let left = rest.get(before..).unwrap_or_default();
    left.iter().position(|byte| !byte.is_ascii()).map_or(text.len(), |at| from + before + at)
}

/// The whole text of these lines, both ends included, with its matches.
pub(crate) fn find_body(text: &str, lines: (u32, u32), terms: &HighlightTerms) -> Snippet {
    let lines: Vec<(u32, &str, LineMatches)> = (1_u32..)
        .zip(text.lines())
        .skip_while(|(number, _)| *number < lines.0)
        .take_while(|(number, _)| *number <= lines.1)
        .map(|(number, line)| (number, line, terms.find(line)))
        .collect();
    joined(&lines)
}

/// The window of the span that contains most of the query; of equals the first, which is nearest to
/// the declaration.
fn best_window(
    passage: &[(u32, &str, LineMatches)],
    span: Range<usize>,
    terms: &HighlightTerms,
    window: Window,
) -> Range<usize> {
    let lines = window.lines.max(1);
    let is_blank = |index: usize| passage[index].1.trim().is_empty();
    let Range { mut start, mut end } = span;
    while start < end && is_blank(start) {
        start += 1;
    }
    while start < end && is_blank(end - 1) {
        end -= 1;
    }
    let position = |line: u32| {
        let at = passage[start..end].iter().position(|(number, ..)| *number == line);
        at.map(|at| start + at)
    };
    if let Some(chosen) = window.start.and_then(position) {
        let mut last = end.min(chosen + lines);
        // A statement or a paragraph is shown to its end, if that is near.
        let most = end.min(last + MAX_REST);
        let rest = (last..most).take_while(|index| !is_blank(*index)).count();
        if last + rest < most || most == end {
            last += rest;
        }
        (start, end) = (chosen, last);
    } else if end - start > lines {
        let value = |from: usize| {
            let mut words = WordSet::default();
            let mut hits = 0.0;
            for (_, _, found) in &passage[from..from + lines] {
                words.add(&found.words);
                hits += f32::from(u8::from(!found.ranges.is_empty()));
            }
            // Distinct words decide; the number of lines that contain a word breaks ties.
            terms.share(&words) + 0.001 * hits
        };
        let last = end - lines;
        let wanted = window.around.and_then(position);
        let (first, last) = match wanted {
            Some(at) => (start.max((at + 1).saturating_sub(lines)).min(last), last.min(at)),
            None => (start, last),
        };
        let mut best = first;
        let mut best_value = value(first);
        for from in first + 1..=last {
            let value = value(from);
            // After a blank line comes a better window, except at the end.
            if value > best_value && (!is_blank(from) || from == last) {
                best = from;
                best_value = value;
            }
        }
        (start, end) = (best, best + lines);
    }
    while start < end && is_blank(start) {
        start += 1;
    }
    while start < end && is_blank(end - 1) {
        end -= 1;
    }
    start..end
}

/// The lines as one text.
fn joined(lines: &[(u32, &str, LineMatches)]) -> Snippet {
    let mut snippet =
        Snippet { start_line: lines.first().map_or(1, |line| line.0), ..Snippet::default() };
    let mut scalars = 0;
    for (index, (_, line, found)) in lines.iter().enumerate() {
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

/// The best lines with enough distance, best first: number, share of the query, text. `matching` is
/// in the order of lines; of equals the first is better.
fn spread<'t>(matching: &[(u32, f32, &'t str)]) -> Vec<(u32, f32, &'t str)> {
    let mut kept: Vec<(u32, f32, &str)> = Vec::new();
    // So few are kept that a scan for each is faster than sorting.
    while kept.len() < MAX_MATCHES {
        let is_apart = |line: &&(u32, f32, _)| {
            kept.iter().all(|other| other.0.abs_diff(line.0) >= MIN_LINES_APART)
        };
        let better = |best: (u32, f32, &'t str), line: (u32, f32, &'t str)| {
            if line.1 > best.1 { line } else { best }
        };
        let apart = matching.iter().filter(is_apart).copied();
        let Some(best) = apart.reduce(better) else { break };
        kept.push(best);
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::rank::highlight::MAX_LINE_LEN;

    fn highlight_terms(words: &[&str]) -> HighlightTerms {
        let terms = words.iter().enumerate().map(|(index, word)| ((*word).to_owned(), Some(index)));
        HighlightTerms::new(terms.collect(), vec![1.0 / words.len() as f32; words.len()])
    }

    fn window(lines: usize) -> Window {
        Window { lines, start: None, around: None, context: 0 }
    }

    fn whole(text: &str) -> Span {
        let lines = u32::try_from(text.lines().count()).expect("a short text");
        Span { start: 0, end: text.len(), start_line: 1, end_line: lines.max(1) }
    }

    #[test]
    fn window_holds_most_words() {
        let text = "fn a() {\n  one();\n\n  two();\n  retry();\n  refund();\n}\n";
        let found =
            find_passages(text, whole(text), &highlight_terms(&["retry", "refund"]), window(2));
        assert_eq!(found.snippet.text, "  retry();\n  refund();");
        assert_eq!(found.snippet.start_line, 5);
        assert_eq!(found.snippet.highlights, [(2, 7), (13, 19)]);
        assert_eq!(found.total, 2);
        assert_eq!(found.matches.len(), 1, "neighbours are one match");
    }

    #[test]
    fn window_keeps_the_definition() {
        let text = "fn retry() {\n  a();\n  b();\n  retry(refund);\n}\n";
        let around = Window { around: Some(1), ..window(2) };
        let found =
            find_passages(text, whole(text), &highlight_terms(&["retry", "refund"]), around);
        assert_eq!(found.snippet.start_line, 1);
    }

    #[test]
    fn context_goes_beyond_the_span() {
        let text = "one\ntwo\nretry\n\nthree\nretry\nfour\n";
        let span = Span { start: 8, end: 14, start_line: 3, end_line: 3 };
        let with = |context| {
            let window = Window { context, ..window(1) };
            find_passages(text, span, &highlight_terms(&["retry"]), window).snippet
        };
        assert_eq!((with(0).text.as_str(), with(0).start_line), ("retry", 3));
        assert_eq!((with(1).text.as_str(), with(1).start_line), ("two\nretry\n", 2));
        assert_eq!(with(1).highlights, [(4, 9)]);
        let all = with(9);
        assert_eq!((all.text.as_str(), all.start_line), (text.trim_end(), 1));
        assert_eq!(all.highlights, [(8, 13), (21, 26)]);
        // A span beyond the end of the text has no lines to show.
        let gone = Span { start: 90, end: 99, start_line: 50, end_line: 60 };
        let window = Window { context: 99, ..window(1) };
        assert_eq!(
            find_passages(text, gone, &highlight_terms(&["retry"]), window).snippet.text,
            ""
        );
    }

    #[test]
    fn a_body_contains_all_of_its_lines() {
        let long = format!("retry {}", "x".repeat(2 * MAX_LINE_LEN));
        let text = format!("one\n\n{long}\n  retry\nend\n");
        let body = find_body(&text, (2, 4), &highlight_terms(&["retry"]));
        assert_eq!(body.text, format!("\n{long}\n  retry"));
        assert_eq!(body.start_line, 2);
        let last = 1 + long.len() + 1 + 2;
        assert_eq!(body.highlights, [(1, 6), (last, last + 5)]);
        assert_eq!(find_body(&text, (9, 12), &highlight_terms(&["retry"])).text, "");
    }

    #[test]
    fn highlights_count_scalar_values() {
        let text = "🦀 ÉTUDE İ retry\r\n";
        let found =
            find_passages(text, whole(text), &highlight_terms(&["retry", "etude"]), window(5));
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
    fn words_found_in_runs_equal_those_of_the_line() {
        let words = ["retry", "refund", "retryrefund", "x", "get", "id"];
        let terms = highlight_terms(&words);
        for line in [
            "retry_refund(getId, x.get_id()); // Retry refunds: retryRefund RETRY x2 rex x",
            "xx retrying aretry Xretry retry2refund _retry_ -retry-refund-",
            "no word of it",
            "",
            "retry",
        ] {
            let mut whole = LineMatches::default();
            terms.analyse_part(line, 0, &mut whole);
            let found = terms.find(line);
            assert_eq!(found.words, whole.words, "{line}");
            let covers = |ranges: &[(usize, usize)]| -> Vec<usize> {
                ranges
                    .iter()
                    .flat_map(|(from, to)| *from..*to)
                    .collect::<BTreeSet<_>>()
                    .into_iter()
                    .collect()
            };
            assert_eq!(covers(&found.ranges), covers(&whole.ranges), "{line}");
        }
    }

    proptest! {
        /// Skipping lines finds the same as analysing every line.
        #[test]
        fn skipping_lines_loses_no_match(
            pieces in prop_oneof![
                prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60),
                // In a text in ASCII, lines are skipped.
                prop::collection::vec(prop::sample::select(&PIECES[2..]), 0..60),
            ],
            (start, more) in (1_u32..8, 0_u32..8),
        ) {
            let text = pieces.concat();
            let end_line = start + more;
            let span = Span { start: 0, end: text.len(), start_line: start, end_line };
            let narrow = highlight_terms(&["retry", "refund", "etude"]);
            let wide = highlight_terms(&["retry", "refund", "etude"]).without_spotter();
            let window = Window { lines: 3, start: None, around: None, context: 1 };
            let found = find_passages(&text, span, &narrow, window);
            let expected = find_passages(&text, span, &wide, window);
            prop_assert_eq!(found, expected);
        }

        /// A passage with a word shows one, however its lines are blank.
        #[test]
        fn a_word_of_the_span_is_shown(
            lines in prop::collection::vec(prop::sample::select(&["", "x", "retry"][..]), 1..20),
            shown in 1_usize..6,
        ) {
            let text = lines.join("\n");
            let found =
                find_passages(&text, whole(&text), &highlight_terms(&["retry"]), window(shown));
            prop_assert_eq!(found.snippet.text.contains("retry"), text.contains("retry"));
            prop_assert!(found.snippet.text.lines().count() <= shown);
        }
    }

    /// Pieces of texts.
    const PIECES: [&str; 16] = [
        "étude", "é", "ETUDE", "(", "retry", "Refund", "retrying", "etude", " ", "\n", "\n",
        "\r\n", "_", "2", "x", "\t",
    ];

    #[test]
    fn a_text_that_became_shorter_does_not_panic() {
        let span = Span { start: 100, end: 200, start_line: 50, end_line: 60 };
        let found = find_passages("retry\n", span, &highlight_terms(&["retry"]), window(5));
        assert_eq!(found.snippet.text, "");
        assert_eq!(found.total, 1);
    }
}
