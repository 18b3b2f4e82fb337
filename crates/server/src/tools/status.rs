//! `status`: the roots that are searched, and the progress of their index.

use std::fmt::Write as _;

use lore_render::{
    output,
    wire::{
        agent::{StatusAnswer, StatusAnswerSource},
        schema::answer_schema,
    },
};
use schemars::JsonSchema;

use super::{Call, Tool, ToolAnswer, input};
use crate::{
    failure::Failure,
    tree::{IndexProgress, Outcome, Tree},
};

pub(crate) static TOOL: Tool = Tool {
    name: "status",
    title: "State of the index",
    description: "Tell which roots are searched, how many documents each source has, and how far \
                  indexing is.",
    is_read_only: true,
    input: input::<StatusArguments>,
    output: Some(answer_schema::<StatusAnswer<'_>>),
    call,
};

#[derive(JsonSchema)]
struct StatusArguments {}

fn call(call: &Call<'_>) -> Result<ToolAnswer, Failure> {
    let tree = call.tree()?;
    let roots: Vec<String> =
        call.trees.iter().map(|tree| tree.root.display().to_string()).collect();
    match tree.run(&call.control, |opened| Ok(opened.engine.status()?))? {
        Outcome::Answered(status) => ready_answer(tree, &roots, &status),
        Outcome::NotReady(progress) => indexing_answer(tree, &roots, progress),
    }
}

fn ready_answer(
    tree: &Tree,
    roots: &[String],
    status: &lore_engine::Status,
) -> Result<ToolAnswer, Failure> {
    let mut text = format!("{}: the index is up to date\n", tree.root.display());
    let pending: u64 = status.sources.values().map(|source| source.pending).sum();
    if 0 < pending {
        text = format!(
            "{}: {} since the index was written; the next search reads them\n",
            tree.root.display(),
            output::plural(pending, "change", "changes")
        );
    }
    let mut sources = Vec::new();
    for (name, source) in &status.sources {
        let _ =
            writeln!(text, "{name}: {}", output::plural(source.documents, "document", "documents"));
        sources.push(StatusAnswerSource {
            name: name.as_str(),
            documents: source.documents,
            pending: source.pending,
        });
    }
    for problem in &status.problems {
        let _ = writeln!(text, "problem: {problem}");
    }
    write_roots(roots, &mut text);
    let object = StatusAnswer {
        version: env!("CARGO_PKG_VERSION"),
        root: tree.root.display().to_string(),
        roots,
        phase: "ready",
        done: 0,
        known: 0,
        embedder: status.embedder.as_deref(),
        sources,
        problems: &status.problems,
    };
    ToolAnswer::new(text, &object)
}

fn indexing_answer(
    tree: &Tree,
    roots: &[String],
    progress: IndexProgress,
) -> Result<ToolAnswer, Failure> {
    let mut text = format!("{}: indexing, {}\n", tree.root.display(), progress.describe());
    write_roots(roots, &mut text);
    let object = StatusAnswer {
        version: env!("CARGO_PKG_VERSION"),
        root: tree.root.display().to_string(),
        roots,
        phase: "indexing",
        done: progress.done,
        known: progress.known,
        embedder: None,
        sources: Vec::new(),
        problems: &[],
    };
    ToolAnswer::new(text, &object)
}

/// Lists the roots, if there are several.
fn write_roots(roots: &[String], text: &mut String) {
    if 1 < roots.len() {
        let _ = writeln!(text, "roots: {}", roots.join(", "));
    }
}
