//! .NET: exceptions with inner ones, and messages of `MSBuild`.

use std::sync::LazyLock;

use regex::Regex;

use super::{LocatedFailure, NEAR, diagnostic, each, has_extension, number};
use crate::report::{Failure, Frame};

/// Name of the family.
const NAME: &str = "dotnet";

/// Extensions of the languages of .NET.
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

/// A message of the compiler.
fn compiled(line: &str) -> Option<Failure> {
    let (one, code) = diagnostic::parentheses(line)?;
    if !has_extension(one.path, EXTENSIONS) {
        return None;
    }
    // The project stands in brackets at the end.
    let message = one.message.rsplit_once(" [").map_or(one.message, |(text, _)| text);
    Some(Failure { message: message.to_owned(), ..one.failure(NAME, code) })
}

/// A step of a trace.
fn step(line: &str) -> Option<Frame> {
    let found = STEP.captures(line)?;
    // What looks the same on the JVM names a file in its parentheses.
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

/// A trace around its first step. The exceptions stand above it, the outer ones first; the steps of
/// the innermost one come first.
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
        let said =
            lines[first.saturating_sub(NEAR).max(from)..first].iter().map(|line| line.trim());
        let said: Vec<&str> = said
            .skip_while(|line| !line.starts_with("Error Message:"))
            .filter(|line| !line.ends_with(':'))
            .collect();
        headers.push(Failure::new(NAME, "", &said.join(" ")));
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
    let is_told = !failure.kind.is_empty() || failure.test.is_some();
    (has_place || is_told).then_some(LocatedFailure { lines: start..at, failure })
}
