//! Answers for people who move through a tree: its files, a commit with its differences, the commits of a
//! file and of each of its lines, a ticket or spec with everything that is known of it.

mod commit;
mod history;
mod record;

pub use self::{
    commit::{ChangedFile, CommitView},
    history::{LineHistory, LineOrigin},
    record::{RecordView, RelatedRecord},
};

use crate::{Engine, EngineError, IndexMode, Progress, state::refresh};

impl Engine {
    /// Lists the paths of the files of the tree, ignored ones excepted, in byte order.
    ///
    /// # Errors
    /// When the tree cannot be read.
    pub fn paths(&self, progress: &dyn Progress) -> Result<Vec<String>, EngineError> {
        // Patterns are the smallest source; the walk lists the files of all.
        let sources = [lore_schema::SourceName::Patterns];
        let snapshot = refresh::take(&self.config, &sources, IndexMode::Update, progress)?;
        Ok(snapshot.tree.entries().iter().map(|entry| entry.path.clone()).collect())
    }
}
