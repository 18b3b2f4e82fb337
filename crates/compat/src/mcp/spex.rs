//! `search_specs` of spex: its nodes by its published rule.

use lore_server::{
    failure::Failure,
    tools::{Call, Tool, ToolAnswer},
};
use serde_json::{Value, json};

use super::{Question, answer, listed, not_empty};

pub(super) static TOOLS: &[&Tool] = &[&SEARCH_SPECS];

static SEARCH_SPECS: Tool = Tool {
    name: "search_specs",
    title: "Search spec nodes",
    description: "Find the specs below `.spec` that answer a question, as spex does.",
    is_read_only: true,
    input: || {
        json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "Words or a question"},
                "limit": {
                    "type": "integer", "minimum": 1, "maximum": 1000, "default": 10,
                    "description": "Most specs",
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
    json!({
        "type": "object",
        "properties": {"results": {"type": "array", "items": {
            "type": "object",
            "properties": {
                "id": text, "title": text, "path": text, "score": {"type": "number"},
                "snippet": text,
            },
            "required": ["id", "title", "path", "score", "snippet"],
        }}},
        "required": ["results"],
    })
}

fn search(call: &Call<'_>) -> Result<ToolAnswer, Failure> {
    let question = Question {
        limit: call.arguments.number("limit"),
        ..Question::new("spex", "json", not_empty(call, "query")?)
    };
    listed(answer(call, call.tree()?, question)?)
}
