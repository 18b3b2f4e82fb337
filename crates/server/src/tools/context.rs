//! `context`: the material for a task or a ticket, in one package.

use lore_console::text::clean;
use lore_engine::{ContextPackage, ContextRequest};
use lore_render::{
    output::context::{self, Budget, Format},
    tokens::Tokenizer,
    wire::{ContextWire, schema::answer_schema},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, Tool, ToolAnswer, input};
use crate::{
    answer::{self, MAX_TOKENS, MIN_TOKENS, TOKENS},
    failure::Failure,
    tree::{NotesOnly, Tree},
};

pub(super) static TOOL: Tool = Tool {
    name: "context",
    title: "Context for a task",
    description: "Gather what a task or a ticket needs: definitions, callers, governing specs, tickets, \
                  decisions, tests, recent commits. Lists what it omits.",
    is_read_only: true,
    input: input::<ContextArguments>,
    output: Some(answer_schema::<ContextWire<'_>>),
    call,
};

/// Arguments of a context package. The comments are the descriptions that clients read.
#[derive(Deserialize, JsonSchema)]
struct ContextArguments {
    /// The task in words, or a ticket's identifier
    task: String,
    /// Detail of each item: 0 files, 1 names, 2 signatures, 3 texts
    #[schemars(range(min = 0, max = 3))]
    level: Option<u8>,
    /// Kind of task, if its text does not show it
    #[schemars(extend("enum" = intents()))]
    intent: Option<String>,
    /// Files that the task is about
    files: Option<Vec<String>>,
    /// Most tokens of the answer
    #[schemars(range(min = MIN_TOKENS, max = MAX_TOKENS), extend("default" = TOKENS))]
    max_tokens: Option<usize>,
}

fn intents() -> Vec<&'static str> {
    lore_engine::policies().iter().map(|policy| policy.intent).collect()
}

fn call(call: &Call<'_>) -> Result<ToolAnswer, Failure> {
    let arguments: ContextArguments = call.arguments.parse()?;
    let task = arguments.task.trim();
    if task.is_empty() {
        return Err(Failure::new("the task is empty")
            .remedy("say what is to be done, or name a ticket, in `task`"));
    }
    let tree = &call.tree_for(task)?;
    let opened = tree.open()?;
    let request = ContextRequest {
        level: arguments.level,
        intent: arguments.intent,
        files: files(arguments.files.unwrap_or_default(), tree)?,
        policies: opened.settings.policies(),
        ..ContextRequest::new(task)
    };
    let package = call.run_until_fresh(
        tree,
        |package: &ContextPackage| &package.receipt,
        move |opened| Ok(opened.engine.context(&request, &NotesOnly)?),
    )?;
    let budget = Budget {
        tokens: answer::tokens(arguments.max_tokens),
        tokenizer: Tokenizer::O200k,
        command: Vec::new(),
        tree: Vec::new(),
    };
    let mut text = context::write(&package, Format::Markdown, &budget)?.text;
    if 1 < call.trees.len() {
        // Its paths start there.
        text.insert_str(0, &format!("root: {}\n\n", clean(&tree.name)));
    }
    let object = context::write(&package, Format::Json, &budget)?.text;
    let structured = serde_json::from_str(&object).map_err(|error| {
        Failure::new(format!("could not read the package that was written: {error}"))
    })?;
    Ok(ToolAnswer { text, structured: Some(structured) })
}

/// The files from the root of the tree, each of which must be there.
fn files(typed: Vec<String>, tree: &Tree) -> Result<Vec<String>, Failure> {
    let mut files = Vec::with_capacity(typed.len());
    for path in typed {
        let located = tree.locate(&path).map_err(Failure::from)?;
        if tree.is_directory(&located) {
            return Err(Failure::new(format!("`{path}` is no file"))
                .remedy("name files; what is in a directory is found by the words of the task"));
        }
        files.push(located.1);
    }
    Ok(files)
}
