//! The tools of swift-index. Their `path` chooses a folder of the session's roots, never another one.

mod indexing;
mod research;
mod tree;

use std::sync::Arc;

use lore_server::{
    failure::Failure,
    tools::{Call, Tool, ToolAnswer},
    tree::{LocateError, Tree},
};
use lore_settings::flags::{CodeFilterArguments, FilterArguments};
use serde_json::{Map, Value, json};

use super::{Question, answer, not_empty};

/// In the order in which swift-index lists them.
pub(super) static TOOLS: &[&Tool] = &[
    &indexing::INDEX_CODEBASE,
    &indexing::CHECK_INDEXING_STATUS,
    &SEARCH_CODE,
    &SEARCH_DOCS,
    &research::CODE_RESEARCH,
    &tree::PARSE_TREE,
];

static SEARCH_CODE: Tool = Tool {
    name: "search_code",
    title: "Code Search",
    description: "Search code by words and meaning, as swift-index does.",
    is_read_only: true,
    input: || {
        let mut own = json!({
            "semantic_weight": {
                "type": "number", "minimum": 0, "maximum": 1, "default": 0.7,
                "description": "Weight of meaning beside words",
            },
            "extensions": {"type": "string", "description": "Only these, as in `swift,ts`"},
            "exclude_filter": {"type": "string", "description": "No paths that match this glob"},
            "min_similarity": {
                "type": "number", "minimum": 0, "maximum": 1,
                "description": "Least similarity in meaning",
            },
            "depth": {
                "type": "integer", "minimum": 0, "maximum": 3, "default": 0,
                "description": "Steps from the best hits to what they call and use",
            },
            "follow_ups": {
                "type": "boolean", "default": false, "description": "Suggest further queries",
            },
            "expand_query": {
                "type": "boolean", "default": false, "description": "Taken, and changes nothing",
            },
            "synthesize": {
                "type": "boolean", "default": false, "description": "Taken, and changes nothing",
            },
        });
        search_schema(20, own.as_object_mut())
    },
    output: None,
    call: |call| search(call, Sort::Code),
};

static SEARCH_DOCS: Tool = Tool {
    name: "search_docs",
    title: "Documentation Search",
    description: "Search documentation by words and meaning, as swift-index does.",
    is_read_only: true,
    input: || search_schema(10, None),
    output: None,
    call: |call| search(call, Sort::Docs),
};

/// The searched content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Code,
    Docs,
}

fn search_schema(limit: u64, own: Option<&mut Map<String, Value>>) -> Value {
    let mut properties = json!({
        "query": {"type": "string", "description": "Words or a question"},
        "path": {"type": "string", "default": ".", "description": "A folder of this session's roots"},
        "limit": {
            "type": "integer", "minimum": 1, "maximum": 1000, "default": limit,
            "description": "Most results",
        },
        "path_filter": {"type": "string", "description": "Only paths that match this glob"},
        "format": {
            "type": "string", "enum": ["toon", "json", "human"], "default": "toon",
            "description": "How results are written",
        },
    });
    if let (Some(all), Some(own)) = (properties.as_object_mut(), own) {
        all.append(own);
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": ["query"],
        "additionalProperties": false,
    })
}

/// The tree that holds the folder of `path`, and a glob where that is not all of it.
fn place(call: &Call<'_>) -> Result<(Arc<Tree>, Option<String>), Failure> {
    let path = call.arguments.text("path").unwrap_or(".");
    let mut failure = None;
    for tree in call.trees {
        match tree.locate(path) {
            Ok(located) => {
                let is_directory = tree.is_directory(&located);
                let (_, shown) = located;
                let name = globset::escape(&shown);
                let glob = match (shown.is_empty(), is_directory) {
                    (true, _) => None,
                    (false, true) => Some(format!("{name}/**")),
                    (false, false) => Some(name),
                };
                return Ok((Arc::clone(tree), glob));
            }
            // A missing file in a root is a better error than a path outside of another root.
            Err(missing @ LocateError::Missing(_)) => failure = Some(missing),
            Err(outside) => failure = failure.or(Some(outside)),
        }
    }
    Err(failure.map_or_else(|| Failure::new("there is no tree to read"), Failure::from))
}

