//! A commit with the lines that it changes.

use lore_sources::{ChangedText, CommitDetails, NewState, Revision, changed_texts, commit_details};

use crate::{Clock, Engine, EngineError, state::revision};

/// Maximum size of all texts of a commit, in bytes: further files have none.
const MAX_BYTES: usize = 48 << 20;

/// A commit with the files that it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitView {
    /// The commit. The files are compared with its first parent.
    pub details: CommitDetails,
    /// The changed files below the root of the tree, by path; at most 2,000.
    pub files: Vec<ChangedText>,
}

impl Engine {
    /// Reads a commit with the lines that differ from its first parent. `name` is that of [`Engine::at`].
    ///
    /// # Errors
    /// [`EngineError::Revision`] when no commit has that name, [`EngineError::Source`] outside git and when
    /// the commit cannot be read.
    pub fn commit_view(&self, name: &str, clock: Clock) -> Result<CommitView, EngineError> {
        self.check_clone("a commit with its lines")?;
        let (root, secrets) = (&self.config.root, self.config.secrets);
        let revision = revision::find(root, name, clock)?;
        let details = commit_details(root, &revision.commit(), secrets)?;
        let parent = match details.parents.first() {
            // The parent of the last commit of a shallow clone is missing.
            Some(parent) => Revision::named(root, parent).ok().flatten(),
            None => None,
        };
        let state = NewState::Commit(revision);
        let files = changed_texts(root, parent.as_ref(), &state, secrets, MAX_BYTES)?;
        Ok(CommitView { details, files })
    }
}
