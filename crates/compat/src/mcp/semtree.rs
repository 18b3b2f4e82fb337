//! The tools of semtree: `index_project`, `get_context`, and `search_symbols` for definitions by name
//! and words.

use std::time::{Duration, Instant};

use lore_engine::ContextRequest;
use lore_render::{
    output::context::{self, Budget, Format},
    tokens::Tokenizer,
};
use lore_schema::{Filter, SourceName};
use lore_server::{
    failure::Failure,
    tools::{Call, Tool, ToolAnswer, no_index},
    tree::{NotesOnly, Outcome, Tree},
};
use lore_settings::flags::{CodeFilterArguments, FilterArguments};
use serde_json::{Value, json};

use super::{Question, answer, listed, not_empty};

/// In the order in which semtree lists them.
pub(super) static TOOLS: &[&Tool] = &[&INDEX_PROJECT, &GET_CONTEXT, &SEARCH_SYMBOLS];

/// Time limit of a call that waits for the complete index.
const MAX_INDEX_TIME: Duration = Duration::from_hours(1);

/// Maximum number of definitions that are counted.
const MAX_SYMBOLS: usize = 100_000;

/// Default number of tokens of a context.
const CONTEXT_TOKENS: usize = 8_000;

static INDEX_PROJECT: Tool = Tool {
    name: "index_project",
    title: "Index the project",
    description: "Wait until the project is indexed, and count what it contains. Every search updates \
                  the index by itself; nothing needs to be forced.",
    is_read_only: false,
    input: || {
        json!({
            "type": "object",
            "properties": {
                "force": {
                    "type": "boolean", "default": false, "description": "Taken, and changes nothing",
                },
            },
            "additionalProperties": false,
        })
    },
    output: None,
    call: |call| index(call),
};

static GET_CONTEXT: Tool = Tool {
    name: "get_context",
    title: "Context for a task",
    description: "Gather the code that a task needs as Markdown, within a number of tokens, as semtree \
                  does.",
    is_read_only: true,
    input: || {
        json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "The task in words"},
                "token_budget": {
                    "type": "integer", "minimum": 200, "maximum": 100_000,
                    "default": CONTEXT_TOKENS, "description": "Most tokens",
                },
                "level": {
                    "type": "integer", "minimum": 0, "maximum": 3,
                    "description": "Detail of each item: 0 files, 1 names, 2 signatures, 3 texts",
                },
                "file": {"type": "string", "description": "A file that the task is about"},
            },
            "required": ["query"],
            "additionalProperties": false,
        })
    },
    output: None,
    call: |call| context(call),
};

static SEARCH_SYMBOLS: Tool = Tool {
    name: "search_symbols",
    title: "Search definitions",
    description: "Find functions, types and other definitions by name or words, as semtree does.",
    is_read_only: true,
    input: || {
        json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "A name, or words of it"},
                "kind": {"type": "string", "description": "Only definitions of this kind"},
                "path": {"type": "string", "description": "Only paths that match this glob"},
                "limit": {
                    "type": "integer", "minimum": 1, "maximum": 1000, "default": 20,
                    "description": "Most definitions",
                },
            },
            "required": ["query"],
            "additionalProperties": false,
        })
    },
    output: Some(output),
    call: |call| search(call),
};

fn output() -> Value {
    let text = json!({"type": "string"});
    let text_or_null = json!({"type": ["string", "null"]});
    let number = json!({"type": "integer"});
    json!({
        "type": "object",
        "properties": {"results": {"type": "array", "items": {
            "type": "object",
            "properties": {
                "name": text, "kind": text, "file": text, "line": number, "signature": text,
                "docstring": {"type": "string"}, "score": {"type": "number"}, "line_start": number,
                "line_end": number, "git_author": text_or_null, "git_date": text_or_null,
                "match_source": text,
            },
            "required": [
                "name", "kind", "file", "line", "signature", "docstring", "score", "line_start",
                "line_end", "git_author", "git_date", "match_source",
            ],
        }}},
        "required": ["results"],
    })
}

fn search(call: &Call<'_>) -> Result<ToolAnswer, Failure> {
    let arguments = &call.arguments;
    let question = Question {
        limit: arguments.number("limit"),
        filter: FilterArguments {
            code: CodeFilterArguments {
                kinds: arguments.texts("kind"),
                paths: arguments.texts("path"),
                ..CodeFilterArguments::default()
            },
            ..FilterArguments::default()
        },
        ..Question::new("semtree", "mcp", not_empty(call, "query")?)
    };
    listed(answer(call, call.tree()?, question)?)
}

fn index(call: &Call<'_>) -> Result<ToolAnswer, Failure> {
    let started = Instant::now();
    let tree = call.tree()?;
    let opened = tree.open()?;
    Tree::start_indexing(&opened);
    Tree::wait_until_ready(opened.as_ref(), &call.control.with_limit(MAX_INDEX_TIME))?;
    if call.control.is_cancelled() {
        return Err(Failure::new("the call was cancelled; indexing goes on"));
    }
    let read = tree.progress().map(|(_, progress)| progress.done).unwrap_or_default();
    let counted = tree.run(&call.control, |opened| {
        let status = opened.engine.status()?;
        let files = status.sources.get(&SourceName::Code).map_or(0, |code| code.documents);
        let symbols = opened.engine.definitions(&Filter::default(), MAX_SYMBOLS, &NotesOnly)?;
        Ok((files, symbols.hits.len()))
    })?;
    let (files, symbols) = match counted {
        Outcome::Answered(counts) => counts,
        Outcome::NotReady(progress) => return Err(no_index(progress)),
    };
    let value = json!({
        "status": "ok",
        "root": tree.root.display().to_string(),
        "total_files": files,
        "new_files": read,
        "updated_files": 0,
        "skipped_files": files.saturating_sub(read),
        "total_symbols": symbols,
        "elapsed_seconds": (started.elapsed().as_secs_f64() * 100.0).round() / 100.0,
        "errors": [],
    });
    Ok(ToolAnswer { text: format!("{value:#}"), structured: None })
}

fn context(call: &Call<'_>) -> Result<ToolAnswer, Failure> {
    let arguments = &call.arguments;
    let query = not_empty(call, "query")?;
    let tree = call.tree()?;
    let mut files = Vec::new();
    if let Some(path) = arguments.text("file") {
        let (real, shown) = tree.locate(path).map_err(Failure::from)?;
        if !real.is_file() {
            return Err(Failure::new(format!("`{path}` is no file"))
                .remedy("name a file of the project, or leave `file` out"));
        }
        files.push(shown);
    }
    let level = arguments.number("level").and_then(|level| u8::try_from(level).ok());
    let request = ContextRequest {
        level,
        files,
        policies: tree.open()?.settings.policies(),
        ..ContextRequest::new(query)
    };
    let asked =
        tree.run(&call.control, move |opened| Ok(opened.engine.context(&request, &NotesOnly)?))?;
    let package = match asked {
        Outcome::Answered(package) => package,
        Outcome::NotReady(progress) => return Err(no_index(progress)),
    };
    let budget = Budget {
        tokens: arguments.number("token_budget").unwrap_or(CONTEXT_TOKENS),
        tokenizer: Tokenizer::O200k,
        command: Vec::new(),
        tree: Vec::new(),
    };
    let text = context::write(&package, Format::Markdown, &budget)?.text;
    Ok(ToolAnswer { text, structured: None })
}
