//! `status`: what is searched, and how far the index is.

use std::fmt::Write as _;

use lore_render::output;
use serde_json::{Value, json};

use super::{Call, Given, Tool, input};
use crate::{
    answer::object,
    failure::Failure,
    tree::{Asked, Standing, Tree},
};

pub(super) static TOOL: Tool = Tool {
    name: "status",
    title: "State of the index",
    description: "Tell which roots are searched, how many documents each source has, and how far \
                  indexing is.",
    is_read_only: true,
    input: || input(&[], &[]),
    output: Some(schema),
    call,
};

/// The state of a tree, as it is told.
pub(super) struct Told {
    /// For the model.
    pub text: String,
    /// For programs.
    pub structured: Value,
}

fn schema() -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let source = object(&[
        ("name", json!({"type": "string"})),
        ("documents", json!({"type": "integer"})),
        ("pending", json!({"type": "integer"})),
    ]);
    object(&[
        ("version", json!({"type": "string"})),
        ("root", json!({"type": "string"})),
        ("roots", texts.clone()),
        ("phase", json!({"type": "string", "enum": ["indexing", "ready"]})),
        ("done", json!({"type": "integer"})),
        ("known", json!({"type": "integer"})),
        ("embedder", json!({"type": ["string", "null"]})),
        ("sources", json!({"type": "array", "items": source})),
        ("problems", texts),
    ])
}

fn call(call: &Call<'_>) -> Result<Given, Failure> {
    let told = tell(call)?;
    Ok(Given { text: told.text, structured: Some(told.structured) })
}

/// Tells the state of the tree that is asked.
pub(super) fn tell(call: &Call<'_>) -> Result<Told, Failure> {
    let tree = call.tree()?;
    let roots: Vec<String> =
        call.trees.iter().map(|tree| tree.root.display().to_string()).collect();
    match tree.ask(&call.watch, |opened| Ok(opened.engine.status()?))? {
        Asked::Answered(status) => Ok(ready(tree, &roots, &status)),
        Asked::Later(standing) => Ok(indexing(tree, &roots, standing)),
    }
}

fn ready(tree: &Tree, roots: &[String], status: &lore_engine::Status) -> Told {
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
        sources.push(json!({
            "name": name.as_str(), "documents": source.documents, "pending": source.pending,
        }));
    }
    for problem in &status.problems {
        let _ = writeln!(text, "problem: {problem}");
    }
    others(roots, &mut text);
    let structured = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "root": tree.root.display().to_string(),
        "roots": roots,
        "phase": "ready",
        "done": 0,
        "known": 0,
        "embedder": status.embedder,
        "sources": sources,
        "problems": status.problems,
    });
    Told { text, structured }
}

fn indexing(tree: &Tree, roots: &[String], standing: Standing) -> Told {
    let mut text = format!("{}: indexing, {}\n", tree.root.display(), standing.in_words());
    others(roots, &mut text);
    let structured = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "root": tree.root.display().to_string(),
        "roots": roots,
        "phase": "indexing",
        "done": standing.done,
        "known": standing.known,
        "embedder": null,
        "sources": [],
        "problems": [],
    });
    Told { text, structured }
}

fn others(roots: &[String], text: &mut String) {
    if 1 < roots.len() {
        let _ = writeln!(text, "roots: {}", roots.join(", "));
    }
}
