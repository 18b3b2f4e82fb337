//! Fields: the named parts of a document that are searched, each with its own analysis and weight.

/// The rows of the index that have a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// One value per chunk.
    Chunk,
    /// One value per document.
    Document,
}

/// A field of the inverted index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// Words of the chunk's text: prose words and the parts of identifiers, folded.
    Body,
    /// Identifiers of the chunk's text, whole, folded.
    Whole,
    /// Words of the chunk's context: names of enclosing definitions, headings and the file stem,
    /// both whole and split, and the parts of its own definition names.
    Context,
    /// Definition names of the chunk, each as one term: their parts joined, folded.
    Symbol,
    /// Bare names of the types that the chunk's definitions implement, extend or derive,
    /// case-sensitive.
    Conformance,
    /// Words of the document's title, identifier and description.
    Title,
    /// Words of the path: the stem twice, folders once.
    Path,
    /// Parts of all names that the document defines.
    Names,
    /// Words of the document's comments and documentation strings.
    Comments,
    /// Words of attributes such as tags, status and component.
    Attributes,
    /// Bare names that the document calls, uses as types or imports, case-sensitive. A prefix shows
    /// which of the three.
    References,
    /// The document's attributes as exact terms: `name=value` for whole values, folded and joined
    /// by `-`, and `name:word` for the words of text values.
    Facets,
}

impl Field {
    /// All fields, chunk level first.
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

    /// The rows that have the field.
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
