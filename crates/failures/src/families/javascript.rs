//! JavaScript and TypeScript: stacks of the engines, tsc, `ESLint`, and test runners.

use std::sync::LazyLock;

use regex::Regex;

use super::{LocatedFailure, NEAR, diagnostic, has_extension, log, number};
use crate::report::{Failure, Frame, Severity, one_line};

/// Name of the family.
const NAME: &str = "javascript";

/// File extensions of the languages that compile to JavaScript.
const EXTENSIONS: &[&str] =
    &["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "astro"];

static V8: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*at (?:(?:async )?(.+?) \()?((?:[a-z][a-z+.-]*:)?[^():]*(?:\([^()]*\)[^():]*)*(?::\d+)?[^():]*?):(\d+):(\d+)\)?(?: \{)?$")
        .expect("a fixed pattern")
});

static V8_OUTSIDE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*at (?:async )?(.+?) \((?:native|<anonymous>|native code)\)$")
        .expect("a fixed pattern")
});

static GECKO: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*([^@()\s]*)@((?:[a-z][a-z+.-]*://|/|[A-Za-z]:[\\/])\S+?):(\d+)(?::(\d+))?$")
        .expect("a fixed pattern")
});

static EXCEPTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^\s*(?:Uncaught |Unhandled |\[cause\]: |Caused by: |\(in promise\) |[✖✗×] ?|error: )*(?:\[)?([A-Z][A-Za-z]*(?:Error|Exception|Warning)|Error|[A-Z]\w*Error)(?: \[[A-Z_0-9]+\])?(?:: (.*))?$",
    )
    .expect("a fixed pattern")
});

static PRETTY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(\S.*?\.[cm]?[jt]sx?):(\d+):(\d+) - (error|warning) (TS\d+): (.*)$")
        .expect("a fixed pattern")
});

static VITEST_STEP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*❯ (?:(\S.*?) )?(\S+?):(\d+):(\d+)$").expect("a fixed pattern")
});

static VITEST_TEST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:FAIL|×)\s+(\S+\.[cm]?[jt]sx?) > (.+)$").expect("a fixed pattern")
});

static JEST_TEST: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*● (.+)$").expect("a fixed pattern"));

static MOCHA_TEST: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^  \d+\) (.+)$").expect("a fixed pattern"));

static TAP_STEP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s+(?:(\S.*?) \()?((?:file://)?/[^():]+\.[cm]?[jt]sx?):(\d+):(\d+)\)?$")
        .expect("a fixed pattern")
});

static TAP_TEST: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*not ok \d+ - (.+)$").expect("a fixed pattern"));

static LINT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s+(\d+):(\d+)\s+(error|warning)\s+(.+?)(?:\s{2,}(\S+))?$")
        .expect("a fixed pattern")
});

pub(super) fn parse(lines: &[&str]) -> Vec<LocatedFailure> {
    let mut found: Vec<LocatedFailure> = Vec::new();
    let mut linted: Option<&str> = None;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let from = found.last().map_or(0, |last| last.lines.end);
        if is_own(line) {
            let located = stack(lines, at, from);
            at = located.lines.end.max(at + 1);
            found.push(located);
            continue;
        }
        if let Some(failure) = compiled(line) {
            found.push(LocatedFailure { lines: at..at + 1, failure });
        } else if TAP_TEST.is_match(line)
            && let Some(located) = tap(lines, at)
        {
            at = located.lines.end;
            found.push(located);
            continue;
        } else if has_extension(line.trim(), EXTENSIONS) && !line.starts_with(' ') {
            linted = Some(line.trim());
        } else if line.is_empty() {
            linted = None;
        } else if let (Some(path), Some(captures)) = (linted, LINT.captures(line)) {
            let rule = captures.get(5).map_or("", |rule| rule.as_str());
            let mut failure = Failure::new(NAME, rule, &captures[4]);
            if &captures[3] == "warning" {
                failure.severity = Severity::Warning;
            }
            failure.frames.push(Frame::at(path, number(&captures[1]), number(&captures[2])));
            found.push(LocatedFailure { lines: at..at + 1, failure });
        }
        at += 1;
    }
    found
}

