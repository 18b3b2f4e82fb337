//! Edges of the graph and their ends.

use std::rc::Rc;

use lore_index::DocumentId;

use super::code_graph::{Definition, File};
use crate::{Certainty, EdgeKind};

/// End of an edge: a definition, or code of a file outside every definition.
#[derive(Debug, Clone)]
pub(crate) struct End {
    /// The file.
    pub(crate) file: Rc<File>,
    /// Index of the definition.
    pub(crate) symbol: Option<u32>,
}

impl End {
    /// Returns a key that identifies the end.
    pub(crate) fn key(&self) -> (DocumentId, Option<u32>) {
        (self.file.id, self.symbol)
    }

    /// Returns the definition, if the end is one.
    pub(crate) fn definition(&self) -> Option<Definition> {
        self.symbol.map(|symbol| Definition { file: Rc::clone(&self.file), symbol })
    }
}

impl From<Definition> for End {
    fn from(definition: Definition) -> End {
        End { file: definition.file, symbol: Some(definition.symbol) }
    }
}

/// An edge: `from` refers to `to`.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    /// The referring end.
    pub(crate) from: End,
    /// The end it refers to.
    pub(crate) to: End,
    /// Kind of the reference.
    pub(crate) kind: EdgeKind,
    /// Certainty of the edge.
    pub(crate) certainty: Certainty,
    /// Line where `from` names `to`, in the file of `from`.
    pub(crate) line: u32,
    /// The name, if it is not defined in the tree. `to` has no meaning then.
    pub(crate) outside: Option<String>,
    /// True if all definitions that the name may refer to were asked about.
    pub(crate) is_one_asked: bool,
}
