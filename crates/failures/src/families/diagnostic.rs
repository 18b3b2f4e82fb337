//! The format that most compilers and checkers share: `path:line:column: error: message`.

use std::sync::LazyLock;

use regex::Regex;

use super::number;
use crate::report::{Failure, Frame, Severity};

/// A compiler message on one line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Diagnostic<'a> {
    /// The path, as written.
    pub(super) path: &'a str,
    /// Line number.
    pub(super) line: Option<u32>,
    /// Column number.
    pub(super) column: Option<u32>,
    /// Severity word in lower case; empty if there is none.
    pub(super) level: String,
    /// Text after the severity.
    pub(super) message: &'a str,
}

static COLONS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^\s*((?:[A-Za-z]:[\\/]|/)[^:()'\x22]*\.[A-Za-z+]{1,8}|[^\s:()'\x22]+\.[A-Za-z+]{1,8}):(\d{1,9})(?::(\d{1,9}))?:\s*(?:((?i)fatal error|error|warning|note|remark|info)\s*(?:\[?[A-Za-z0-9_-]*\]?)?:\s*)?(\S.*)$",
    )
    .expect("a fixed pattern")
});

static PARENTHESES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^\s*((?:[A-Za-z]:[\\/]|/)[^:()'\x22]*\.[A-Za-z+]{1,8}|[^\s:()'\x22]+\.[A-Za-z+]{1,8})\((\d{1,9})(?:,(\d{1,9}))?(?:,\d+)*\)\s*:\s*(fatal error|error|warning|info|message)\s+([A-Za-z]+\d+)\s*:\s*(.*)$",
    )
    .expect("a fixed pattern")
});

/// Parses `path:line:column: error: message`. Column and severity are optional.
pub(super) fn colons(line: &str) -> Option<Diagnostic<'_>> {
    let found = COLONS.captures(line)?;
    Some(Diagnostic {
        path: found.get(1)?.as_str(),
        line: number(&found[2]),
        column: found.get(3).and_then(|column| number(column.as_str())),
        level: found.get(4).map(|level| level.as_str().to_lowercase()).unwrap_or_default(),
        message: found.get(5)?.as_str().trim(),
    })
}

/// Parses `path(line,column): error CODE: message` and returns the code as well.
pub(super) fn parentheses(line: &str) -> Option<(Diagnostic<'_>, &str)> {
    let found = PARENTHESES.captures(line)?;
    let diagnostic = Diagnostic {
        path: found.get(1)?.as_str(),
        line: number(&found[2]),
        column: found.get(3).and_then(|column| number(column.as_str())),
        level: found[4].to_lowercase(),
        message: found.get(6)?.as_str().trim(),
    };
    Some((diagnostic, found.get(5)?.as_str()))
}

impl Diagnostic<'_> {
    /// Returns true if the message only adds a note to the previous one.
    pub(super) fn is_note(&self) -> bool {
        matches!(self.level.as_str(), "note" | "remark" | "info" | "message")
    }

    /// Returns the position as a frame.
    pub(super) fn frame(&self) -> Frame {
        Frame::at(self.path, self.line, self.column)
    }

    /// Converts the message to a failure.
    pub(super) fn failure(&self, family: &'static str, kind: &str) -> Failure {
        Failure {
            severity: if self.level == "warning" { Severity::Warning } else { Severity::Error },
            frames: vec![self.frame()],
            ..Failure::new(family, kind, self.message)
        }
    }
}

/// Splits off the code in brackets at the end: `unused variable [-Wunused-variable]`.
pub(super) fn with_code(message: &str) -> (&str, &str) {
    let code = message.strip_suffix(']').and_then(|rest| rest.rsplit_once(" ["));
    match code {
        Some((text, code)) if !code.contains(char::is_whitespace) => (text.trim_end(), code),
        _ => (message, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_form_is_read() {
        let read = |line| {
            colons(line).map(|diagnostic| {
                (
                    diagnostic.path.to_owned(),
                    diagnostic.line,
                    diagnostic.column,
                    diagnostic.level,
                    diagnostic.message.to_owned(),
                )
            })
        };
        let of = |path: &str, line, column, level: &str, message: &str| {
            Some((path.to_owned(), Some(line), column, level.to_owned(), message.to_owned()))
        };
        assert_eq!(
            read("src/a.c:3:5: fatal error: b.h: No such file"),
            of("src/a.c", 3, Some(5), "fatal error", "b.h: No such file")
        );
        assert_eq!(read("C:\\w\\a.cpp:3: error: no"), of("C:\\w\\a.cpp", 3, None, "error", "no"));
        assert_eq!(read("./x.go:3:4: undefined: f"), of("./x.go", 3, Some(4), "", "undefined: f"));
        assert_eq!(read("10:20:30 INFO started"), None);
        assert_eq!(read("a.c: In function 'f':"), None);
        let (diagnostic, code) =
            parentheses("src/x.ts(3,5): error TS2304: Cannot find name 'y'.").unwrap();
        assert_eq!(
            (diagnostic.path, diagnostic.line, diagnostic.column, code),
            ("src/x.ts", Some(3), Some(5), "TS2304")
        );
        assert_eq!(with_code("unused 'x' [-Wunused]"), ("unused 'x'", "-Wunused"));
    }
}
