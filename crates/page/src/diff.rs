//! The changed lines of a file with the lines around them.

use std::ops::Range;

use lore_engine::ChangedText;
use lore_highlight::Span;
use maud::{Markup, PreEscaped, html};

use crate::{code, error::in_words, links, text};

/// Lines of context before and after a change.
const CONTEXT: usize = 3;

/// Maximum number of shown lines of a file.
const MAX_LINES: usize = 600;

/// Number of changed lines from which on a file is closed at first.
const MAX_OPEN_LINES: usize = 300;

/// A line of a difference: its 0-based numbers before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Kept(usize, usize),
    Removed(usize),
    Added(usize),
    /// Lines that are not shown.
    Gap,
}

/// A changed file.
pub(crate) fn file(file: &ChangedText, commit: &str, parent: Option<&str>) -> Markup {
    let (added, removed) = (file.added(), file.removed());
    html! {
        details.diff open[added + removed <= MAX_OPEN_LINES] {
            summary {
                @if let Some(old) = &file.old_path { span { (old) } " → " }
                span { (file.path) }
                " " span.added { "+" (added) } " " span.removed { "−" (removed) }
                @if file.is_removed { " removed" } @else if file.old.is_none() && file.new.is_some() { " new" }
            }
            p.place {
                @if !file.is_removed {
                    a href=(links::file(&file.path, Some(commit))) { "File after the commit" }
                }
                @if let (Some(parent), true) = (parent, file.old.is_some()) {
                    @if !file.is_removed { " · " }
                    a href=(links::file(file.old_path.as_ref().unwrap_or(&file.path), Some(parent))) { "before" }
                }
            }
            @if let Some(reason) = file.skipped {
                p.note { "Not shown: " (in_words(reason)) "." }
            } @else if file.hunks.is_empty() {
                p.note { "No line changed." }
            } @else {
                (lines(file))
            }
        }
    }
}

fn lines(file: &ChangedText) -> Markup {
    let (old, new) =
        (file.old.as_deref().unwrap_or_default(), file.new.as_deref().unwrap_or_default());
    let old_path = file.old_path.as_deref().unwrap_or(&file.path);
    let old_spans = colours(old_path, old);
    let new_spans = colours(&file.path, new);
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let all = shown(&file.hunks, old.len());
    let mut out = String::from("<pre class=lines tabindex=0>");
    for line in all.iter().take(MAX_LINES) {
        let (class, sign, number, content, spans) = match *line {
            Line::Gap => {
                out.push_str("<span class=\"d gap\">…\n</span>");
                continue;
            }
            Line::Kept(_, at) => ("same", ' ', at, new.get(at), new_spans.get(at)),
            Line::Removed(at) => ("del", '-', at, old.get(at), old_spans.get(at)),
            Line::Added(at) => ("add", '+', at, new.get(at), new_spans.get(at)),
        };
        out.push_str("<span class=\"d ");
        out.push_str(class);
        out.push_str("\"><span class=no>");
        out.push_str(&(number + 1).to_string());
        out.push_str("</span>");
        out.push(sign);
        let spans = spans.map(Vec::as_slice).unwrap_or_default();
        code::line(content.copied().unwrap_or_default(), spans, &[], None, &mut out);
        out.push_str("\n</span>");
    }
    out.push_str("</pre>");
    html! {
        (PreEscaped(out))
        @if MAX_LINES < all.len() {
            p.note { (text::plural(all.len() - MAX_LINES, "more line is", "more lines are")) " not shown." }
        }
    }
}

fn colours(path: &str, text: &str) -> Vec<Vec<Span>> {
    lore_highlight::in_lines(text, &lore_highlight::highlight_file(path, text))
}

/// The lines of the changes with those around them.
fn shown(hunks: &[(Range<usize>, Range<usize>)], old_len: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    // Numbers of the first lines that are not shown yet.
    let (mut old, mut new) = (0, 0);
    for (index, (removed, added)) in hunks.iter().enumerate() {
        let before = removed.start - old;
        let after_last = if index == 0 { 0 } else { CONTEXT.min(before) };
        for _ in 0..after_last {
            lines.push(Line::Kept(old, new));
            (old, new) = (old + 1, new + 1);
        }
        let left = removed.start - old;
        if CONTEXT < left {
            lines.push(Line::Gap);
            let skipped = left - CONTEXT;
            (old, new) = (old + skipped, new + skipped);
        }
        while old < removed.start {
            lines.push(Line::Kept(old, new));
            (old, new) = (old + 1, new + 1);
        }
        lines.extend(removed.clone().map(Line::Removed));
        lines.extend(added.clone().map(Line::Added));
        (old, new) = (removed.end, added.end);
    }
    for _ in 0..CONTEXT.min(old_len.saturating_sub(old)) {
        lines.push(Line::Kept(old, new));
        (old, new) = (old + 1, new + 1);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_lines_around_them() {
        // Ten lines; the second is replaced by two, the ninth is removed.
        let lines = shown(&[(1..2, 1..3), (8..9, 9..9)], 10);
        assert_eq!(
            lines,
            [
                Line::Kept(0, 0),
                Line::Removed(1),
                Line::Added(1),
                Line::Added(2),
                Line::Kept(2, 3),
                Line::Kept(3, 4),
                Line::Kept(4, 5),
                Line::Kept(5, 6),
                Line::Kept(6, 7),
                Line::Kept(7, 8),
                Line::Removed(8),
                Line::Kept(9, 9),
            ]
        );
        let lines = shown(&[(0..0, 0..1), (20..20, 21..22)], 40);
        assert_eq!(lines.iter().filter(|line| **line == Line::Gap).count(), 1);
        assert_eq!(lines.len(), 1 + 3 + 1 + 3 + 1 + 3);
    }
}
