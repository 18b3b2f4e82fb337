//! Elixir: exceptions, the compiler, `ExUnit`.

use std::sync::LazyLock;

use regex::Regex;

use super::{LocatedFailure, NEAR, each, number};
use crate::report::{Failure, Frame, Severity, one_line};

/// Name of the family.
const NAME: &str = "elixir";

static EXCEPTION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\*\* \(([A-Za-z][\w.:]*)\) (.*)$").expect("a fixed pattern"));

static STEP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^\s+(?:\([\w.-]+(?: [\w.+-]+)?\) )?(\S+\.(?:exs?|erl|eex|heex|leex)):(\d+): (\S.*)$",
    )
    .expect("a fixed pattern")
});

static AT_START: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(\S+\.(?:exs?|eex|heex)):(\d+)(?::(\d+))?: (.*)$").expect("a fixed pattern")
});

static COMPILED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*(error|warning): (.+)$").expect("a fixed pattern"));

static POINTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*└─ (\S+?):(\d+)(?::(\d+))?(?:: (.*))?$").expect("a fixed pattern")
});

static TEST: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s+\d+\) test (.+) \(([\w.]+)\)$").expect("a fixed pattern"));

static TEST_PLACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s+(\S+\.exs):(\d+)$").expect("a fixed pattern"));

pub(super) fn parse(lines: &[&str]) -> Vec<LocatedFailure> {
    each(lines, |at, _| {
        tested(lines, at).or_else(|| raised(lines, at)).or_else(|| compiled(lines, at))
    })
}

fn step(line: &str) -> Option<Frame> {
    let found = STEP.captures(line)?;
    let name = found[3].rsplit_once('/').map_or(&found[3], |(name, _)| name);
    // A test appears as its own frame, without a function name.
    let name = if name.starts_with('(') { "" } else { name };
    Some(Frame::at(&found[1], number(&found[2]), None).within(name))
}

/// Parses an exception and its frames.
fn raised(lines: &[&str], start: usize) -> Option<LocatedFailure> {
    let found = EXCEPTION.captures(lines[start])?;
    let mut failure = Failure::new(NAME, &found[1], &found[2]);
    // Compiler errors have their position at the start of the message.
    if let Some(place) = AT_START.captures(&found[2]) {
        let column = place.get(3).and_then(|column| number(column.as_str()));
        failure.frames.push(Frame::at(&place[1], number(&place[2]), column));
        place[4].clone_into(&mut failure.message);
    }
    let mut end = start + 1;
    for (at, line) in lines.iter().enumerate().skip(start + 1) {
        if let Some(frame) = step(line) {
            failure.frames.push(frame);
            end = at + 1;
        } else if at >= end + NEAR || EXCEPTION.is_match(line) || !failure.frames.is_empty() {
            break;
        }
    }
    (!failure.frames.is_empty()).then_some(LocatedFailure { lines: start..end, failure })
}

/// Parses a compiler message with its position.
fn compiled(lines: &[&str], start: usize) -> Option<LocatedFailure> {
    let found = COMPILED.captures(lines[start])?;
    for (at, line) in lines.iter().enumerate().skip(start + 1).take(NEAR) {
        if COMPILED.is_match(line) {
            return None;
        }
        let Some(place) = POINTED.captures(line) else { continue };
        let column = place.get(3).and_then(|column| number(column.as_str()));
        let name = place.get(4).map_or("", |name| name.as_str());
        let name = name.rsplit_once('/').map_or(name, |(name, _)| name);
        let severity = if &found[1] == "warning" { Severity::Warning } else { Severity::Error };
        let frames = vec![Frame::at(&place[1], number(&place[2]), column).within(name)];
        let failure = Failure { severity, frames, ..Failure::new(NAME, "", &found[2]) };
        return Some(LocatedFailure { lines: start..at + 1, failure });
    }
    None
}

/// Parses an `ExUnit` test: name, position, message and stack.
fn tested(lines: &[&str], start: usize) -> Option<LocatedFailure> {
    let heading = TEST.captures(lines[start])?;
    let own = TEST_PLACE.captures(lines.get(start + 1)?)?;
    let mut failure = Failure::new(NAME, "", "");
    failure.test = Some(format!("{}: {}", &heading[2], &heading[1]));
    let mut end = start + 2;
    let mut output: Vec<&str> = Vec::new();
    let mut in_stack = false;
    for (at, line) in lines.iter().enumerate().skip(start + 2) {
        let text = line.trim();
        let is_over =
            text.is_empty() && in_stack || TEST.is_match(line) || text.starts_with("Finished in");
        if is_over {
            break;
        }
        end = at + 1;
        if let Some(found) = EXCEPTION.captures(line).filter(|_| failure.kind.is_empty()) {
            found[1].clone_into(&mut failure.kind);
            output = vec![line.split_once(") ").map_or(text, |(_, rest)| rest)];
        } else if text == "stacktrace:" {
            in_stack = true;
        } else if let Some(frame) = step(line).filter(|_| in_stack) {
            failure.frames.push(frame);
        } else if !in_stack && failure.kind.is_empty() {
            output.push(text);
        }
    }
    failure.message = one_line(&output.join(" "));
    if failure.frames.is_empty() {
        failure.frames.push(Frame::at(&own[1], number(&own[2]), None));
    }
    Some(LocatedFailure { lines: start..end, failure })
}
