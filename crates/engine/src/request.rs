//! What is asked.

use lore_schema::Filter;

/// How hits are retrieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// By words alone.
    #[default]
    Lexical,
}

impl Mode {
    /// Every mode, in the order of their names.
    pub const ALL: &'static [Mode] = &[Mode::Lexical];

    /// The name that users type.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Lexical => "lexical",
        }
    }

    /// The mode with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Mode> {
        Mode::ALL.iter().copied().find(|mode| mode.as_str() == name)
    }
}

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// The words, as typed.
    pub query: String,
    /// What restricts the search.
    pub filter: Filter,
    /// Most hits that are returned, at least 1.
    pub limit: usize,
    /// How hits are retrieved.
    pub mode: Mode,
    /// Whether hits carry the parts of their score.
    pub explain: bool,
    /// Longest snippet, in lines.
    pub snippet_lines: usize,
}

/// How much of the index is made anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexMode {
    /// What differs from the disk.
    Update,
    /// Everything.
    Rebuild,
}

/// Progress of long work, called from worker threads.
pub trait Progress: Sync {
    /// `done` of `known` units of the source are finished; `known` grows while the scan runs.
    fn advance(&self, source: lore_schema::SourceName, done: u64, known: u64);

    /// One line about something that was mended or left out.
    fn note(&self, message: &str);
}
