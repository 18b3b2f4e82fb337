//! Statements in documents and comments that the code no longer supports.
//!
//! `documents` reads the statements, `vocabulary` the names of the code, `check` finds statements
//! without a counterpart, and `history` finds the commits that removed it. A missing name is drift
//! only if a commit removed it after the statement was written. Links are checked without history.

mod check;
mod documents;
mod history;
mod manifests;
mod paths;
mod report;
mod vocabulary;

use std::time::{Duration, Instant};

use lore_sources::{Revision, Tree, WalkOptions};
pub use lore_statements::{Kind as StatementKind, Place as StatementPlace};

use crate::{
    Clock, Engine, EngineConfig, EngineError,
    state::{revision, storage},
};

/// A request for drift.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriftRequest {
    /// Root-relative paths of documents and folders to check; empty for the whole tree.
    pub paths: Vec<String>,
    /// The name of a commit, or a date: only statements whose subject changed since, or that were
    /// written since, are reported.
    pub since: Option<String>,
    /// The kinds to check; empty for all.
    pub kinds: Vec<StatementKind>,
    /// Maximum time for the history.
    pub time: Duration,
}

/// Statements that the code no longer supports.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DriftResponse {
    /// The findings, by path, line and position.
    pub findings: Vec<DriftFinding>,
    /// Number of documents and commented files that were read.
    pub documents: usize,
    /// Number of statements that were checked.
    pub statements: usize,
    /// Number of commits that were read.
    pub commits: usize,
    /// True if there is no history to read.
    pub has_no_history: bool,
    /// True if the time for the history was used up.
    pub is_cut: bool,
    /// Computing time in milliseconds.
    pub elapsed_ms: f64,
}

/// A statement that the code no longer supports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriftFinding {
    /// Kind of the statement.
    pub kind: StatementKind,
    /// State of its subject.
    pub state: DriftState,
    /// Root-relative path of the document.
    pub path: String,
    /// 1-based line.
    pub line: usize,
    /// 1-based column in characters.
    pub column: usize,
    /// The statement as written.
    pub text: String,
    /// The part that does not exist.
    pub name: String,
    /// The text around it.
    pub place: StatementPlace,
    /// The name, path or value that holds now, if known.
    pub replacement: Option<String>,
    /// The commit that removed it; `None` for changes that are not committed, and without evidence
    /// from the history.
    pub commit: Option<DriftCommit>,
    /// True if a change that is not committed removed it.
    pub is_uncommitted: bool,
}

/// State of the subject of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DriftState {
    /// It was removed.
    Gone,
    /// It has another name now.
    Renamed,
    /// It is at another path now.
    Moved,
    /// It has another value or other parameters now.
    Changed,
    /// A link leads nowhere.
    Broken,
    /// It does not exist and never did, but something similar does. Less certain than the others.
    Unknown,
}

impl DriftState {
    /// All states, in the order of certainty.
    pub const ALL: &'static [DriftState] = &[
        DriftState::Gone,
        DriftState::Renamed,
        DriftState::Moved,
        DriftState::Changed,
        DriftState::Broken,
        DriftState::Unknown,
    ];

    /// The name that is shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            DriftState::Gone => "gone",
            DriftState::Renamed => "renamed",
            DriftState::Moved => "moved",
            DriftState::Changed => "changed",
            DriftState::Broken => "broken",
            DriftState::Unknown => "unknown",
        }
    }
}

/// A commit that removed what a statement names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriftCommit {
    /// The full hash.
    pub hash: String,
    /// Date of the author in seconds since the epoch.
    pub date: Option<i64>,
    /// First line of the message.
    pub subject: String,
}

impl Engine {
    /// Finds statements in documents and comments that the code no longer supports. Uses no index.
    ///
    /// With a tree of a commit (`Engine::at`) and `since`, the result is the drift between two
    /// commits.
    ///
    /// # Errors
    /// When the tree cannot be read, or the commit of `since` does not exist.
    pub fn drift(
        &self,
        request: &DriftRequest,
        clock: Clock,
    ) -> Result<DriftResponse, EngineError> {
        self.check_clone("`drift`")?;
        let started = Instant::now();
        let since =
            request.since.as_deref().map(|name| revision::find(&self.config.root, name, clock));
        let mut response = drift(&self.config, request, since.transpose()?.as_ref())?;
        response.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }
}

fn drift(
    config: &EngineConfig,
    request: &DriftRequest,
    since: Option<&Revision>,
) -> Result<DriftResponse, EngineError> {
    // Settings of build servers and other hidden files contain names, too.
    let options = WalkOptions { hidden: true, ..storage::walk_options(config) };
    let tree = Tree::walk(&config.root, &options)?;
    let files = documents::read_files(&tree, config, request);
    let places = paths::Paths::new(&tree, config);
    let manifests = manifests::Manifests::read(&tree, config);
    let statements = files.documents.iter().map(|document| document.statements.len()).sum();
    let checked = check::check(&files, &places, &manifests, config);
    let (findings, read) = history::explain(&checked, config, request.time, since)?;
    Ok(DriftResponse {
        findings: report::sorted(findings),
        documents: files.documents.len(),
        statements,
        commits: read.commits,
        has_no_history: read.is_missing,
        is_cut: read.is_cut,
        elapsed_ms: 0.0,
    })
}

#[cfg(test)]
mod tests;
