//! The text of one hit: its place, and the most relevant lines of its text.

use std::{borrow::Cow, fmt::Write as _, ops::Range};

use lore_console::{
    dates,
    text::{clean, clean_code, cut, quoted},
};
use lore_engine::{Hit, Snippet};
use lore_schema::{SourceName, Trust};

use super::{excerpt::Excerpt, fence};

use crate::{output, tokens::Tokenizer};

/// Number of lines shown from the beginning of a text whose best passage is further down.
const HEAD_LINES: usize = 2;

/// Maximum number of lines between the beginning and the passage that are shown before the lines after
/// the passage.
const MAX_GAP_LINES: usize = 6;

/// A text may exceed its maximum number of tokens by one part in this many and still be shown whole.
const TOLERANCE_DIVISOR: usize = 4;

/// Maximum number of columns of a name. A heading may be a sentence.
const MAX_NAME_WIDTH: usize = 80;

/// Maximum number of characters of a line. Longer lines are data.
const MAX_LINE_LEN: usize = 400;

/// The label of a hit that the authors of the repository did not write.
const OUTSIDE: &str = " [outside]";

/// Maximum number of near-duplicates that are named; the others are counted.
const MAX_DUPLICATES: usize = 3;

/// The shown text of a hit.
pub(super) struct Body {
    /// Its lines, each with a line end.
    pub(super) text: String,
    /// True if it is the whole span.
    pub(super) is_whole: bool,
}

impl Body {
    /// Returns the whole text of a hit if it has at most `most` tokens or slightly more. Otherwise
    /// returns its beginning, its best passage and as many of the following lines as fit.
    pub(super) fn of(hit: &Hit, most: usize, tokenizer: Tokenizer) -> Body {
        let body = hit.body.as_ref().unwrap_or(&hit.snippet);
        let lines: Vec<String> = body.text.lines().map(written).collect();
        let is_blank = |line: &&String| line.trim().is_empty();
        let start = lines.iter().take_while(is_blank).count();
        let end = lines.len() - lines[start..].iter().rev().take_while(is_blank).count();
        let costs: Vec<usize> = lines.iter().map(|line| tokenizer.count(line)).collect();
        let (from, length) = passage(&hit.snippet, body, lines.len());
        let shown = shown_lines(&costs, start..end, from, length, most);
        let first = usize::try_from(body.start_line).unwrap_or(1);
        let mut text = String::new();
        let mut is_whole = true;
        let mut gap = |from: usize, to: usize, text: &mut String| {
            if from <= to {
                is_whole = false;
                let _ = writeln!(text, "… {from}-{to}");
            }
        };
        // A hit without its whole text has only the passage.
        let line = |line: u32| usize::try_from(line).unwrap_or(usize::MAX);
        if let Some(start) = hit.start_line.filter(|_| !hit.is_composed) {
            gap(line(start), first.saturating_sub(1), &mut text);
        }
        let mut at = start;
        while at < end {
            let run = (at..end).take_while(|line| shown[*line] == shown[at]).count();
            if shown[at] {
                text.push_str(&lines[at..at + run].concat());
            } else {
                gap(first + at, first + at + run - 1, &mut text);
            }
            at += run;
        }
        if let Some(end) = hit.end_line.filter(|_| !hit.is_composed) {
            gap(first + lines.len(), line(end), &mut text);
        }
        Body { text, is_whole }
    }
}

/// Selects the lines of `range` to show, with at most `most` tokens or slightly more: all of them, or
/// the first lines, the passage of `length` lines at `passage`, and the lines around it.
fn shown_lines(
    costs: &[usize],
    range: Range<usize>,
    passage: usize,
    length: usize,
    most: usize,
) -> Vec<bool> {
    let (start, end) = (range.start, range.end);
    let mut shown = vec![false; costs.len()];
    let mut show = |range: Range<usize>, left: usize| {
        let mut left = left;
        for at in range {
            if shown[at] {
                continue;
            }
            if costs[at] > left {
                break;
            }
            left -= costs[at];
            shown[at] = true;
        }
        left
    };
    let all = costs[range.clone()].iter().sum::<usize>();
    // A small gap does not save enough tokens to justify reading the file.
    if all <= most + most / TOLERANCE_DIVISOR {
        show(range, all);
        return shown;
    }
    let passage = passage.clamp(start, end);
    let passage_end = (passage + length).min(end);
    let left = show(start..(start + HEAD_LINES).min(end), most);
    let left = show(passage..passage_end, left);
    // Closing a short gap is better than showing as many lines after the passage.
    let left = show(start..passage.min(start + HEAD_LINES + MAX_GAP_LINES), left);
    show(passage_end..end, left);
    shown
}

