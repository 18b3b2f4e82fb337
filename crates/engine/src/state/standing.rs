//! The name of the tree in receipts, kept for as long as neither the listing nor git changes.

use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use lore_sources::{GitStamp, Tree, TreeVersion, exists};

use crate::EngineConfig;

/// The last name.
#[derive(Default)]
pub(crate) struct KeptStanding(Mutex<Option<Standing>>);

/// A name of a tree, with everything that it was derived from.
struct Standing {
    version: TreeVersion,
    git: GitStamp,
    /// Further paths, and whether they existed.
    witnesses: Vec<(PathBuf, bool)>,
    name: Option<String>,
}

impl KeptStanding {
    /// Returns the name of a tree: the last one if nothing changed since, or a new one.
    pub(crate) fn of(&self, tree: &Tree, config: &EngineConfig) -> Option<String> {
        if config.at.is_some() || config.stored.is_some() {
            return config.tree_id(tree).0;
        }
        // Before the comparison, so that a change during it shows in the next stamp.
        let git = GitStamp::of(&config.root);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = &*kept
            && last.version == tree.version()
            && git == Some(last.git)
            && last.witnesses.iter().all(|(path, existed)| exists(path) == *existed)
        {
            return last.name.clone();
        }
        let (name, witnesses) = config.tree_id(tree);
        *kept = git.zip(witnesses).map(|(git, witnesses)| Standing {
            version: tree.version(),
            git,
            witnesses,
            name: name.clone(),
        });
        name
    }
}
