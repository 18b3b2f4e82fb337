//! C and C++: compilers and linkers, sanitizers, Valgrind, GDB, failed assertions.

use std::sync::LazyLock;

use regex::Regex;

use super::{LocatedFailure, NEAR, diagnostic, has_extension, number};
use crate::report::{Failure, Frame};

/// Name of the family.
const NAME: &str = "c";

/// File extensions of C, C++, Objective-C, CUDA and of files included into them.
const EXTENSIONS: &[&str] = &[
    "c", "cc", "cpp", "cxx", "c++", "cu", "cuh", "h", "hh", "hpp", "hxx", "h++", "inc", "inl",
    "ipp", "m", "mm", "tcc",
];

static INCLUDED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:In file included|\s+)\s*from (\S.*?):(\d+)(?::\d+)?[,:]$")
        .expect("a fixed pattern")
});

static INSIDE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(\S.*?): In (?:(?:member |static member )?function|constructor|destructor|lambda function)?\s*['‘`](.+?)['’]:$")
        .expect("a fixed pattern")
});

static STEP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*#(\d+)\s+(?:0x[0-9a-f]+ )?(?:in )?(\S.*)$").expect("a fixed pattern")
});

static AT_END: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(.+?)\s+(?:at )?((?:[A-Za-z]:)?[^\s():]+\.[A-Za-z+]{1,4}):(\d+)(?::(\d+))?$")
        .expect("a fixed pattern")
});

static SANITIZER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:==\d+==\s*)?(?:ERROR|WARNING): (\w+Sanitizer): ([\w-]+)(.*)$")
        .expect("a fixed pattern")
});

static RUNTIME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(\S+?):(\d+):(\d+): runtime error: (.*)$").expect("a fixed pattern")
});

static SIGNAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:Thread \d+ .*? received|Program received|Program terminated with) signal (SIG\w+), (.*?)\.?$")
        .expect("a fixed pattern")
});

static ASSERTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:\S+: )?(\S+?):(\d+): (.+?): Assertion [`'](.*)' failed\.$")
        .expect("a fixed pattern")
});

static VALGRIND: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^==\d+== ?(.*)$").expect("a fixed pattern"));

static VALGRIND_STEP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(at|by) 0x[0-9A-F]+: (.+?) \((?:in )?(.+?)(?::(\d+))?\)$")
        .expect("a fixed pattern")
});

/// Without debug information, a linker reports the section instead of the line.
static LINKER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:\S*ld(?:\.\w+)?: )?(?:\S+\.o: ?)?(\S+?):(?:(\d+)|\([.\w$]+\+0x[0-9a-f]+\)): (undefined reference to .*|multiple definition of [^;]*)(?:;.*)?$")
        .expect("a fixed pattern")
});

/// Matches the function, on the line above.
static LINKED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:\S*ld(?:\.\w+)?: )?\S+: in function [`'](.+)':$").expect("a fixed pattern")
});

/// LLVM's linker reports the symbol first.
static SYMBOL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\S*ld(?:\.lld)?: error: ((?:undefined|duplicate) symbol: .*)$")
        .expect("a fixed pattern")
});

static OF_SYMBOL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^>>> (?:referenced by|defined at) (\S+?)(?::(\d+))?(?: \(.*\))?$")
        .expect("a fixed pattern")
});

/// Matches the function in the line of the object file: `>>>               /tmp/a.o:(main)`.
/// Sections do not match.
static OF_OBJECT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^>>>\s+\S+:\(([^.].*)\)$").expect("a fixed pattern"));

