//! What the text of a document names that is defined elsewhere.

use crate::Symbol;

/// What a name is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReferenceKind {
    /// It is called: a function, a method, a macro, a constructor.
    Call,
    /// It is used as a type.
    Type,
}

impl ReferenceKind {
    /// Every kind, in the order of their names.
    pub const ALL: &'static [ReferenceKind] = &[ReferenceKind::Call, ReferenceKind::Type];

    /// The name that users read.
    pub fn as_str(self) -> &'static str {
        match self {
            ReferenceKind::Call => "call",
            ReferenceKind::Type => "type",
        }
    }
}

/// A name at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// What it is used for.
    pub kind: ReferenceKind,
    /// The bare name: `save` in `self.store.save(row)`.
    pub name: String,
    /// What stands before it: `self.store`; the type of a variable, where the text tells it; `?`
    /// where it is no name. `None` for a name that stands alone.
    pub qualifier: Option<String>,
    /// Line of the name, 1-based.
    pub line: u32,
    /// The innermost definition around it, as position in [`Outline::symbols`].
    pub within: Option<u32>,
}

/// A name that a document takes from another module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Import {
    /// The module, as written: `crate::store`, `../store.js`, `app.store`.
    pub module: String,
    /// The name that is taken out of it, `*` for all of them; `None` for the module itself.
    pub name: Option<String>,
    /// Under which name it is used, if it is another one.
    pub alias: Option<String>,
    /// Whether others can take the name from here in turn.
    pub reexported: bool,
    /// Line, 1-based.
    pub line: u32,
}

/// What a document defines and names: its part of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outline {
    /// Every definition, in text order; a container stands before its members.
    pub symbols: Vec<Symbol>,
    /// Every name that is used, in text order.
    pub references: Vec<Reference>,
    /// Every import, in text order.
    pub imports: Vec<Import>,
    /// Whether the parser met text that its grammar does not know: names in it may be missing.
    pub has_errors: bool,
}

impl Outline {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty() && self.references.is_empty() && self.imports.is_empty()
    }
}
