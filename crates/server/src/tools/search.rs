//! `search`: finds passages in one tree, or in all trees of the session.

mod several;

pub use self::several::search_trees;

use std::{fmt::Write as _, sync::PoisonError, time::Duration};

use jiff::Zoned;
use lore_console::text::clean;
use lore_engine::{Engine, EngineError, Holders, PatternKind, SearchRequest, SearchResponse};
use lore_render::{
    pack::{self, Pack, PackRequest},
    tokens::Tokenizer,
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
    tree::{IndexProgress, NotesOnly, Opened, Outcome, Tree, until_fresh},
};

/// Most hits over all parts.
const MOST: usize = 100;

/// Maximum number of questions of a call.
const MAX_QUERIES: usize = 20;

/// Tokens that the answers to several questions share, if the client gives no budget.
const SHARED_TOKENS: usize = 1_200;

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
#[derive(Default, Deserialize, JsonSchema)]
struct SearchArguments {
    /// Words, question, name or error text to search for
    query: Option<String>,
    /// Further questions; the answers share the tokens
    #[schemars(extend("maxItems" = MAX_QUERIES))]
    queries: Option<Vec<String>>,
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
pub(super) const MAX_INDEX_WAIT: Duration = Duration::from_millis(700);

/// Minimum time for a search of the files themselves.
const MIN_LIVE_TIME: Duration = Duration::from_millis(300);

fn call(call: &Call<'_>) -> Result<ToolAnswer, Failure> {
    let arguments: SearchArguments = call.arguments.parse()?;
    let queries = queries(&arguments)?;
    if let [query] = &queries[..] {
        let budget = arguments.max_tokens.map(|tokens| answer::tokens(Some(tokens)));
        let packed = answer_one(call, &arguments, query, budget, None)?;
        return Ok(ToolAnswer { text: packed.text, structured: packed.structured });
    }
    let (mut text, mut objects) = (String::new(), Vec::new());
    let mut left =
        arguments.max_tokens.map_or(SHARED_TOKENS, |tokens| answer::tokens(Some(tokens)));
    for (at, query) in queries.iter().enumerate() {
        let share = (left / (queries.len() - at)).max(MIN_TOKENS / 2);
        let (budget, at_most) = match arguments.max_tokens {
            Some(_) => (Some(share), None),
            None => (None, Some(share)),
        };
        let packed = answer_one(call, &arguments, query, budget, at_most)?;
        left = left.saturating_sub(Tokenizer::O200k.count(&packed.text));
        let gap = if at == 0 { "" } else { "\n\n" };
        let _ = write!(text, "{gap}## {}\n\n{}", clean(query), packed.text.trim_end());
        objects.extend(packed.structured);
    }
    let mut objects = objects.into_iter();
    let structured = objects.next().map(|mut first| {
        first["others"] = objects.collect();
        first
    });
    Ok(ToolAnswer { text, structured })
}

/// The questions of a call, at least one.
fn queries(arguments: &SearchArguments) -> Result<Vec<String>, Failure> {
    let further = arguments.queries.as_deref().unwrap_or_default();
    let queries: Vec<String> = arguments.query.iter().chain(further).cloned().collect();
    if MAX_QUERIES < queries.len() {
        return Err(Failure::new(format!("{} questions are too many for one call", queries.len()))
            .remedy(format!("ask at most {MAX_QUERIES} at a time")));
    }
    if 1 < queries.len() {
        if arguments.cursor.is_some() {
            return Err(Failure::new("a cursor continues the answer to one question")
                .remedy("send its question alone in `query`"));
        }
        if queries.iter().any(|query| query.trim().is_empty()) {
            return Err(EngineError::EmptyQuery.into());
        }
    }
    Ok(if queries.is_empty() { vec![String::new()] } else { queries })
}

/// Answers one question.
fn answer_one(
    call: &Call<'_>,
    arguments: &SearchArguments,
    query: &str,
    budget: Option<usize>,
    at_most: Option<usize>,
) -> Result<Pack, Failure> {
    let (trees, warning) = call.searched_for(query)?;
    let is_one = call.searched()?.len() == 1;
    let pack = PackRequest {
        budget,
        at_most,
        lists_files: arguments.all,
        limit: arguments.limit,
        cursor: arguments.cursor.clone(),
        has_object: true,
        ..PackRequest::default()
    };
    let (root, mut response) = match &trees[..] {
        [tree] if is_one => (tree.root.clone(), of_tree(call, tree, arguments, query, &pack)?),
        _ => several::answer(call, &trees, arguments, query, &pack)?,
    };
    response.warnings.splice(0..0, warning);
    let none = Holders::default();
    let holders = response.holders.as_ref().unwrap_or(&none);
    let mut memories = call
        .memories
        .as_ref()
        .map(|memories| memories.lock().unwrap_or_else(PoisonError::into_inner));
    let memory = memories.as_mut().map(|memories| {
        // A client may name other roots for each call.
        memories
            .retain(|known, _| *known == root || call.trees.iter().any(|tree| tree.root == *known));
        memories.entry(root).or_default()
    });
    Ok(pack::pack(&response, holders, &pack, memory)?)
}

/// Searches one tree.
fn of_tree(
    call: &Call<'_>,
    tree: &Tree,
    arguments: &SearchArguments,
    query: &str,
    pack: &PackRequest,
) -> Result<SearchResponse, Failure> {
    let opened = tree.open()?;
    let mut request = request(arguments, query, &opened)?;
    pack.apply_to(&mut request);
    let deadline = call.control.deadline();
    let sent = request.clone();
    let at = arguments.at.clone();
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
    match found {
        Outcome::Answered(response) => Ok(response),
        Outcome::NotReady(progress) if is_past => Err(no_index(progress)),
        Outcome::NotReady(progress) => without_index(call, &opened, &request, progress),
    }
}

/// Searches for a question or words as `lore search` does, for other servers.
///
/// # Errors
/// When the query is empty or invalid, or the tree cannot be read.
pub fn search_words(opened: &Opened, query: &str, limit: usize) -> Result<SearchResponse, Failure> {
    let request = request(&SearchArguments::default(), query, opened)?.with_limit(limit);
    search(&opened.engine, &opened.settings, &request)
}

/// The same request that `lore search` makes.
fn request(
    arguments: &SearchArguments,
    query: &str,
    opened: &Opened,
) -> Result<SearchRequest, Failure> {
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
    let query = query.to_owned();
    if query.trim().is_empty() && !typed.restricts() {
        return Err(EngineError::EmptyQuery.into());
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
            response.warnings.push(progress.describe());
            response.warnings.extend(ask_again(progress));
            Ok(response)
        }
        Err(EngineError::NeedsIndex { .. }) => Err(no_index(progress)),
        Err(error) => Err(error.into()),
    }
}

/// Returns when the same question gets its complete answer, as far as the rate so far shows it.
pub(super) fn ask_again(progress: IndexProgress) -> Option<String> {
    let seconds = progress.seconds_left?.max(1);
    Some(format!("ask again in about {seconds} s for the complete answer"))
}

/// The error for an index that is not ready, with its progress.
pub fn no_index(progress: IndexProgress) -> Failure {
    Failure::new(format!("the index is not ready yet: {}", progress.describe())).remedy(
        match progress.seconds_left {
            Some(seconds) => {
                format!("this goes on in the background; ask again in about {seconds} s")
            }
            None => "this goes on in the background; ask again in a few seconds".to_owned(),
        },
    )
}
