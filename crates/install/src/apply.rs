//! Applies a plan: replaces each file atomically, and no file that changed since it was planned.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use lore_console::report::UsageError;
use lore_settings::whole_file::{write_private, write_whole};
use sha2::{Digest as _, Sha256};

use super::{Change, Plan, files};

/// Applies a plan. Returns the path of each file's backup, in the order of the plan.
///
/// # Errors
/// If a file differs from the planned state, or cannot be written. Each file then has its old or
/// its planned content, and the record lists every file that may have the planned one.
pub fn apply(plan: &Plan) -> anyhow::Result<Vec<Option<PathBuf>>> {
    for change in &plan.changes {
        check(change)?;
    }
    let mut backups = Vec::new();
    for change in &plan.changes {
        backups.push(back_up(change, &plan.record.backups())?);
    }
    plan.record.with_older(&plan.older).save()?;
    for (number, change) in plan.changes.iter().enumerate() {
        check(change)?;
        write(change).with_context(|| {
            let written: Vec<&str> =
                plan.changes[..number].iter().map(|change| change.shown.as_str()).collect();
            let written = if written.is_empty() {
                "no file was changed".to_owned()
            } else {
                format!("only {} changed", written.join(", "))
            };
            format!("could not write `{}` ({written})", change.shown)
        })?;
    }
    for folder in plan.changes.iter().flat_map(|change| change.folders.iter().rev()) {
        // Fails if a folder is not empty or no longer exists: both are fine.
        let _ = fs::remove_dir(folder);
    }
    plan.record.save()?;
    Ok(backups)
}

/// Checks that a file is unchanged since the plan was shown.
fn check(change: &Change) -> anyhow::Result<()> {
    let current = files::current(&change.target)
        .with_context(|| format!("could not read `{}`", change.shown))?;
    if current.as_deref() == change.before.as_ref().map(String::as_bytes) {
        return Ok(());
    }
    let message = format!("could not write `{}`: it has changed since it was shown", change.shown);
    Err(UsageError::new(message).hint("run the same command again").into())
}

/// Copies a file to a folder that only its owner can read, since configurations contain keys.
fn back_up(change: &Change, folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    let Some(before) = &change.before else { return Ok(None) };
    let name = change.target.file_name().unwrap_or_default().to_string_lossy();
    let place = digest(change.target.to_string_lossy().as_bytes());
    let path = folder.join(format!("{name}.{place}.{}", digest(before.as_bytes())));
    let make = || -> io::Result<()> {
        make_private(folder)?;
        write_private(&path, before.as_bytes())
    };
    make().with_context(|| format!("could not keep a copy of `{}`", change.shown))?;
    Ok(Some(path))
}

/// The start of a checksum, as text.
fn digest(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in &Sha256::digest(bytes)[..6] {
        for digit in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(digit.into(), 16));
        }
    }
    text
}

fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn write(change: &Change) -> io::Result<()> {
    match &change.after {
        None => fs::remove_file(&change.target),
        Some(text) => {
            if let Some(folder) = change.target.parent() {
                fs::create_dir_all(folder)?;
            }
            write_whole(&change.target, text.as_bytes())
        }
    }
}

#[cfg(test)]
mod tests;
