//! A statement about code, as written in a text.

use std::ops::Range;

/// The form of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFormat {
    /// Markdown.
    Markdown,
    /// Other markup and plain text, such as reStructuredText.
    Plain,
    /// The comments of a source file; everything else is replaced by spaces.
    Comment,
}

/// The kind of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The target of a relative link, with its anchor.
    Link,
    /// A path of a file or folder.
    Path,
    /// A function call or declaration with the names of its parameters.
    Signature,
    /// A command-line flag.
    Flag,
    /// An environment variable.
    Environment,
    /// A version of a language or of the project itself.
    Version,
    /// A quoted message of the program.
    Message,
    /// A configuration key.
    Key,
    /// The name of a definition.
    Symbol,
}

impl Kind {
    /// All kinds, sorted by name.
    pub const ALL: &'static [Kind] = &[
        Kind::Environment,
        Kind::Flag,
        Kind::Key,
        Kind::Link,
        Kind::Message,
        Kind::Path,
        Kind::Signature,
        Kind::Symbol,
        Kind::Version,
    ];

    /// The name that is shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Link => "link",
            Kind::Path => "path",
            Kind::Signature => "signature",
            Kind::Flag => "flag",
            Kind::Environment => "environment",
            Kind::Version => "version",
            Kind::Message => "message",
            Kind::Key => "key",
            Kind::Symbol => "symbol",
        }
    }
}

/// The kind of text around a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Running text.
    Prose,
    /// Inline code.
    Span,
    /// A block of code.
    Fence,
    /// The target of a link.
    Link,
}

impl Place {
    /// The name that is shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            Place::Prose => "prose",
            Place::Span => "span",
            Place::Fence => "fence",
            Place::Link => "link",
        }
    }
}

/// A statement that names something checkable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Kind of its subject.
    pub kind: Kind,
    /// The text as written.
    pub text: String,
    /// The names to look up, in the order of the text: one path, one flag, the parts of a qualified
    /// name, the function of a signature. Never empty.
    pub names: Vec<String>,
    /// Further values: the parameters of a signature; the tool and the version of a version.
    pub details: Vec<String>,
    /// 1-based line of the text.
    pub line: usize,
    /// Byte range in the text.
    pub range: Range<usize>,
    /// The text around it.
    pub place: Place,
    /// True in a cell of a table.
    pub in_table: bool,
}
