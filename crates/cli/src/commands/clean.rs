//! `lore clean`: deletes indexes that are no longer needed, after listing them.
//!
//! Only indexes in the cache directory are ever deleted. Other files there, and the targets of links,
//! are kept.

use std::{
    io::{self, BufRead as _, IsTerminal as _},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use lore_console::{
    report::{self, Status, UsageError},
    text,
};
use lore_engine::{CachedRepository, CachedView, IndexError, default_backend, is_unusable};
use lore_render::{
    output::{
        self,
        table::{self, Align},
    },
    wire::{self, RemovableIndex, RemovalReason},
};
use lore_session::{Context, write_output};
use lore_settings::{absolute, terminal::Terminal};

use crate::args::CleanArguments;

/// Lists the indexes, prompts for confirmation and deletes them.
pub(super) fn run(arguments: &CleanArguments) -> anyhow::Result<Status> {
    let report = &arguments.report;
    let context = Context::new(&report.tree, &report.common, Vec::new())?;
    let Some(cache) = context.settings.cache_dir() else {
        return Err(UsageError::new("there is no cache directory")
            .hint("name one with `--cache-dir DIR`")
            .into());
    };
    let repositories = default_backend().cache().repositories(cache);
    let mut removable = if let Some(named) = &arguments.named {
        named_ones(repositories, named)?
    } else if arguments.all {
        let views = repositories.into_iter().flat_map(|repository| repository.views);
        views.map(|view| removable_index(view, RemovalReason::Requested)).collect()
    } else {
        unneeded(repositories, context.settings.bytes("limits.disk"))
    };
    let shows_only = arguments.dry_run || (report.json && !arguments.yes);
    if !report.json {
        show(&removable, cache)?;
    }
    if removable.is_empty() || shows_only {
        if report.json {
            write_output(|out| wire::write(&wire::removable_indexes(cache, &removable), out))?;
        } else if !removable.is_empty() {
            report::note("dry run: nothing deleted");
        }
        return Ok(Status::Success);
    }
    if !arguments.yes && !is_agreed(removable.len())? {
        report::note("nothing deleted");
        return Ok(Status::NoResult);
    }
    let mut status = Status::Success;
    for index in &mut removable {
        match default_backend().cache().remove(&index.view.path) {
            Ok(()) => index.removed = true,
            Err(error) => {
                let why = match error {
                    IndexError::Busy { .. } => "another process is writing it".to_owned(),
                    other => other.to_string(),
                };
                let path = index.view.path.display();
                report::warning(&format!("could not delete the index at `{path}`: {why}"));
                status = Status::NoResult;
            }
        }
    }
    if report.json {
        write_output(|out| wire::write(&wire::removable_indexes(cache, &removable), out))?;
    } else {
        let removed = removable.iter().filter(|index| index.removed).count();
        let count = output::plural(removed as u64, "index", "indexes");
        report::note(&format!("deleted {count}"));
    }
    Ok(status)
}

fn removable_index(view: CachedView, reason: RemovalReason) -> RemovableIndex {
    RemovableIndex { view, reason, removed: false }
}

/// The indexes of a tree.
fn named_ones(
    repositories: Vec<CachedRepository>,
    named: &Path,
) -> Result<Vec<RemovableIndex>, UsageError> {
    let full = absolute(named.to_owned());
    let full = lore_engine::native::canonical(&full).unwrap_or(full);
    let views = repositories.into_iter().flat_map(|repository| repository.views);
    let removable: Vec<RemovableIndex> = views
        .filter(|view| view.root.as_ref() == Some(&full))
        .map(|view| removable_index(view, RemovalReason::Requested))
        .collect();
    if removable.is_empty() {
        return Err(UsageError::new(format!("there is no index of `{}`", full.display()))
            .hint("run `lore clean --all --dry-run` to list the trees with an index"));
    }
    Ok(removable)
}

/// Indexes that are no longer needed: those of removed trees, those of other versions, and the least
/// recently used ones beyond the limit.
fn unneeded(repositories: Vec<CachedRepository>, limit: Option<u64>) -> Vec<RemovableIndex> {
    let mut removable = Vec::new();
    let mut kept = Vec::new();
    let mut total = 0;
    for mut repository in repositories {
        for view in std::mem::take(&mut repository.views) {
            let reason = if view.is_orphan() {
                Some(RemovalReason::Orphan)
            } else {
                is_unusable(default_backend(), &view).then_some(RemovalReason::Foreign)
            };
            match reason {
                Some(reason) => {
                    repository.bytes = repository.bytes.saturating_sub(view.bytes);
                    removable.push(removable_index(view, reason));
                }
                None => repository.views.push(view),
            }
        }
        if !repository.views.is_empty() {
            total += repository.bytes;
            kept.push(repository);
        }
    }
    kept.sort_by_key(CachedRepository::used);
    for repository in kept {
        if limit.is_none_or(|limit| total <= limit) {
            break;
        }
        total = total.saturating_sub(repository.bytes);
        removable.extend(
            repository.views.into_iter().map(|view| removable_index(view, RemovalReason::Oldest)),
        );
    }
    removable
}

fn show(removable: &[RemovableIndex], cache: &Path) -> anyhow::Result<()> {
    if removable.is_empty() {
        report::note(&format!("there is nothing to delete below `{}`", cache.display()));
        return Ok(());
    }
    let unknown = || "unknown".to_owned();
    let tree = |root: &Option<PathBuf>| {
        root.as_ref().map_or_else(unknown, |root| text::clean(&root.display().to_string()))
    };
    let mut rows = vec![["tree", "size", "last used", "why"].map(str::to_owned)];
    for index in removable {
        rows.push([
            tree(&index.view.root),
            lore_render::output::bytes(index.view.bytes),
            index.day().unwrap_or_else(unknown),
            index.reason.as_str().to_owned(),
        ]);
    }
    let total: u64 = removable.iter().map(|index| index.view.bytes).sum();
    let count = output::plural(removable.len() as u64, "index", "indexes");
    write_output(|out| {
        table::write([Align::Left, Align::Right, Align::Left, Align::Left], &rows, out)?;
        let cache = text::clean(&cache.display().to_string());
        writeln!(out, "\n{count} below {cache}, {}", lore_render::output::bytes(total))
    })
}

/// Prompts for confirmation once, on a terminal.
fn is_agreed(count: usize) -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() || !Terminal::from_process().messages {
        return Err(UsageError::new("nothing deleted: there is no terminal for a confirmation")
            .hint("to delete the indexes listed above, add `--yes`")
            .into());
    }
    let indexes = output::plural(count as u64, "index", "indexes");
    report::prompt(&format!("delete {indexes}? [y/N] "));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).context("could not read the answer")?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
