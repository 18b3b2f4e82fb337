//! `search` of lean-spec: specs by its published scores.

use lore_server::{
    failure::Failure,
    tools::{Call, Tool, ToolAnswer},
};
use lore_settings::flags::FilterArguments;
use serde_json::{Value, json};

use super::{Question, answer, not_empty, parsed};

pub(super) static TOOLS: &[&Tool] = &[&SEARCH];

static SEARCH: Tool = Tool {
    name: "search",
    title: "Search specs",
    description: "Find specs by words in title, name, tags, description and text, as lean-spec does; \
                  `lore_search` searches everything.",
    is_read_only: true,
    input: || {
        let text_or_texts = |what: &str| {
            json!({
                "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
                "description": what,
            })
        };
        json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "Words to look for"},
                "status": text_or_texts("Only specs of this status"),
                "tags": text_or_texts("Only specs with one of these tags"),
                "priority": text_or_texts("Only specs of this priority"),
                "assignee": text_or_texts("Only specs of this person"),
                "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "Most specs"},
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
    let texts = json!({"type": "array", "items": text});
    json!({
        "type": "object",
        "properties": {
            "results": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "spec": {
                        "type": "object",
                        "properties": {
                            "name": text, "path": text, "status": text, "priority": text, "tags": texts,
                            "title": text, "created": text, "updated": text, "assignee": text,
                            "description": text, "customFields": {"type": "object"}, "subSpecs": texts,
                        },
                        "required": ["name", "path", "tags", "title"],
                    },
                    "score": {"type": "number"},
                    "totalMatches": {"type": "integer"},
                    "matches": {"type": "array", "items": {
                        "type": "object",
                        "properties": {
                            "field": text, "text": text, "score": {"type": "number"},
                            "highlights": {"type": "array", "items":
                                {"type": "array", "items": {"type": "integer"}}},
                            "lineNumber": {"type": "integer"}, "file": text,
                        },
                        "required": ["field", "text", "score", "highlights"],
                    }},
                },
                "required": ["spec", "score", "totalMatches", "matches"],
            }},
            "metadata": {
                "type": "object",
                "properties": {
                    "totalResults": {"type": "integer"}, "searchTime": {"type": "integer"},
                    "query": text, "filters": {"type": "object"}, "specsSearched": {"type": "integer"},
                },
                "required": ["totalResults", "searchTime", "query", "filters", "specsSearched"],
            },
        },
        "required": ["results", "metadata"],
    })
}

fn search(call: &Call<'_>) -> Result<ToolAnswer, Failure> {
    let arguments = &call.arguments;
    let question = Question {
        limit: arguments.number("limit"),
        filter: FilterArguments {
            status: arguments.texts("status"),
            tag: arguments.texts("tags"),
            priority: arguments.texts("priority"),
            assignee: arguments.texts("assignee"),
            ..FilterArguments::default()
        },
        ..Question::new("lean", "json", not_empty(call, "query")?)
    };
    parsed(answer(call, call.tree()?, question)?)
}
