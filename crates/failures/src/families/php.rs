//! PHP: errors, uncaught exceptions, `PHPUnit`.

use std::sync::LazyLock;

use regex::Regex;

use super::{LocatedFailure, each, number};
use crate::report::{Failure, Frame, Severity, one_line};

/// Name of the family.
const NAME: &str = "php";

static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:PHP )?((?:Fatal|Parse|Recoverable fatal) error|Warning|Notice|Deprecated):\s+(.*?)(?: in (\S.*?\.php)(?::| on line )(\d+))?$")
        .expect("a fixed pattern")
});

static UNCAUGHT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^Uncaught (?:([\w\\]+): )?(.*)$").expect("a fixed pattern"));

static STEP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*#\d+ (?:(\S.*?\.php)\((\d+)\)|\[internal function\]|\{main\})(?:: (.*))?$")
        .expect("a fixed pattern")
});

static NEXT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^Next ([\w\\]+): (.*?) in (\S.*?\.php):(\d+)$").expect("a fixed pattern")
});

static TEST: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\d+\) ([\w\\]+::\w+.*)$").expect("a fixed pattern"));

static PLACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(/?\S+\.php):(\d+)$").expect("a fixed pattern"));

pub(super) fn parse(lines: &[&str]) -> Vec<LocatedFailure> {
    each(lines, |at, _| failed(lines, at).or_else(|| tested(lines, at)))
}

fn step(line: &str) -> Option<Frame> {
    let found = STEP.captures(line)?;
    let path = found.get(1).map_or("", |path| path.as_str());
    let number_of_line = found.get(2).and_then(|line| number(line.as_str()));
    Some(Frame::at(path, number_of_line, None))
}

/// Returns the function that a frame calls, which contains the position of the next inner frame.
fn called(line: &str) -> Option<String> {
    let found = STEP.captures(line)?;
    let call = found.get(3)?.as_str();
    Some(call.split('(').next().unwrap_or(call).to_owned())
}

/// Parses an error, or the trace of an uncaught exception.
fn failed(lines: &[&str], start: usize) -> Option<LocatedFailure> {
    let error = ERROR.captures(lines[start])?;
    let mut message = error[2].to_owned();
    let mut kind = error[1].to_owned();
    let severity = if kind.ends_with("error") { Severity::Error } else { Severity::Warning };
    let mut place = error
        .get(3)
        .zip(error.get(4))
        .map(|(path, line)| Frame::at(path.as_str(), number(line.as_str()), None));
    if let Some(uncaught) = UNCAUGHT.captures(&error[2]) {
        if let Some(class) = uncaught.get(1) {
            class.as_str().clone_into(&mut kind);
        }
        uncaught[2].clone_into(&mut message);
    }
    let mut failure = Failure { severity, ..Failure::new(NAME, &kind, &message) };
    let mut at = start + 1;
    let has_trace = lines.get(at).is_some_and(|line| line.trim() == "Stack trace:");
    if !has_trace && place.is_none() {
        return None;
    }
    if has_trace {
        at += 1;
        failure.frames.extend(place.take());
        while let Some(line) = lines.get(at) {
            if let Some(frame) = step(line) {
                if let Some(last) = failure.frames.last_mut() {
                    *last = std::mem::take(last).within(&called(line).unwrap_or_default());
                }
                failure.frames.push(frame);
            } else if let Some(next) = NEXT.captures(line) {
                failure.frames.retain(|frame| !frame.path.is_empty());
                let mut outer = Failure::new(NAME, &next[1], &next[2]);
                outer.frames.push(Frame::at(&next[3], number(&next[4]), None));
                failure = failure.causing(outer);
            } else if !line.trim().is_empty() && line.trim() != "Stack trace:" {
                break;
            }
            at += 1;
        }
        if lines.get(at).is_some_and(|line| line.trim_start().starts_with("thrown in ")) {
            at += 1;
        }
        failure.frames.retain(|frame| !frame.path.is_empty());
    }
    failure.frames.extend(place);
    Some(LocatedFailure { lines: start..at, failure })
}

/// Parses a `PHPUnit` test: its name, message and positions.
fn tested(lines: &[&str], start: usize) -> Option<LocatedFailure> {
    let heading = TEST.captures(lines[start])?;
    let mut failure = Failure::new(NAME, "", "");
    failure.test = Some(heading[1].to_owned());
    let mut output: Vec<&str> = Vec::new();
    let mut end = start + 1;
    for (at, line) in lines.iter().enumerate().skip(start + 1).take(200) {
        if let Some(place) = PLACE.captures(line.trim()) {
            failure.frames.push(Frame::at(&place[1], number(&place[2]), None));
            end = at + 1;
        } else if TEST.is_match(line) || (!failure.frames.is_empty() && !line.trim().is_empty()) {
            break;
        } else if !line.trim().is_empty() && output.len() < super::NEAR {
            output.push(line.trim());
        }
    }
    let output = output.join(" ");
    match output.split_once(": ").filter(|(kind, _)| !kind.contains(' ')) {
        Some((kind, message)) => {
            kind.clone_into(&mut failure.kind);
            message.clone_into(&mut failure.message);
        }
        None => failure.message = one_line(&output),
    }
    (!failure.frames.is_empty()).then_some(LocatedFailure { lines: start..end, failure })
}
