//! More like this: what resembles a passage, and whether something exists already.
//!
//! Two things are compared. Meaning, by the vectors of definitions and sections; and the texts
//! themselves, which tells copies, also those with renamed variables, from what is only alike.

mod copies;
mod exists;
mod findings;
mod intent;
mod pieces;
mod related;
mod subject;

use lore_schema::{Filter, SourceName};

pub(crate) use self::{exists::exists, related::related, subject::definition_at};
use crate::{
    Absence, AttributeFilter, Clock, EngineConfig, EngineError, Hit, IndexMode, Progress, Receipt,
    SearchResponse, state::refresh,
};

/// A question for what resembles a passage.
#[derive(Debug, Clone, PartialEq)]
pub struct RelatedRequest {
    /// The passage: `path:line`, `path:line-line`, `path#Container.name` or `path#heading`, with a
    /// root-relative path, also behind the name of a source, as hits are called.
    pub subject: String,
    /// What restricts the answer. The passage itself need not meet it.
    pub filter: Filter,
    /// What documents must say of themselves.
    pub attributes: AttributeFilter,
    /// What time it is, for dates in words.
    pub clock: Clock,
    /// Least similarity in meaning of a hit, 0.0..=1.0; `None` for what chance does not reach.
    pub min_similarity: Option<f32>,
    /// Most hits that are returned, at least 1.
    pub limit: usize,
    /// Longest snippet, in lines.
    pub snippet_lines: usize,
}

/// The passage that others are compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Its identifier, as that of a hit.
    pub id: String,
    /// Where it comes from.
    pub source: SourceName,
    /// Symbol kind for code, otherwise what the document is.
    pub kind: String,
    /// Name of the definition, heading, or title of the document.
    pub title: String,
    /// Root-relative path; `None` for a commit.
    pub path: Option<String>,
    /// First line, 1-based; `None` for what has no lines in a file.
    pub start_line: Option<u32>,
    /// Last line, 1-based, inclusive.
    pub end_line: Option<u32>,
}

/// Finds the passage that somebody points at, and its text.
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
    Ok((found.told, found.text))
}

/// What resembles a passage.
#[derive(Debug, Clone, PartialEq)]
pub struct RelatedResponse {
    /// The passage.
    pub subject: Subject,
    /// What resembles it, the nearest first: a definition, section or document each. Scores are
    /// similarities; `match_type` is `near-clone` for what is nearly the same text and `similar`
    /// otherwise; `links` tell what the graph of the code knows: that a hit calls the passage, is
    /// called by it, or belongs to the same type.
    pub answer: SearchResponse,
}

/// What a text is that may exist already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistsInput {
    /// Code.
    Code,
    /// What code should do, in words.
    Intent,
}

impl ExistsInput {
    /// The name that users read.
    pub fn as_str(self) -> &'static str {
        match self {
            ExistsInput::Code => "code",
            ExistsInput::Intent => "intent",
        }
    }

    /// What a text is, by its signs: code has many, and words few.
    pub fn of(text: &str) -> ExistsInput {
        exists::what_is(text)
    }
}

/// A question whether something exists already.
#[derive(Debug, Clone, PartialEq)]
pub struct ExistsRequest {
    /// Code, or what it should do in words.
    pub text: String,
    /// Which of both; `None` to decide by its signs.
    pub input: Option<ExistsInput>,
    /// Which definitions count.
    pub filter: Filter,
    /// Most copies, and most helpers, that are returned, at least 1.
    pub limit: usize,
}

/// Whether something exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existence {
    /// A copy of it, or something that does just that.
    Yes,
    /// Something that comes near.
    Perhaps,
    /// Nothing.
    No,
}

impl Existence {
    /// The name that users read.
    pub fn as_str(self) -> &'static str {
        match self {
            Existence::Yes => "yes",
            Existence::Perhaps => "perhaps",
            Existence::No => "no",
        }
    }
}

/// A near clone of the code that was asked about.
#[derive(Debug, Clone, PartialEq)]
pub struct NearClone {
    /// Where it stands.
    pub hit: Hit,
    /// Share of the asked text that stands there, 0.0..=1.0.
    pub held: f32,
    /// Share of its lines that stand there, apart from names of variables, 0.0..=1.0.
    pub common_lines: f32,
}

/// Something that does the same, or nearly.
#[derive(Debug, Clone, PartialEq)]
pub struct Helper {
    /// Where it stands; of code, the score is how near it is, of words that of a search.
    pub hit: Hit,
    /// How often it is used; `None` where the tree has no graph of it.
    pub usage: Option<Usage>,
}

/// How often a definition is used: calls of what is called, and every use of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Uses that mean it.
    pub uses: usize,
    /// Files that they stand in.
    pub files: usize,
    /// Uses of its name that may mean it, or another definition of the name.
    pub perhaps: usize,
}

/// Whether something exists already, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct ExistsResponse {
    /// The text, as typed.
    pub query: String,
    /// What it was read as.
    pub input: ExistsInput,
    /// The answer.
    pub verdict: Existence,
    /// Near clones of code, the nearest first, at most the limit.
    pub clones: Vec<NearClone>,
    /// How often the pattern is used: all near clones that were found.
    pub clone_count: usize,
    /// Files that they stand in.
    pub clone_files: usize,
    /// What does the same in other words, the nearest first, at most the limit.
    pub helpers: Vec<Helper>,
    /// What comes nearest, although it is not near; `None` where something is.
    pub nearest: Option<Hit>,
    /// How far the answer can be trusted.
    pub receipt: Receipt,
    /// Why there is nothing; `None` where there is something.
    pub absence: Option<Absence>,
    /// What the user should know, one line each.
    pub warnings: Vec<String>,
}

/// Whether documents of a source are compared as code, as long as they are not prose.
fn is_code(source: SourceName) -> bool {
    matches!(source, SourceName::Code | SourceName::Patterns)
}
