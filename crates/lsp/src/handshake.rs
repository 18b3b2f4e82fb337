//! The handshake: what the client supports and requests, and what the server offers.
//!
//! The parameters of the client are read leniently: a capability of a later version of the protocol
//! must not prevent the start.

use lsp_types::{
    CallHierarchyServerCapability, CodeLensOptions, ExecuteCommandOptions, HoverProviderCapability,
    ImplementationProviderCapability, InitializeResult, OneOf, ServerCapabilities, ServerInfo,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};
use serde_json::Value;

use crate::text::Encoding;

/// Capabilities and options of the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent property of the client")]
pub(crate) struct Features {
    /// Unit of columns.
    pub(crate) encoding: Encoding,
    /// The client shows Markdown in hovers.
    pub(crate) markdown: bool,
    /// The client shows nested symbols.
    pub(crate) nested_symbols: bool,
    /// Code lenses with the number of callers.
    pub(crate) lens_callers: bool,
    /// Code lenses with the governing specs.
    pub(crate) lens_specs: bool,
}

impl Features {
    /// Reads the parameters of `initialize`.
    pub(crate) fn of(params: &Value) -> Features {
        let texts = |pointer: &str| -> Vec<&str> {
            let list = params.pointer(pointer).and_then(Value::as_array);
            list.into_iter().flatten().filter_map(Value::as_str).collect()
        };
        let is_on = |pointer: &str| params.pointer(pointer).and_then(Value::as_bool) == Some(true);
        let encodings = texts("/capabilities/general/positionEncodings");
        Features {
            encoding: if encodings.contains(&"utf-8") { Encoding::Utf8 } else { Encoding::Utf16 },
            markdown: texts("/capabilities/textDocument/hover/contentFormat").contains(&"markdown"),
            nested_symbols: is_on(
                "/capabilities/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport",
            ),
            lens_callers: is_on("/initializationOptions/codeLens/callers"),
            lens_specs: is_on("/initializationOptions/codeLens/specs"),
        }
    }

    /// Returns true if the client requested code lenses.
    pub(crate) fn has_lenses(self) -> bool {
        self.lens_callers || self.lens_specs
    }
}

/// Returns the addresses of the folders that the client names: its workspace folders, or else its
/// root.
pub(crate) fn folders(params: &Value) -> Vec<String> {
    let named = params.get("workspaceFolders").and_then(Value::as_array);
    let folders: Vec<String> = named
        .into_iter()
        .flatten()
        .filter_map(|folder| folder.get("uri")?.as_str().map(str::to_owned))
        .collect();
    if !folders.is_empty() {
        return folders;
    }
    params.get("rootUri").and_then(Value::as_str).map(str::to_owned).into_iter().collect()
}

/// Returns the answer to `initialize`.
pub(crate) fn answer(features: Features, commands: &[&str]) -> InitializeResult {
    let capabilities = ServerCapabilities {
        position_encoding: Some(features.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::Supported(true)),
            ..TextDocumentSyncOptions::default()
        })),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        implementation_provider: Some(ImplementationProviderCapability::Simple(true)),
        call_hierarchy_provider: Some(CallHierarchyServerCapability::Simple(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        code_lens_provider: features
            .has_lenses()
            .then_some(CodeLensOptions { resolve_provider: Some(true) }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands.iter().map(|name| (*name).to_owned()).collect(),
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        ..ServerCapabilities::default()
    };
    let info = ServerInfo {
        name: "lorehound".to_owned(),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
    };
    InitializeResult { capabilities, server_info: Some(info) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parameters_of_any_shape_are_accepted() {
        for params in [Value::Null, json!([]), json!({"capabilities": 1, "workspaceFolders": [3]})]
        {
            assert_eq!(Features::of(&params), Features::default());
            assert_eq!(folders(&params), [""; 0]);
        }
        let params = json!({"rootUri": "file:///a", "workspaceFolders": null});
        assert_eq!(folders(&params), ["file:///a"]);
    }

    #[test]
    fn the_client_decides_about_columns() {
        let offered = |encodings: Value| {
            let general = json!({"positionEncodings": encodings});
            Features::of(&json!({"capabilities": {"general": general}})).encoding
        };
        assert_eq!(offered(json!(["utf-16", "utf-8"])), Encoding::Utf8);
        assert_eq!(offered(json!(["utf-32"])), Encoding::Utf16);
        assert_eq!(offered(json!(null)), Encoding::Utf16);
    }
}
