//! Parsers for the failure output of each family of tools: one file and one row per family.

mod c;
mod diagnostic;
mod dotnet;
mod elixir;
mod go;
mod java;
mod javascript;
mod log;
mod php;
mod python;
mod ruby;
mod rust;
mod swift;

use std::ops::Range;

use crate::report::{Failure, Frame};

/// A failure and its lines in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocatedFailure {
    /// Range of its lines, as indices.
    pub(crate) lines: Range<usize>,
    /// The failure.
    pub(crate) failure: Failure,
}

/// Applies `find` to each line and continues after the lines of the failure it returns. The second
/// argument of `find` is the end of the last failure.
fn each(
    lines: &[&str],
    find: impl Fn(usize, usize) -> Option<LocatedFailure>,
) -> Vec<LocatedFailure> {
    let mut found: Vec<LocatedFailure> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        match find(at, found.last().map_or(0, |last| last.lines.end)) {
            Some(located) => {
                at = located.lines.end.max(at + 1);
                found.push(located);
            }
            None => at += 1,
        }
    }
    found
}

/// A family of tools that report failures in the same formats.
#[derive(Debug)]
pub(crate) struct Family {
    /// Name in answers.
    pub(crate) name: &'static str,
    /// Short description of the recognised formats.
    pub(crate) about: &'static str,
    /// Substrings of which a log must contain at least one to be parsed by this family.
    pub(crate) signs: &'static [&'static str],
    /// Finds the failures in the lines, in any order. Failures of several families may overlap.
    pub(crate) parse: fn(&[&str]) -> Vec<LocatedFailure>,
}

/// All families, sorted by name.
pub(crate) const FAMILIES: &[Family] = &[
    Family {
        name: "c",
        about: "GCC, Clang and MSVC, linkers, sanitizers, Valgrind, GDB, failed assertions",
        signs: &["error", "warning", "#0 ", "==", "Assertion", "undefined reference"],
        parse: c::parse,
    },
    Family {
        name: "dotnet",
        about: ".NET exceptions with inner ones, MSBuild",
        signs: &["   at ", "): error ", "): warning "],
        parse: dotnet::parse,
    },
    Family {
        name: "elixir",
        about: "Elixir exceptions, compiler, ExUnit",
        signs: &["** (", "└─", "_test.exs:"],
        parse: elixir::parse,
    },
    Family {
        name: "go",
        about: "Go panics, fatal errors and data races with goroutines, `go test`, `go build`, `go vet`",
        signs: &[".go:"],
        parse: go::parse,
    },
    Family {
        name: "java",
        about: "Exceptions of the JVM with their causes, javac, Maven, Gradle, kotlinc, scalac, JUnit",
        signs: &["at ", ".java:", ".kt:", ".scala:"],
        parse: java::parse,
    },
    Family {
        name: "javascript",
        about: "Stacks of V8, Firefox and Safari, tsc, ESLint, Jest, Vitest, Mocha, node:test",
        signs: &["at ", "@", "error", "❯", "Error"],
        parse: javascript::parse,
    },
    Family {
        name: "log",
        about: "Lines of any log at the level of an error, and places such as `path:line:column` in them",
        signs: &[""],
        parse: log::parse,
    },
    Family {
        name: "php",
        about: "PHP errors and uncaught exceptions, PHPUnit",
        signs: &[".php"],
        parse: php::parse,
    },
    Family {
        name: "python",
        about: "Tracebacks with their chains, pytest (long and short), unittest, mypy and Ruff",
        signs: &["File \"", ".py:", ".py::"],
        parse: python::parse,
    },
    Family {
        name: "ruby",
        about: "Ruby exceptions in both orders, RSpec, Minitest",
        signs: &[".rb:"],
        parse: ruby::parse,
    },
    Family {
        name: "rust",
        about: "Panics (old and new form) with backtraces, rustc and Cargo, Clippy, libtest",
        signs: &["panicked at", "-->", "stdout ----", "Caused by:"],
        parse: rust::parse,
    },
    Family {
        name: "swift",
        about: "Swift compiler, Xcode, fatal errors, XCTest",
        signs: &[".swift"],
        parse: swift::parse,
    },
];

/// Returns the recognised tool families, sorted by name: the name, and the tools it covers.
pub fn families() -> impl Iterator<Item = (&'static str, &'static str)> {
    FAMILIES.iter().map(|family| (family.name, family.about))
}

/// Returns the file positions in a text (`src/a.rs:12:5`, `File "a.py", line 3`), in order, without
/// duplicates, whatever is around them.
pub fn positions(text: &str) -> Vec<Frame> {
    let mut frames: Vec<Frame> = Vec::new();
    for line in crate::clean::lines(text) {
        for frame in log::places(&line) {
            if frames.len() < MAX_POSITIONS && !frames.contains(&frame) {
                frames.push(frame);
            }
        }
    }
    frames
}

/// Maximum number of positions that are read from a text.
const MAX_POSITIONS: usize = 64;

/// Name of the fallback family, for lines that no other family recognises.
pub(crate) const GENERAL: &str = "log";

/// Parses a line or column number; `None` for zero and for invalid numbers.
pub(super) fn number(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|number| *number > 0)
}

/// Maximum number of lines to look back or ahead for lines that belong to a failure.
pub(super) const NEAR: usize = 12;

/// Returns true if a path has one of the extensions, in any letter case.
pub(super) fn has_extension(path: &str, extensions: &[&str]) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| {
        extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_sorted_and_described() {
        assert!(FAMILIES.is_sorted_by(|left, right| left.name < right.name));
        assert!(FAMILIES.iter().all(|family| !family.about.is_empty()));
        assert!(FAMILIES.iter().any(|family| family.name == GENERAL));
    }
}