/// The position of the best passage among the lines of a body, and its number of lines.
fn passage(snippet: &Snippet, body: &Snippet, lines: usize) -> (usize, usize) {
    let from = snippet.start_line.saturating_sub(body.start_line);
    let from = usize::try_from(from).unwrap_or(usize::MAX).min(lines);
    (from, snippet.text.lines().count().min(lines - from))
}

/// A line of a text, cut and cleaned, with a line end.
fn written(line: &str) -> String {
    let line = clean_code(line.trim_end());
    if line.chars().count() > MAX_LINE_LEN {
        return format!("{}…\n", line.chars().take(MAX_LINE_LEN).collect::<String>());
    }
    line + "\n"
}

/// A hit with its text.
pub(super) fn with_body(hit: &Hit, body: &Body, changed: Option<u32>) -> String {
    let changed = changed.map(|answer| format!(" (changed since answer {answer})"));
    let changed = changed.unwrap_or_default();
    let text = match hit.origin {
        Trust::Outside => Cow::Owned(fence::fenced(&body.text)),
        Trust::Own => Cow::Borrowed(&body.text),
    };
    format!("{}{}{changed}\n{}{text}", place(hit), name(hit), doubts(hit))
}

/// A hit with the lines that decide. The place is that of the whole passage; the lines have numbers.
pub(super) fn with_excerpt(hit: &Hit, excerpt: &Excerpt, changed: Option<u32>) -> String {
    let changed = changed.map(|answer| format!(" (changed since answer {answer})"));
    let changed = changed.unwrap_or_default();
    let text = match hit.origin {
        Trust::Outside => Cow::Owned(fence::fenced(&excerpt.text)),
        Trust::Own => Cow::Borrowed(&excerpt.text),
    };
    format!("{}{changed}\n{}{text}", heading(hit), doubts(hit))
}

/// The lines about a change like this one that was undone, and about the age of a document, each with a line
/// end.
fn doubts(hit: &Hit) -> String {
    let doubts = output::tried_before(hit).into_iter().chain(output::older_than_code(hit));
    doubts.map(|line| line + "\n").collect()
}

/// A hit as one line: its place, its name, and the line that matches best.
pub(super) fn with_best_line(hit: &Hit) -> String {
    let Some((number, line)) = Excerpt::best_line(hit) else { return heading(hit) + "\n" };
    let line = cut(line.trim_start(), MAX_BEST_LINE);
    let name = cut(&name_of(hit), MAX_BRIEF_NAME);
    let name = if name.is_empty() { name } else { format!(" {name}") };
    if hit.origin == Trust::Outside {
        // One line has no room for a fence.
        let is_plain = !fence::looks_like_instructions(&line);
        let line = if is_plain { format!(": {line}") } else { String::new() };
        return format!("{}{line}\n", heading(hit));
    }
    match number {
        Some(number) => format!("{}:{number}{name}: {line}\n{}", quoted(path(hit)), doubts(hit)),
        None => format!("{}: {line}\n{}", heading(hit), doubts(hit)),
    }
}

/// The place of a hit with its kind and name: what an agent needs to open or to cite it.
fn heading(hit: &Hit) -> String {
    if hit.path.is_none() {
        return format!("{}{}{}", commit(hit), files(hit), label(hit));
    }
    let kind = if hit.source == SourceName::Code && hit.id.contains('#') {
        format!(" {}", hit.kind)
    } else {
        String::new()
    };
    format!("{}{kind}{}", place(hit), name(hit))
}

