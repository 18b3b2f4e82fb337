//! The state of an editor: its capabilities, its folders and its open files.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use lore_server::Options;
use lsp_server::{ErrorCode, ResponseError};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{client::error, documents::Documents, handshake::Features, workspaces::Workspaces};

/// Maximum age of the state of a tree that answers a request. One action of a user sends several
/// requests, and a walk of 10,000 files takes tens of milliseconds. Files that the editor saves are
/// always seen.
const MAX_AGE: Duration = Duration::from_secs(1);

/// The state of an editor.
pub(crate) struct EditorState {
    /// Capabilities and options of the client.
    pub(crate) features: Features,
    /// The folders.
    pub(crate) workspaces: Workspaces,
    /// The open files.
    pub(crate) documents: Documents,
    /// Time of the last change on disk that the editor reported.
    changed: Instant,
}

impl EditorState {
    /// The state before the handshake.
    pub(crate) fn new(options: Arc<Options>) -> EditorState {
        EditorState {
            features: Features::default(),
            workspaces: Workspaces::new(options),
            documents: Documents::default(),
            changed: Instant::now(),
        }
    }

    /// Notes that the editor reported a change on disk.
    pub(crate) fn note_change(&mut self) {
        self.changed = Instant::now();
    }

    /// Returns the earliest time of a state of a tree that may answer a request now.
    pub(crate) fn not_before(&self) -> Instant {
        Instant::now().checked_sub(MAX_AGE).map_or(self.changed, |recent| recent.max(self.changed))
    }
}

/// Reads parameters.
///
/// # Errors
/// When they do not have the form of the protocol.
pub(crate) fn decode<T: DeserializeOwned>(params: Value) -> Result<T, ResponseError> {
    serde_json::from_value(params).map_err(|reason| {
        error(ErrorCode::InvalidParams, format!("the parameters cannot be read: {reason}"))
    })
}
