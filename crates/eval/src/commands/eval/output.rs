//! Output shared by the subcommands of `lore eval`, and their errors.

use std::{
    io::{self, Write},
    path::Path,
};

use lore_console::{report::UsageError, text::clean};
use lore_session::write_output;

use crate::EvalError;

/// Number of hits shown per query.
pub(super) const SHOWN_HITS: usize = 10;

/// Writes to standard output. Queries, subjects and paths are untrusted: control characters are
/// removed.
pub(in crate::commands) fn write_clean(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    write_output(|out| {
        let mut text = Vec::new();
        write(&mut text)?;
        for line in String::from_utf8_lossy(&text).lines() {
            writeln!(out, "{}", clean(line))?;
        }
        Ok(())
    })
}

pub(super) fn no_such_query() -> anyhow::Error {
    UsageError::new("the collection has no such query")
        .hint("omit `--repository` and `--query` to run all queries")
        .into()
}

pub(super) fn failed(path: &Path) -> impl Fn(io::Error) -> EvalError {
    move |source| EvalError::Write { path: path.to_owned(), source }
}

pub(super) fn hinted(error: EvalError) -> anyhow::Error {
    if let EvalError::NoTree { repository, .. } = &error {
        return UsageError::new(error.to_string())
            .hint(format!(
                "name its folder with `--root {repository}=DIR`, or a folder of such folders with \
                 `--trees DIR`"
            ))
            .into();
    }
    error.into()
}
