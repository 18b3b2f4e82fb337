//! The commits that change a file or folder, and the commit of each line of a file.

use std::time::{Duration, Instant};

pub use lore_sources::LineOrigin;
use lore_sources::{PathCommit, PathCommits, line_origins, path_commits};

use crate::{Engine, EngineError};

/// Maximum time for finding the commits of a path.
const MAX_WALK_TIME: Duration = Duration::from_secs(3);

/// Maximum number of commits whose versions of a file are compared.
const MAX_COMPARED: usize = 1_000;

/// The commits of the lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineHistory {
    /// The commits that change the file, newest first.
    pub commits: Vec<PathCommit>,
    /// The origin of each line; commits are indexes in `commits`.
    pub lines: Vec<LineOrigin>,
}

impl LineHistory {
    /// Number of committed lines whose commit was not found.
    pub fn unknown(&self) -> usize {
        self.lines.iter().filter(|origin| **origin == LineOrigin::Unknown).count()
    }
}

impl Engine {
    /// Lists the commits that change a file or folder and lead to the tree, newest first, without an index.
    /// Renamings are not followed. Ends after three seconds.
    ///
    /// # Errors
    /// [`EngineError::Source`] outside git, and when the history cannot be read.
    pub fn path_history(&self, path: &str) -> Result<PathCommits, EngineError> {
        self.check_clone("the history of a file")?;
        let Some(head) = self.config.commit() else { return Ok(PathCommits::default()) };
        let deadline = Instant::now() + MAX_WALK_TIME;
        Ok(path_commits(&self.config.root, &head, path, self.config.secrets, deadline)?)
    }

    /// Finds the commit that changed each line of a file last, within a time limit and without an index.
    ///
    /// # Errors
    /// [`EngineError::Source`] when the history cannot be read.
    pub fn line_history(&self, path: &str, time: Duration) -> Result<LineHistory, EngineError> {
        self.check_clone("the history of lines")?;
        let deadline = Instant::now() + time;
        let config = &self.config;
        let Some(head) = config.commit() else { return Ok(LineHistory::default()) };
        let commits = self.path_history(path)?.commits;
        let hashes: Vec<String> =
            commits.iter().take(MAX_COMPARED).map(|commit| commit.hash.clone()).collect();
        // As it is stored: texts without their secrets differ from every version.
        let content = match config.at {
            None => lore_sources::read_bytes(&config.root, path, config.max_file_size).ok(),
            Some(_) => None,
        };
        let lines = line_origins(&config.root, &head, &hashes, path, content.as_deref(), deadline);
        Ok(LineHistory { commits, lines })
    }
}
