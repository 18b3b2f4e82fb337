//! Response to a request for the specs of a file.

/// The specs that name a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnersAnswer {
    /// The requested file, root-relative.
    pub path: String,
    /// The requested part of it: a name after `#`.
    pub selector: Option<String>,
    /// The specs that govern it, most specific first, then by id.
    pub governing: Vec<Owner>,
    /// The specs that are only related to it, in the same order.
    pub related: Vec<Owner>,
    /// Number of specs that were read.
    pub specs: usize,
    /// True if the file or folder exists.
    pub exists: bool,
}

/// A spec that names a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Identifier of the spec.
    pub id: String,
    /// Title.
    pub title: String,
    /// Root-relative path of the spec.
    pub path: String,
    /// One-paragraph description; empty where there is none.
    pub description: String,
    /// Form in which the spec names the file: a path, a folder, or a pattern with `*`.
    pub claim: String,
    /// The named parts of the file; empty for the whole file.
    pub selectors: Vec<String>,
}

/// Target of a reference in a hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Relation of the hit to the target: `governs`.
    pub relation: &'static str,
    /// `code:path` or `code:path#Container.name`.
    pub id: String,
    /// Root-relative path, folder or pattern.
    pub path: String,
    /// First line of the definition, 1-based; `None` for a whole file.
    pub start_line: Option<u32>,
    /// Its last line, 1-based, inclusive.
    pub end_line: Option<u32>,
    /// True if the target exists.
    pub found: bool,
}
