//! The files that are open in the editor, with the texts it has.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use lore_engine::{Engine, OpenText};
use lsp_types::TextDocumentContentChangeEvent;

use crate::{
    text::{Encoding, Text},
    workspaces::Root,
};

/// An open file, in one version.
#[derive(Debug)]
pub(crate) struct OpenDocument {
    /// Root-relative path.
    pub(crate) path: String,
    /// The text of the editor.
    pub(crate) text: Arc<Text>,
    /// The parsed text, from the first request on.
    parsed: OnceLock<Arc<OpenText>>,
}

impl OpenDocument {
    fn new(path: String, text: Text) -> Arc<OpenDocument> {
        Arc::new(OpenDocument { path, text: Arc::new(text), parsed: OnceLock::new() })
    }

    /// Returns the parsed text.
    pub(crate) fn parsed(&self, engine: &Engine) -> Arc<OpenText> {
        let parse = || Arc::new(engine.open_text(&self.path, self.text.as_str()));
        Arc::clone(self.parsed.get_or_init(parse))
    }
}

/// The open files, by root and path.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: BTreeMap<(PathBuf, String), Arc<OpenDocument>>,
}

impl Documents {
    /// Opens a file, or replaces its text.
    pub(crate) fn open(&mut self, root: &Root, path: String, text: String) {
        let document = OpenDocument::new(path.clone(), Text::new(text));
        self.open.insert((root.tree.root.clone(), path), document);
    }

    /// Applies changes to an open file, in their order. A change without a range replaces the text.
    pub(crate) fn change(
        &mut self,
        root: &Root,
        path: String,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        let key = (root.tree.root.clone(), path);
        let Some(document) = self.open.get_mut(&key) else { return };
        let mut text = Arc::clone(&document.text);
        for change in changes {
            text = Arc::new(match change.range {
                Some(range) => text.replaced(range, &change.text, encoding),
                None => Text::new(change.text),
            });
        }
        *document = Arc::new(OpenDocument { path: key.1, text, parsed: OnceLock::new() });
    }

    /// Closes a file. Its text on disk counts again.
    pub(crate) fn close(&mut self, root: &Root, path: String) {
        self.open.remove(&(root.tree.root.clone(), path));
    }

    /// Returns the open files of a folder.
    pub(crate) fn of(&self, root: &Root) -> Vec<Arc<OpenDocument>> {
        let of_root = self.open.iter().filter(|((folder, _), _)| *folder == root.tree.root);
        of_root.map(|(_, document)| Arc::clone(document)).collect()
    }
}
