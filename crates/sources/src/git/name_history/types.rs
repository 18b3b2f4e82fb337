//! The request for the history of names, and its result.

use std::time::Duration;

use crate::git::revision::Revision;

/// Rules about the languages of files.
pub trait NameRules {
    /// Returns true if a file contains code.
    fn is_code(&self, path: &str) -> bool;
    /// Splits a source file into its code and its comments, both with the lines of the text.
    fn split(&self, path: &str, text: &str) -> (String, String);
    /// Returns true if a line of code defines a name in a role.
    fn is_evidence(&self, line: &str, name: &str, role: NameRole) -> bool;
    /// Returns true if code defines a function with a parameter.
    fn has_parameter(&self, code: &str, function: &str, parameter: &str) -> bool;
    /// Returns the name that replaces `name` in a later version of a line.
    fn replacement(&self, old: &str, new: &str, name: &str) -> Option<String>;
}

/// The lines of code that count as evidence for a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameRole {
    /// Any line that contains it.
    Word,
    /// A line that defines it.
    Definition,
    /// A line that declares it as a flag or key.
    Option,
}

/// A name to look up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoughtName {
    /// The forms of the name, at least one. None of them occurs in the code as it is now.
    pub forms: Vec<String>,
    /// The lines whose removal counts.
    pub role: NameRole,
    /// A parameter of the function with this name: only its removal counts. The name itself may
    /// still exist.
    pub parameter: Option<String>,
    /// Indexes of the texts that mention it. The search for it ends when all of them are found.
    pub texts: Vec<usize>,
}

/// A path to look up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoughtPath {
    /// Possible root-relative paths of a file or folder.
    pub paths: Vec<String>,
    /// True if the path of a file or folder may also end with the first of them.
    pub is_suffix: bool,
    /// As [`SoughtName::texts`].
    pub texts: Vec<usize>,
}

/// A text in a document whose origin is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoughtText {
    /// Root-relative path of the document.
    pub document: String,
    /// The text.
    pub text: String,
}

/// A request for the history of names.
pub struct NameHistoryRequest<'a> {
    /// The names.
    pub names: &'a [SoughtName],
    /// The paths.
    pub paths: &'a [SoughtPath],
    /// The texts.
    pub texts: &'a [SoughtText],
    /// The commit to start from; `None` for the files on disk.
    pub at: Option<&'a Revision>,
    /// Only commits that this one does not contain are read.
    pub since: Option<&'a Revision>,
    /// Maximum time.
    pub time: Duration,
}

/// A commit, and its place in the walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// 0 for changes that are not committed; commits count from 1, newest first.
    pub index: usize,
    /// The full hash; `None` for changes that are not committed.
    pub hash: Option<String>,
    /// Date of the author in seconds since the epoch.
    pub date: Option<i64>,
    /// First line of the message.
    pub subject: String,
}

/// The removal of a name or path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// The commit.
    pub step: Step,
    /// Root-relative path of the file that contained the name, or the removed path.
    pub path: String,
    /// The form that was removed; empty for a path.
    pub form: String,
    /// The name or path that replaced it.
    pub replacement: Option<String>,
}

/// The history of names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NameHistory {
    /// The last removal of each name, in the order of the request.
    pub names: Vec<Option<Removal>>,
    /// The last removal of each path.
    pub paths: Vec<Option<Removal>>,
    /// The commit that wrote each text last. `None` if the search ended before.
    pub texts: Vec<Option<Step>>,
    /// Number of commits that were read.
    pub commits: usize,
    /// True if the time was used up.
    pub is_cut: bool,
}
