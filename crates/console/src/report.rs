//! Messages, hints and exit codes.
//!
//! Standard output contains only data, so everything here goes to standard error. A message is one
//! line, `lore: what failed: why`; a helpful instruction may follow as `hint: …`.
use std::{
    error::Error,
    io::{self, Write},
    ops::Range,
    panic::{self, AssertUnwindSafe},
    path::Path,
    process::ExitCode,
};

use lore_engine::{EmbedError, EngineError, IndexError, is_reading_index};
use unicode_width::UnicodeWidthStr as _;

use crate::text;

/// The result of a command, which decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The command found results or did its work.
    Success,
    /// There are no results, or a check failed.
    NoResult,
    /// The command failed.
    Failed,
    /// The user quit before there was a result.
    Interrupted,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        match status {
            Status::Success => ExitCode::SUCCESS,
            Status::NoResult => ExitCode::from(1),
            Status::Failed => ExitCode::from(2),
            Status::Interrupted => ExitCode::from(130),
        }
    }
}

/// A request that is not valid.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct UsageError {
    /// The error, without a final period.
    pub message: String,
    /// A suggestion.
    pub hint: Option<String>,
}

impl UsageError {
    /// Creates an error without a hint.
    pub fn new(message: impl Into<String>) -> UsageError {
        UsageError { message: message.into(), hint: None }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> UsageError {
        self.hint = Some(hint.into());
        self
    }
}

/// Runs the program; a panic becomes a message and the exit code for failures. A panic while an index
/// is read is a damaged index, which is rebuilt.
pub fn guard(program: impl FnOnce() -> Status) -> ExitCode {
    panic::set_hook(Box::new(|panicked| {
        if is_reading_index() {
            return;
        }
        let message = format!("internal error, please report this bug: {panicked}");
        line("lore", &message.replace('\n', " "));
    }));
    panic::catch_unwind(AssertUnwindSafe(program)).unwrap_or(Status::Failed).into()
}

/// Reports the error of a command, with a hint if there is one. A pipe that its reader closed is
/// not a failure.
pub fn failure(error: &(dyn Error + 'static), hint: Option<&str>) -> Status {
    if is_broken_pipe(error) {
        return Status::Success;
    }
    line("lore", &message(error));
    let causes =
        std::iter::successors(Some(error), |error: &&(dyn Error + 'static)| (*error).source());
    for error in causes {
        if let Some(EngineError::Query(error)) = error.downcast_ref() {
            mark_error(&error.query, error.span.clone());
            break;
        }
    }
    if let Some(text) = hint {
        blank_line();
        hint_line(text);
    }
    Status::Failed
}

/// The error and its causes on one line.
pub fn message(error: &(dyn Error + 'static)) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        // Transparent errors repeat the text of their cause.
        if !message.ends_with(&text) {
            message.push_str(": ");
            message.push_str(&text);
        }
        cause = error.source();
    }
    message
}

/// Marks the invalid part of a query.
fn mark_error(query: &str, span: Range<usize>) {
    // On one line, so that the marks are below the part: each control character is shown as one
    // character.
    let shown = |text: &str| -> String {
        let plain = |c: char| if c.is_control() || text::is_reordering(c) { '\u{fffd}' } else { c };
        text.chars().map(plain).collect()
    };
    let before = shown(query.get(..span.start).unwrap_or_default());
    let marked = shown(query.get(span).unwrap_or_default());
    let marks = "^".repeat(marked.width().max(1));
    let indent = " ".repeat(before.width());
    let _ = writeln!(io::stderr(), "\n    {}\n    {indent}{marks}", shown(query));
}

/// Reports a problem that does not stop the work.
pub fn warning(message: &str) {
    line("lore", &format!("warning: {message}"));
}

/// Reports progress on one line.
pub fn note(message: &str) {
    line("lore", message);
}

/// Prints a hint.
pub fn hint_line(message: &str) {
    line("hint", message);
}

/// Prints a prompt; the user types the answer on the same line.
pub fn prompt(message: &str) {
    let _ = write!(io::stderr(), "lore: {}", text::clean(message));
    let _ = io::stderr().flush();
}

/// Prints one line without a label. Control characters are replaced.
pub fn plain_line(message: &str) {
    let _ = writeln!(io::stderr(), "{}", text::clean(message));
}

/// Prints lines that are safe for a terminal already, with their colours.
pub fn styled_lines(lines: &str) {
    let _ = writeln!(io::stderr(), "{lines}");
}

fn line(label: &str, message: &str) {
    let _ = writeln!(io::stderr(), "{label}: {}", text::clean(message));
}

/// Prints an empty line.
pub fn blank_line() {
    let _ = writeln!(io::stderr());
}

fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let mut current = Some(error);
    while let Some(error) = current {
        if error
            .downcast_ref::<io::Error>()
            .is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe)
        {
            return true;
        }
        current = error.source();
    }
    false
}

/// The hint of an error, if it has one.
pub fn hint(error: &(dyn Error + 'static)) -> Option<String> {
    let mut current = Some(error);
    while let Some(error) = current {
        if let Some(usage) = error.downcast_ref::<UsageError>() {
            return usage.hint.clone();
        }
        if let Some(embedding) = error.downcast_ref::<EmbedError>() {
            return embedding.hint.clone();
        }
        if let Some(error) = error.downcast_ref::<EngineError>() {
            return Some(engine_hint(error));
        }
        if let Some(IndexError::Refused { hint, .. }) = error.downcast_ref::<IndexError>() {
            return Some((*hint).to_owned());
        }
        current = error.source();
    }
    None
}

fn engine_hint(error: &EngineError) -> String {
    let hint = match error {
        EngineError::EmptyQuery => "give a query, for example `lore \"retry a refund\"`",
        EngineError::Query(error) => error.hint,
        EngineError::Subject { nearest, .. } if nearest.is_empty() => {
            "name a line, such as `src/lib.rs:10`, or the identifier of a hit, as `lore \
             QUERY --json` writes it"
        }
        EngineError::Revision { nearest, .. } if nearest.is_empty() => {
            "name a commit, branch, tag or date, as in `--at HEAD~3` or `--at 2025-01-31`"
        }
        EngineError::Subject { nearest, .. } => return similar_names(nearest),
        EngineError::Revision { nearest, .. } => return similar_names(nearest),
        EngineError::Root { .. } => "name an existing directory with `-C DIR`",
        EngineError::NeedsClone { .. } => {
            "clone the repository, and name its directory with `-C DIR`"
        }
        EngineError::NeedsIndex { .. } => "run `lore index` first, then repeat the query",
        EngineError::UnknownSignal { .. } => "run `lore config` to see where the weight is set",
        EngineError::Export { .. } => {
            "name the export of an issue tracker, for example from `gh issue list --state all \
             --limit 9999 --json number,title,body,state,labels,author,assignees,comments,url,\
             createdAt,updatedAt > issues.json`"
        }
        EngineError::Index(IndexError::Busy { .. } | IndexError::Moved { .. }) => {
            "wait until the other process has finished, then try again"
        }
        EngineError::Index(IndexError::Unwritable { .. }) => {
            "name another directory with `--cache-dir`; `lore status` shows the limits"
        }
        EngineError::Index(IndexError::Refused { hint, .. }) => hint,
        EngineError::Index(IndexError::Export { .. }) => {
            "name a new file in a directory that exists, as in `lore index --export /tmp/index.lore`"
        }
        EngineError::Index(IndexError::Import { .. }) => {
            "run `lore index` to build the index without a file"
        }
        EngineError::Index(IndexError::Storage { path, .. } | IndexError::Damaged { path, .. })
            if is_of_cluster(path) =>
        {
            "run `lore cluster status` with the same `--cluster` to see whether the cluster answers"
        }
        EngineError::Index(_) => {
            "run `lore doctor` to see what is wrong, or `lore index --rebuild` to rebuild the index"
        }
        EngineError::Patch { .. } => {
            "make it with `git diff` in the root of the tree: `git diff --relative | lore review -`"
        }
        _ => "run `lore doctor` to see what cannot be read",
    };
    hint.to_owned()
}

/// Returns true if an index is in a cluster: its place is a URL.
fn is_of_cluster(place: &Path) -> bool {
    place.starts_with("http:") || place.starts_with("https:")
}

fn similar_names(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("similar names: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_recognised_at_any_depth() {
        let pipe = io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(is_broken_pipe(&pipe));
        let wrapped = io::Error::other(io::Error::from(io::ErrorKind::BrokenPipe));
        assert!(wrapped.source().is_none() || is_broken_pipe(&wrapped));
        assert!(!is_broken_pipe(&io::Error::from(io::ErrorKind::NotFound)));
    }

    #[test]
    fn usage_errors_have_their_hint() {
        let error = UsageError::new("could not read the date").hint("write 2025-01-31");
        assert_eq!(hint(&error).as_deref(), Some("write 2025-01-31"));
        assert_eq!(hint(&UsageError::new("no")), None);
    }

    #[test]
    fn a_cluster_that_does_not_answer_is_not_rebuilt() {
        let hint = |path: &str| {
            let (path, reason) = (path.into(), "no answer".to_owned());
            engine_hint(&EngineError::Index(IndexError::Storage { path, reason }))
        };
        assert!(hint("https://search.example:9200/lorehound").contains("lore cluster status"));
        assert!(hint("/home/a/.cache/lorehound").contains("lore index --rebuild"));
    }
}