/// A commit: hash, date, author and subject.
fn commit(hit: &Hit) -> String {
    let hash = path(hit).strip_prefix("git:").unwrap_or(path(hit));
    let hash = clean(&hash.chars().take(SHORT_HASH_LEN).collect::<String>());
    let about = [hit.date.and_then(dates::day), hit.author.clone()];
    let about: Vec<String> = about.into_iter().flatten().map(|text| clean(&text)).collect();
    let reverted = output::reverts(hit).map(|text| format!(" ({text})")).unwrap_or_default();
    let about = about.join(", ");
    let repository = hit.repository.as_ref().map(|name| format!(" in {}", clean(name)));
    let repository = repository.unwrap_or_default();
    format!("git:{hash}{repository} {about}: {}{reverted}", cut(&clean(&hit.title), MAX_NAME_WIDTH))
}

/// The files that a commit changed, folded: the first one and the number of the others.
fn files(hit: &Hit) -> String {
    let named = hit.extra.iter().filter(|(name, _)| name == "file").map(|(_, path)| path);
    let named: Vec<&String> = named.collect();
    let all = hit.extra.iter().find(|(name, _)| name == "files");
    let all = all.and_then(|(_, count)| count.parse().ok()).unwrap_or(named.len());
    match named.first() {
        Some(first) if all > 1 => format!(" [{} and {} more]", clean(first), all - 1),
        Some(first) => format!(" [{}]", clean(first)),
        None => String::new(),
    }
}

/// Number of shown characters of a commit's hash: enough to name it in a repository of any size.
const SHORT_HASH_LEN: usize = 12;

/// Maximum number of columns of the best line of a hit.
const MAX_BEST_LINE: usize = 120;

/// Maximum number of columns of a name beside a line.
const MAX_BRIEF_NAME: usize = 40;

/// A hit whose text is in an earlier answer.
pub(super) fn reference(hit: &Hit, answer: u32) -> String {
    format!("already shown: {}{} (answer {answer})\n", place(hit), name(hit))
}

/// A hit as one line: its place and its name.
pub(super) fn place_line(hit: &Hit) -> String {
    format!("{}{}\n", place(hit), name(hit))
}

/// The path of a hit, or the document's identifier if there is no path.
pub(super) fn path(hit: &Hit) -> &str {
    match &hit.path {
        Some(path) => path,
        None => hit.id.split_once('#').map_or(hit.id.as_str(), |(document, _)| document),
    }
}

/// `path:start-end`.
fn place(hit: &Hit) -> String {
    let path = quoted(path(hit));
    match (hit.start_line, hit.end_line) {
        (Some(start), Some(end)) if start < end => format!("{path}:{start}-{end}"),
        (Some(start), _) => format!("{path}:{start}"),
        _ => path,
    }
}

/// The name of a hit with its breadcrumb, status and duplicates; empty if that adds nothing to the
/// path.
fn name(hit: &Hit) -> String {
    let mut text = String::new();
    let joined = name_of(hit);
    if !joined.is_empty() {
        let _ = write!(text, " {}", cut(&joined, MAX_NAME_WIDTH));
    }
    if let Some(status) = &hit.status {
        let _ = write!(text, " [{}]", clean(status));
    }
    if hit.path.is_none() {
        let about = [hit.date.and_then(dates::day), hit.author.clone(), output::reverts(hit)];
        let about: Vec<String> = about.into_iter().flatten().map(|text| clean(&text)).collect();
        if !about.is_empty() {
            let _ = write!(text, " ({})", about.join(", "));
        }
    }
    text + &label(hit)
}

/// The names of the definitions or headings around a hit and its own; empty if that adds nothing to
/// the path.
fn name_of(hit: &Hit) -> String {
    let mut names: Vec<&str> = hit.breadcrumb.iter().map(String::as_str).collect();
    let is_named = hit.id.contains('#') || hit.path.is_none();
    if is_named && names.last() != Some(&hit.title.as_str()) && !hit.title.is_empty() {
        names.push(&hit.title);
    }
    clean(&names.join(" > "))
}

/// The label of a hit from outside, and its duplicates.
fn label(hit: &Hit) -> String {
    let mut text = String::new();
    if hit.origin == Trust::Outside {
        text.push_str(OUTSIDE);
    }
    for (at, other) in hit.also_found_in.iter().enumerate() {
        if at == MAX_DUPLICATES {
            let _ = write!(text, " and {} more", hit.also_found_in.len() - at);
            break;
        }
        let _ = write!(text, "{}{}", if at == 0 { " = " } else { ", " }, clean(other));
    }
    text
}
