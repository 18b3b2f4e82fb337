//! `lore workspace`: makes, changes and lists workspaces.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use lore_console::{
    report::{self, Status, UsageError},
    text::clean,
};
use lore_engine::native;
use lore_render::{output, wire};
use lore_session::write_output;
use lore_settings::{
    env_vars,
    workspace::{DEFAULT_WORKSPACE, Workspace, add_repositories, remove_repositories, workspaces},
};

use crate::args::{
    WorkspaceAction, WorkspaceArguments, WorkspaceChangeArguments, WorkspaceListArguments,
    WorkspaceRemoveArguments,
};

/// Changes or lists workspaces.
pub(super) fn run(arguments: &WorkspaceArguments) -> anyhow::Result<Status> {
    match &arguments.action {
        WorkspaceAction::Add(arguments) => add(arguments),
        WorkspaceAction::Remove(arguments) => remove(arguments),
        WorkspaceAction::List(arguments) => list(arguments),
    }
}

fn add(arguments: &WorkspaceChangeArguments) -> anyhow::Result<Status> {
    let name = arguments.workspace.as_deref().unwrap_or(DEFAULT_WORKSPACE);
    let mut directories = Vec::with_capacity(arguments.directories.len());
    for typed in &arguments.directories {
        let shown = typed.display();
        let failed = |reason: &str| {
            UsageError::new(format!("could not add `{shown}` to the workspace `{name}`: {reason}"))
                .hint("name directories that exist, for example `lore workspace add .`")
        };
        let real = native::canonical(typed).map_err(|error| failed(&error.to_string()))?;
        if !real.is_dir() {
            return Err(failed("it is not a directory").into());
        }
        directories.push(real);
    }
    let (workspace, added) = add_repositories(name, &directories, &env_vars::from_process)?;
    let all = workspace.repositories.len();
    report::note(&format!(
        "{} added to the workspace `{name}`, which has {all}",
        output::plural(added as u64, "repository", "repositories"),
    ));
    report::hint_line(&format!("run `lore index -W {name}`, or just `lore -W {name} QUERY`"));
    Ok(Status::Success)
}

fn remove(arguments: &WorkspaceRemoveArguments) -> anyhow::Result<Status> {
    let name = arguments.workspace.as_deref().unwrap_or(DEFAULT_WORKSPACE);
    let directories: Vec<PathBuf> = arguments.directories.iter().map(|it| real(it)).collect();
    let removed = remove_repositories(name, &directories, &env_vars::from_process)?;
    if removed == 0 && !directories.is_empty() {
        let error =
            UsageError::new(format!("the workspace `{name}` has none of these directories"));
        return Err(error.hint("`lore workspace list` shows them").into());
    }
    report::note(&format!(
        "{} removed from the workspace `{name}`",
        output::plural(removed as u64, "repository", "repositories"),
    ));
    Ok(Status::Success)
}

/// The canonical path of a directory. One that is gone can still be named.
fn real(typed: &Path) -> PathBuf {
    let absolute = lore_settings::absolute(typed.to_owned());
    let beside = || {
        let (folder, name) = (absolute.parent()?, absolute.file_name()?);
        Some(native::canonical(folder).ok()?.join(name))
    };
    native::canonical(&absolute).ok().or_else(beside).unwrap_or(absolute)
}

fn list(arguments: &WorkspaceListArguments) -> anyhow::Result<Status> {
    let current = std::env::current_dir().context("could not find the current directory")?;
    let all = workspaces(&current, &env_vars::from_process)?;
    if all.is_empty() && !arguments.json {
        report::note("there is no workspace");
        report::hint_line("run `lore workspace add DIR…` to make one");
        return Ok(Status::NoResult);
    }
    write_output(|out| {
        if arguments.json {
            let workspace = |it: &Workspace| wire::workspace(&it.name, &it.file, &it.repositories);
            wire::write(&wire::workspaces(all.iter().map(workspace).collect()), out)
        } else {
            write(&all, out)
        }
    })?;
    Ok(Status::Success)
}

fn write(all: &[Workspace], out: &mut dyn Write) -> io::Result<()> {
    for (at, workspace) in all.iter().enumerate() {
        let gap = if at == 0 { "" } else { "\n" };
        let file = workspace.file.display().to_string();
        writeln!(out, "{gap}{}  {}", clean(&workspace.name), clean(&file))?;
        for path in &workspace.repositories {
            let note = if path.is_dir() { "" } else { "  (not there)" };
            writeln!(out, "  {}{note}", clean(&path.display().to_string()))?;
        }
    }
    Ok(())
}