pub(super) fn parse(lines: &[&str]) -> Vec<LocatedFailure> {
    let mut found: Vec<LocatedFailure> = Vec::new();
    let mut included: Vec<Frame> = Vec::new();
    let mut inside: Option<(&str, &str)> = None;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let located = stacked(lines, at)
            .or_else(|| valgrind(lines, at))
            .or_else(|| on_one_line(line, at))
            .or_else(|| linked(lines, at));
        if let Some(located) = located {
            at = located.lines.end.max(at + 1);
            found.push(located);
            continue;
        }
        if let Some(place) = INCLUDED.captures(line) {
            included.push(Frame::at(&place[1], number(&place[2]), None));
        } else if let Some(place) = INSIDE.captures(line) {
            inside = Some((&line[..place[1].len()], place.get(2).map_or("", |name| name.as_str())));
        } else if let Some(mut failure) = compiled(line) {
            if let (Some((path, function)), Some(frame)) = (inside, failure.frames.first_mut())
                && frame.path == path
            {
                *frame = std::mem::take(frame).within(function);
            }
            failure.frames.append(&mut included);
            found.push(LocatedFailure { lines: at..at + 1, failure });
        }
        at += 1;
    }
    found
}

/// Parses a compiler message.
fn compiled(line: &str) -> Option<Failure> {
    if let Some((diagnostic, code)) = diagnostic::parentheses(line) {
        return has_extension(diagnostic.path, EXTENSIONS).then(|| diagnostic.failure(NAME, code));
    }
    let diagnostic = diagnostic::colons(line)?;
    if diagnostic.is_note()
        || diagnostic.level.is_empty()
        || !has_extension(diagnostic.path, EXTENSIONS)
    {
        return None;
    }
    let (message, code) = diagnostic::with_code(diagnostic.message);
    Some(Failure { message: message.to_owned(), ..diagnostic.failure(NAME, code) })
}

/// Parses a failure on one line: a failed assertion or undefined behaviour.
fn on_one_line(line: &str, at: usize) -> Option<LocatedFailure> {
    let failure = if let Some(found) = ASSERTION.captures(line) {
        let frame =
            Frame::at(&found[1], number(&found[2]), None).within(without_arguments(&found[3]));
        Failure { frames: vec![frame], ..Failure::new(NAME, "Assertion", &found[4]) }
    } else {
        let found = RUNTIME.captures(line)?;
        let frame = Frame::at(&found[1], number(&found[2]), number(&found[3]));
        Failure { frames: vec![frame], ..Failure::new(NAME, "runtime error", &found[4]) }
    };
    Some(LocatedFailure { lines: at..at + 1, failure })
}

/// Parses a linker message about an undefined or duplicate symbol.
fn linked(lines: &[&str], at: usize) -> Option<LocatedFailure> {
    let line_of = |found: &regex::Captures<'_>| found.get(2).and_then(|line| number(line.as_str()));
    if let Some(found) = LINKER.captures(lines[at]) {
        let mut frame = Frame::at(&found[1], line_of(&found), None);
        // Further symbols of the same function follow without repeating it.
        let above = lines[..at].iter().rev().find(|line| !LINKER.is_match(line));
        if let Some(function) = above.and_then(|line| LINKED.captures(line)) {
            frame = frame.within(without_arguments(&function[1]));
        }
        let failure = Failure { frames: vec![frame], ..Failure::new(NAME, "linker", &found[3]) };
        return Some(LocatedFailure { lines: at..at + 1, failure });
    }
    let found = SYMBOL.captures(lines[at])?;
    let mut failure = Failure::new(NAME, "linker", &found[1]);
    let mut end = at + 1;
    while let Some(line) = lines.get(end).filter(|line| line.starts_with(">>>")) {
        if let Some(place) = OF_SYMBOL.captures(line) {
            failure.frames.push(Frame::at(&place[1], line_of(&place), None));
        } else if let (Some(object), Some(frame)) =
            (OF_OBJECT.captures(line), failure.frames.last_mut())
        {
            *frame = std::mem::take(frame).within(without_arguments(&object[1]));
        }
        end += 1;
    }
    Some(LocatedFailure { lines: at..end, failure })
}