/// Returns true if a line is a frame in a file of these languages or in their engines.
fn is_own(line: &str) -> bool {
    step(line).is_some_and(|frame| {
        has_extension(&frame.path, EXTENSIONS)
            || frame.path.starts_with("node:")
            || frame.path.contains("://")
            || VITEST_STEP.is_match(line)
    })
}

/// Parses a stack frame.
fn step(line: &str) -> Option<Frame> {
    let captured =
        V8.captures(line).or_else(|| VITEST_STEP.captures(line)).or_else(|| GECKO.captures(line));
    if let Some(found) = captured {
        let column = found.get(4).and_then(|column| number(column.as_str()));
        let function = found.get(1).map_or("", |name| name.as_str());
        let function = function.strip_prefix("async ").unwrap_or(function);
        // Code created at run time has the position of the code that created it.
        let made = found[2].strip_prefix("eval at ").and_then(|made| made.split_once('('));
        if let Some((_, maker)) = made
            && let Some(place) = log::places(maker.split(')').next().unwrap_or(maker)).pop()
        {
            return Some(place.within(function));
        }
        return Some(
            Frame::at(&without_query(&found[2]), number(&found[3]), column).within(function),
        );
    }
    let found = V8_OUTSIDE.captures(line)?;
    Some(Frame::default().within(&found[1]))
}

/// Removes the query string that development servers add to the path.
fn without_query(address: &str) -> String {
    let path = address.strip_prefix("async ").unwrap_or(address);
    path.split(['?', '#']).next().unwrap_or(path).to_owned()
}

/// Parses a stack around its first frame: the exception is above it.
fn stack(lines: &[&str], first: usize, from: usize) -> LocatedFailure {
    let mut failure = Failure::new(NAME, "", "");
    let mut start = first;
    let above = first.saturating_sub(NEAR * 4).max(from)..first;
    let mut header = None;
    for at in above.clone().rev() {
        if EXCEPTION.is_match(lines[at]) {
            header = Some(at);
            break;
        }
        // The name of a test is the first line of its report.
        if JEST_TEST.is_match(lines[at])
            || MOCHA_TEST.is_match(lines[at])
            || VITEST_TEST.is_match(lines[at])
        {
            break;
        }
    }
    if let Some(found) = header.and_then(|at| EXCEPTION.captures(lines[at])) {
        failure = Failure::new(NAME, &found[1], found.get(2).map_or("", |text| text.as_str()));
        start = header.unwrap_or(start);
    }
    let is_title = |at: &usize| {
        JEST_TEST.is_match(lines[*at])
            || VITEST_TEST.is_match(lines[*at])
            || MOCHA_TEST.is_match(lines[*at])
    };
    if let Some(title) = (start.saturating_sub(NEAR).max(from)
        ..=start.min(first.saturating_sub(1)).max(from))
        .rev()
        .filter(|at| *at < first)
        .find(is_title)
        .or_else(|| above.clone().rev().find(is_title))
    {
        failure.test = title_of(lines, title);
        if failure.message.is_empty() && failure.kind.is_empty() {
            let output = lines[title + 1..first].iter().map(|line| line.trim());
            let output: Vec<&str> = output
                .skip_while(|line| line.is_empty())
                .take_while(|line| !line.is_empty())
                .collect();
            failure.message = one_line(&output.join(" "));
        }
        start = title;
    }
    let mut at = first;
    while at < lines.len() {
        if let Some(frame) = step(lines[at]) {
            failure.frames.push(frame);
        } else if !is_pause(lines, at) {
            break;
        }
        at += 1;
    }
    // A cause is printed inside braces after the stack.
    let mut causes = Vec::new();
    while let Some(output) = lines.get(at).map(|line| line.trim_start())
        && (output.starts_with("[cause]: ") || output.starts_with("Caused by: "))
    {
        let Some(found) = EXCEPTION.captures(output) else { break };
        let mut cause =
            Failure::new(NAME, &found[1], found.get(2).map_or("", |text| text.as_str()));
        at += 1;
        while let Some(line) = lines.get(at) {
            match step(line) {
                Some(frame) => cause.frames.push(frame),
                None if is_pause(lines, at) => {}
                None => break,
            }
            at += 1;
        }
        causes.push(cause);
    }
    failure.causes = causes;
    LocatedFailure { lines: start..at, failure }
}

