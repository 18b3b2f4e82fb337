//! The state of an editor: its capabilities, its folders and its open files.

use std::sync::Arc;

use lore_server::Options;
use lsp_server::{ErrorCode, ResponseError};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{client::error, documents::Documents, handshake::Features, workspaces::Workspaces};

/// The state of an editor.
pub(crate) struct EditorState {
    /// Capabilities and options of the client.
    pub(crate) features: Features,
    /// The folders.
    pub(crate) workspaces: Workspaces,
    /// The open files.
    pub(crate) documents: Documents,
}

impl EditorState {
    /// The state before the handshake.
    pub(crate) fn new(options: Arc<Options>) -> EditorState {
        EditorState {
            features: Features::default(),
            workspaces: Workspaces::new(options),
            documents: Documents::default(),
        }
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
