//! Go: panics and data races with their goroutines, tests, and messages of the compiler and `go
//! vet`.

use std::sync::LazyLock;

use regex::Regex;

use super::{LocatedFailure, diagnostic, has_extension, number};
use crate::report::{Failure, Frame, one_line};

/// Name of the family.
const NAME: &str = "go";

static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s+(\S.*\.(?:go|s)):(\d+)(?: \+0x[0-9a-f]+)?$").expect("a fixed pattern")
});

static TEST: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*--- FAIL: (\S+)").expect("a fixed pattern"));

static SAID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s+(\S+\.go):(\d+): ?(.*)$").expect("a fixed pattern"));

static PACKAGE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^FAIL\t(\S+)(?:\t|$)").expect("a fixed pattern"));

/// Headings of output that ends a program.
const ENDS: [(&str, &str); 4] = [
    ("panic: ", "panic"),
    ("fatal error: ", "fatal error"),
    ("http: panic serving ", "panic"),
    ("WARNING: DATA RACE", "data race"),
];

pub(super) fn parse(lines: &[&str]) -> Vec<LocatedFailure> {
    let mut found: Vec<LocatedFailure> = Vec::new();
    let mut test: Option<String> = None;
    // Index of the first failure whose package is not known yet.
    let mut open = 0;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let text = line.trim_start();
        if let Some(heading) = TEST.captures(line) {
            test = Some(heading[1].to_owned());
            if let Some(located) = test_output(lines, at + 1, test.as_deref()) {
                at = located.lines.end;
                found.push(located);
                continue;
            }
        } else if let Some((sign, kind)) = ENDS.iter().find(|(sign, _)| text.starts_with(sign)) {
            let message = text.strip_prefix(sign).unwrap_or_default();
            let located = ended(lines, at, kind, message, test.as_deref());
            if let Some(located) = located {
                at = located.lines.end;
                found.push(located);
                continue;
            }
        } else if let Some(package) = PACKAGE.captures(line) {
            for located in &mut found[open..] {
                located.failure.frames.iter_mut().for_each(|frame| place_in(frame, &package[1]));
            }
            open = found.len();
            test = None;
        } else if let Some(diagnostic) =
            diagnostic::colons(line.strip_prefix("vet: ").unwrap_or(line))
            && has_extension(diagnostic.path, &["go"])
            && !line.starts_with(' ')
            && !diagnostic.is_note()
        {
            found.push(LocatedFailure { lines: at..at + 1, failure: diagnostic.failure(NAME, "") });
        }
        at += 1;
    }
    found
}

/// Moves a bare file name into the folder of its package.
fn place_in(frame: &mut Frame, package: &str) {
    if !frame.path.is_empty() && !frame.path.contains('/') {
        frame.path = format!("{package}/{}", frame.path);
    }
}

/// Parses the output of a test before it fails: the first position, with all following text as the
/// message.
fn test_output(lines: &[&str], start: usize, test: Option<&str>) -> Option<LocatedFailure> {
    let mut failure = Failure::new(NAME, "", "");
    let mut message = Vec::new();
    let mut at = start;
    while let Some(line) = lines.get(at).filter(|line| line.starts_with([' ', '\t'])) {
        // Testify assertions contain their own position.
        let trace = line.split_once("Error Trace:").map(|(_, place)| place.trim());
        if TEST.is_match(line) || line.trim_start().starts_with("--- ") {
            break;
        }
        if let Some((path, number_of_line)) = trace.and_then(|place| place.rsplit_once(':')) {
            let place = Frame::at(path, number(number_of_line), None);
            // The earlier frame is the same position with a bare file name.
            failure
                .frames
                .retain(|frame| frame.line != place.line || !place.path.ends_with(&frame.path));
            failure.frames.push(place);
        } else if let Some(place) = SAID.captures(line) {
            failure.frames.push(Frame::at(&place[1], number(&place[2]), None));
            message.push(place[3].to_owned());
        } else {
            message.push(line.trim().trim_start_matches("Error:").to_owned());
        }
        at += 1;
    }
    if failure.frames.is_empty() {
        return None;
    }
    failure.message = one_line(&message.join(" "));
    failure.test = test.map(str::to_owned);
    let function = test.unwrap_or_default().split('/').next().unwrap_or_default().to_owned();
    for frame in &mut failure.frames {
        if frame.path.ends_with("_test.go") {
            *frame = std::mem::take(frame).within(&function);
        }
    }
    Some(LocatedFailure { lines: start.saturating_sub(1)..at, failure })
}

/// Parses a panic or another fatal end. The first goroutine is the one that failed.
fn ended(
    lines: &[&str],
    start: usize,
    kind: &str,
    message: &str,
    test: Option<&str>,
) -> Option<LocatedFailure> {
    let mut message = message.to_owned();
    let mut frames: Vec<Frame> = Vec::new();
    let mut at = start + 1;
    let mut end = start + 1;
    let mut function: Option<&str> = None;
    let mut stacks = 0;
    while at < lines.len() {
        let line = lines[at];
        let text = line.trim();
        if let Some(place) = PLACE.captures(line) {
            let name = function.take().unwrap_or_default();
            let is_new = !frames
                .iter()
                .any(|frame| frame.path == place[1] && frame.line == number(&place[2]));
            if stacks <= 1 && is_new {
                frames
                    .push(Frame::at(&place[1], number(&place[2]), None).within(function_of(name)));
            }
            end = at + 1;
        } else if text.starts_with("goroutine ")
            || text.starts_with("Previous ")
            || text.starts_with("Goroutine ")
        {
            // A data race has two stacks, and both belong to it.
            stacks += usize::from(kind != "data race");
            end = at + 1;
        } else if text.starts_with("panic: ") && frames.is_empty() {
            // A panic in a deferred function, or one that was raised again.
            text["panic: ".len()..].clone_into(&mut message);
        } else if text.is_empty() || text.starts_with("[signal ") {
            if stacks > 1 && !lines.get(at + 1).is_some_and(|next| next.starts_with("goroutine ")) {
                break;
            }
        } else if text.starts_with("created by ")
            || text.contains('(')
            || text.starts_with("...")
            || text.starts_with("runtime.")
        {
            function = Some(text);
        } else if frames.is_empty() && at - start < super::NEAR {
            message.push(' ');
            message.push_str(text);
        } else {
            break;
        }
        at += 1;
    }
    if frames.is_empty() {
        return None;
    }
    // Frames of the panic machinery come before the failing position: they are moved to the end.
    let is_machinery = |frame: &Frame| frame.function.as_deref() == Some("panic");
    if let Some(last) = frames.iter().rposition(is_machinery) {
        frames.rotate_left(last + 1);
    }
    let message = message.split(" [recovered").next().unwrap_or_default();
    let mut failure = Failure { frames, ..Failure::new(NAME, kind, message) };
    failure.test = test.map(str::to_owned);
    Some(LocatedFailure { lines: start..end, failure })
}

/// Returns a function name without its arguments: `shop.(*Refunds).Retry`.
fn function_of(text: &str) -> &str {
    let text = text.strip_prefix("created by ").unwrap_or(text);
    let text = text.split(" in goroutine").next().unwrap_or(text);
    // The arguments are in the last parentheses; a receiver has parentheses of its own.
    match text.rfind('(') {
        Some(open) if text.ends_with(')') && open > 0 && !text[open..].starts_with("(*") => {
            text[..open].trim_end()
        }
        _ => text,
    }
}
