//! Swift: the compiler and Xcode, fatal errors, `XCTest`.

use std::sync::LazyLock;

use regex::Regex;

use super::{LocatedFailure, diagnostic, has_extension, number};
use crate::report::{Failure, Frame};

/// Name of the family.
const NAME: &str = "swift";

static FATAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(\S.*?\.swift):(\d+): (Fatal error|Precondition failed|Assertion failed)(?:: (.*))?$",
    )
    .expect("a fixed pattern")
});

static OLD_FATAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(Fatal error|Precondition failed|Assertion failed)(?:: (.*?))?: file (\S.*?\.swift), line (\d+)$")
        .expect("a fixed pattern")
});

static TEST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:-\[)?([\w.]+)[ .](\w+)\]? : (?:failed - |failed: )?(.*)$")
        .expect("a fixed pattern")
});

static STEP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*\d+\s+(?:\S+\s+0x[0-9a-f]+\s+|\[[^\]]*\]\s+(?:0x[0-9a-f]+\s+)?)?(.+?)(?: \+ \d+)?(?: \((\S+\.swift):(\d+)\)| (?:in \S+ )?at (\S+\.swift):(\d+)(?::\d+)?)$")
        .expect("a fixed pattern")
});

pub(super) fn parse(lines: &[&str]) -> Vec<LocatedFailure> {
    let mut found: Vec<LocatedFailure> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let fatal = FATAL.captures(line).map(|captures| {
            let message = captures.get(4).map_or(String::new(), |text| text.as_str().to_owned());
            (captures[3].to_owned(), message, Frame::at(&captures[1], number(&captures[2]), None))
        });
        let fatal = fatal.or_else(|| {
            let captures = OLD_FATAL.captures(line)?;
            let message = captures.get(2).map_or(String::new(), |text| text.as_str().to_owned());
            Some((
                captures[1].to_owned(),
                message,
                Frame::at(&captures[3], number(&captures[4]), None),
            ))
        });
        if let Some((kind, message, place)) = fatal {
            let mut failure = Failure::new(NAME, &kind, &message);
            failure.frames.push(place);
            let mut end = at + 1;
            // A crash may be followed by its frames.
            for (next, line) in lines.iter().enumerate().skip(at + 1).take(super::NEAR * 8) {
                if let Some(frame) = step(line) {
                    if !failure
                        .frames
                        .iter()
                        .any(|known| (&known.path, known.line) == (&frame.path, frame.line))
                    {
                        failure.frames.push(frame);
                    }
                    end = next + 1;
                } else if FATAL.is_match(line) || (end > at + 1 && line.trim().is_empty()) {
                    break;
                }
            }
            found.push(LocatedFailure { lines: at..end, failure });
            at = end;
            continue;
        }
        if let Some(diagnostic) = diagnostic::colons(line)
            && has_extension(diagnostic.path, &["swift"])
            && !diagnostic.level.is_empty()
            && !diagnostic.is_note()
        {
            let mut failure = diagnostic.failure(NAME, "");
            if let Some(test) = TEST.captures(diagnostic.message) {
                failure.test = Some(format!("{}.{}", &test[1], &test[2]));
                test[3].clone_into(&mut failure.message);
                let frame = failure.frames.remove(0).within(&test[2]);
                failure.frames.push(frame);
            }
            found.push(LocatedFailure { lines: at..at + 1, failure });
        }
        at += 1;
    }
    found
}

/// Parses a frame of a crash.
fn step(line: &str) -> Option<Frame> {
    let found = STEP.captures(line)?;
    let (path, number_of_line) =
        found.get(2).zip(found.get(3)).or_else(|| found.get(4).zip(found.get(5)))?;
    let name = found[1].split('(').next().unwrap_or_default();
    Some(Frame::at(path.as_str(), number(number_of_line.as_str()), None).within(name))
}
