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

use lore_sources::Tree;

use crate::{Engine, EngineError, state::storage::walk_options};

impl Engine {
    /// Lists the paths of the files of the tree, ignored ones excepted, in byte order. Uses no index.
    ///
    /// # Errors
    /// When the tree cannot be read.
    pub fn paths(&self) -> Result<Vec<String>, EngineError> {
        let walk = || Tree::walk(&self.config.root, &walk_options(&self.config));
        let tree = self.config.overlays.walks().take(walk)?;
        Ok(tree.entries().iter().map(|entry| entry.path.clone()).collect())
    }
}
