//! The commands: a question in words, and what the code lenses refer to.

use std::sync::Arc;

use lore_engine::{Hit, Navigator, SearchResponse};
use lore_server::{failure::Failure, tools::search_words, tree::Opened};
use lsp_server::{ErrorCode, ResponseError};
use lsp_types::{ExecuteCommandParams, Location, Position, Range};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Folder, Spot, Work, places::Places, run, work};
use crate::{
    client::error,
    state::{EditorState, decode},
};

/// Answers a question in words.
const ASK: &str = "lorehound.ask";

/// Lists the calls of a definition.
pub(super) const CALLERS: &str = "lorehound.callers";

/// Lists the specs that govern a file.
pub(super) const SPECS: &str = "lorehound.specs";

/// The names of the commands.
pub(crate) const NAMES: &[&str] = &[ASK, CALLERS, SPECS];

/// Default and maximum number of places of an answer.
const DEFAULT_PLACES: usize = 10;
const MAX_PLACES: usize = 100;

/// `workspace/executeCommand`.
pub(super) fn execute(editor: &EditorState, params: Value) -> Result<Work, ResponseError> {
    let params: ExecuteCommandParams = decode(params)?;
    let argument = params.arguments.into_iter().next().unwrap_or_default();
    match params.command.as_str() {
        ASK => ask(editor, argument),
        CALLERS => callers(editor, argument),
        SPECS => specs(editor, argument),
        other => Err(error(
            ErrorCode::InvalidParams,
            format!("there is no command `{other}`; the commands are {}", NAMES.join(", ")),
        )),
    }
}

/// The argument of a question: a text, or this object.
#[derive(Deserialize)]
#[serde(untagged)]
enum AskArgument {
    Words(String),
    Object {
        question: String,
        limit: Option<usize>,
        /// Address of a file or folder of the editor; without it, all folders are searched.
        uri: Option<String>,
    },
}

/// The answer to a question.
#[derive(Debug, Default, Serialize)]
struct AskAnswer {
    /// The places, best first within each folder.
    places: Vec<AskPlace>,
    /// Reasons for an empty or uncertain answer, and warnings.
    notes: Vec<String>,
}

/// A place of an answer.
#[derive(Debug, Serialize)]
struct AskPlace {
    /// Its lines; none for a commit.
    location: Option<Location>,
    /// Identifier, as every command shows it.
    id: String,
    title: String,
    kind: String,
    source: &'static str,
    /// 0.0..=1.0.
    score: f32,
    /// The lines that answer.
    text: String,
}

fn ask(editor: &EditorState, argument: Value) -> Result<Work, ResponseError> {
    let (question, limit, uri) = match decode::<AskArgument>(argument).map_err(|_| {
        let form = "a question, or {\"question\": \"…\", \"limit\": 10, \"uri\": \"file:///…\"}";
        error(ErrorCode::InvalidParams, format!("the argument of `{ASK}` is {form}"))
    })? {
        AskArgument::Words(question) => (question, None, None),
        AskArgument::Object { question, limit, uri } => (question, limit, uri),
    };
    let limit = limit.unwrap_or(DEFAULT_PLACES).clamp(1, MAX_PLACES);
    let roots = match uri {
        Some(uri) => vec![editor.workspaces.locate(&uri)?.0],
        None => editor.workspaces.roots().to_vec(),
    };
    let folders: Vec<Folder> = roots.iter().map(|root| Folder::of(editor, root)).collect();
    Ok(Box::new(move |flag| {
        let mut answer = AskAnswer::default();
        for folder in folders {
            let (root, question) = (Arc::clone(&folder.root), question.clone());
            let part = run(&root, flag, move |opened| ask_in(&folder, opened, &question, limit))?;
            answer.places.extend(part.places);
            answer.notes.extend(part.notes);
        }
        Ok(serde_json::to_value(answer).unwrap_or_default())
    }))
}

fn ask_in(
    folder: &Folder,
    opened: &Opened,
    question: &str,
    limit: usize,
) -> Result<AskAnswer, Failure> {
    let response = search_words(opened, question, limit)?;
    Ok(folder.navigate(opened, Navigator::NAMES, |places| Ok(describe(places, &response)))?)
}

fn describe(places: &Places<'_>, response: &SearchResponse) -> AskAnswer {
    let mut notes = response.warnings.clone();
    if let Some(absence) = &response.absence {
        notes.extend(absence.reasons.iter().cloned());
    }
    let place = |hit: &Hit| AskPlace {
        location: location(places, hit),
        id: hit.id.clone(),
        title: hit.title.clone(),
        kind: hit.kind.clone(),
        source: hit.source.as_str(),
        score: hit.score,
        text: hit.snippet.text.clone(),
    };
    AskAnswer { places: response.hits.iter().map(place).collect(), notes }
}

/// Returns the place of the shown lines of a hit in the text of the editor.
fn location(places: &Places<'_>, hit: &Hit) -> Option<Location> {
    let path = hit.path.as_deref()?;
    let uri = places.uri(path)?;
    // The lines of a composed text are not those of its file.
    let shown = if hit.is_composed { "" } else { hit.snippet.text.as_str() };
    let count = u32::try_from(shown.lines().count().max(1)).unwrap_or(1);
    let line = if hit.is_composed { hit.start_line? } else { hit.snippet.start_line };
    let line = places.text(path).map_or(line, |text| {
        let first = shown.lines().next().unwrap_or_default();
        let same = (1..=text.line_count()).filter(|line| text.index_line(*line) == first);
        // In a file that is not saved, the lines may have moved.
        same.min_by_key(|other| other.abs_diff(line)).unwrap_or(line)
    });
    let range =
        Range::new(Position::new(line.max(1) - 1, 0), Position::new(line.max(1) - 1 + count, 0));
    Some(Location::new(uri, range))
}

/// A position, as an argument.
#[derive(Deserialize)]
struct At {
    uri: String,
    #[serde(default)]
    position: Position,
}

fn at(editor: &EditorState, argument: Value) -> Result<Spot, ResponseError> {
    let at: At = decode(argument)?;
    Spot::at(editor, &at.uri, at.position)
}

fn callers(editor: &EditorState, argument: Value) -> Result<Work, ResponseError> {
    let spot = at(editor, argument)?;
    let root = spot.root.clone();
    Ok(work(editor, &root, Navigator::NAMES, move |places| {
        let Some((name, _)) = places.name_at(&spot.path, spot.position) else {
            return Ok(Vec::new());
        };
        let calls = places.navigator.callers(&name)?;
        Ok(calls.iter().filter_map(|call| places.usage(&call.place)).collect())
    }))
}

fn specs(editor: &EditorState, argument: Value) -> Result<Work, ResponseError> {
    let spot = at(editor, argument)?;
    let root = spot.root.clone();
    Ok(work(editor, &root, Navigator::CONTEXT, move |places| {
        let start = Range::new(Position::default(), Position::default());
        let specs = places.navigator.governing(&spot.path)?;
        let location = |path: &str| Some(Location::new(places.uri(path)?, start));
        Ok(specs.iter().filter_map(|spec| location(&spec.path)).collect::<Vec<_>>())
    }))
}
