//! JVM: exceptions with their causes, and output of javac, kotlinc, scalac, Maven and Gradle.

use std::sync::LazyLock;

use regex::Regex;

use super::{LocatedFailure, NEAR, diagnostic, each, has_extension, number};
use crate::report::{Failure, Frame, Severity};

/// Name of the family.
const NAME: &str = "java";

/// File extensions of the JVM languages.
const EXTENSIONS: &[&str] = &["java", "kt", "kts", "scala", "groovy"];

static STEP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:\[\w+\]\s+)?at (?:[\w.@-]*/+)?([\w.$<>-]+)\.([\w$<>-]+)\(([^()]*)\)(?: ~?\[.*\])?$")
        .expect("a fixed pattern")
});

static SHORT_STEP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^\s+(?:Caused by: )?(?:([A-Za-z_][\w.$]*) )?at ([\w$]+\.(?:java|kt|scala|groovy)):(\d+)$",
    )
    .expect("a fixed pattern")
});

static EXCEPTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"^\s*(?:\[\w+\]\s+)?(?:Exception in thread "[^"]*" )?(?:Caused by: |Suppressed: )?((?:[a-z][\w]*\.)+[A-Z][\w$]*|[A-Z]\w*(?:Exception|Error|Throwable))(?:: ?(.*))?$"#,
    )
    .expect("a fixed pattern")
});

static MAVEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\[(ERROR|WARNING|error|warn)\]\s+(\S.*\.(?:java|kt|scala|groovy)):\[?(\d+)(?:[,:](\d+))?\]?:?\s+(.*)$")
        .expect("a fixed pattern")
});

static KOTLIN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(e|w): (?:file://)?(\S.*?\.kts?):\s?\(?(\d+)[:,]\s?(\d+)\)?:?\s+(.*)$")
        .expect("a fixed pattern")
});

static SUREFIRE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\[ERROR\]\s+([\w.$]+)(?:\(([\w.$]+)\))?\s+(?:--\s+)?Time elapsed: .*<<< (?:FAILURE|ERROR)!")
        .expect("a fixed pattern")
});

static GRADLE_TEST: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(\S.*) > (.+) FAILED$").expect("a fixed pattern"));

pub(super) fn parse(lines: &[&str]) -> Vec<LocatedFailure> {
    each(lines, |at, from| {
        let traced = step(lines[at]).and_then(|_| trace(lines, at, from));
        let found = |failure| LocatedFailure { lines: at..at + 1, failure };
        traced.or_else(|| compiled(lines[at]).map(found))
    })
}

/// Parses a stack frame: package and file of the class, line, and function.
fn step(line: &str) -> Option<Frame> {
    if let Some(found) = STEP.captures(line) {
        let (class, function, place) = (&found[1], &found[2], &found[3]);
        let (file, number_of_line) = place.split_once(':').unwrap_or((place, ""));
        // Native frames have no file, and a position in a script is not in a JVM file.
        let is_file = has_extension(file, EXTENSIONS);
        let package = class.rsplit_once('.').map_or("", |(package, _)| package);
        let path = match (is_file, package) {
            (true, "") => file.to_owned(),
            (true, package) => format!("{}/{file}", package.replace('.', "/")),
            (false, _) => String::new(),
        };
        let name = if is_file || file.contains(' ') || file.is_empty() {
            format!("{class}.{function}")
        } else {
            return None;
        };
        return Some(Frame::at(&path, number(number_of_line), None).within(&name));
    }
    let found = SHORT_STEP.captures(line)?;
    Some(Frame::at(&found[2], number(&found[3]), None))
}

