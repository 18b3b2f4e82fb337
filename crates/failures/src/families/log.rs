//! Any log: lines at error level, with the file positions they contain.

use std::sync::LazyLock;

use regex::Regex;

use super::{LocatedFailure, number};
use crate::report::{Failure, Frame};

/// Name of the family.
const NAME: &str = "log";

/// Matches the level of an error line.
static LEVEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?:^|[\s\[("|])(ERROR|ERR|FATAL|CRITICAL|CRIT|SEVERE|PANIC|ALERT|EMERG|error|fatal|Error|Fatal)(?:$|[\s\]):|"])|level=(?:error|fatal|panic|critical)|"level":\s?"(?:error|fatal|panic|critical)""#,
    )
    .expect("a fixed pattern")
});

/// Matches the text before a message: time, level, thread, logger.
static LEAD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^[\s\[(]*(?:\d[\d:.,/TZ+ -]{7,}\S*|[A-Z][a-z]{2} \d{1,2} \d{2}:\d{2}:\d{2}|\[[^\]]{1,60}\]|\([^)]{1,40}\)|(?:ERROR|ERR|FATAL|CRITICAL|CRIT|SEVERE|PANIC|ALERT|EMERG|error|fatal|Error|Fatal)\b|[-:|\]]+)[\s\]:|-]*",
    )
    .expect("a fixed pattern")
});

/// Matches a value of a structured line (`name=value` or JSON).
static VALUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:\b(?:msg|message|error|err)=|"(?:msg|message|error|err)":\s?)(?:"((?:[^"\\]|\\.)*)"|(\S+))"#)
        .expect("a fixed pattern")
});

static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:^|[\s("'=\[<@,|])((?:[A-Za-z]:[\\/]|[a-z]+://|\.{0,2}/)?[\w.@+~-]+(?:[\\/][\w.@+~ -]*[\w.@+~-])*\.[A-Za-z][A-Za-z0-9]{0,7})(?::line |:|\(|#L|, line |", line |' line )(\d{1,7})(?:[:,](\d{1,5}))?"#)
        .expect("a fixed pattern")
});

/// Maximum number of positions that are read from one line.
const MAX_PLACES: usize = 8;

pub(super) fn parse(lines: &[&str]) -> Vec<LocatedFailure> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if !LEVEL.is_match(line) {
            continue;
        }
        let message = message(line);
        if message.is_empty() {
            continue;
        }
        let failure = Failure { frames: places(line), ..Failure::new(NAME, "", &message) };
        found.push(LocatedFailure { lines: at..at + 1, failure });
    }
    found
}

/// Returns the message of a line, without its time, level and logger.
fn message(line: &str) -> String {
    let values: Vec<&str> = VALUE
        .captures_iter(line)
        .filter_map(|found| found.get(1).or_else(|| found.get(2)))
        .map(|value| value.as_str())
        .collect();
    if !values.is_empty() {
        return values.join(": ").replace("\\n", " ").replace("\\\"", "\"");
    }
    let mut rest = line;
    while let Some(lead) = LEAD.find(rest).filter(|lead| lead.end() > 0) {
        rest = &rest[lead.end()..];
    }
    if rest.chars().any(char::is_alphanumeric) { rest.trim().to_owned() } else { String::new() }
}

/// Returns the file positions in a line, in order, without duplicates.
pub(super) fn places(line: &str) -> Vec<Frame> {
    let mut frames: Vec<Frame> = Vec::new();
    for found in PLACE.captures_iter(line).take(MAX_PLACES) {
        let column = found.get(3).and_then(|column| number(column.as_str()));
        let frame = Frame::at(&found[1], number(&found[2]), column);
        if frame.line.is_some() && !frames.contains(&frame) {
            frames.push(frame);
        }
    }
    frames
}
