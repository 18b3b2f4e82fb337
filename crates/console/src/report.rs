//! How the program ends: messages, hints and exit codes.
//!
//! Standard output carries data only, so that everything here goes to standard error. A message is
//! one line, `lore: what failed: why`; an instruction that helps follows as `hint: …`.
use std::{
    error::Error,
    io::{self, Write},
    ops::Range,
    panic::{self, AssertUnwindSafe},
    process::ExitCode,
};

use lore_engine::{EmbedError, EngineError, IndexError};
use unicode_width::UnicodeWidthStr as _;

use crate::text;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// There is an answer, or the work was done.
    Success,
    /// There is none, or something was found to be wrong.
    NoResult,
    /// The question could not be answered.
    Failed,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        match status {
            Status::Success => ExitCode::SUCCESS,
            Status::NoResult => ExitCode::from(1),
            Status::Failed => ExitCode::from(2),
        }
    }
}

/// A request that cannot be understood.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct UsageError {
    /// What is wrong, without a final dot.
    pub message: String,
    /// What to do instead.
    pub hint: Option<String>,
}

impl UsageError {
    /// An error without a hint.
    pub fn new(message: impl Into<String>) -> UsageError {
        UsageError { message: message.into(), hint: None }
    }

    /// Adds what to do instead.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> UsageError {
        self.hint = Some(hint.into());
        self
    }
}

/// Runs the program; a panic becomes a message and an error's exit code.
pub fn guard(program: impl FnOnce() -> Status) -> ExitCode {
    panic::set_hook(Box::new(|panicked| {
        let message = format!("internal error, which is a bug of lore: {panicked}");
        line("lore", &message.replace('\n', " "));
    }));
    panic::catch_unwind(AssertUnwindSafe(program)).unwrap_or(Status::Failed).into()
}

/// Tells why a command failed, and the instruction that helps. A reader that closed the pipe is no
/// failure.
pub fn failure(error: &(dyn Error + 'static), hint: Option<&str>) -> Status {
    if is_broken_pipe(error) {
        return Status::Success;
    }
    line("lore", &message(error));
    let causes =
        std::iter::successors(Some(error), |error: &&(dyn Error + 'static)| (*error).source());
    for error in causes {
        if let Some(EngineError::Query(error)) = error.downcast_ref() {
            point(&error.query, error.span.clone());
            break;
        }
    }
    if let Some(text) = hint {
        blank_line();
        hint_line(text);
    }
    Status::Failed
}

/// What failed, and why, on one line.
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

/// Shows the place in a query that is wrong.
fn point(query: &str, span: Range<usize>) {
    // One line, so that the marks stand below their place: what steers a terminal is shown as one
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

/// Writes something that the user should know although the work goes on.
pub fn warning(message: &str) {
    line("lore", &format!("warning: {message}"));
}

/// Writes one line about the work.
pub fn note(message: &str) {
    line("lore", message);
}

/// Writes an instruction.
pub fn hint_line(message: &str) {
    line("hint", message);
}

/// Writes a question, whose answer follows on its line.
pub fn prompt(message: &str) {
    let _ = write!(io::stderr(), "lore: {}", text::clean(message));
    let _ = io::stderr().flush();
}

/// Writes one line as it is, but for what could steer a terminal.
pub fn plain_line(message: &str) {
    let _ = writeln!(io::stderr(), "{}", text::clean(message));
}

fn line(label: &str, message: &str) {
    let _ = writeln!(io::stderr(), "{label}: {}", text::clean(message));
}

/// Writes a line end.
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

/// The instruction that helps, for the errors that have one.
pub fn hint(error: &(dyn Error + 'static)) -> Option<String> {
    let mut current = Some(error);
    while let Some(error) = current {
        if let Some(usage) = error.downcast_ref::<UsageError>() {
            return usage.hint.clone();
        }
        if let Some(embedding) = error.downcast_ref::<EmbedError>() {
            return embedding.hint.clone();
        }
        match error.downcast_ref::<EngineError>() {
            Some(EngineError::EmptyQuery) => {
                return Some("say what to look for, for example `lore \"retry a refund\"`".into());
            }
            Some(EngineError::Query(error)) => return Some(error.hint.to_owned()),
            Some(EngineError::Subject { nearest, .. }) => {
                return Some(match nearest.as_slice() {
                    [] => {
                        "name a line, as in `lore related src/lib.rs:10`, or the identifier of a \
                           hit, as `lore QUERY --json` writes it"
                            .to_owned()
                    }
                    nearest => {
                        let nearest: Vec<String> =
                            nearest.iter().map(|name| format!("`{name}`")).collect();
                        format!("near are {}", nearest.join(", "))
                    }
                });
            }
            Some(EngineError::Revision { nearest, .. }) => {
                let nearest: Vec<String> = nearest.iter().map(|name| format!("`{name}`")).collect();
                return Some(match nearest.as_slice() {
                    [] => "name a commit, branch, tag or date, as in `--at HEAD~3` or `--at \
                           2025-01-31`"
                        .to_owned(),
                    nearest => format!("near are {}", nearest.join(", ")),
                });
            }
            Some(EngineError::Root { .. }) => {
                return Some("name a folder that exists with `-C DIR`".into());
            }
            Some(EngineError::NeedsIndex { .. }) => {
                return Some("make the index with `lore index`, and ask again".into());
            }
            Some(EngineError::UnknownSignal { .. }) => {
                return Some("run `lore config` to see where the weight is set".into());
            }
            Some(EngineError::Export { .. }) => {
                return Some(
                    "name a file that a tracker has exported, such as that of `gh issue list \
                     --state all --limit 9999 --json number,title,body,state,labels,author,\
                     assignees,comments,url,createdAt,updatedAt > issues.json`"
                        .into(),
                );
            }
            Some(EngineError::Index(IndexError::Busy { .. } | IndexError::Moved { .. })) => {
                return Some("wait until the other one is done, and run it again".into());
            }
            Some(EngineError::Index(IndexError::Unwritable { .. })) => {
                return Some(
                    "name another folder with `--cache-dir`; `lore status` shows the limits".into(),
                );
            }
            Some(EngineError::Index(_)) => {
                return Some(
                    "run `lore doctor` to see what is wrong, or `lore index --rebuild` to make the \
                     index anew"
                        .into(),
                );
            }
            Some(EngineError::Source(_)) => {
                return Some("run `lore doctor` to see what cannot be read".into());
            }
            None => {}
        }
        current = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_found_at_any_depth() {
        let pipe = io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(is_broken_pipe(&pipe));
        let wrapped = io::Error::other(io::Error::from(io::ErrorKind::BrokenPipe));
        assert!(wrapped.source().is_none() || is_broken_pipe(&wrapped));
        assert!(!is_broken_pipe(&io::Error::from(io::ErrorKind::NotFound)));
    }

    #[test]
    fn errors_of_requests_carry_their_hint() {
        let error = UsageError::new("could not read the date").hint("write 2025-01-31");
        assert_eq!(hint(&error).as_deref(), Some("write 2025-01-31"));
        assert_eq!(hint(&UsageError::new("no")), None);
    }
}
