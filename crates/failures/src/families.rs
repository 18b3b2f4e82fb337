//! Who writes what failures look like: one file and one row for each family of tools.

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

use crate::report::Failure;

/// A failure and where it stands in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocatedFailure {
    /// Its lines, as positions.
    pub(crate) lines: Range<usize>,
    /// The failure.
    pub(crate) failure: Failure,
}

/// Goes through lines: `find` is told a line and where the last failure that was found ends, and the
/// search goes on behind what it finds.
fn each(
    lines: &[&str],
    find: impl Fn(usize, usize) -> Option<LocatedFailure>,
) -> Vec<LocatedFailure> {
    let mut found: Vec<LocatedFailure> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        match find(at, found.last().map_or(0, |last| last.lines.end)) {
            Some(one) => {
                at = one.lines.end.max(at + 1);
                found.push(one);
            }
            None => at += 1,
        }
    }
    found
}

/// A family of tools that tell failures in the same ways.
#[derive(Debug)]
pub(crate) struct Family {
    /// Name in answers.
    pub(crate) name: &'static str,
    /// What is recognised, for people.
    pub(crate) about: &'static str,
    /// Texts without one of which no failure of the family is there.
    pub(crate) signs: &'static [&'static str],
    /// Finds the failures in lines of text, in any order. Those of several families may overlap.
    pub(crate) parse: fn(&[&str]) -> Vec<LocatedFailure>,
}

/// Every family, in the order of their names.
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

/// Name of the family that takes what no other one does.
pub(crate) const GENERAL: &str = "log";

/// A number of a line or column; `None` for zero and for what is no number.
pub(super) fn number(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|number| *number > 0)
}

/// Most lines that are looked back or ahead for what belongs to a failure.
pub(super) const NEAR: usize = 12;

/// Whether a path ends with one of some extensions, in any letter case.
pub(super) fn has_extension(path: &str, extensions: &[&str]) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| {
        extensions.iter().any(|one| one.eq_ignore_ascii_case(extension))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_tell_what_they_are() {
        assert!(FAMILIES.is_sorted_by(|left, right| left.name < right.name));
        assert!(FAMILIES.iter().all(|family| !family.about.is_empty()));
        assert!(FAMILIES.iter().any(|family| family.name == GENERAL));
    }
}
