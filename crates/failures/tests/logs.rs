//! Parses the logs of many tools and compares the result with a checked-in reading.
//!
//! `*.log` files are outputs of small failing programs of our own, as the tools wrote them or,
//! where a tool was not available, in the form that its documentation shows. A person checked each
//! `*.expected` file against its log. It has a line for each failure (family, kind and message,
//! test in braces, `xN` if the log repeats it), then its frames, innermost first, then its causes
//! with their frames.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read fixtures, and a failure there is a failed test"
)]

use std::{fmt::Write as _, fs, path::Path};

use lore_failures::{Failure, Frame, Severity, families, read};
use proptest::prelude::*;

fn fixtures() -> Vec<(String, String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "log") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let expected = fs::read_to_string(path.with_extension("expected")).unwrap_or_default();
            found.push((name, fs::read_to_string(&path).unwrap(), expected));
        }
    }
    found.sort();
    found
}

fn render(log: &str) -> String {
    let reading = read(log);
    let mut text = String::new();
    for failure in &reading.failures {
        render_failure(failure, &mut text);
    }
    for (count, what) in [(reading.warnings, "warnings"), (reading.beyond, "beyond")] {
        if count > 0 {
            writeln!(text, "{what} {count}").unwrap();
        }
    }
    text
}

fn render_failure(failure: &Failure, text: &mut String) {
    let level = if failure.severity == Severity::Warning { "warning " } else { "" };
    write!(text, "{} {level}{}", failure.family, failure.summary()).unwrap();
    if let Some(test) = &failure.test {
        write!(text, " {{{test}}}").unwrap();
    }
    if failure.count > 1 {
        write!(text, " x{}", failure.count).unwrap();
    }
    text.push('\n');
    write_frames(&failure.frames, "  ", text);
    for cause in &failure.causes {
        writeln!(text, "  cause {}", cause.summary()).unwrap();
        write_frames(&cause.frames, "    ", text);
    }
}

fn write_frames(frames: &[Frame], indent: &str, text: &mut String) {
    for frame in frames {
        let column = frame.column.map(|column| format!(":{column}")).unwrap_or_default();
        let line = frame.line.map(|line| format!(":{line}")).unwrap_or_default();
        let path = if frame.path.is_empty() { "?" } else { &frame.path };
        let function = frame.function.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
        writeln!(text, "{indent}{path}{line}{column}{function}").unwrap();
    }
}

#[test]
fn logs_are_read_as_a_person_reads_them() {
    let mut wrong = String::new();
    for (name, log, expected) in fixtures() {
        let actual = render(&log);
        if actual != expected {
            write!(wrong, "== {name}: expected\n{expected}== but read\n{actual}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_family_has_a_fixture() {
    let names: Vec<String> = fixtures().into_iter().map(|(name, ..)| name).collect();
    for (family, _) in families() {
        let is_its = |name: &String| name == family || name.starts_with(&format!("{family}-"));
        assert!(names.iter().any(is_its), "{family}");
    }
}

/// Adds terminal colours to a log.
fn coloured(log: &str) -> String {
    let line = |line: &str| format!("\u{1b}[0m\u{1b}[1;31m{line}\u{1b}[0m\u{1b}[K");
    log.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Adds the timestamps of build machines and Windows line endings to a log.
fn stamped(log: &str) -> String {
    let line = |line: &str| format!("2026-01-31T10:20:30.1234567Z {line}\r\n");
    log.lines().map(line).collect::<Vec<_>>().concat()
}

#[test]
fn colours_and_stamps_change_nothing() {
    for (name, log, _) in fixtures() {
        let plain = render(&log);
        assert_eq!(render(&coloured(&log)), plain, "{name}");
        assert_eq!(render(&stamped(&log)), plain, "{name}");
    }
}

#[test]
fn repeated_failures_are_counted() {
    for (name, log, _) in fixtures() {
        let once = read(&log);
        let twice = read(&format!("{log}\n\n{log}"));
        assert_eq!(twice.failures.len(), once.failures.len(), "{name}");
        for (single, double) in once.failures.iter().zip(&twice.failures) {
            assert_eq!(double.count, single.count * 2, "{name}: {}", single.summary());
        }
    }
}

/// Generates lines of real logs, cut and joined at random.
fn garbled_logs() -> impl Strategy<Value = String> {
    let lines: Vec<String> = fixtures()
        .into_iter()
        .flat_map(|(_, log, _)| log.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let piece =
        (prop::sample::select(lines), any::<prop::sample::Index>(), "\\PC{0,12}", any::<bool>());
    let line = piece.prop_map(|(line, at, noise, cut)| {
        if cut {
            let at = line.floor_char_boundary(at.index(line.len() + 1));
            format!("{}{noise}{}", &line[..at], &line[at..])
        } else {
            line
        }
    });
    prop::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_log_is_read(log in garbled_logs()) {
        let reading = read(&log);
        for failure in &reading.failures {
            prop_assert!(failure.count > 0);
            for frame in failure.all_frames() {
                prop_assert!(frame.line != Some(0) && frame.column != Some(0));
            }
        }
        // An escape in the text itself would swallow the text after it.
        prop_assert_eq!(render(&coloured(&log)), render(&log));
    }

    #[test]
    fn any_text_is_read(log in "\\PC{0,200}(\n\\PC{0,80}){0,8}") {
        let _ = read(&log);
    }
}

#[test]
fn the_reference_lists_every_family() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/failures.md");
    let page = fs::read_to_string(page).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let expected: Vec<String> =
        families().map(|(name, about)| format!("| `{name}` | {about} |")).collect();
    assert_eq!(rows, expected);
}
