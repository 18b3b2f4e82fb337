//! References and imports: names that a document uses.

use crate::Symbol;

/// The use of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReferenceKind {
    /// Called: a function, a method, a macro, a constructor.
    Call,
    /// Implemented or extended by code without a name: an anonymous class, a lambda.
    Implementation,
    /// Used as a type.
    Type,
}

impl ReferenceKind {
    /// All kinds, sorted by name.
    pub const ALL: &'static [ReferenceKind] =
        &[ReferenceKind::Call, ReferenceKind::Implementation, ReferenceKind::Type];

    /// The kinds that use a definition without implementing it.
    pub const USES: &'static [ReferenceKind] = &[ReferenceKind::Call, ReferenceKind::Type];

    /// The name that is shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            ReferenceKind::Call => "call",
            ReferenceKind::Implementation => "implementation",
            ReferenceKind::Type => "type",
        }
    }
}

/// A use of a name at one position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The use.
    pub kind: ReferenceKind,
    /// The bare name: `save` in `self.store.save(row)`.
    pub name: String,
    /// The expression before it: `self.store`. For a variable, its type if the text states one; `?`
    /// for an expression that is not a name. `None` for a name without qualifier.
    pub qualifier: Option<String>,
    /// Line of the name, 1-based.
    pub line: u32,
    /// The innermost enclosing definition, as position in [`Outline::symbols`].
    pub within: Option<u32>,
}

/// A name that a document imports from another module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Import {
    /// The module, as written: `crate::store`, `../store.js`, `app.store`.
    pub module: String,
    /// The imported name, `*` for all names; `None` for the module itself.
    pub name: Option<String>,
    /// The local name, if it differs.
    pub alias: Option<String>,
    /// True if the name is re-exported.
    pub reexported: bool,
    /// Line, 1-based.
    pub line: u32,
}

/// The definitions, references and imports of a document: its part of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outline {
    /// All definitions, in text order; a container comes before its members.
    pub symbols: Vec<Symbol>,
    /// All references, in text order.
    pub references: Vec<Reference>,
    /// All imports, in text order.
    pub imports: Vec<Import>,
    /// True if the parser reported syntax errors: names may be missing.
    pub has_errors: bool,
}

impl Outline {
    /// Returns true if there are no definitions, references or imports.
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty() && self.references.is_empty() && self.imports.is_empty()
    }
}
