//! Requests, answers and their items.

use std::ops::Range;

/// Kind of search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Passages by words and meaning.
    #[default]
    Hybrid,
    /// Passages by words only.
    Lexical,
    /// Definitions by name.
    Symbols,
    /// Files by path.
    Files,
}

impl Mode {
    /// All modes, in the order in which the key goes through them.
    pub const ALL: &'static [Mode] = &[Mode::Hybrid, Mode::Lexical, Mode::Symbols, Mode::Files];

    /// The name that users type and see.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Hybrid => "hybrid",
            Mode::Lexical => "lexical",
            Mode::Symbols => "symbols",
            Mode::Files => "files",
        }
    }

    /// The mode with this name.
    pub fn from_name(name: &str) -> Option<Mode> {
        Mode::ALL.iter().copied().find(|mode| mode.as_str() == name)
    }

    /// The mode after this one; the first one after the last.
    pub(crate) fn next(self) -> Mode {
        let at = Mode::ALL.iter().position(|mode| *mode == self).unwrap_or(0);
        Mode::ALL[(at + 1) % Mode::ALL.len()]
    }
}

/// A query to answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// Number of the request, ascending from 1.
    pub number: u64,
    /// The query, as typed.
    pub query: String,
    /// Kind of search.
    pub mode: Mode,
    /// Name of the only source that is searched; `None` for all.
    pub source: Option<String>,
    /// True if the tree is to be read again first.
    pub reload: bool,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// Number of the request.
    pub number: u64,
    /// The items, best first.
    pub items: Vec<Item>,
    /// Number of matches, at least the number of items.
    pub total: u64,
    /// A remark on the answer, or the reason why there is none.
    pub note: Option<String>,
}

/// One row of the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Item {
    /// Identity: equal for the same place in answers to different queries.
    pub key: String,
    /// Path relative to the root; `None` for what is not in a file, such as a commit.
    pub path: Option<String>,
    /// Line in the file, 1-based.
    pub line: Option<u32>,
    /// The place as it is shown, without the line.
    pub place: String,
    /// Character positions of `place` that match.
    pub place_marks: Vec<u32>,
    /// Kind, title or source, in a few words.
    pub label: String,
    /// The line of text that answers best.
    pub text: String,
    /// Character ranges of `text` that match, sorted and disjoint.
    pub text_marks: Vec<Range<usize>>,
    /// Name of the language of `text`.
    pub language: Option<String>,
    /// Lines that answer, 1-based, without the end.
    pub answer: Range<u32>,
    /// Matches in these lines: line and character range.
    pub answer_marks: Vec<(u32, Range<usize>)>,
}

impl Item {
    /// The place as `path:line`, or as it is shown if it is in no file.
    pub fn location(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.place),
            None => self.place.clone(),
        }
    }
}

/// The text behind an item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    /// The text, whole.
    pub text: String,
    /// Path that shows the language; `None` for text without one.
    pub path: Option<String>,
    /// True if the lines of the item are those of this text.
    pub has_lines: bool,
}

/// The state of the search, for the status line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Report {
    /// The tree is opened.
    #[default]
    Opening,
    /// The index is built or updated: finished and known files and commits.
    Indexing(u64, u64),
    /// Ready, with this number of passages.
    Ready(u64),
}

/// Reason why the picker ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Items were chosen; none if nothing matched.
    Accepted,
    /// Items were chosen for a quickfix list: the selected ones, or all.
    Quickfix,
    /// The user quit.
    Cancelled,
}
