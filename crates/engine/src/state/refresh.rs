//! Brings the sources of a request up to date with the tree and returns them as a snapshot.

use std::sync::Arc;

use lore_schema::{SkipReason, SourceName};
use lore_sources::{SOURCES, Tree};

use crate::{
    EngineConfig, EngineError, IndexMode, Progress,
    state::{
        housekeeping::keep_house,
        opening::Opening,
        snapshot::Snapshot,
        storage::walk_options,
        views::{self, Siblings, cache_folder},
    },
};

/// Opens every wanted source as it is on the disk now. What changed since the last commit is laid over
/// it in memory; [`Overlays::publish`](crate::Overlays) writes it after the answer, if it is worth it.
pub(crate) fn take(
    config: &EngineConfig,
    wanted: &[SourceName],
    mode: IndexMode,
    progress: &dyn Progress,
) -> Result<Snapshot, EngineError> {
    open_all(config, wanted, mode, false, progress)
}

/// Brings every source up to date and commits at once.
pub(crate) fn commit(
    config: &EngineConfig,
    mode: IndexMode,
    progress: &dyn Progress,
) -> Result<Snapshot, EngineError> {
    open_all(config, &[], mode, true, progress)
}

fn open_all(
    config: &EngineConfig,
    wanted: &[SourceName],
    mode: IndexMode,
    at_once: bool,
    progress: &dyn Progress,
) -> Result<Snapshot, EngineError> {
    let tree = Arc::new(Tree::walk(&config.root, &walk_options(config))?);
    let mut snapshot = Snapshot::new(Arc::clone(&tree));
    snapshot.warnings.extend(all_left_out(&tree));
    let folder = cache_folder(config);
    let siblings = Siblings::new(config, folder.as_deref());
    // The files are compared with the commit beside that.
    let tree_id = std::thread::scope(|scope| {
        let tree_id = scope.spawn(|| config.tree_id(&tree));
        for source in SOURCES {
            if wanted.is_empty() || wanted.contains(&source.name()) {
                let place = views::place_in(config, folder.as_deref(), source.name());
                if config.write && mode == IndexMode::Update {
                    snapshot.is_written |= siblings.start(source.name(), &place);
                }
                let opening = Opening {
                    config,
                    source: *source,
                    place,
                    folder: folder.as_deref(),
                    at_once,
                    progress,
                };
                match opening.open(mode, &mut snapshot) {
                    Ok(open) => snapshot.sources.push(open),
                    // A source that cannot be read at all takes nothing from the others.
                    Err(EngineError::Source(error)) if source.name() == SourceName::Git => {
                        snapshot.warnings.push(format!("{error}; the git source is not searched"));
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        Ok::<_, EngineError>(tree_id.join().ok().flatten())
    })?;
    snapshot.tree_id = tree_id;
    if snapshot.is_written
        && let Some(folder) = &folder
    {
        views::note(config, folder);
        if snapshot.unwritten.is_none() {
            let bytes = snapshot.work.bytes;
            snapshot.warnings.extend(keep_house(config, folder, bytes));
        }
    }
    Ok(snapshot)
}

/// Says that the rules of the tree leave nothing to search, where they do: no other answer would tell.
fn all_left_out(tree: &Tree) -> Option<String> {
    let ignored = tree.skipped().get(&SkipReason::Ignored).copied().unwrap_or(0);
    (tree.entries().is_empty() && ignored > 0).then(|| {
        format!(
            "`.gitignore` and the like leave out all of `{}`; the line `!/*` in a file `.loreignore` \
             there brings it back",
            tree.root().display()
        )
    })
}
