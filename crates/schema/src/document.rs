//! What a source yields.

use std::fmt;

/// Where knowledge comes from: the closed list of names that users type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceName {
    /// Source code and everything else that is text and not prose.
    Code,
    /// Prose: guides, readmes, agent instructions.
    Docs,
    /// Commits.
    Git,
    /// Patterns to follow or to avoid, as agents keep them.
    Patterns,
    /// Specifications and decisions.
    Specs,
    /// Tickets.
    Tickets,
}

impl SourceName {
    /// Every source, in the order of their names.
    pub const ALL: &'static [SourceName] = &[
        SourceName::Code,
        SourceName::Docs,
        SourceName::Git,
        SourceName::Patterns,
        SourceName::Specs,
        SourceName::Tickets,
    ];

    /// The name that users type.
    pub fn as_str(self) -> &'static str {
        match self {
            SourceName::Code => "code",
            SourceName::Docs => "docs",
            SourceName::Git => "git",
            SourceName::Patterns => "patterns",
            SourceName::Specs => "specs",
            SourceName::Tickets => "tickets",
        }
    }

    /// The source with this name, if there is one.
    pub fn from_name(name: &str) -> Option<SourceName> {
        SourceName::ALL.iter().copied().find(|source| source.as_str() == name)
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The stable, printable name of a document: `source:locator`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocKey {
    /// The source.
    pub source: SourceName,
    /// Unique inside the source: a root-relative path with `/`, followed by `#name` where one file
    /// holds several documents; for a commit its full hash.
    pub locator: String,
}

impl fmt::Display for DocKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.source, self.locator)
    }
}

/// What a file is to its repository. Decided from the path and the content when it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Category {
    /// Data: tables, fixtures, dumps.
    Data,
    /// An example or a demonstration.
    Example,
    /// Written by a program.
    Generated,
    /// A lock file of a package manager.
    Lock,
    /// Squeezed onto few, very long lines.
    Minified,
    /// The repository's own work.
    #[default]
    Own,
    /// A form to be filled in: placeholders that a tool for specs or agents copies.
    Template,
    /// A test.
    Test,
    /// Somebody else's code, kept in the tree.
    Vendored,
}

impl Category {
    /// Every category, in the order of their names.
    pub const ALL: &'static [Category] = &[
        Category::Data,
        Category::Example,
        Category::Generated,
        Category::Lock,
        Category::Minified,
        Category::Own,
        Category::Template,
        Category::Test,
        Category::Vendored,
    ];

    /// The name that users read.
    pub fn as_str(self) -> &'static str {
        match self {
            Category::Data => "data",
            Category::Example => "example",
            Category::Generated => "generated",
            Category::Lock => "lock",
            Category::Minified => "minified",
            Category::Own => "own",
            Category::Template => "template",
            Category::Test => "test",
            Category::Vendored => "vendored",
        }
    }

    /// The category with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Category> {
        Category::ALL.iter().copied().find(|category| category.as_str() == name)
    }
}

/// Who wrote a text, as far as trust goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Trust {
    /// The authors of the repository.
    #[default]
    Own,
    /// Somebody outside: an issue export, a vendored text.
    Outside,
}

impl Trust {
    /// The name that users read.
    pub fn as_str(self) -> &'static str {
        match self {
            Trust::Own => "own",
            Trust::Outside => "outside",
        }
    }

    /// Whoever wrote a vendored file, it was not the authors of the repository.
    #[must_use]
    pub fn of(self, category: Category) -> Trust {
        if category == Category::Vendored { Trust::Outside } else { self }
    }
}

/// Where the text of a document can be read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextOrigin {
    /// `Document::text` is the decoded text of the file at `Document::path`, whole and unchanged,
    /// so that spans and lines are those of the file. The index does not store it.
    File,
    /// The text was composed by the reader; the index stores it.
    Composed,
}

/// What a document says about itself, beside its text. Empty where the document is silent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Attributes {
    /// The identifier inside its format: a ticket number, a spec id.
    pub id: Option<String>,
    /// Status or state, as written.
    pub status: Option<String>,
    /// Priority, as written.
    pub priority: Option<String>,
    /// Tags or labels.
    pub tags: Vec<String>,
    /// Who it is assigned to.
    pub assignee: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// A one-paragraph description, where the format has one.
    pub description: Option<String>,
    /// When it was made, seconds since the epoch.
    pub created: Option<i64>,
    /// When it was last changed, seconds since the epoch; a commit's author date.
    pub updated: Option<i64>,
    /// Everything else, in the order of the document: name, value. Names may repeat.
    pub extra: Vec<(String, String)>,
}

/// One thing that a source knows: a file, a spec, a ticket, a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its name.
    pub key: DocKey,
    /// Root-relative path with `/` of the file that holds it; empty for a commit.
    pub path: String,
    /// Name of the reader that made it, as `lore sources` lists it: `files`, `spex`, `sage` …
    pub format: &'static str,
    /// What it is: `file`, `spec`, `decision`, `ticket`, `commit`, `pattern` …
    pub kind: &'static str,
    /// Title for people.
    pub title: String,
    /// The text that is cut into chunks, `\n` or `\r\n` line ends kept.
    pub text: String,
    /// Where the text can be read again.
    pub origin: TextOrigin,
    /// Byte ranges of `text` that are metadata (front matter, status lines): shown, never searched
    /// as content. Ordered, on line boundaries.
    pub metadata: Vec<std::ops::Range<usize>>,
    /// What it says about itself.
    pub attributes: Attributes,
    /// Who wrote it.
    pub trust: Trust,
}