/// Parses a stack trace around its first frame: the line above contains the exception. `from` is
/// the end of the previous failure.
fn trace(lines: &[&str], first: usize, from: usize) -> Option<LocatedFailure> {
    let above = first.saturating_sub(NEAR).max(from)..first;
    let header = above.rev().find(|at| EXCEPTION.is_match(lines[*at]));
    let mut start = header.unwrap_or(first);
    let short = SHORT_STEP
        .captures(lines[first])
        .and_then(|found| found.get(1).map(|kind| kind.as_str().to_owned()));
    let mut failure = match header {
        Some(header) => {
            let found = EXCEPTION.captures(lines[header])?;
            let mut message = found.get(2).map_or(String::new(), |text| text.as_str().to_owned());
            for line in &lines[header + 1..first] {
                message.push(' ');
                message.push_str(line);
            }
            Failure::new(NAME, &found[1], &message)
        }
        None => Failure::new(NAME, &short.unwrap_or_default(), ""),
    };
    // The log lists the chain from the outer exception to the root; causes are stored nearest
    // first.
    let mut chain: Vec<Failure> = Vec::new();
    let mut is_suppressed = false;
    let mut at = first;
    while at < lines.len() {
        let line = lines[at];
        let text = line.trim_start();
        let is_cause = text.starts_with("Caused by: ");
        if let Some(short) = SHORT_STEP.captures(line).filter(|_| is_cause) {
            let kind = short.get(1).map_or("", |kind| kind.as_str());
            let frames = step(line).into_iter().collect();
            chain.push(Failure { frames, ..Failure::new(NAME, kind, "") });
        } else if let Some(frame) = step(line) {
            if !is_suppressed {
                chain.last_mut().unwrap_or(&mut failure).frames.push(frame);
            }
        } else if is_cause {
            is_suppressed = false;
            let Some(found) = EXCEPTION.captures(line) else { break };
            let message = found.get(2).map_or("", |text| text.as_str());
            chain.push(Failure::new(NAME, &found[1], message));
        } else if text.starts_with("Suppressed: ") {
            is_suppressed = true;
        } else if !(text.starts_with("Suppressed")
            || text.starts_with("... ") && text.ends_with(" more"))
        {
            // The message of a cause may continue over several lines.
            let goes_on = chain.last().is_some_and(|cause| cause.frames.is_empty())
                && lines[at..].iter().take(NEAR).any(|line| step(line).is_some())
                && !text.is_empty();
            if !goes_on {
                break;
            }
        }
        at += 1;
    }
    failure.causes = chain;
    for line_above in (start.saturating_sub(3)..start).rev() {
        if let Some(found) = SUREFIRE.captures(lines[line_above]) {
            failure.test = Some(match found.get(2) {
                Some(class) => format!("{}.{}", class.as_str(), &found[1]),
                None => found[1].to_owned(),
            });
        } else if let Some(found) = GRADLE_TEST.captures(lines[line_above]) {
            failure.test = Some(format!("{}.{}", &found[1], found[2].trim_end_matches("()")));
        } else {
            continue;
        }
        start = line_above;
        break;
    }
    // Frames without an exception, such as those of a thread dump, are not a failure.
    if failure.kind.is_empty()
        && failure.causes.is_empty()
        && failure.frames.iter().all(|frame| frame.path.is_empty())
    {
        return None;
    }
    Some(LocatedFailure { lines: start..at, failure })
}

/// Parses a compiler message.
fn compiled(line: &str) -> Option<Failure> {
    let graded = |level: &str, frame: Frame, message: &str| Failure {
        severity: if level.starts_with(['w', 'W']) { Severity::Warning } else { Severity::Error },
        frames: vec![frame],
        ..Failure::new(NAME, "", message)
    };
    if let Some(found) = MAVEN.captures(line) {
        let column = found.get(4).and_then(|column| number(column.as_str()));
        let frame = Frame::at(&found[2], number(&found[3]), column);
        return Some(graded(&found[1], frame, &found[5]));
    }
    if let Some(found) = KOTLIN.captures(line) {
        let frame = Frame::at(&found[2], number(&found[3]), number(&found[4]));
        return Some(graded(&found[1], frame, &found[5]));
    }
    let diagnostic = diagnostic::colons(line)?;
    let is_ours = has_extension(diagnostic.path, EXTENSIONS)
        && !diagnostic.level.is_empty()
        && !diagnostic.is_note();
    is_ours.then(|| diagnostic.failure(NAME, ""))
}
