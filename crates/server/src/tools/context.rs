//! `context`: all that a task or a ticket needs, in one package.

use lore_engine::{ContextPackage, ContextRequest};
use lore_render::{
    output::context::{self, Budget, Format},
    tokens::Tokenizer,
};
use serde_json::{Value, json};

use super::{Call, Given, Tool, input, max_tokens};
use crate::{
    answer::{self, object},
    failure::Failure,
    tree::{Misplaced, Silent, Tree},
};

pub(super) static TOOL: Tool = Tool {
    name: "context",
    title: "Context for a task",
    description: "Gather what a task or a ticket needs: definitions, callers, governing specs, tickets, \
                  decisions, tests, recent commits. Says what it left out.",
    is_read_only: true,
    input: schema,
    output: Some(answer_schema),
    call,
};

fn schema() -> Value {
    let intents: Vec<&str> = lore_engine::policies().iter().map(|policy| policy.intent).collect();
    input(
        &[
            (
                "task",
                json!({"type": "string", "description": "The task in words, or a ticket's identifier"}),
            ),
            (
                "level",
                json!({
                    "type": "integer", "minimum": 0, "maximum": 3,
                    "description": "How much of each: 0 files, 1 names, 2 signatures, 3 texts",
                }),
            ),
            (
                "intent",
                json!({
                    "type": "string", "enum": intents,
                    "description": "What is to be done, where the task does not tell",
                }),
            ),
            (
                "files",
                json!({
                    "type": "array", "items": {"type": "string"},
                    "description": "Files that the task is about",
                }),
            ),
            max_tokens(),
        ],
        &["task"],
    )
}

/// What the object has; its sections are those of `lore context --json`.
fn answer_schema() -> Value {
    let text_or_null = json!({"type": ["string", "null"]});
    let any = json!({"type": "object"});
    let item = object(&[
        ("id", json!({"type": "string"})),
        ("kind", json!({"type": "string"})),
        ("name", json!({"type": "string"})),
        ("path", text_or_null.clone()),
        ("startLine", json!({"type": ["integer", "null"]})),
        ("endLine", json!({"type": ["integer", "null"]})),
        ("relation", json!({"type": "string"})),
        ("about", json!({"type": "string"})),
        ("text", text_or_null),
    ]);
    let section = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "items": {"type": "array", "items": item},
        },
        "required": ["name", "items"],
    });
    json!({
        "type": "object",
        "properties": {
            "task": {"type": "string"},
            "intent": any,
            "level": {"type": "integer"},
            "fresh": {"type": "string"},
            "sections": {"type": "array", "items": section},
        },
        "required": ["task", "intent", "level", "fresh", "sections"],
    })
}

fn call(call: &Call<'_>) -> Result<Given, Failure> {
    let arguments = &call.arguments;
    let tree = call.tree()?;
    let task = arguments.text("task").unwrap_or_default().trim();
    if task.is_empty() {
        return Err(Failure::new("the task is empty")
            .remedy("say what is to be done, or name a ticket, in `task`"));
    }
    let opened = tree.open()?;
    let request = ContextRequest {
        level: arguments.number("level").and_then(|level| u8::try_from(level).ok()),
        intent: arguments.text("intent").map(str::to_owned),
        files: files(arguments.texts("files"), tree)?,
        policies: opened.settings.policies(),
        ..ContextRequest::new(task)
    };
    let package = call.settled(
        tree,
        |package: &ContextPackage| &package.receipt,
        move |opened| Ok(opened.engine.context(&request, &Silent)?),
    )?;
    let budget = Budget {
        tokens: answer::tokens(arguments.number("max_tokens")),
        tokenizer: Tokenizer::O200k,
        command: Vec::new(),
        tree: Vec::new(),
    };
    let text = context::write(&package, Format::Markdown, &budget)?.text;
    let object = context::write(&package, Format::Json, &budget)?.text;
    let structured = serde_json::from_str(&object).map_err(|error| {
        Failure::new(format!("could not read the package that was written: {error}"))
    })?;
    Ok(Given { text, structured: Some(structured) })
}

/// The files from the root of the tree, each of which must be there.
fn files(typed: Vec<String>, tree: &Tree) -> Result<Vec<String>, Failure> {
    let mut files = Vec::with_capacity(typed.len());
    for path in typed {
        let (real, shown) = tree.locate(&path).map_err(<Failure as From<Misplaced>>::from)?;
        if !real.is_file() {
            return Err(Failure::new(format!("`{path}` is no file"))
                .remedy("name files; what is in a folder is found by the words of the task"));
        }
        files.push(shown);
    }
    Ok(files)
}
