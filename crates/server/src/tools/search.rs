//! `search`: everything that a repository knows.

use std::{sync::PoisonError, time::Duration};

use jiff::Zoned;
use lore_engine::{Engine, EngineError, Holders, PatternKind, SearchRequest, SearchResponse};
use lore_render::{
    pack::{self, PackRequest},
    wire::{agent::SearchAnswer, schema::answer_schema},
};
use lore_schema::SourceName;
use lore_session::extensions::{added_words, reorder};
use lore_settings::{
    Settings, filters,
    flags::{CodeFilterArguments, FilterArguments},
    request::search_request,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Call, Tool, ToolAnswer, input};
use crate::{
    answer::{self, MAX_TOKENS, MIN_TOKENS},
    failure::Failure,
    tree::{IndexProgress, NotesOnly, Opened, Outcome, until_fresh},
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
    input: input::<SearchArguments>,
    output: Some(answer_schema::<SearchAnswer<'_>>),
    call,
};

/// Arguments of a search. The comments are the descriptions that clients read.
#[derive(Deserialize, JsonSchema)]
struct SearchArguments {
    /// Words, question, name or error text to search for
    query: String,
    /// literal and regex look through every file, exhaustively
    #[serde(default, rename = "match")]
    matching: Matching,
    /// Only these sources
    #[serde(rename = "in")]
    #[schemars(extend("items" = source_schema()))]
    sources: Option<Vec<String>>,
    /// Only paths that match one of these globs
    path: Option<Vec<String>>,
    /// No paths that match these globs
    exclude: Option<Vec<String>>,
    /// Only these languages
    lang: Option<Vec<String>>,
    /// Only these kinds: function, class, …
    kind: Option<Vec<String>>,
    /// Since: 2025-01-31 or 7d
    since: Option<String>,
    /// Commit, branch, tag or date
    at: Option<String>,
    /// Most hits over all parts; default what the tokens hold
    #[schemars(range(min = 1, max = MOST))]
    limit: Option<usize>,
    /// Most tokens, for a longer answer
    #[schemars(range(min = MIN_TOKENS, max = MAX_TOKENS))]
    max_tokens: Option<usize>,
    /// List every file with the words
    #[serde(default)]
    all: bool,
    /// nextCursor of the answer to the same question
    cursor: Option<String>,
}

/// Meaning of the query.
#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Matching {
    #[default]
    Words,
    Literal,
    Regex,
}

/// Returns the schema of the name of a source.
fn source_schema() -> Value {
    let sources: Vec<&str> = SourceName::ALL.iter().map(|source| source.as_str()).collect();
    json!({"type": "string", "enum": sources})
}

/// Maximum wait for an index that is not ready, before the files themselves are searched.
const MAX_INDEX_WAIT: Duration = Duration::from_millis(700);

/// Minimum time for a search of the files themselves.
const MIN_LIVE_TIME: Duration = Duration::from_millis(300);

fn call(call: &Call<'_>) -> Result<ToolAnswer, Failure> {
    let arguments: SearchArguments = call.arguments.parse()?;
    let tree = call.tree()?;
    let opened = tree.open()?;
    let mut request = request(&arguments, &opened)?;
    let pack = PackRequest {
        budget: arguments.max_tokens.map(|tokens| answer::tokens(Some(tokens))),
        lists_files: arguments.all,
        limit: arguments.limit,
        cursor: arguments.cursor,
        has_object: true,
        ..PackRequest::default()
    };
    pack.apply_to(&mut request);
    let deadline = call.control.deadline();
    let sent = request.clone();
    let at = arguments.at;
    let is_past = at.is_some();
    let found = tree.run(&call.control.with_limit(MAX_INDEX_WAIT), move |opened| {
        let past = at.as_deref().map(|name| opened.engine.at(name, sent.clock)).transpose()?;
        let engine = past.as_ref().unwrap_or(&opened.engine);
        until_fresh(
            deadline,
            |response: &SearchResponse| &response.receipt,
            || search(engine, &opened.settings, &sent),
        )
    })?;
    let response = match found {
        Outcome::Answered(response) => response,
        Outcome::NotReady(progress) if is_past => return Err(no_index(progress)),
        Outcome::NotReady(progress) => without_index(call, &opened, &request, progress)?,
    };
    let none = Holders::default();
    let holders = response.holders.as_ref().unwrap_or(&none);
    let mut memories = call
        .memories
        .as_ref()
        .map(|memories| memories.lock().unwrap_or_else(PoisonError::into_inner));
    let memory = memories.as_mut().map(|memories| memories.entry(tree.root.clone()).or_default());
    let packed = pack::pack(&response, holders, &pack, memory)?;
    Ok(ToolAnswer { text: packed.text, structured: packed.structured })
}

/// The same request that `lore search` makes.
fn request(arguments: &SearchArguments, opened: &Opened) -> Result<SearchRequest, Failure> {
    let settings = &opened.settings;
    let now = Zoned::now();
    let typed = FilterArguments {
        sources: arguments.sources.clone().unwrap_or_default(),
        code: CodeFilterArguments {
            paths: arguments.path.clone().unwrap_or_default(),
            excludes: arguments.exclude.clone().unwrap_or_default(),
            languages: arguments.lang.clone().unwrap_or_default(),
            kinds: arguments.kind.clone().unwrap_or_default(),
        },
        since: arguments.since.clone(),
        ..FilterArguments::default()
    };
    let query = arguments.query.clone();
    if query.trim().is_empty() && !typed.restricts() {
        return Err(lore_engine::EngineError::EmptyQuery.into());
    }
    let filter = filters::filter(&typed, settings.sources(), &opened.root, &now)?;
    let pattern = match arguments.matching {
        Matching::Literal => Some(PatternKind::Literal),
        Matching::Regex => Some(PatternKind::Regex),
        Matching::Words => None,
    };
    Ok(search_request(query, &typed, filter, settings, &now)?.with_pattern(pattern))
}

/// Searches, with the programs that the user's own settings name.
fn search(
    engine: &Engine,
    settings: &Settings,
    request: &SearchRequest,
) -> Result<SearchResponse, Failure> {
    let mut request = request.clone();
    let mut warning = None;
    match added_words(settings, &request) {
        Ok(added) => request.extras.expansions = added,
        Err(reason) => warning = Some(reason),
    }
    let mut response = engine.search(&request, &NotesOnly)?;
    response.warnings.splice(0..0, warning);
    reorder(settings, &mut response);
    Ok(response)
}

/// Searches the files themselves while the index is not ready. Fails with the progress of the index
/// if only an index can answer.
fn without_index(
    call: &Call<'_>,
    opened: &Opened,
    request: &SearchRequest,
    progress: IndexProgress,
) -> Result<SearchResponse, Failure> {
    // The time of the call may have passed while a ready index read changes.
    let within = call.control.remaining().max(MIN_LIVE_TIME);
    let found = opened.engine.live(request, within, &|| call.control.is_cancelled());
    match found {
        Ok(mut response) => {
            let why = if progress.is_behind { "" } else { "no index yet: " };
            response.warnings.push(format!("{why}{}", progress.describe()));
            Ok(response)
        }
        Err(EngineError::NeedsIndex { .. }) => Err(no_index(progress)),
        Err(error) => Err(error.into()),
    }
}

/// The error for an index that is not ready, with its progress.
pub fn no_index(progress: IndexProgress) -> Failure {
    Failure::new(format!("the index is not ready yet: {}", progress.describe()))
        .remedy("this goes on in the background; ask the same again in a few seconds")
}