fn search(call: &Call<'_>, sort: Sort) -> Result<ToolAnswer, Failure> {
    let arguments = &call.arguments;
    let query = not_empty(call, "query")?;
    let (tree, folder) = place(call)?;
    let format = arguments.text("format").unwrap_or("toon");
    #[expect(clippy::cast_possible_truncation, reason = "a share from 0 to 1")]
    let share = |name: &str| arguments.fraction(name).map(|share| share as f32);
    let mut question = Question {
        limit: arguments.number("limit"),
        filter: FilterArguments {
            sources: if sort == Sort::Docs { vec!["docs".to_owned()] } else { Vec::new() },
            code: CodeFilterArguments {
                paths: folder.into_iter().collect(),
                excludes: arguments.texts("exclude_filter"),
                ..CodeFilterArguments::default()
            },
            ..FilterArguments::default()
        },
        semantic_weight: share("semantic_weight"),
        min_similarity: share("min_similarity"),
        hops: arguments.number("depth").unwrap_or(0),
        follow_ups: arguments.switch("follow_ups"),
        ..Question::new("swift", format, query)
    };
    // Within a folder, a glob is of paths in it.
    match (arguments.text("path_filter"), question.filter.code.paths.first_mut()) {
        (Some(glob), Some(folder)) if folder.ends_with("/**") => {
            *folder = format!("{}/{glob}", folder.trim_end_matches("/**"));
        }
        (Some(glob), _) => question.typed.path_filter = Some(glob.to_owned()),
        (None, _) => {}
    }
    let extensions = arguments.text("extensions").unwrap_or_default();
    question.typed.extensions = extensions
        .split(',')
        .map(str::trim)
        .filter(|extension| !extension.is_empty())
        .map(str::to_owned)
        .collect();
    question.typed.expand_query = arguments.switch("expand_query");
    question.typed.synthesize = arguments.switch("synthesize");
    let text = answer(call, &tree, question)?;
    let text = match format {
        "json" => snake_case(&text)?,
        "toon" => without_time(&text),
        _ => text,
    };
    Ok(ToolAnswer { text, structured: None })
}

/// Keys of results that its tool does not have, other than its command.
const FOREIGN: &[&str] = &["elapsedSeconds", "bm25Rank", "semanticRank"];

/// The JSON of the tool: keys in `snake_case`, without keys that have no value.
fn snake_case(text: &str) -> Result<String, Failure> {
    fn convert(value: Value) -> Value {
        match value {
            Value::Object(fields) => fields
                .into_iter()
                .filter(|(name, value)| !value.is_null() && !FOREIGN.contains(&name.as_str()))
                .map(|(name, value)| (snake(&name), convert(value)))
                .collect(),
            Value::Array(items) => items.into_iter().map(convert).collect(),
            plain => plain,
        }
    }
    let value: Value = serde_json::from_str(text).map_err(anyhow::Error::from)?;
    Ok(serde_json::to_string_pretty(&convert(value)).map_err(anyhow::Error::from)?)
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(character.to_ascii_lowercase());
    }
    snake
}

/// The compact form of the tool: its header has no time.
fn without_time(text: &str) -> String {
    let mut lines = text.splitn(3, '\n');
    let (Some(header), Some(values), rest) = (lines.next(), lines.next(), lines.next()) else {
        return text.to_owned();
    };
    let Some(header) = header.strip_suffix(",ms}:") else { return text.to_owned() };
    let values = values.rsplit_once(',').map_or(values, |(values, _)| values);
    let rest = rest.map(|rest| format!("\n{rest}")).unwrap_or_default();
    format!("{header}}}:\n{values}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_of_the_tool_has_its_own_keys() {
        let text = r#"{"query":"a","resultCount":1,"elapsedSeconds":0.1,"results":[
            {"startLine":1,"docComment":null,"score":0.5,"bm25Score":0.4,"bm25Rank":1,
            "matchType":"bm25","symbols":["a"]}]}"#;
        let value: Value = serde_json::from_str(&snake_case(text).expect("JSON")).expect("JSON");
        assert_eq!(
            value,
            json!({"query": "a", "result_count": 1, "results": [
                {"start_line": 1, "score": 0.5, "bm25_score": 0.4, "match_type": "bm25",
                 "symbols": ["a"]}]})
        );
    }

    #[test]
    fn the_header_of_the_tool_has_no_time() {
        assert_eq!(
            without_time("search{q,n,ms}:\n  \"a,b\",2,12\n\nresults[2]"),
            "search{q,n}:\n  \"a,b\",2\n\nresults[2]"
        );
        assert_eq!(without_time("No results"), "No results");
    }
}
