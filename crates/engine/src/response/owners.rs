//! What the question for the specs of a file is answered with.

/// The specs that name a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnersAnswer {
    /// The file that was asked for, root-relative.
    pub path: String,
    /// The part of it that was asked for: a name behind `#`.
    pub selector: Option<String>,
    /// The specs that govern it, by how near they name it, then by identifier.
    pub governing: Vec<Owner>,
    /// The specs that it is only related to, in the same order.
    pub related: Vec<Owner>,
    /// Specs that were read.
    pub specs: usize,
    /// Whether there is such a file or folder.
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
    /// How the spec names the file: a path, a folder, or a pattern with `*`.
    pub claim: String,
    /// The names in the file that are meant; none for the whole file.
    pub selectors: Vec<String>,
}

/// Where something leads that a hit names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// How the hit is related to it: `governs`.
    pub relation: &'static str,
    /// `code:path` or `code:path#Container.name`.
    pub id: String,
    /// Root-relative path, folder or pattern.
    pub path: String,
    /// First line of the definition that is meant, 1-based; `None` for a whole file.
    pub start_line: Option<u32>,
    /// Its last line, 1-based, inclusive.
    pub end_line: Option<u32>,
    /// Whether it is there.
    pub found: bool,
}
