//! The commits that change a file, and the commit of each of its lines.

use std::time::{Duration, Instant};

use lore_index::StoredDocument;
use lore_sources::line_origins;

use crate::{
    Engine, EngineConfig, EngineError, IndexMode, Progress,
    answers::place::head_history,
    commits::message,
    state::{file_commits::FileCommits, refresh, snapshot::Snapshot},
};

/// Maximum number of commits whose versions of a file are compared.
const MAX_COMPARED: usize = 1_000;

/// A commit that changes a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCommit {
    /// Full hash.
    pub hash: String,
    /// Author date, in seconds since the epoch.
    pub date: Option<i64>,
    /// Name of the author.
    pub author: Option<String>,
    /// First line of the message.
    pub subject: String,
    /// The other lines of the message.
    pub body: String,
}

/// The commits that change a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileHistory {
    /// The commits that lead to the tree, newest first.
    pub commits: Vec<FileCommit>,
    /// Number of all such commits in the index.
    pub total: usize,
}

/// The commits of the lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineHistory {
    /// The commits, newest first.
    pub commits: Vec<FileCommit>,
    /// For each line, the index of the commit that changed it last; `None` for a line that is not committed,
    /// and for one whose commit is not in the index or was not reached in time.
    pub lines: Vec<Option<usize>>,
    /// Number of committed lines without a commit.
    pub unknown: usize,
}

impl Engine {
    /// Lists the commits that change a file, newest first, at most `limit` after the first `skipped`. Renamings
    /// are not followed.
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn file_history(
        &self,
        path: &str,
        (skipped, limit): (usize, usize),
        progress: &dyn Progress,
    ) -> Result<FileHistory, EngineError> {
        self.recover(|config| {
            let snapshot = refresh::take(config, &[], IndexMode::Update, progress)?;
            let commits = commits_of(path, &snapshot, config)?;
            let shown = commits.iter().skip(skipped).take(limit);
            Ok(FileHistory { total: commits.len(), commits: shown.map(describe).collect() })
        })
    }

    /// Finds the commit that changed each line of a file last, within a time limit.
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn line_history(
        &self,
        path: &str,
        time: Duration,
        progress: &dyn Progress,
    ) -> Result<LineHistory, EngineError> {
        let deadline = Instant::now() + time;
        self.recover(|config| {
            let snapshot = refresh::take(config, &[], IndexMode::Update, progress)?;
            let Ok(text) = config.read_text(path) else { return Ok(LineHistory::default()) };
            let Some(head) = config.commit() else { return Ok(LineHistory::default()) };
            let mut commits = commits_of(path, &snapshot, config)?;
            commits.truncate(MAX_COMPARED);
            let hashes: Vec<String> =
                commits.iter().map(|commit| commit.key.locator.clone()).collect();
            let origins = line_origins(&config.root, &head, &hashes, path, &text, deadline);
            Ok(LineHistory {
                commits: commits.iter().map(describe).collect(),
                lines: origins.commits,
                unknown: origins.unknown,
            })
        })
    }
}

/// The commits that change a file and lead to the tree, newest first.
fn commits_of(
    path: &str,
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> Result<Vec<StoredDocument>, EngineError> {
    let Some(mut all) = FileCommits::of(snapshot) else { return Ok(Vec::new()) };
    let ids = all.newest_first(path)?;
    let head = head_history(config);
    let mut placed: Vec<(usize, StoredDocument)> = all
        .read(path, &ids)?
        .into_iter()
        .filter_map(|(_, commit)| Some((head.position(&commit.key.locator)?, commit)))
        .collect();
    placed.sort_by_key(|(position, _)| *position);
    Ok(placed.into_iter().map(|(_, commit)| commit).collect())
}

fn describe(commit: &StoredDocument) -> FileCommit {
    let body = message(commit).split_once("\n\n").map_or("", |(_, body)| body).trim();
    FileCommit {
        hash: commit.key.locator.clone(),
        date: commit.attributes.updated,
        author: commit.attributes.author.clone(),
        subject: commit.title.clone(),
        body: body.to_owned(),
    }
}
