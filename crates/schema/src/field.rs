//! The named parts of a document that are searched, each with its own analysis and weight.

/// Which rows of the index carry a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// One value a chunk.
    Chunk,
    /// One value a document.
    Document,
}

/// A field of the inverted index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// Words of the chunk's text: prose words and the parts of identifiers, folded.
    Body,
    /// Identifiers of the chunk's text, whole, folded.
    Whole,
    /// Words of what surrounds the chunk: enclosing definition names, headings and the file stem, also
    /// whole, and the parts of its own definition names.
    Context,
    /// Definition names of the chunk, each as one term: their parts joined, folded.
    Symbol,
    /// Bare names of what the chunk's definitions implement, extend or derive, case-sensitive.
    Conformance,
    /// Words of the document's title, identifier and description.
    Title,
    /// Words of the path: the stem twice, folders once.
    Path,
    /// Parts of every name that the document defines.
    Names,
    /// Words of the document's comments and documentation strings.
    Comments,
    /// Words of attributes: tags, status, component and the like.
    Attributes,
    /// Bare names that the document calls, uses as types or imports, case-sensitive, each with a
    /// sign before it that tells which.
    References,
    /// What the document says of itself, as exact terms: `name=value` for whole values, folded and
    /// joined by `-`, `name:word` for the words of values that are texts.
    Facets,
}

impl Field {
    /// Every field, chunk level first.
    pub const ALL: &'static [Field] = &[
        Field::Body,
        Field::Whole,
        Field::Context,
        Field::Symbol,
        Field::Conformance,
        Field::Title,
        Field::Path,
        Field::Names,
        Field::Comments,
        Field::Attributes,
        Field::References,
        Field::Facets,
    ];

    /// The name in the index and in explanations.
    pub fn as_str(self) -> &'static str {
        match self {
            Field::Body => "body",
            Field::Whole => "whole",
            Field::Context => "context",
            Field::Symbol => "symbol",
            Field::Conformance => "conformance",
            Field::Title => "title",
            Field::Path => "path",
            Field::Names => "names",
            Field::Comments => "comments",
            Field::Attributes => "attributes",
            Field::References => "references",
            Field::Facets => "facets",
        }
    }

    /// Which rows carry the field.
    pub fn level(self) -> Level {
        match self {
            Field::Body | Field::Whole | Field::Context | Field::Symbol | Field::Conformance => {
                Level::Chunk
            }
            Field::Title
            | Field::Path
            | Field::Names
            | Field::Comments
            | Field::Attributes
            | Field::References
            | Field::Facets => Level::Document,
        }
    }

    /// Position in [`Field::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}
