//! `lore context`: the context package for a task.
#![expect(clippy::disallowed_methods, reason = "the user names the file of `--out`")]

use std::{
    fs,
    io::{self, Read as _},
    path::Path,
};

use anyhow::{Context as _, bail};
use lore_console::report::{self, Status, UsageError};
use lore_engine::ContextRequest;
use lore_render::{
    output::context::{self, Budget, Format},
    tokens::Tokenizer,
};
use lore_session::{Context, absence, number, progress::Reporter, tell_sources, write_output};
use lore_settings::whole_file::write_whole;

use super::owners::in_tree;
use crate::args::ContextArguments;

/// Default token budget of a package.
const DEFAULT_BUDGET: usize = 8_000;

/// A valid command, for hints.
const EXAMPLE: &str = "lore context \"fix the retry\" --file src/lib.rs";

/// Collects the package and writes as much of it as fits into the budget.
pub(super) fn run(arguments: &ContextArguments) -> anyhow::Result<Status> {
    if arguments.task.iter().all(|word| word.trim().is_empty()) {
        return Err(UsageError::new("the task is empty")
            .hint("describe the task, for example `lore context \"fix the retry\"`")
            .into());
    }
    let context =
        Context::new(&arguments.tree, &arguments.common, Vec::new())?.at(&arguments.revision);
    let request = request(arguments, &context)?;
    let format = match &arguments.format {
        _ if arguments.json => Format::Json,
        Some(name) => Format::from_name(name).unwrap_or_default(),
        None => Format::default(),
    };

    let engine = context.engine()?;
    let progress = Reporter::start(context.terminal);
    let package = engine.context(&request, &progress);
    progress.finish();
    let package = package?;
    for warning in &package.warnings {
        progress.warn(warning);
    }
    let is_empty = package.sections.is_empty();
    if is_empty && !format.explains_absence() {
        absence::tell(
            &[&engine],
            &request.task,
            &lore_schema::Filter::default(),
            package.absence.as_ref(),
        );
        return Ok(Status::NoResult);
    }
    let budget = budget(arguments, &request);
    let written = context::write(&package, format, &budget)?;
    match &arguments.out {
        Some(path) => {
            let what = || format!("could not write the package to `{}`", path.display());
            replace(path, &written.text, arguments.force).with_context(what)?;
        }
        None => write_output(|out| out.write_all(written.text.as_bytes()))?,
    }
    if arguments.common.stats {
        tell_sources(&package.receipt);
        report::note(&format!("{} {} tokens", written.tokens, budget.tokenizer.as_str()));
        report::note(&format!("{:.1} ms to collect", package.receipt.elapsed_ms));
    }
    Ok(if is_empty { Status::NoResult } else { Status::Success })
}

/// The request for the engine. Fails if a file is not in the tree.
fn request(arguments: &ContextArguments, context: &Context) -> Result<ContextRequest, UsageError> {
    let task = arguments.task.join(" ");
    let is_elsewhere = arguments.tree.directory.is_some();
    let mut files = Vec::new();
    for typed in &arguments.files {
        let path = in_tree(typed, &context.root, is_elsewhere, EXAMPLE)?;
        if !context.root.join(&path).is_file() {
            return Err(UsageError::new(format!("there is no file `{path}` in this tree"))
                .hint(format!("name a file of the tree, for example `{EXAMPLE}`")));
        }
        files.push(path);
    }
    Ok(ContextRequest {
        level: arguments.level,
        intent: arguments.intent.clone(),
        files,
        policies: context.settings.policies(),
        ..ContextRequest::new(task)
    })
}

/// The token budget, with the commands that the package suggests.
fn budget(arguments: &ContextArguments, request: &ContextRequest) -> Budget {
    let tokenizer = arguments.tokenizer.as_deref().and_then(Tokenizer::from_name);
    Budget {
        tokens: arguments.budget.map_or(DEFAULT_BUDGET, number),
        tokenizer: tokenizer.unwrap_or_default(),
        command: same_command(arguments, request),
        tree: tree(arguments),
    }
}

