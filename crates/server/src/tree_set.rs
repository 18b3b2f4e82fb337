//! The interface of tools to the trees of a server.

use std::{fmt, sync::Arc};

use lore_engine::WorkspacePaths;

use crate::{failure::Failure, tree::Tree};

/// All trees of a server.
pub trait TreeSet: fmt::Debug + Send + Sync {
    /// Selects the trees that a question is about, if there are too many to answer it over all. Also returns
    /// a warning if others are not searched.
    ///
    /// # Errors
    /// When a cluster does not answer.
    fn select(
        &self,
        question: &str,
        trees: &[Arc<Tree>],
    ) -> Result<(Vec<Arc<Tree>>, Option<String>), Failure>;

    /// The places of some trees in the directory of all. They do not depend on which of several trees the
    /// sender of a request may read.
    fn paths_of(&self, trees: &[Arc<Tree>]) -> WorkspacePaths;
}
