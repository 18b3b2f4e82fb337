//! Similarity: `lore related` finds what resembles a passage, `lore exists` finds existing code.
//!
//! Two things are compared. The vectors of definitions and sections measure similarity in meaning.
//! Fingerprints of the texts tell copies, including those with renamed variables, from code that is
//! only similar.

mod copies;
mod exists;
mod findings;
mod intent;
mod pieces;
mod related;
mod subject;

use lore_schema::{Filter, SourceName};

pub(crate) use self::{
    exists::exists,
    related::related,
    subject::{Passage, find as find_passage},
};
use crate::{
    Absence, AttributeFilter, Clock, EngineConfig, EngineError, Hit, IndexMode, Progress, Receipt,
    SearchResponse, state::refresh,
};

/// A request for what resembles a passage.
#[derive(Debug, Clone, PartialEq)]
pub struct RelatedRequest {
    /// The passage: `path:line`, `path:line-line`, `path#Container.name` or `path#heading` with a
    /// root-relative path, or the id of a hit, which starts with a source.
    pub subject: String,
    /// Filter of the answer. The passage itself does not have to meet it.
    pub filter: Filter,
    /// Required attributes of documents.
    pub attributes: AttributeFilter,
    /// The current time, for dates in words.
    pub clock: Clock,
    /// Minimum similarity in meaning of a hit, 0.0..=1.0; `None` for a default that chance does not
    /// reach.
    pub min_similarity: Option<f32>,
    /// Maximum number of hits, at least 1.
    pub limit: usize,
    /// Maximum length of a snippet, in lines.
    pub snippet_lines: usize,
}

/// The passage that others are compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Id, like that of a hit.
    pub id: String,
    /// Source of the document.
    pub source: SourceName,
    /// Symbol kind for code, otherwise the kind of the document.
    pub kind: String,
    /// Name of the definition, heading, or title of the document.
    pub title: String,
    /// Root-relative path; `None` for a commit.
    pub path: Option<String>,
    /// First line, 1-based; `None` for text without lines in a file.
    pub start_line: Option<u32>,
    /// Last line, 1-based, inclusive.
    pub end_line: Option<u32>,
}

/// Finds the passage that a subject names, and returns it with its text.
pub(crate) fn passage(
    config: &EngineConfig,
    subject: &str,
    progress: &dyn Progress,
) -> Result<(Subject, String), EngineError> {
    if subject.trim().is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    let snapshot = refresh::take(config, &[], IndexMode::Update, progress)?;
    let found = subject::find(subject, &snapshot, config)?;
    Ok((found.subject, found.text))
}

/// The passage and what resembles it.
#[derive(Debug, Clone, PartialEq)]
pub struct RelatedResponse {
    /// The passage.
    pub subject: Subject,
    /// The results, most similar first: each is a definition, section or document. Scores are
    /// similarities. `match_type` is `near-clone` for nearly equal text and `similar` otherwise.
    /// `links` contain what the code graph adds: the hit calls the passage, is called by it, or
    /// belongs to the same type.
    pub answer: SearchResponse,
}

/// Kind of the text that may exist already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistsInput {
    /// Code.
    Code,
    /// A description of what the code should do.
    Intent,
}

impl ExistsInput {
    /// Returns the name shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            ExistsInput::Code => "code",
            ExistsInput::Intent => "intent",
        }
    }

    /// Guesses the kind of a text: code has many punctuation characters, prose has few.
    pub fn of(text: &str) -> ExistsInput {
        exists::guess_input(text)
    }
}

/// A request to check whether something exists already.
#[derive(Debug, Clone, PartialEq)]
pub struct ExistsRequest {
    /// Code, or a description of what it should do.
    pub text: String,
    /// Kind of the text; `None` to guess it.
    pub input: Option<ExistsInput>,
    /// Filter of the definitions.
    pub filter: Filter,
    /// Maximum number of clones, and of helpers, at least 1.
    pub limit: usize,
}

/// Answer of an existence check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existence {
    /// There is a copy, or something that does exactly this.
    Yes,
    /// There is something similar.
    Perhaps,
    /// There is nothing.
    No,
}

impl Existence {
    /// Returns the name shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            Existence::Yes => "yes",
            Existence::Perhaps => "perhaps",
            Existence::No => "no",
        }
    }
}

/// A near clone of the given code.
#[derive(Debug, Clone, PartialEq)]
pub struct NearClone {
    /// Its location.
    pub hit: Hit,
    /// Share of the given code that it contains, 0.0..=1.0.
    pub held: f32,
    /// Share of the given code's lines that it contains, ignoring variable names, 0.0..=1.0.
    pub common_lines: f32,
}

/// A definition that does the same, or nearly.
#[derive(Debug, Clone, PartialEq)]
pub struct Helper {
    /// Its location. For code, the score is the similarity; for a description, it is the score of
    /// the search.
    pub hit: Hit,
    /// Number of uses; `None` if the tree has no graph of it.
    pub usage: Option<Usage>,
}

/// Number of uses of a definition: calls of functions, and all uses of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Uses that refer to it.
    pub uses: usize,
    /// Files that contain them.
    pub files: usize,
    /// Uses of its name that may refer to it or to another definition of the name.
    pub perhaps: usize,
}

/// Answer to an existence check.
#[derive(Debug, Clone, PartialEq)]
pub struct ExistsResponse {
    /// The text, as typed.
    pub query: String,
    /// Kind that the text was read as.
    pub input: ExistsInput,
    /// The answer.
    pub verdict: Existence,
    /// Near clones of code, the closest first, at most the limit.
    pub clones: Vec<NearClone>,
    /// Number of uses of the pattern: all near clones found.
    pub clone_count: usize,
    /// Files that contain them.
    pub clone_files: usize,
    /// Definitions that do the same in other words, most similar first, at most the limit.
    pub helpers: Vec<Helper>,
    /// The most similar definition if none is similar enough; otherwise `None`.
    pub nearest: Option<Hit>,
    /// Scope and freshness of the answer.
    pub receipt: Receipt,
    /// Explanation if nothing was found; otherwise `None`.
    pub absence: Option<Absence>,
    /// Warnings, one line each.
    pub warnings: Vec<String>,
}

/// Returns true if documents of a source are compared as code, unless they are prose.
fn is_code(source: SourceName) -> bool {
    matches!(source, SourceName::Code | SourceName::Patterns)
}
