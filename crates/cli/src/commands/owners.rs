//! `lore owners`: lists the specs that govern a file.

use std::{
    io::{self, Write},
    path::Path,
};

use lore_console::{
    report::{self, Status, UsageError},
    text,
};
use lore_engine::{Owner, OwnersAnswer};
use lore_render::{
    output::{
        self,
        style::{Role, Style},
    },
    wire,
};
use lore_session::{Context, write_output};

use crate::args::OwnersArguments;

/// Runs the query and writes the answer.
pub(super) fn run(arguments: &OwnersArguments) -> anyhow::Result<Status> {
    let context =
        Context::new(&arguments.tree, &arguments.common, Vec::new())?.at(&arguments.revision);
    let is_elsewhere = arguments.tree.directory.is_some();
    let path = in_tree(&arguments.path, &context.root, is_elsewhere, "lore owners src/lib.rs")?;
    let answer = context.engine()?.owners(&path)?;
    let style = context.style();
    write_output(|out| {
        if arguments.json {
            wire::write(&wire::owners(&answer), out)
        } else {
            write(&answer, &style, out)
        }
    })?;
    if !answer.exists {
        report::warning(&format!("there is no file `{}` in this tree", answer.path));
    }
    if !answer.governing.is_empty() || !answer.related.is_empty() {
        return Ok(Status::Success);
    }
    report::plain_line(&match answer.specs {
        0 => "this repository has no specs".to_owned(),
        1 => format!("the only spec does not name `{}`", answer.path),
        count => format!("none of {} specs names `{}`", output::count(count as u64), answer.path),
    });
    Ok(Status::NoResult)
}

/// The typed path relative to the root of the tree. A relative path starts at the current directory
/// if the file exists there, otherwise at the root. `example` is a valid command for the hint.
pub(super) fn in_tree(
    typed: &str,
    root: &Path,
    is_elsewhere: bool,
    example: &str,
) -> Result<String, UsageError> {
    let (path, selector) =
        typed.split_once('#').map_or((typed, None), |(path, part)| (path, Some(part)));
    let refuse = |reason: &str| {
        Err(UsageError::new(format!("could not understand the path `{typed}`: {reason}"))
            .hint(format!("name a file of the tree, for example `{example}`")))
    };
    if path.trim().is_empty() {
        return refuse("it is empty");
    }
    let absolute = match std::path::absolute(path) {
        Ok(absolute) if Path::new(path).is_absolute() || (!is_elsewhere && absolute.exists()) => {
            absolute
        }
        _ => root.join(path),
    };
    // Links are resolved in the directories, as they were for the root.
    let parent = absolute.parent().and_then(|parent| lore_engine::native::canonical(parent).ok());
    let absolute = match (parent, absolute.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => absolute,
    };
    let Ok(relative) = absolute.strip_prefix(root) else {
        return refuse("it is outside the tree");
    };
    let parts: Vec<String> =
        relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.is_empty() || parts.iter().any(|part| part == "..") {
        return refuse("it is outside the tree");
    }
    let part = selector.map_or_else(String::new, |part| format!("#{part}"));
    Ok(format!("{}{part}", parts.join("/")))
}

fn write(answer: &OwnersAnswer, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let lists = [("Governed by", &answer.governing), ("Related to", &answer.related)];
    for (heading, owners) in lists {
        if owners.is_empty() {
            continue;
        }
        writeln!(out, "{}", style.paint(Role::Heading, heading))?;
        for owner in owners {
            block(owner, answer, style, out)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn block(
    owner: &Owner,
    answer: &OwnersAnswer,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let path = style.paint(Role::Path, text::quoted(&owner.path)).to_string();
    let mut about = Vec::new();
    if owner.claim != answer.path {
        about.push(format!("by `{}`", owner.claim));
    }
    if !owner.selectors.is_empty() {
        about.push(format!("only {}", owner.selectors.join(", ")));
    }
    write!(out, "  {}  {path}", style.paint(Role::Title, text::clean(&owner.id)))?;
    if !about.is_empty() {
        write!(out, "  {}", style.paint(Role::Dim, text::clean(&about.join(", "))))?;
    }
    writeln!(out)?;
    if !owner.description.is_empty() {
        let description =
            text::cut(&text::clean(&owner.description), style.width.saturating_sub(4));
        writeln!(out, "    {description}")?;
    }
    Ok(())
}
