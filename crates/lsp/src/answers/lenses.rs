//! Code lenses: the number of callers of each definition, and the specs that govern a file. Off unless
//! the client requests them.

use lore_engine::Navigator;
use lsp_server::{ErrorCode, ResponseError};
use lsp_types::{CodeLens, CodeLensParams, Command, Position, Range};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Spot, Work, commands, work};
use crate::{
    client::error,
    state::{EditorState, decode},
};

/// Kinds of definitions whose callers are counted.
const CALLED: &[&str] = &["function", "macro", "method"];

/// Subject of a lens that is not resolved yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Subject {
    Callers,
    Specs,
}

/// The data of a lens.
#[derive(Debug, Serialize, Deserialize)]
struct LensData {
    uri: String,
    subject: Subject,
}

/// `textDocument/codeLens`. Nothing is counted yet.
pub(super) fn list(editor: &EditorState, params: Value) -> Result<Work, ResponseError> {
    let params: CodeLensParams = decode(params)?;
    let uri = params.text_document.uri.as_str().to_owned();
    let spot = Spot::at(editor, &uri, Position::default())?;
    let root = spot.root.clone();
    Ok(work(editor, &root, Navigator::CONTEXT, move |places| {
        let lens = |range: Range, subject: Subject| CodeLens {
            range,
            command: None,
            data: serde_json::to_value(LensData { uri: uri.clone(), subject }).ok(),
        };
        let mut lenses = Vec::new();
        if places.features.lens_specs && !places.navigator.governing(&spot.path)?.is_empty() {
            let start = Range::new(Position::default(), Position::default());
            lenses.push(lens(start, Subject::Specs));
        }
        if places.features.lens_callers {
            let hits = places.navigator.outline(&spot.path)?.unwrap_or_default();
            let called = hits.iter().filter(|hit| CALLED.contains(&hit.kind));
            lenses.extend(called.map(|hit| lens(places.name_of(hit), Subject::Callers)));
        }
        Ok(lenses)
    }))
}

/// `codeLens/resolve`.
pub(super) fn resolve(editor: &EditorState, params: Value) -> Result<Work, ResponseError> {
    let lens: CodeLens = decode(params)?;
    let data = lens.data.clone().unwrap_or_default();
    let data: LensData = decode(data)
        .map_err(|_| error(ErrorCode::InvalidParams, "the lens is not one of this server"))?;
    let spot = Spot::at(editor, &data.uri, lens.range.start)?;
    let root = spot.root.clone();
    Ok(work(editor, &root, Navigator::CONTEXT, move |places| {
        let (title, command) = match data.subject {
            Subject::Callers => {
                let calls = match places.name_at(&spot.path, spot.position) {
                    Some((name, _)) => places.navigator.callers(&name)?.len(),
                    None => 0,
                };
                let noun = if calls == 1 { "call" } else { "calls" };
                (format!("{calls} {noun}"), commands::CALLERS)
            }
            Subject::Specs => {
                let specs = places.navigator.governing(&spot.path)?;
                let titles: Vec<&str> = specs.iter().map(|spec| spec.title.as_str()).collect();
                (format!("governed by {}", titles.join(", ")), commands::SPECS)
            }
        };
        let at = json!({"uri": data.uri, "position": lens.range.start});
        let command = Command::new(title, command.to_owned(), Some(vec![at]));
        Ok(CodeLens { command: Some(command), ..lens.clone() })
    }))
}