/// The command for the same package, without the budget.
fn same_command(arguments: &ContextArguments, request: &ContextRequest) -> Vec<String> {
    let mut words = vec!["lore".to_owned(), "context".to_owned()];
    words.extend(tree(arguments));
    let mut add = |flag: &str, value: &str| words.extend([flag.to_owned(), value.to_owned()]);
    if let Some(level) = arguments.level {
        add("--level", &level.to_string());
    }
    if let Some(intent) = &arguments.intent {
        add("--intent", intent);
    }
    if let Some(name) = &arguments.tokenizer {
        add("--tokenizer", name);
    }
    for file in &arguments.files {
        add("--file", file);
    }
    if arguments.json {
        add("--format", "json");
    } else if let Some(format) = &arguments.format {
        add("--format", format);
    }
    let task = request.task.clone();
    // A task that starts with `-` would be parsed as a flag.
    words.push(if task.starts_with('-') { format!(" {task}") } else { task });
    words
}

/// The arguments that name the tree.
fn tree(arguments: &ContextArguments) -> Vec<String> {
    let directory = arguments.tree.directory.as_ref();
    directory.map_or_else(Vec::new, |path| vec!["-C".to_owned(), path.display().to_string()])
}

/// Starts of packages, one for each format.
const STARTS: &[&str] = &["# ", "{\"schema\":1,\"task\":", "schema: 1\ntask:"];

/// Text below the heading of a Markdown package.
const MARKDOWN_MARK: &str = "\n\nintent: ";

/// Number of bytes of a file that are read to recognize a package.
const PROBED_BYTES: u64 = 64 << 10;

/// Returns true if a text is a package or empty.
fn is_package(text: &str) -> bool {
    let is_markdown = text.starts_with(STARTS[0])
        && text.find('\n').is_some_and(|end| text[end..].starts_with(MARKDOWN_MARK));
    text.is_empty() || is_markdown || STARTS[1..].iter().any(|start| text.starts_with(start))
}

/// Writes a file atomically. Replaces only packages and empty files, unless `force` is set.
fn replace(path: &Path, text: &str, force: bool) -> anyhow::Result<()> {
    // Links are followed, so the target is checked and replaced.
    let path = &lore_engine::native::canonical(path).unwrap_or_else(|_| path.to_owned());
    match fs::File::open(path) {
        Ok(file) if !force => {
            let mut bytes = Vec::new();
            file.take(PROBED_BYTES).read_to_end(&mut bytes)?;
            if !is_package(&String::from_utf8_lossy(&bytes)) {
                bail!(
                    UsageError::new("the file exists and is not a context package")
                        .hint("name another file, or replace this one with `--force`")
                );
            }
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    write_whole(path, text.as_bytes())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_packages_and_empty_files_are_replaced() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("package.md");
        let package = "# Fix it\n\nintent: debug (1 of 1: fix) · level 3\n";
        for known in ["", package, "{\"schema\":1,\"task\":\"x\"}\n", "schema: 1\ntask: x\n"] {
            fs::write(&path, known).expect("the folder is ours");
            replace(&path, package, false).expect("it is a package");
            assert_eq!(fs::read_to_string(&path).expect("it is there"), package);
        }
        for other in ["# Notes\n\nMine.\n", "x", "{\"schema\":2}"] {
            fs::write(&path, other).expect("the folder is ours");
            let error = replace(&path, package, false).expect_err("no package");
            assert!(error.to_string().contains("not a context package"), "{error}");
            assert_eq!(fs::read_to_string(&path).expect("it is there"), other);
        }
        replace(&path, package, true).expect("it is forced");
        assert_eq!(fs::read_to_string(&path).expect("it is there"), package);
        assert_eq!(
            fs::read_dir(folder.path()).expect("it is there").count(),
            1,
            "no draft is left"
        );
    }
}
