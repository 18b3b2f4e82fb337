//! Python: tracebacks, pytest, unittest, and checkers that write `path:line: message`.

use std::sync::LazyLock;

use regex::Regex;

use super::{LocatedFailure, NEAR, diagnostic, has_extension, number};
use crate::report::{Failure, Frame};

/// Name of the family.
const NAME: &str = "python";

static FILE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^File "([^"]+)", line (\d+)(?:, in (.+))?$"#).expect("a fixed pattern")
});

static EXCEPTION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^([A-Za-z_][\w.]*)(?::(?:\s(.*))?)?$").expect("a fixed pattern"));

static SECTION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^_{3,} (.+?) _{3,}$").expect("a fixed pattern"));

static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^([^\s:][^:]*\.py):(\d+): ?(?:in (\S.*)|([A-Za-z_][\w.]*)?)$")
        .expect("a fixed pattern")
});

static SUMMARY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:FAILED|ERROR) ([^\s:]+\.py)(?:::(\S+?(?:\[.*\])?))?(?: - (.*))?$")
        .expect("a fixed pattern")
});

static UNITTEST: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:FAIL|ERROR): (\w+) \(([\w.]+)").expect("a fixed pattern"));

static DEFINITION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*(?:async )?def (\w+)\(").expect("a fixed pattern"));

/// Text between an exception and the exception that it caused.
const CHAINS: [&str; 2] = [
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
];

pub(super) fn parse(lines: &[&str]) -> Vec<LocatedFailure> {
    let mut found = sections(lines);
    let is_taken = |found: &[LocatedFailure], at: usize| {
        found.iter().any(|located| located.lines.contains(&at))
    };
    let mut at = 0;
    while at < lines.len() {
        let text = inner(lines[at]);
        let is_heading = text == "Traceback (most recent call last):"
            || text == "Exception Group Traceback (most recent call last):";
        let traceback = if is_heading {
            traceback(lines, at)
        } else if FILE.is_match(text) && !is_taken(&found, at) {
            syntax_error(lines, at)
        } else {
            None
        };
        match traceback {
            Some(located) => {
                let end = located.lines.end;
                chain(lines, &mut found, located);
                at = end.max(at + 1);
            }
            None => at += 1,
        }
    }
    summaries(lines, &mut found);
    for (at, line) in lines.iter().enumerate() {
        let Some(diagnostic) = diagnostic::colons(line) else { continue };
        if has_extension(diagnostic.path, &["py", "pyi"])
            && !diagnostic.is_note()
            && !PLACE.is_match(line)
        {
            let (message, code) = diagnostic::with_code(diagnostic.message);
            let failure = Failure { message: message.to_owned(), ..diagnostic.failure(NAME, code) };
            found.push(LocatedFailure { lines: at..at + 1, failure });
        }
    }
    found
}

/// Removes the frame that exception groups draw around a line.
fn inner(line: &str) -> &str {
    line.trim_start_matches([' ', '\t', '|', '+', '-']).trim_end()
}

/// Returns the indentation of a line, in columns.
fn indent(line: &str) -> usize {
    line.len() - inner(line).len()
}

/// Parses a traceback, starting at its heading.
fn traceback(lines: &[&str], start: usize) -> Option<LocatedFailure> {
    let outer = indent(lines[start]);
    let mut frames = Vec::new();
    let mut at = start + 1;
    while at < lines.len() {
        let text = inner(lines[at]);
        if let Some(place) = FILE.captures(text) {
            frames.push(frame(&place));
        } else if text.is_empty() || indent(lines[at]) <= outer {
            break;
        }
        at += 1;
    }
    let text = lines.get(at).map(|line| inner(line)).unwrap_or_default();
    let (kind, message) = exception(text).unwrap_or_default();
    if frames.is_empty() && kind.is_empty() {
        return None;
    }
    frames.reverse();
    let end = if kind.is_empty() { at } else { at + 1 };
    let mut failure = Failure { frames, ..Failure::new(NAME, kind, message) };
    // unittest prints the test name before a traceback.
    let above = start.saturating_sub(3)..start;
    let heading = lines[above].iter().rev().find_map(|line| UNITTEST.captures(line));
    failure.test = heading.map(|heading| {
        let (test, place) = (&heading[1], &heading[2]);
        if place.ends_with(test) { place.to_owned() } else { format!("{place}.{test}") }
    });
    Some(LocatedFailure { lines: start..end, failure })
}

/// Parses a syntax error: a position without a traceback.
fn syntax_error(lines: &[&str], start: usize) -> Option<LocatedFailure> {
    let place = FILE.captures(inner(lines[start]))?;
    for (at, line) in lines.iter().enumerate().skip(start + 1).take(4) {
        if FILE.is_match(inner(line)) {
            return None;
        }
        if let Some((kind, message)) = exception(line)
            && (kind.ends_with("Error") || kind.ends_with("Warning"))
            && !line.starts_with(' ')
        {
            let failure =
                Failure { frames: vec![frame(&place)], ..Failure::new(NAME, kind, message) };
            return Some(LocatedFailure { lines: start..at + 1, failure });
        }
    }
    None
}

fn frame(place: &regex::Captures<'_>) -> Frame {
    let function = place.get(3).map_or("", |function| function.as_str());
    Frame::at(&place[1], number(&place[2]), None).within(function)
}

/// Returns the type and the message in the last line of a traceback.
fn exception(line: &str) -> Option<(&str, &str)> {
    let found = EXCEPTION.captures(line)?;
    let message = found.get(2).map_or("", |message| message.as_str());
    Some((found.get(1)?.as_str(), message))
}

/// Appends a traceback. If the log says that the previous one caused it, that one becomes its
/// cause.
fn chain(lines: &[&str], found: &mut Vec<LocatedFailure>, next: LocatedFailure) {
    let above = next.lines.start.saturating_sub(NEAR)..next.lines.start;
    let output = above.clone().rev().find(|at| CHAINS.contains(&inner(lines[*at])));
    if let Some(output) = output
        && let Some(last) = found.last_mut()
        && last.lines.end <= output
        && lines[last.lines.end..output].iter().all(|line| !line.contains("Traceback (most"))
    {
        let test = last.failure.test.take();
        let mut failure = last.failure.clone().causing(next.failure);
        failure.test = failure.test.or(test);
        last.failure = failure;
        last.lines.end = next.lines.end;
        return;
    }
    found.push(next);
}

/// Parses pytest sections: a heading with the test, then frames from the test inwards.
fn sections(lines: &[&str]) -> Vec<LocatedFailure> {
    let mut found = Vec::new();
    let headings: Vec<usize> = (0..lines.len()).filter(|at| SECTION.is_match(lines[*at])).collect();
    for start in headings {
        let is_end = |line: &&str| SECTION.is_match(line) || line.starts_with("====");
        let body = &lines[start + 1..];
        let length = body.iter().position(is_end).unwrap_or(body.len());
        let body = &body[..length];
        let Some(heading) = SECTION.captures(lines[start]) else { continue };
        if let Some(mut failure) = section(body) {
            let name = heading[1].trim();
            failure.test = Some(name.strip_prefix("ERROR at setup of ").unwrap_or(name).to_owned());
            found.push(LocatedFailure { lines: start..start + 1 + length, failure });
        }
    }
    found
}

/// Parses one pytest section; `None` if it contains a native traceback, which is parsed as one.
fn section(body: &[&str]) -> Option<Failure> {
    let mut frames: Vec<Frame> = Vec::new();
    let mut failure: Option<Failure> = None;
    let mut earlier: Option<Failure> = None;
    let mut function = String::new();
    let close = |failure: &mut Option<Failure>, frames: &mut Vec<Frame>| {
        let mut closed = failure.take().unwrap_or_else(|| Failure::new(NAME, "", ""));
        closed.frames = std::mem::take(frames);
        closed.frames.reverse();
        closed
    };
    for line in body {
        if let Some(definition) = DEFINITION.captures(line.trim_start_matches('>')) {
            definition[1].clone_into(&mut function);
        } else if let Some(place) = PLACE.captures(line) {
            let named = place.get(3).map(|name| name.as_str().to_owned());
            let name = named.unwrap_or_else(|| std::mem::take(&mut function));
            let frame = Frame::at(&place[1], number(&place[2]), None).within(&name);
            frames.push(frame);
            if let Some(kind) = place.get(4)
                && let Some(known) = &mut failure
                && known.kind.is_empty()
            {
                kind.as_str().clone_into(&mut known.kind);
            }
        } else if let Some(output) = line.strip_prefix("E  ")
            && failure.is_none()
            && !output.trim().is_empty()
        {
            let output = output.trim();
            failure = Some(match exception(output) {
                Some((kind, message)) if output.contains(':') || kind.ends_with("Error") => {
                    Failure::new(NAME, kind, message)
                }
                _ => Failure::new(NAME, "", output),
            });
        } else if CHAINS.contains(&line.trim()) {
            let closed = close(&mut failure, &mut frames);
            earlier = Some(match earlier.take() {
                Some(known) => known.causing(closed),
                None => closed,
            });
        }
    }
    if frames.is_empty() && failure.is_none() {
        return None;
    }
    if frames.is_empty() && body.iter().any(|line| FILE.is_match(line.trim())) {
        return None;
    }
    let last = close(&mut failure, &mut frames);
    Some(match earlier {
        Some(known) => known.causing(last),
        None => last,
    })
}

/// Parses pytest's short summary: it adds tests that no section describes and the file of those
/// that have one.
fn summaries(lines: &[&str], found: &mut Vec<LocatedFailure>) {
    let known = found.len();
    for (at, line) in lines.iter().enumerate() {
        let Some(summary) = SUMMARY.captures(line) else { continue };
        let node = summary.get(2).map_or("", |node| node.as_str());
        let name = node.replace("::", ".");
        let is_known = found[..known].iter().any(|located| {
            located.failure.test.as_deref().is_some_and(|test| {
                test == name
                    || (!name.is_empty() && name.ends_with(&format!(".{test}")))
                    || test.contains(&summary[1])
            })
        });
        if is_known {
            continue;
        }
        let output = summary.get(3).map_or("", |output| output.as_str());
        let (kind, message) =
            exception(output).filter(|_| output.contains(':')).unwrap_or(("", output));
        let function = name.rsplit('.').next().unwrap_or_default();
        let function = function.split('[').next().unwrap_or_default();
        let failure = Failure {
            test: Some(if name.is_empty() { summary[1].to_owned() } else { name.clone() }),
            frames: vec![Frame::at(&summary[1], None, None).within(function)],
            ..Failure::new(NAME, kind, message)
        };
        found.push(LocatedFailure { lines: at..at + 1, failure });
    }
}
