//! Ruby: exceptions in both frame orders, `RSpec`, Minitest.

use std::sync::LazyLock;

use regex::Regex;

use super::{LocatedFailure, NEAR, number};
use crate::report::{Failure, Frame, one_line};

/// Name of the family.
const NAME: &str = "ruby";

static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(\S.*?\.(?:rb|rake|erb)):(\d+):(?:in [`'](.+?)':)? (.*?)(?: \(([A-Z][\w:]*)\))?$")
        .expect("a fixed pattern")
});

static STEP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s+(?:\d+: )?from (\S.*?):(\d+):in [`'](.+?)'$").expect("a fixed pattern")
});

static BARE_STEP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:# )?(\S.*?\.(?:rb|rake|erb)):(\d+)(?::in [`'](.+?)')?$")
        .expect("a fixed pattern")
});

static SPEC: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s+\d+\) (\S.*)$").expect("a fixed pattern"));

static MINITEST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:(?:Failure|Error):\s*)?(\w[\w:]*#\w+)(?: \[(\S+):(\d+)\])?:$")
        .expect("a fixed pattern")
});

static EXCEPTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^((?:[A-Z]\w*::)*[A-Z]\w*(?:Error|Exception|Failure|NotFound|Invalid)): (.*)$")
        .expect("a fixed pattern")
});

pub(super) fn parse(lines: &[&str]) -> Vec<LocatedFailure> {
    let mut found: Vec<LocatedFailure> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let located = spec(lines, at)
            .or_else(|| minitest(lines, at))
            .or_else(|| raised(lines, at, &mut found));
        match located {
            Some(located) => {
                at = located.lines.end.max(at + 1);
                found.push(located);
            }
            None => at += 1,
        }
    }
    found
}

fn frame(found: &regex::Captures<'_>) -> Frame {
    let function = found.get(3).map_or("", |name| name.as_str());
    Frame::at(&found[1], number(&found[2]), None).within(function)
}

/// Parses an exception: the line with the message, with its frames below it or, in traceback order,
/// above it.
fn raised(lines: &[&str], start: usize, found: &mut [LocatedFailure]) -> Option<LocatedFailure> {
    let head = HEAD.captures(lines[start])?;
    let mut frames = vec![frame(&head)];
    let mut end = start + 1;
    while let Some(step) = lines.get(end).and_then(|line| STEP.captures(line)) {
        frames.push(frame(&step));
        end += 1;
    }
    let mut first = start;
    if frames.len() == 1 {
        while first > 0
            && let Some(step) = STEP.captures(lines[first - 1])
        {
            frames.push(frame(&step));
            first -= 1;
        }
        if first > 0 && lines[first - 1].starts_with("Traceback (most recent call last)") {
            first -= 1;
        }
    }
    let kind = head.get(5).map_or("", |kind| kind.as_str());
    // `x.rb:3: warning: unused` is not an exception, and a log line needs more than a position.
    if kind.is_empty() && frames.len() == 1 && head.get(3).is_none() {
        let output = &head[4];
        let is_syntax = output.starts_with("syntax error") || output.contains("SyntaxError");
        if !is_syntax {
            return None;
        }
    }
    let failure = Failure { frames, ..Failure::new(NAME, kind, &head[4]) };
    // A cause follows below, with its own frames.
    if let Some(last) = found.last_mut()
        && last.lines.end == first
        && first == start
        && lines[start..end].len() > 1
        && last.failure.test.is_none()
        && last.failure.frames.len() > 1
    {
        last.failure.causes.push(failure);
        last.lines.end = end;
        return None;
    }
    Some(LocatedFailure { lines: first..end, failure })
}

/// Parses a failed `RSpec` example.
fn spec(lines: &[&str], start: usize) -> Option<LocatedFailure> {
    let heading = SPEC.captures(lines[start])?;
    let mark = (start + 1..lines.len().min(start + 4))
        .find(|at| lines[*at].trim_start().starts_with("Failure/Error:"))?;
    let mut failure = Failure::new(NAME, "", "");
    failure.test = Some(heading[1].to_owned());
    let mut output: Vec<&str> = Vec::new();
    let mut end = mark + 1;
    for (at, line) in lines.iter().enumerate().skip(mark + 1).take(NEAR * 8) {
        let text = line.trim();
        if let Some(step) = BARE_STEP.captures(line).filter(|_| text.starts_with('#')) {
            failure.frames.push(frame(&step));
        } else if !failure.frames.is_empty() || SPEC.is_match(line) {
            break;
        } else {
            output.push(text);
        }
        end = at + 1;
    }
    // An empty line ends the excerpt of the failing code.
    let output: Vec<&str> = output
        .iter()
        .copied()
        .skip_while(|line| !line.is_empty())
        .filter(|line| !line.is_empty())
        .collect();
    if let Some(kind) =
        output.first().and_then(|line| line.strip_suffix(':')).filter(|kind| !kind.contains(' '))
    {
        kind.clone_into(&mut failure.kind);
    }
    let rest =
        output.iter().skip(usize::from(!failure.kind.is_empty())).copied().collect::<Vec<_>>();
    failure.message = one_line(&rest.join(" "));
    (!failure.frames.is_empty()).then_some(LocatedFailure { lines: start..end, failure })
}

/// Parses a failed Minitest test.
fn minitest(lines: &[&str], start: usize) -> Option<LocatedFailure> {
    let heading = MINITEST.captures(lines[start])?;
    let mut failure = Failure::new(NAME, "", "");
    failure.test = Some(heading[1].to_owned());
    let own = heading.get(2).zip(heading.get(3));
    if let Some((path, line)) = own {
        let name = heading[1].rsplit('#').next().unwrap_or_default();
        failure.frames.push(Frame::at(path.as_str(), number(line.as_str()), None).within(name));
    }
    let mut output: Vec<&str> = Vec::new();
    let mut end = start + 1;
    for (at, line) in lines.iter().enumerate().skip(start + 1).take(NEAR * 4) {
        if let Some(step) = BARE_STEP.captures(line).filter(|_| line.starts_with(' ')) {
            failure.frames.push(frame(&step));
        } else if line.trim().is_empty() {
            break;
        } else {
            output.push(line.trim());
        }
        end = at + 1;
    }
    if let Some(found) = output.first().and_then(|line| EXCEPTION.captures(line)) {
        found[1].clone_into(&mut failure.kind);
        found[2].clone_into(&mut failure.message);
    } else {
        failure.message = one_line(&output.join(" "));
    }
    (!failure.frames.is_empty()).then_some(LocatedFailure { lines: start..end, failure })
}
