//! The log of `lore search --from-failure`: reading it in bounded memory, and its summary.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, Read},
    path::Path,
};

use anyhow::Context as _;
use lore_console::report::{self, UsageError};
use lore_engine::FailureReport;
use lore_render::output;

/// Number of bytes that are read from the start of a log.
const HEAD: usize = 1 << 20;

/// Number of bytes that are read from its end, where the last failure is.
const TAIL: usize = 3 << 20;

/// The parts of a log that are analyzed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Log {
    /// The text; for a long log, its start and its end.
    pub(super) text: String,
    /// Number of skipped bytes between both.
    pub(super) skipped: u64,
}

/// Reads a log, in bounded memory: from a file, or, as `-`, from standard input.
pub(super) fn read(path: &Path) -> anyhow::Result<Log> {
    let (log, name) = if path == Path::new("-") {
        let log = read_from(io::stdin().lock(), HEAD, TAIL);
        (log.context("could not read standard input")?, "standard input".to_owned())
    } else {
        let log = File::open(path).and_then(|file| read_from(file, HEAD, TAIL));
        let failed = |error| {
            UsageError::new(format!("could not read the log `{}`: {error}", path.display()))
                .hint("name an existing file with `--from-failure=FILE`, or pipe the log in with `--from-failure`")
        };
        (log.map_err(failed)?, format!("`{}`", path.display()))
    };
    if log.text.trim().is_empty() {
        return Err(UsageError::new(format!("could not read a failure: {name} is empty"))
            .hint("pipe a log in, for example `cargo test 2>&1 | lore search --from-failure`")
            .into());
    }
    Ok(log)
}

/// The first and the last bytes of the input, cut at line ends.
fn read_from(mut input: impl Read, head: usize, tail: usize) -> io::Result<Log> {
    let mut first = Vec::new();
    input.by_ref().take(head as u64).read_to_end(&mut first)?;
    let mut last: VecDeque<u8> = VecDeque::new();
    let mut skipped = 0_u64;
    let mut buffer = vec![0; 64 << 10];
    loop {
        let count = match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        last.extend(&buffer[..count]);
        let over = last.len().saturating_sub(tail);
        last.drain(..over);
        skipped += over as u64;
    }
    let mut last = Vec::from(last);
    if skipped > 0 {
        // Drop cut lines at both ends, unless a part has no line end at all.
        if let Some(end) = first.iter().rposition(|byte| *byte == b'\n') {
            skipped += (first.len() - end - 1) as u64;
            first.truncate(end + 1);
        } else {
            first.push(b'\n');
        }
        if let Some(start) = last.iter().position(|byte| *byte == b'\n') {
            skipped += start as u64 + 1;
            last.drain(..=start);
        }
    }
    first.append(&mut last);
    // Logs of Windows tools may be in UTF-16, which marks itself.
    let text = match first[..] {
        [0xff, 0xfe, ..] => wide(&first[2..], u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(&first[2..], u16::from_be_bytes),
        _ => String::from_utf8_lossy(&first).into_owned(),
    };
    Ok(Log { text, skipped })
}

fn wide(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Maximum number of failures in a report under a token budget.
const MAX_REPORTED: usize = 3;

/// Leaves the token budget to the hits: keeps only the first failures, without their locations.
pub(super) fn shorten(report: &mut FailureReport) {
    report.beyond += report.failures.len().saturating_sub(MAX_REPORTED);
    report.failures.truncate(MAX_REPORTED);
    for failure in &mut report.failures {
        failure.frames.clear();
        failure.causes.iter_mut().for_each(|cause| cause.frames.clear());
    }
}

/// Summarizes on standard error how the locations of the log were resolved.
pub(super) fn print_summary(failure: &FailureReport) {
    report::note(&output::failure::summary(failure));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(text: &str, skipped: u64) -> Log {
        Log { text: text.to_owned(), skipped }
    }

    #[test]
    fn both_ends_of_a_long_log_are_read() {
        let read = |bytes: &[u8], head, tail| read_from(bytes, head, tail).expect("memory reads");
        assert_eq!(read(b"one\ntwo\n", 100, 100), log("one\ntwo\n", 0));
        assert_eq!(read(b"one\ntwo\n", 3, 5), log("one\ntwo\n", 0));
        assert_eq!(read(b"one\ntwo\nthree\nfour\n", 6, 8), log("one\nfour\n", 10));
        assert_eq!(read(b"aaaaaaaaaa", 2, 2), log("aa\naa", 6));
        assert_eq!(read(b"", 2, 2), log("", 0));
    }

    #[test]
    fn other_encodings_are_decoded() {
        let read = |bytes: &[u8]| read_from(bytes, 100, 100).expect("memory reads").text;
        assert_eq!(read(b"caf\xe9: no\n"), "caf\u{fffd}: no\n");
        assert_eq!(read(b"\xff\xfen\0o\0"), "no");
        assert_eq!(read(b"\xfe\xff\0n\0o"), "no");
    }
}