/// Returns true for a line between frames that is not a frame itself: `... 2 lines matching cause
/// stack trace ...`, and the code that Vitest prints below a frame.
fn is_pause(lines: &[&str], at: usize) -> bool {
    let text = lines[at].trim();
    let is_code = |line: &str| {
        let rest = line.trim_start().trim_start_matches(|first: char| first.is_ascii_digit());
        line.starts_with(' ') && rest.trim_start().starts_with('|')
    };
    (text.starts_with("... ") && text.ends_with("..."))
        || (is_code(lines[at])
            && lines[at..].iter().take(NEAR).any(|line| VITEST_STEP.is_match(line)))
}

/// Returns the test name in a title.
fn title_of(lines: &[&str], at: usize) -> Option<String> {
    if let Some(found) = VITEST_TEST.captures(lines[at]) {
        return Some(format!("{} > {}", &found[1], &found[2]));
    }
    if let Some(found) = JEST_TEST.captures(lines[at]) {
        return Some(found[1].replace(" › ", " > "));
    }
    let found = MOCHA_TEST.captures(lines[at])?;
    let mut name = found[1].to_owned();
    // The suites and the test, one per line; the last one ends with a colon.
    let mut next = at + 1;
    while let Some(part) = lines.get(next).map(|line| line.trim())
        && !part.is_empty()
        && !name.ends_with(':')
    {
        name.push_str(" > ");
        name.push_str(part);
        next += 1;
    }
    Some(name.trim_end_matches(':').to_owned())
}

/// Parses a `node:test` test in TAP format.
fn tap(lines: &[&str], start: usize) -> Option<LocatedFailure> {
    let name = TAP_TEST.captures(lines[start])?[1].to_owned();
    let mut failure = Failure::new(NAME, "", "");
    let mut at = start + 1;
    let mut in_message = false;
    while let Some(line) = lines.get(at).filter(|line| line.trim() != "..." && at - start < 200) {
        let text = line.trim();
        if let Some(rest) = text.strip_prefix("error: ") {
            in_message = rest.starts_with('|') || rest.starts_with('>');
            if !in_message {
                rest.trim_matches(['\'', '"']).clone_into(&mut failure.message);
            }
        } else if let Some(kind) = text.strip_prefix("name: ") {
            kind.trim_matches(['\'', '"']).clone_into(&mut failure.kind);
        } else if let Some(frame) = TAP_STEP.captures(line) {
            in_message = false;
            let function = frame.get(1).map_or("", |name| name.as_str());
            failure
                .frames
                .push(Frame::at(&frame[2], number(&frame[3]), number(&frame[4])).within(function));
        } else if in_message {
            if text.starts_with("code:") {
                in_message = false;
            } else {
                failure.message.push(' ');
                failure.message.push_str(text);
            }
        }
        at += 1;
    }
    failure.message = one_line(&failure.message);
    failure.test = Some(name);
    (!failure.frames.is_empty()).then_some(LocatedFailure { lines: start..at, failure })
}

/// Parses a message of tsc, in either form, or of another checker on one line.
fn compiled(line: &str) -> Option<Failure> {
    if let Some((diagnostic, code)) = diagnostic::parentheses(line) {
        return (code.starts_with("TS") && has_extension(diagnostic.path, EXTENSIONS))
            .then(|| diagnostic.failure(NAME, code));
    }
    if let Some(found) = PRETTY.captures(line) {
        let mut failure = Failure::new(NAME, &found[5], &found[6]);
        if &found[4] == "warning" {
            failure.severity = Severity::Warning;
        }
        failure.frames.push(Frame::at(&found[1], number(&found[2]), number(&found[3])));
        return Some(failure);
    }
    let diagnostic = diagnostic::colons(line)?;
    (has_extension(diagnostic.path, EXTENSIONS)
        && !diagnostic.level.is_empty()
        && !diagnostic.is_note())
    .then(|| diagnostic.failure(NAME, ""))
}
