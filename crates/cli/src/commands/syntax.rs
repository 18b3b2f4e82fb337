//! `lore help syntax`: the query language on one page.

use std::ffi::OsString;

use lore_console::report::Status;
use lore_session::write_output;

/// Text of the page.
const PAGE: &str = include_str!("syntax.txt");

/// Returns true for `lore help syntax`.
pub(crate) fn is_requested(words: &[OsString]) -> bool {
    matches!(words, [_, help, page, ..] if help == "help" && page == "syntax")
}

/// Prints the page.
pub(crate) fn run() -> anyhow::Result<Status> {
    write_output(|out| out.write_all(PAGE.as_bytes()))?;
    Ok(Status::Success)
}
