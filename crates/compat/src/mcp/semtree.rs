//! `search_symbols` of semtree: definitions by name and words.

use lore_server::{
    failure::Failure,
    tools::{Call, Tool, ToolAnswer},
};
use lore_settings::flags::{CodeFilterArguments, FilterArguments};
use serde_json::{Value, json};

use super::{Question, answer, not_empty};

pub(super) static TOOLS: &[&Tool] = &[&SEARCH_SYMBOLS];

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

/// The text is the list of old; protocols of today want an object around it.
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
    let text = answer(call, call.tree()?, question)?;
    let list: Value = serde_json::from_str(&text).map_err(anyhow::Error::from)?;
    Ok(ToolAnswer { text, structured: Some(json!({"results": list})) })
}
