//! The requests of the protocol that are answered from a tree, one file for each group.

mod calls;
pub(crate) mod commands;
mod definitions;
mod hover;
mod lenses;
mod places;
mod symbols;

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use lore_engine::{EngineError, Navigator};
use lore_schema::SourceName;
use lore_server::{
    control::CallControl,
    failure::Failure,
    tree::{NotesOnly, Opened, Outcome},
};
use lsp_server::{ErrorCode, ResponseError};
use lsp_types::{Position, TextDocumentPositionParams};
use serde::Serialize;
use serde_json::Value;

use self::places::Places;
use crate::{
    client::{Answer, CancelFlag, error},
    state::EditorState,
    workspaces::Root,
};

/// Maximum time of a request. The first one waits for the index; editors cancel what takes too long.
const MAX_WAIT: Duration = Duration::from_mins(2);

/// The part of a request that another thread does.
pub(crate) type Work = Box<dyn FnOnce(&CancelFlag) -> Answer + Send>;

/// Reads the parameters of a request, at its arrival.
type Prepare = fn(&EditorState, Value) -> Result<Work, ResponseError>;

/// The requests.
const METHODS: &[(&str, Prepare)] = &[
    ("callHierarchy/incomingCalls", calls::incoming),
    ("callHierarchy/outgoingCalls", calls::outgoing),
    ("codeLens/resolve", lenses::resolve),
    ("textDocument/codeLens", lenses::list),
    ("textDocument/definition", definitions::definition),
    ("textDocument/documentSymbol", symbols::of_document),
    ("textDocument/hover", hover::hover),
    ("textDocument/implementation", definitions::implementation),
    ("textDocument/prepareCallHierarchy", calls::prepare),
    ("textDocument/references", definitions::references),
    ("workspace/executeCommand", commands::execute),
    ("workspace/symbol", symbols::of_workspace),
];

/// Prepares the answer to a request.
///
/// # Errors
/// When there is no such request, or its parameters are invalid.
pub(crate) fn prepare(
    editor: &EditorState,
    method: &str,
    params: Value,
) -> Result<Work, ResponseError> {
    let known = METHODS.iter().find(|(name, _)| *name == method);
    let (_, prepare) = known
        .ok_or_else(|| error(ErrorCode::MethodNotFound, format!("`{method}` is not supported")))?;
    prepare(editor, params)
}

/// A position in a file of a folder.
#[derive(Debug, Clone)]
struct Spot {
    /// The folder.
    root: Arc<Root>,
    /// Root-relative path.
    path: String,
    position: Position,
}

impl Spot {
    fn of(editor: &EditorState, at: &TextDocumentPositionParams) -> Result<Spot, ResponseError> {
        Spot::at(editor, at.text_document.uri.as_str(), at.position)
    }

    fn at(editor: &EditorState, uri: &str, position: Position) -> Result<Spot, ResponseError> {
        let (root, path) = editor.workspaces.locate(uri)?;
        Ok(Spot { root, path, position })
    }
}

/// Returns the work of a question about one folder, with the texts of its open files.
fn work<T: Serialize>(
    editor: &EditorState,
    root: &Arc<Root>,
    sources: &'static [SourceName],
    answer: impl Fn(&Places<'_>) -> Result<T, EngineError> + Send + Sync + 'static,
) -> Work {
    let folder = Folder::of(editor, root);
    Box::new(move |flag| {
        let asked = folder.clone();
        run(&folder.root, flag, move |opened| {
            let result = asked.navigate(opened, sources, &answer)?;
            serde_json::to_value(result)
                .map_err(|error| Failure::new(format!("could not write the answer: {error}")))
        })
    })
}

/// A folder and its open files, as they were when a request arrived.
#[derive(Clone)]
struct Folder {
    root: Arc<Root>,
    open: Vec<Arc<crate::documents::OpenDocument>>,
    features: crate::handshake::Features,
    not_before: Instant,
}

impl Folder {
    fn of(editor: &EditorState, root: &Arc<Root>) -> Folder {
        Folder {
            root: Arc::clone(root),
            open: editor.documents.of(root),
            features: editor.features,
            not_before: editor.not_before(),
        }
    }

    /// Answers a question on the tree as it is now.
    fn navigate<T>(
        &self,
        opened: &Opened,
        sources: &'static [SourceName],
        answer: impl Fn(&Places<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let parsed: Vec<_> =
            self.open.iter().map(|document| document.parsed(&opened.engine)).collect();
        let ask = |navigator: &Navigator<'_>| {
            answer(&Places::new(navigator, &self.root, &self.open, self.features))
        };
        opened.engine.navigate(sources, self.not_before, &parsed, &NotesOnly, ask)
    }
}

/// Runs a query when the index of a folder is ready.
fn run<T: Send + 'static>(
    root: &Root,
    flag: &CancelFlag,
    query: impl FnOnce(&Opened) -> Result<T, Failure> + Send + 'static,
) -> Result<T, ResponseError> {
    let cancelled = Arc::clone(flag);
    let control = CallControl::new(move || cancelled.load(Ordering::Relaxed), None);
    let failed = |reason: String| error(ErrorCode::RequestFailed, reason);
    match root.tree.run(&control.with_limit(MAX_WAIT), query) {
        Ok(Outcome::Answered(answer)) => Ok(answer),
        Ok(Outcome::NotReady(progress)) => {
            Err(failed(format!("the index is not ready yet: {}", progress.describe())))
        }
        // The remedies are those of the tools.
        Err(failure) => Err(failed(failure.text().lines().next().unwrap_or_default().to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::METHODS;

    #[test]
    fn requests_are_sorted_by_name() {
        assert!(METHODS.is_sorted_by_key(|(name, _)| *name));
    }
}
