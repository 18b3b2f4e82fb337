//! .NET: exceptions with inner exceptions, and `MSBuild` messages.

use std::sync::LazyLock;

use regex::Regex;

use super::{LocatedFailure, NEAR, diagnostic, each, has_extension, number};
use crate::report::{Failure, Frame};

/// Name of the family.
const NAME: &str = "dotnet";

/// File extensions of the .NET languages.
const EXTENSIONS: &[&str] = &["cs", "fs", "vb", "razor", "cshtml"];

static STEP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s+at ([\w.`<>+\[\],|$~]+(?:\.\.c?ctor)?)\(([^()]*(?:\([^()]*\))?[^()]*)\)(?: in (.+):line (\d+))?$")
        .expect("a fixed pattern")
});

static EXCEPTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:Unhandled exception[.:] )?(?:---> )?(?:\(Inner Exception #\d+\) )?((?:[A-Z]\w*\.)*\w+Exception)\s?: (.*)$")
        .expect("a fixed pattern")
});

static TEST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s+(?:Failed|\[FAIL\]) (\S.*?)(?: \[.*\])?$").expect("a fixed pattern")
});

pub(super) fn parse(lines: &[&str]) -> Vec<LocatedFailure> {
    each(lines, |at, from| {
        let traced = step(lines[at]).and_then(|_| trace(lines, at, from));
        let found = |failure| LocatedFailure { lines: at..at + 1, failure };
        traced.or_else(|| compiled(lines[at]).map(found))
    })
}

/// Parses a compiler message.
fn compiled(line: &str) -> Option<Failure> {
    let (diagnostic, code) = diagnostic::parentheses(line)?;
    if !has_extension(diagnostic.path, EXTENSIONS) {
        return None;
    }
    // The project is in brackets at the end.
    let message = diagnostic.message.rsplit_once(" [").map_or(diagnostic.message, |(text, _)| text);
    Some(Failure { message: message.to_owned(), ..diagnostic.failure(NAME, code) })
}

/// Parses a stack frame.
fn step(line: &str) -> Option<Frame> {
    let found = STEP.captures(line)?;
    // A JVM frame looks the same but has a file name in parentheses.
    if [".java", ".kt", ".scala", "Unknown Source", "Native Method"]
        .iter()
        .any(|sign| found[2].contains(sign))
    {
        return None;
    }
    let path = found.get(3).map_or("", |path| path.as_str());
    let line = found.get(4).and_then(|line| number(line.as_str()));
    Some(Frame::at(path, line, None).within(&found[1]))
}

/// Parses a stack trace around its first frame. The exceptions are above it, the outermost first;
/// the frames of the innermost exception come first.
fn trace(lines: &[&str], first: usize, from: usize) -> Option<LocatedFailure> {
    let mut start = first;
    let mut headers: Vec<Failure> = Vec::new();
    let mut test = None;
    for at in (first.saturating_sub(NEAR).max(from)..first).rev() {
        if let Some(found) = EXCEPTION.captures(lines[at]) {
            headers.insert(0, Failure::new(NAME, &found[1], &found[2]));
            start = at;
            if !lines[at].trim_start().starts_with("--->") {
                break;
            }
        } else if let Some(found) = TEST.captures(lines[at]) {
            test = Some(found[1].to_owned());
            start = at;
            break;
        }
    }
    for line in lines[start..first]
        .iter()
        .rev()
        .chain(lines[first.saturating_sub(NEAR).max(from)..start].iter().rev())
    {
        if let Some(found) = TEST.captures(line).filter(|_| test.is_none()) {
            test = Some(found[1].to_owned());
        }
    }
    let mut level = headers.len().saturating_sub(1);
    if headers.is_empty() {
        let output =
            lines[first.saturating_sub(NEAR).max(from)..first].iter().map(|line| line.trim());
        let output: Vec<&str> = output
            .skip_while(|line| !line.starts_with("Error Message:"))
            .filter(|line| !line.ends_with(':'))
            .collect();
        headers.push(Failure::new(NAME, "", &output.join(" ")));
    }
    let mut at = first;
    while let Some(line) = lines.get(at) {
        if let Some(frame) = step(line) {
            headers[level].frames.push(frame);
        } else if line.trim_start().starts_with("--- End of inner exception") {
            level = level.saturating_sub(1);
        } else if !line.trim_start().starts_with("--- End of stack trace") {
            break;
        }
        at += 1;
    }
    let mut headers = headers.into_iter();
    let mut failure = headers.next()?;
    failure.causes = headers.collect();
    failure.test = test;
    let has_place = failure.all_frames().any(|frame| !frame.path.is_empty());
    let is_named = !failure.kind.is_empty() || failure.test.is_some();
    (has_place || is_named).then_some(LocatedFailure { lines: start..at, failure })
}
