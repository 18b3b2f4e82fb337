//! Answers for people who move through a tree: its files, a commit with its differences, the commits of a
//! file and of each of its lines, a ticket or spec with everything that is known of it.

mod commit;
mod history;
mod record;

pub use self::{
    commit::CommitView,
    history::{LineHistory, LineOrigin},
    record::{RecordView, RelatedRecord},
};

use crate::{Engine, EngineError};

impl Engine {
    /// Lists the paths of the files of the tree, ignored ones excepted, in byte order. Uses no index.
    ///
    /// # Errors
    /// When the tree cannot be read.
    pub fn paths(&self) -> Result<Vec<String>, EngineError> {
        let (tree, _) = self.config.overlays.walks().take(&self.config)?;
        Ok(tree.entries().iter().map(|entry| entry.path.clone()).collect())
    }
}
