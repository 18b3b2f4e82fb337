//! `search`: everything that a repository knows.

use std::sync::Arc;

use jiff::Zoned;
use lore_engine::{Extras, PatternKind, SearchRequest, SearchResponse, Syntax};
use lore_schema::SourceName;
use serde_json::{Value, json};

use super::{Call, Given, Tool, cursor, input, max_tokens};
use crate::{
    args::{CodeFilterArguments, FilterArguments},
    commands::search::{added_words, reorder},
    dates, filters,
    mcp::{
        answer::{self, Part},
        arguments::Arguments,
        failure::Failure,
        tree::{Asked, Opened, Silent, Standing, Tree, settled},
    },
};

/// Hits of a part where nothing is said: more than fit into the tokens of most answers.
const LIMIT: usize = 10;

/// Most hits of a part.
const MOST: usize = 50;

/// Most hits that cursors lead to.
const DEEPEST: usize = 1_000;

pub(super) static TOOL: Tool = Tool {
    name: "search",
    title: "Search the repository",
    description: "Find the few places in code, docs, specs, tickets, commits and patterns that answer a \
                  question, with their text. Takes words, a question, names, \"phrases\", AND/OR/NOT, \
                  field:value. Always up to date. Says when nothing is there.",
    is_read_only: true,
    input: schema,
    output: Some(answer::schema),
    call,
};

fn schema() -> Value {
    let sources: Vec<&str> = SourceName::ALL.iter().map(|source| source.as_str()).collect();
    let texts =
        |what: &str| json!({"type": "array", "items": {"type": "string"}, "description": what});
    input(
        &[
            ("query", json!({"type": "string", "description": "What to look for"})),
            (
                "match",
                json!({
                    "type": "string", "enum": ["words", "literal", "regex"], "default": "words",
                    "description": "literal and regex look through every file, exhaustively",
                }),
            ),
            (
                "in",
                json!({
                    "type": "array", "items": {"type": "string", "enum": sources},
                    "description": "Only these sources",
                }),
            ),
            ("path", texts("Only paths that match one of these globs")),
            ("exclude", texts("No paths that match these globs")),
            ("lang", texts("Only these languages")),
            ("kind", texts("Only these kinds, such as function, class, section")),
            (
                "since",
                json!({"type": "string", "description": "Changed since, as 2025-01-31 or 7d"}),
            ),
            (
                "limit",
                json!({
                    "type": "integer", "minimum": 1, "maximum": MOST, "default": LIMIT,
                    "description": "Most hits",
                }),
            ),
            max_tokens(),
            cursor(),
        ],
        &["query"],
    )
}

fn call(call: &Call<'_>) -> Result<Given, Failure> {
    let arguments = &call.arguments;
    let tree = call.tree()?;
    let question = answer::mark(TOOL.name, arguments.given());
    let offset =
        arguments.text("cursor").map_or(Ok(0), |cursor| answer::offset(cursor, question))?;
    let limit = arguments.number("limit").unwrap_or(LIMIT);
    if DEEPEST < offset {
        return Err(Failure::new(format!("no answer goes deeper than {DEEPEST} hits"))
            .remedy("narrow the question with more words, or with `path`, `lang` or `in`"));
    }
    let part =
        Part { offset, limit, tokens: answer::tokens(arguments.number("max_tokens")), question };
    let opened = tree.open()?;
    // One more tells whether there are more.
    let request = request(arguments, &opened, offset + limit + 1)?;
    let until = call.watch.deadline();
    let asked = request.clone();
    let found = tree.ask(&call.watch, move |opened| {
        settled(until, |response: &SearchResponse| &response.receipt, || search(opened, &asked))
    })?;
    match found {
        Asked::Answered(response) => answer::answer(&response, part),
        Asked::Later(standing) => without_index(call, tree, &request, part, standing),
    }
}

/// The same request that `lore search` makes.
fn request(arguments: &Arguments, opened: &Opened, limit: usize) -> Result<SearchRequest, Failure> {
    let settings = &opened.settings;
    let now = Zoned::now();
    let typed = FilterArguments {
        sources: arguments.texts("in"),
        code: CodeFilterArguments {
            paths: arguments.texts("path"),
            excludes: arguments.texts("exclude"),
            languages: arguments.texts("lang"),
            kinds: arguments.texts("kind"),
        },
        since: arguments.text("since").map(str::to_owned),
        ..FilterArguments::default()
    };
    let query = arguments.text("query").unwrap_or_default().to_owned();
    if query.trim().is_empty() && !typed.restricts() {
        return Err(lore_engine::EngineError::EmptyQuery.into());
    }
    Ok(SearchRequest {
        query,
        syntax: Syntax::Full,
        clock: dates::clock(&now),
        filter: filters::filter(&typed, settings.sources(), &opened.root, &now)?,
        pattern: match arguments.text("match") {
            Some("literal") => Some(PatternKind::Literal),
            Some("regex") => Some(PatternKind::Regex),
            _ => None,
        },
        limit,
        mode: settings.mode(),
        fusion: settings.fusion(),
        snippet_lines: settings.snippet_lines(),
        bodies: true,
        extras: Extras {
            elsewhere: true,
            expand: settings.expand(),
            rewrite: settings.rewrite(),
            ..Extras::default()
        },
        ..SearchRequest::new("")
    })
}

/// Asks the engine, with the programs that the user's own settings name.
fn search(opened: &Opened, request: &SearchRequest) -> Result<SearchResponse, Failure> {
    let mut request = request.clone();
    let mut warning = None;
    match added_words(&opened.settings, &request) {
        Ok(added) => request.extras.expansions = added,
        Err(told) => warning = Some(told),
    }
    let mut response = opened.engine.search(&request, &Silent)?;
    response.warnings.splice(0..0, warning);
    reorder(&opened.settings, &mut response);
    Ok(response)
}

/// What is said while there is no index that could answer: the one place where an answer that needs
/// none would be asked for.
fn without_index(
    _: &Call<'_>,
    _: &Arc<Tree>,
    _: &SearchRequest,
    _: Part,
    standing: Standing,
) -> Result<Given, Failure> {
    Err(no_index(standing))
}

/// That the index is not ready, and how far it is.
pub(crate) fn no_index(standing: Standing) -> Failure {
    Failure::new(format!("the index is not ready yet: {}", standing.in_words()))
        .remedy("this goes on in the background; ask the same again in a few seconds")
}
