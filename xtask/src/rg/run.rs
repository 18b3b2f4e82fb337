//! Runs a command line with both programs, and compares the results.

use std::{
    ffi::OsStr,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result};

use super::commands::CommandLine;

/// A program to run.
pub(super) struct Program {
    path: PathBuf,
    /// Words before the command line.
    start: &'static [&'static str],
}

impl Program {
    pub(super) fn reference(path: &OsStr) -> Program {
        Program { path: path.into(), start: &[] }
    }

    pub(super) fn lore(path: &Path) -> Program {
        Program { path: path.to_owned(), start: &["rg"] }
    }

    fn run(&self, line: &CommandLine, first: &[&str]) -> Result<Answer> {
        let mut command = Command::new(&self.path);
        command.args(self.start).args(first).args(&line.words).current_dir(&line.tree);
        command.env_remove("RIPGREP_CONFIG_PATH").env_remove("NO_COLOR");
        if let Some(config) = &line.config {
            command.env("RIPGREP_CONFIG_PATH", line.tree.join(config));
        }
        command.stdin(if line.input.is_some() { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .with_context(|| format!("could not start `{}`", self.path.display()))?;
        if let (Some(input), Some(mut pipe)) = (&line.input, child.stdin.take()) {
            // The program may end before it reads everything.
            let _ = pipe.write_all(input);
        }
        let output = child.wait_with_output()?;
        Ok(Answer {
            output: without_times(&output.stdout),
            // With `-q`, an error after the first match may be reported or not.
            has_errors: !output.stderr.is_empty() && !line.is_quiet(),
            code: output.status.code(),
        })
    }
}

/// The result of a program.
#[derive(PartialEq, Eq)]
struct Answer {
    output: Vec<u8>,
    has_errors: bool,
    code: Option<i32>,
}

/// The difference of the two programs; `None` if they are equal.
///
/// Sorted, the bytes must be equal. Unsorted, ripgrep has no fixed order: the lines must be equal, and
/// `lore` must have the order of the sorted output.
pub(super) fn compare(
    reference: &Program,
    lore: &Program,
    line: &CommandLine,
) -> Result<Option<String>> {
    let (expected, found) = (reference.run(line, &[])?, lore.run(line, &[])?);
    if line.is_sorted() {
        return Ok((expected != found).then(|| difference(&expected, &found)));
    }
    let is_same = lines(&expected.output) == lines(&found.output)
        && expected.code == found.code
        && expected.has_errors == found.has_errors;
    if !is_same {
        return Ok(Some(format!("unsorted: {}", difference(&expected, &found))));
    }
    if line.is_never_sorted() {
        return Ok(None);
    }
    let sort = &["--sort=path"];
    let (expected, sorted) = (reference.run(line, sort)?, lore.run(line, sort)?);
    if expected != sorted {
        return Ok(Some(format!("sorted: {}", difference(&expected, &sorted))));
    }
    let is_ordered = comparable(&found.output) == comparable(&sorted.output);
    Ok((!is_ordered).then(|| format!("order: {}", difference(&sorted, &found))))
}

/// The lines without their ends, without lines between two files, and without the number of printed
/// bytes. With `--sort`, ripgrep ends the lines between files like the lines of the files, writes none
/// before a message about a binary file, and counts their bytes.
fn comparable(output: &[u8]) -> Vec<&[u8]> {
    const MAX_SEPARATOR: usize = 2;
    let lines = output.split(|byte| matches!(byte, b'\n' | b'\0'));
    let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.filter(|line| line.len() > MAX_SEPARATOR && !line.ends_with(b" bytes printed")).collect()
}

/// The lines in a fixed order.
fn lines(output: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = output.split(|byte| matches!(byte, b'\n' | b'\0')).collect();
    lines.sort_unstable();
    lines
}

/// Replaces measured times, which differ between any two runs.
fn without_times(output: &[u8]) -> Vec<u8> {
    const TIMES: &[&[u8]] = &[b" seconds spent searching", b" seconds total"];
    let mut text = Vec::with_capacity(output.len());
    for line in output.split_inclusive(|byte| *byte == b'\n') {
        let trimmed = line.strip_suffix(b"\n").unwrap_or(line);
        if TIMES.iter().any(|time| trimmed.ends_with(time)) {
            continue;
        }
        match serde_json::from_slice::<serde_json::Value>(trimmed) {
            Ok(mut value) if value.get("type").is_some() => {
                let is_time = value.pointer("/data/stats/elapsed").is_some();
                if is_time {
                    for pointer in ["/data/stats/elapsed", "/data/elapsed_total"] {
                        if let Some(time) = value.pointer_mut(pointer) {
                            *time = serde_json::Value::Null;
                        }
                    }
                    text.extend(value.to_string().into_bytes());
                    text.push(b'\n');
                } else {
                    text.extend(line);
                }
            }
            _ => text.extend(line),
        }
    }
    text
}

/// The first difference of two answers.
fn difference(expected: &Answer, found: &Answer) -> String {
    if expected.code != found.code {
        return format!("exit code {:?}, expected {:?}", found.code, expected.code);
    }
    if expected.output == found.output {
        return format!("errors: {}, expected {}", found.has_errors, expected.has_errors);
    }
    let split = |answer: &Answer| -> Vec<String> {
        String::from_utf8_lossy(&answer.output).lines().map(str::to_owned).collect()
    };
    let (expected, found) = (split(expected), split(found));
    let at = expected.iter().zip(&found).position(|(left, right)| left != right);
    let at = at.unwrap_or(expected.len().min(found.len()));
    let line = |lines: &[String]| {
        lines.get(at).map_or("(end)".to_owned(), |line| line.chars().take(200).collect())
    };
    format!("line {}: {}\nexpected: {}", at + 1, line(&found), line(&expected))
}
