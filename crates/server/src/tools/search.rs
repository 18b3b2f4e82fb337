//! `search`: everything that a repository knows.

use std::{sync::PoisonError, time::Duration};

use jiff::Zoned;
use lore_console::dates;
use lore_engine::{
    Engine, EngineError, Extras, Holders, PatternKind, SearchRequest, SearchResponse, Syntax,
};
use lore_render::pack::{self, PackRequest};
use lore_schema::SourceName;
use lore_session::extensions::{added_words, reorder};
use lore_settings::{
    Settings, filters,
    flags::{CodeFilterArguments, FilterArguments},
};
use serde_json::{Value, json};

use super::{Call, Given, Tool, cursor, input, max_tokens};
use crate::{
    answer,
    arguments::Arguments,
    failure::Failure,
    tree::{Asked, Opened, Silent, Standing, settled},
};

/// Most hits over all parts.
const MOST: usize = 100;

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
            ("kind", texts("Only these kinds: function, class, …")),
            ("since", json!({"type": "string", "description": "Since: 2025-01-31 or 7d"})),
            ("at", json!({"type": "string", "description": "Commit, branch, tag or date"})),
            (
                "limit",
                json!({
                    "type": "integer", "minimum": 1, "maximum": MOST,
                    "description": "Most hits over all parts; default what the tokens hold",
                }),
            ),
            max_tokens(),
            cursor(),
        ],
        &["query"],
    )
}

/// How long an index may take that is not ready, before the files themselves are looked through.
const FIRST: Duration = Duration::from_millis(700);

/// Least time for looking through the files.
const LEAST: Duration = Duration::from_millis(300);

fn call(call: &Call<'_>) -> Result<Given, Failure> {
    let arguments = &call.arguments;
    let tree = call.tree()?;
    let opened = tree.open()?;
    let mut request = request(arguments, &opened)?;
    let pack = PackRequest {
        budget: answer::tokens(arguments.number("max_tokens")),
        limit: arguments.number("limit"),
        cursor: arguments.text("cursor").map(str::to_owned),
        has_object: true,
        ..PackRequest::default()
    };
    pack.apply_to(&mut request);
    let until = call.watch.deadline();
    let asked = request.clone();
    let at = arguments.text("at").map(str::to_owned);
    let is_past = at.is_some();
    let found = tree.ask(&call.watch.for_as_long_as(FIRST), move |opened| {
        let past = at.as_deref().map(|name| opened.engine.at(name, asked.clock)).transpose()?;
        let engine = past.as_ref().unwrap_or(&opened.engine);
        settled(
            until,
            |response: &SearchResponse| &response.receipt,
            || search(engine, &opened.settings, &asked),
        )
    })?;
    let response = match found {
        Asked::Answered(response) => response,
        Asked::Later(standing) if is_past => return Err(no_index(standing)),
        Asked::Later(standing) => without_index(call, &opened, &request, standing)?,
    };
    let none = Holders::default();
    let holders = response.holders.as_ref().unwrap_or(&none);
    let mut memories = call
        .memories
        .as_ref()
        .map(|memories| memories.lock().unwrap_or_else(PoisonError::into_inner));
    let memory = memories.as_mut().map(|memories| memories.entry(tree.root.clone()).or_default());
    let packed = pack::pack(&response, holders, &pack, memory)?;
    Ok(Given { text: packed.text, structured: packed.structured })
}

/// The same request that `lore search` makes.
fn request(arguments: &Arguments, opened: &Opened) -> Result<SearchRequest, Failure> {
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
        mode: settings.mode(),
        fusion: settings.fusion(),
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
fn search(
    engine: &Engine,
    settings: &Settings,
    request: &SearchRequest,
) -> Result<SearchResponse, Failure> {
    let mut request = request.clone();
    let mut warning = None;
    match added_words(settings, &request) {
        Ok(added) => request.extras.expansions = added,
        Err(told) => warning = Some(told),
    }
    let mut response = engine.search(&request, &Silent)?;
    response.warnings.splice(0..0, warning);
    reorder(settings, &mut response);
    Ok(response)
}

/// What the files themselves say while there is no index; where only an index can answer, how far it
/// is.
fn without_index(
    call: &Call<'_>,
    opened: &Opened,
    request: &SearchRequest,
    standing: Standing,
) -> Result<SearchResponse, Failure> {
    // An index that is caught up with has used up the time of the call.
    let within = call.watch.left().max(LEAST);
    let found = opened.engine.live(request, within, &|| call.watch.is_cancelled());
    match found {
        Ok(mut response) => {
            let why = if standing.is_behind { "" } else { "no index yet: " };
            response.warnings.push(format!("{why}{}", standing.in_words()));
            Ok(response)
        }
        Err(EngineError::NeedsIndex { .. }) => Err(no_index(standing)),
        Err(error) => Err(error.into()),
    }
}

/// That the index is not ready, and how far it is.
pub fn no_index(standing: Standing) -> Failure {
    Failure::new(format!("the index is not ready yet: {}", standing.in_words()))
        .remedy("this goes on in the background; ask the same again in a few seconds")
}
