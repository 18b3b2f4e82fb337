//! The name of the tree in receipts, kept for as long as neither the listing nor git changes.

use std::sync::{Mutex, PoisonError};

use lore_sources::{GitStamp, Tree, TreeVersion};

use crate::EngineConfig;

/// The last name, with what it was derived from.
#[derive(Default)]
pub(crate) struct KeptStanding(Mutex<Option<(TreeVersion, GitStamp, Option<String>)>>);

impl KeptStanding {
    /// Returns the name of a tree: the last one if nothing changed since, or a new one.
    pub(crate) fn of(&self, tree: &Tree, config: &EngineConfig) -> Option<String> {
        if config.at.is_some() {
            return config.tree_id(tree).0;
        }
        // Before the comparison, so that a change during it shows in the next stamp.
        let stamp = GitStamp::of(&config.root);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((version, known, name)) = &*kept
            && *version == tree.version()
            && stamp.as_ref() == Some(known)
        {
            return name.clone();
        }
        let (name, is_settled) = config.tree_id(tree);
        *kept = stamp.filter(|_| is_settled).map(|stamp| (tree.version(), stamp, name.clone()));
        name
    }
}
