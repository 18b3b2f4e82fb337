//! The server for editors from outside: a scripted client over pipes, as editors send messages.
#![allow(
    clippy::disallowed_methods,
    reason = "tests start the program and make the trees that it searches"
)]

#[path = "lsp/documents.rs"]
mod documents;
#[path = "lsp/editor.rs"]
mod editor;
#[path = "lsp/languages.rs"]
mod languages;
#[path = "lsp/protocol.rs"]
mod protocol;
#[path = "lsp/trees.rs"]
mod trees;
#[expect(dead_code, reason = "shared with the tests of the commands, which need more of it")]
#[path = "cli/workspace.rs"]
mod workspace;
