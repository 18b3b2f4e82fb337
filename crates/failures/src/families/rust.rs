//! Rust: panics with backtraces, rustc and Cargo messages, tests.

use std::sync::LazyLock;

use regex::Regex;

use super::{LocatedFailure, NEAR, number};
use crate::report::{Failure, Frame, Severity};

/// Name of the family.
const NAME: &str = "rust";

static PANIC: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*thread '(.*?)'(?: \(\d+\))? panicked at (.*)$").expect("a fixed pattern")
});

static PLACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(.*):(\d+):(\d+):?$").expect("a fixed pattern"));

static STEP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(\d+):\s+(?:0x[0-9a-f]+ - )?(.+)$").expect("a fixed pattern")
});

static STEP_PLACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s+at (.+?):(\d+)(?::(\d+))?$").expect("a fixed pattern"));

static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(error|warning)(?:\[([A-Za-z0-9_:]+)\])?: (.+)$").expect("a fixed pattern")
});

static ARROW: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*(?:-->|:::) (.+?):(\d+):(\d+)$").expect("a fixed pattern"));

static TEST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^---- (\S+)(?: - .*)? std(?:out|err) ----$").expect("a fixed pattern")
});

pub(super) fn parse(lines: &[&str]) -> Vec<LocatedFailure> {
    let mut found = Vec::new();
    let mut test: Option<(usize, String)> = None;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let located = if let Some(heading) = TEST.captures(line) {
            test = Some((at, heading[1].to_owned()));
            None
        } else if let Some(panic) = PANIC.captures(line) {
            Some(panicked(lines, at, &panic[1], &panic[2]))
        } else if let Some(header) = HEADER.captures(line) {
            compiled(lines, at, &header)
        } else if line.starts_with("Error: ") {
            returned(lines, at, test.as_ref().filter(|(start, _)| at - start <= NEAR))
        } else {
            None
        };
        match located {
            Some(mut located) => {
                let named = test
                    .as_ref()
                    .filter(|_| located.failure.test.is_none() && !is_compiled(&located));
                if let Some((_, name)) = named.filter(|(start, _)| at - start <= NEAR) {
                    located.failure.test = Some(name.clone());
                }
                at = located.lines.end.max(at + 1);
                found.push(located);
            }
            None => at += 1,
        }
    }
    found
}

/// Returns true if the failure is a compiler message, which no test writes.
fn is_compiled(found: &LocatedFailure) -> bool {
    found.failure.kind != "panic"
}

/// Parses a panic: position, message and backtrace.
fn panicked(lines: &[&str], start: usize, thread: &str, rest: &str) -> LocatedFailure {
    let mut end = start + 1;
    // Before Rust 1.73: the quoted message, then the position.
    let (message, place) = match rest.rsplit_once("', ") {
        Some((message, place)) if rest.starts_with('\'') => (message[1..].to_owned(), place),
        _ => {
            let mut message = Vec::new();
            while end < lines.len() && message.len() < NEAR {
                let line = lines[end];
                let is_over = line.trim().is_empty()
                    || line.starts_with("stack backtrace:")
                    || line.starts_with("note: ");
                if is_over {
                    break;
                }
                message.push(line.trim());
                end += 1;
            }
            (message.join(" "), rest)
        }
    };
    let mut failure = Failure::new(NAME, "panic", &message);
    // Test threads are named after the test.
    let is_test = thread.contains("::");
    failure.test = is_test.then(|| thread.to_owned());
    let mut steps = Vec::new();
    let trace = (end..lines.len().min(end + 3)).find(|at| lines[*at].trim() == "stack backtrace:");
    if let Some(trace) = trace {
        (steps, end) = backtrace(lines, trace + 1);
    }
    if let Some(place) = PLACE.captures(place.trim()) {
        let point = Frame::at(&place[1], number(&place[2]), number(&place[3]));
        // A backtrace has paths relative to the package, a panic relative to the workspace.
        let is_point = |step: &Frame| {
            let ends_alike =
                |long: &str, short: &str| long.ends_with(short.trim_start_matches("./"));
            step.line == point.line
                && !step.path.is_empty()
                && (ends_alike(&step.path, &point.path) || ends_alike(&point.path, &step.path))
        };
        // Frames of the panic machinery come before the failing position: they are moved to the
        // end.
        let machinery = steps.iter().position(is_point).unwrap_or(0);
        let mut inner: Vec<Frame> = steps.drain(..machinery).collect();
        if steps.first().is_some_and(is_point) {
            failure.frames.push(Frame { path: point.path, ..steps.remove(0) });
        } else {
            failure.frames.push(point);
        }
        failure.frames.append(&mut steps);
        failure.frames.append(&mut inner);
    } else {
        failure.frames = steps;
    }
    LocatedFailure { lines: start..end, failure }
}

