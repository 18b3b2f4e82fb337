//! What is written of one hit: its place, and as much of its text as answers.

use std::{borrow::Cow, fmt::Write as _};

use lore_console::text::{clean, clean_code, cut, quoted};
use lore_engine::{Hit, Snippet};
use lore_schema::Trust;

use super::fence;

use crate::tokens::Tokenizer;

/// Lines of the beginning that are shown of a text of which the answer stands further down.
const HEAD: usize = 2;

/// Longest name that is written, in columns: a heading may be a sentence.
const LONGEST_NAME: usize = 80;

/// Longest line of a text, in columns: longer ones are data.
const LONGEST_LINE: usize = 400;

/// Says of a hit that the authors of the repository did not write it.
const OUTSIDE: &str = " [outside]";

/// Near-duplicates of a hit that are named, rather than counted.
const MOST_DUPLICATES: usize = 3;

/// The text of a hit as it is shown.
pub(super) struct Body {
    /// Its lines, each with a line end.
    pub(super) text: String,
    /// Whether it is all of the span.
    pub(super) is_whole: bool,
}

impl Body {
    /// All of a hit's text if it has at most so many tokens, or few more; otherwise its beginning and
    /// the passage that answers best, with as many of the lines that follow as there is room for.
    pub(super) fn of(hit: &Hit, most: usize, tokenizer: Tokenizer) -> Body {
        let body = hit.body.as_ref().unwrap_or(&hit.snippet);
        let lines: Vec<String> = body.text.lines().map(written).collect();
        let blank = |line: &&String| line.trim().is_empty();
        let start = lines.iter().take_while(blank).count();
        let end = lines.len() - lines[start..].iter().rev().take_while(blank).count();
        let costs: Vec<usize> = lines.iter().map(|line| tokenizer.count(line)).collect();
        let mut shown = vec![false; lines.len()];
        let mut show = |range: std::ops::Range<usize>, left: usize| {
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
        let all = costs[start..end].iter().sum::<usize>();
        // A gap saves too little to be worth a look into the file.
        if all <= most + most / TOLERATED {
            show(start..end, all);
        } else {
            let (passage, length) = passage(&hit.snippet, body, lines.len());
            let passage = passage.clamp(start, end);
            let left = show(start..(start + HEAD).min(end), most);
            let left = show(passage..(passage + length).min(end), left);
            // What stands between is worth more than a gap of as much.
            let left = show(start..passage.min(start + HEAD + GAP), left);
            show((passage + length).min(end)..end, left);
        }
        let first = usize::try_from(body.start_line).unwrap_or(1);
        let mut text = String::new();
        let mut is_whole = true;
        let mut gap = |from: usize, to: usize, text: &mut String| {
            if from <= to {
                is_whole = false;
                let _ = writeln!(text, "… {from}-{to}");
            }
        };
        // Of a hit without its whole text, the passage is all that is known.
        let line = |line: u32| usize::try_from(line).unwrap_or(usize::MAX);
        if let Some(start) = hit.start_line {
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
        if let Some(end) = hit.end_line {
            gap(first + lines.len(), line(end), &mut text);
        }
        Body { text, is_whole }
    }
}

/// The part of the tokens, one in so many, by which a text may be longer and still be shown whole.
const TOLERATED: usize = 4;

/// Lines between the beginning and the passage that are shown, too, before those that follow it.
const GAP: usize = 6;

/// Where the passage that answers best stands among the lines of a body, and how many lines it has.
fn passage(snippet: &Snippet, body: &Snippet, lines: usize) -> (usize, usize) {
    let from = snippet.start_line.saturating_sub(body.start_line);
    let from = usize::try_from(from).unwrap_or(usize::MAX).min(lines);
    (from, snippet.text.lines().count().min(lines - from))
}

/// A line of a text, with its end.
fn written(line: &str) -> String {
    let line = clean_code(line.trim_end());
    if line.chars().count() > LONGEST_LINE {
        return format!("{}…\n", line.chars().take(LONGEST_LINE).collect::<String>());
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
    format!("{}{}{changed}\n{text}", place(hit), name(hit))
}

/// A hit whose text an earlier answer has.
pub(super) fn reference(hit: &Hit, answer: u32) -> String {
    format!("already shown: {}{} (answer {answer})\n", place(hit), name(hit))
}

/// A hit as one line: its place and its name.
pub(super) fn place_line(hit: &Hit) -> String {
    format!("{}{}\n", place(hit), name(hit))
}

/// The path of a hit, or what stands for it where there is none.
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

/// What the hit is called, with what encloses it, its status and its duplicates; empty where that
/// says nothing beside the path.
fn name(hit: &Hit) -> String {
    let mut names: Vec<&str> = hit.breadcrumb.iter().map(String::as_str).collect();
    let is_named = hit.id.contains('#') || hit.path.is_none();
    if is_named && names.last() != Some(&hit.title.as_str()) && !hit.title.is_empty() {
        names.push(&hit.title);
    }
    let joined = clean(&names.join(" > "));
    let mut text = String::new();
    if !joined.is_empty() {
        let _ = write!(text, " {}", cut(&joined, LONGEST_NAME));
    }
    if let Some(status) = &hit.status {
        let _ = write!(text, " [{}]", clean(status));
    }
    if hit.origin == Trust::Outside {
        text.push_str(OUTSIDE);
    }
    for (at, other) in hit.also_found_in.iter().enumerate() {
        if at == MOST_DUPLICATES {
            let _ = write!(text, " and {} more", hit.also_found_in.len() - at);
            break;
        }
        let _ = write!(text, "{}{}", if at == 0 { " = " } else { ", " }, clean(other));
    }
    text
}