/// Parses a stack of a sanitizer or of GDB, below the line that describes the failure. A sanitizer
/// prints several stacks: the first one is the failure, the others show where the memory came from.
fn stacked(lines: &[&str], start: usize) -> Option<LocatedFailure> {
    let first = STEP.captures(lines[start]).filter(|step| &step[1] == "0")?;
    let (mut frames, mut end) = (Vec::new(), start);
    let mut number_of_step = 0;
    while let Some(step) = lines.get(end).and_then(|line| STEP.captures(line)) {
        if step[1].parse() != Ok(number_of_step) {
            break;
        }
        number_of_step += 1;
        frames.push(frame(&step[2]));
        end += 1;
    }
    // PHP numbers its frames as well.
    if first[2].contains(".php(")
        || frames.iter().all(|frame| frame.path.is_empty()) && frames.len() < 2
    {
        return None;
    }
    let above = start.saturating_sub(NEAR)..start;
    for at in above.clone().rev() {
        let line = lines[at];
        let failure = if let Some(found) = SANITIZER.captures(line) {
            let rest = found[3].split(" on address").next().unwrap_or_default().to_owned();
            Failure::new(NAME, &found[2], &format!("{}: {}{rest}", &found[1], &found[2]))
        } else if let Some(found) = SIGNAL.captures(line) {
            Failure::new(NAME, &found[1], &found[2])
        } else {
            continue;
        };
        return Some(LocatedFailure {
            lines: at..after_other_stacks(lines, end),
            failure: Failure { frames, ..failure },
        });
    }
    let failure = Failure { frames, ..Failure::new(NAME, "", "backtrace") };
    Some(LocatedFailure { lines: start..end, failure })
}

/// Returns the end of a sanitizer report whose first stack ends at `end`.
fn after_other_stacks(lines: &[&str], end: usize) -> usize {
    let mut last = end;
    for (at, line) in lines.iter().enumerate().skip(end).take(400) {
        if SANITIZER.is_match(line) || SIGNAL.is_match(line) {
            break;
        }
        if line.starts_with("SUMMARY: ") {
            return at + 1;
        }
        if STEP.is_match(line) && line.starts_with(' ') {
            last = at + 1;
        }
    }
    last
}

/// Parses a frame: `deep /src/c.c:3`, `deep (p=0x0) at c.c:3`.
fn frame(text: &str) -> Frame {
    if let Some(place) = AT_END.captures(text) {
        let column = place.get(4).and_then(|column| number(column.as_str()));
        let name = without_arguments(&place[1]);
        return Frame::at(&place[2], number(&place[3]), column).within(name);
    }
    // A frame of a library, without a line.
    let name = text.split(" from /").next().unwrap_or(text);
    Frame::default().within(without_arguments(name.split(" (/").next().unwrap_or(name)))
}

/// Returns a function name without its arguments, which are in the last parentheses.
fn without_arguments(name: &str) -> &str {
    let name = name.trim().trim_end_matches(" const");
    if !name.ends_with(')') {
        return name;
    }
    let mut depth = 0_usize;
    for (at, character) in name.char_indices().rev() {
        match character {
            ')' => depth += 1,
            '(' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let bare = name[..at].trim_end();
                    return bare
                        .rsplit_once(' ')
                        .filter(|(before, _)| !before.contains('<'))
                        .map_or(bare, |(_, last)| last);
                }
            }
            _ => {}
        }
    }
    name
}

/// Parses a Valgrind error: a sentence, then its frames.
fn valgrind(lines: &[&str], start: usize) -> Option<LocatedFailure> {
    let text = |at: usize| {
        let found = VALGRIND.captures(lines.get(at)?)?;
        found.get(1).map(|rest| rest.as_str())
    };
    let output = text(start)?;
    if output.is_empty() || output.starts_with(' ') {
        return None;
    }
    let mut frames = Vec::new();
    let mut at = start + 1;
    while let Some(step) = text(at).and_then(|text| VALGRIND_STEP.captures(text)) {
        if &step[1] == "at" && !frames.is_empty() {
            break;
        }
        let line = step.get(4).and_then(|line| number(line.as_str()));
        let path = if line.is_some() { &step[3] } else { "" };
        frames.push(Frame::at(path, line, None).within(without_arguments(&step[2])));
        at += 1;
    }
    if frames.is_empty() {
        return None;
    }
    let failure = Failure { frames, ..Failure::new(NAME, "", output) };
    Some(LocatedFailure { lines: start..at, failure })
}