/// Parses a backtrace, innermost frame first, and returns its end.
fn backtrace(lines: &[&str], start: usize) -> (Vec<Frame>, usize) {
    let mut steps: Vec<Frame> = Vec::new();
    let mut at = start;
    while at < lines.len() {
        if let Some(step) = STEP.captures(lines[at]) {
            steps.push(Frame::default().within(&step[2]));
        } else if let Some(place) = STEP_PLACE.captures(lines[at]) {
            let column = place.get(3).and_then(|column| number(column.as_str()));
            if let Some(last) = steps.last_mut() {
                let function = last.function.take();
                *last = Frame { function, ..Frame::at(&place[1], number(&place[2]), column) };
            }
        } else {
            break;
        }
        at += 1;
    }
    (steps, at)
}

/// Messages that only repeat that something failed before.
const SUMMARIES: [&str; 6] = [
    "could not compile",
    "aborting due to",
    "test failed",
    "process didn't exit",
    "build failed",
    "doctest failed",
];

/// Parses a compiler message with its positions: the primary one, then the secondary ones.
fn compiled(lines: &[&str], start: usize, header: &regex::Captures<'_>) -> Option<LocatedFailure> {
    let message = &header[3];
    if SUMMARIES.iter().any(|known| message.starts_with(known)) {
        return None;
    }
    let mut frames: Vec<Frame> = Vec::new();
    let mut end = start + 1;
    let mut blank = false;
    for (at, line) in lines.iter().enumerate().skip(start + 1) {
        let next = line.trim_start();
        if let Some(place) = ARROW.captures(line) {
            let frame = Frame::at(&place[1], number(&place[2]), number(&place[3]));
            if !frames.contains(&frame) {
                frames.push(frame);
            }
        } else if HEADER.is_match(line) || (blank && !is_snippet(next)) {
            break;
        }
        blank = next.is_empty();
        if !blank {
            end = at + 1;
        }
    }
    if frames.is_empty() {
        return None;
    }
    let kind = header.get(2).map_or("", |code| code.as_str());
    let severity = if &header[1] == "warning" { Severity::Warning } else { Severity::Error };
    let failure = Failure { severity, frames, ..Failure::new(NAME, kind, message) };
    Some(LocatedFailure { lines: start..end, failure })
}

/// Returns true if a line belongs to the code excerpt of a compiler message or is a note below it.
fn is_snippet(line: &str) -> bool {
    let rest = line.trim_start_matches(|first: char| first.is_ascii_digit()).trim_start();
    rest.starts_with(['|', '='])
        || line.starts_with("note: ")
        || line.starts_with("help: ")
        || line.starts_with("...")
}

/// Parses an error returned by `main` or by a test, with its causes.
fn returned(
    lines: &[&str],
    start: usize,
    test: Option<&(usize, String)>,
) -> Option<LocatedFailure> {
    let message = lines[start].strip_prefix("Error: ")?;
    let mut failure = Failure::new(NAME, "", message);
    let mut end = start + 1;
    if lines.get(start + 2).is_some_and(|line| line.trim() == "Caused by:")
        && lines[start + 1].trim().is_empty()
    {
        end = start + 3;
        while let Some(line) = lines.get(end).filter(|line| line.starts_with("    ")) {
            let output = STEP
                .captures(line)
                .map_or_else(|| line.trim().to_owned(), |step| step[2].to_owned());
            failure.causes.push(Failure::new(NAME, "", &output));
            end += 1;
        }
    }
    let trace = (end..lines.len().min(end + 2))
        .find(|at| lines[*at].trim().eq_ignore_ascii_case("stack backtrace:"));
    if let Some(trace) = trace {
        (failure.frames, end) = backtrace(lines, trace + 1);
    }
    if failure.causes.is_empty() && failure.frames.is_empty() {
        // A test that returned an error has no position but its name.
        let (_, name) = test?;
        failure.frames.push(Frame::default().within(name));
        failure.test = Some(name.clone());
    }
    Some(LocatedFailure { lines: start..end, failure })
}
