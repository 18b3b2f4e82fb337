//! Prints the choice of `lore pick`.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use lore_console::report::Status;
use lore_picker::{Choice, Item, Outcome};
use lore_session::write_output;

use crate::args::PickArguments;

/// Prints the query and the items, as the flags say. Without items, there is no result.
pub(super) fn print(
    choice: &Choice,
    arguments: &PickArguments,
    root: &Path,
) -> anyhow::Result<Status> {
    let mut lines = Vec::new();
    if arguments.print_query {
        lines.push(choice.query.clone());
    }
    let mut seen = BTreeSet::new();
    for item in &choice.items {
        let line = match choice.outcome {
            _ if arguments.no_line => path(item, root),
            Outcome::Quickfix => quickfix(item, root),
            _ => place(item, root),
        };
        if seen.insert(line.clone()) {
            lines.push(line);
        }
    }
    let end = if arguments.print0 { b"\0" } else { b"\n" };
    write_output(|out| {
        for line in &lines {
            out.write_all(line.as_bytes())?;
            out.write_all(end)?;
        }
        Ok(())
    })?;
    Ok(if choice.items.is_empty() { Status::NoResult } else { Status::Success })
}

/// The path of an item from the current directory, if it is below, or the whole path. Names without a file are
/// as they are.
pub(super) fn path(item: &Item, root: &Path) -> String {
    let Some(path) = &item.path else { return item.place.clone() };
    let whole = native(root, path);
    let current = std::env::current_dir().ok();
    let current = current.and_then(|current| lore_engine::native::canonical(&current).ok());
    let relative = current.as_deref().and_then(|current| whole.strip_prefix(current).ok());
    relative.unwrap_or(&whole).display().to_string()
}

/// The path of a file on this system.
pub(super) fn native(root: &Path, path: &str) -> PathBuf {
    path.split('/').fold(root.to_owned(), |whole, name| whole.join(name))
}

/// `path:line`.
fn place(item: &Item, root: &Path) -> String {
    match item.line {
        Some(line) => format!("{}:{line}", path(item, root)),
        None => path(item, root),
    }
}

/// `path:line:column:text`, as editors read it.
pub(super) fn quickfix(item: &Item, root: &Path) -> String {
    let column = item.text_marks.first().map_or(1, |mark| mark.start + 1);
    let text = lore_console::text::clean(&item.text);
    format!("{}:{}:{column}:{text}", path(item, root), item.line.unwrap_or(1))
}
