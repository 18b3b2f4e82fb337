//! Watches of systems that report changes later. Their events only wake a wait.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use notify::{
    Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
    event::{AccessKind, AccessMode, MetadataKind, ModifyKind},
};

use super::{GitFolders, Shared, State, canonical_or_same};
use crate::rules;

/// True if events are in the queue before the call that causes them returns.
pub(super) const IS_PROMPT: bool = false;

/// The watches of a tree: its root with everything below it, and git folders outside of it.
pub(super) struct Watches {
    _system: RecommendedWatcher,
}

/// The paths of a tree.
struct Scope {
    root: PathBuf,
    excluded: Option<PathBuf>,
    git: GitFolders,
}

impl Watches {
    /// Starts to watch everything.
    pub(super) fn start(
        root: &Path,
        excluded: Option<&Path>,
        git: GitFolders,
        shared: Arc<Shared>,
    ) -> Result<Watches, String> {
        let outside: Vec<PathBuf> =
            git.0.iter().filter(|folder| !folder.starts_with(root)).cloned().collect();
        let scope = Scope { root: root.to_owned(), excluded: excluded.map(canonical_or_same), git };
        let record = move |event: notify::Result<Event>| {
            let mut state = shared.state();
            match event {
                Ok(event) if !event.need_rescan() => {
                    if !may_change(event.kind)
                        || !event.paths.iter().any(|path| scope.concerns(path))
                    {
                        return;
                    }
                    state.note_event();
                }
                _ => state.note_loss(),
            }
            drop(state);
            shared.changed.notify_all();
        };
        let mut system = notify::recommended_watcher(record).map_err(|error| error.to_string())?;
        for folder in std::iter::once(root).chain(outside.iter().map(PathBuf::as_path)) {
            system.watch(folder, RecursiveMode::Recursive).map_err(|error| error.to_string())?;
        }
        Ok(Watches { _system: system })
    }

    /// Does nothing: everything is watched from the start.
    pub(super) fn begin(&self) {}

    /// Does nothing.
    pub(super) fn end(&self) {}

    /// Does nothing.
    pub(super) fn watch(&self, _folder: &str) -> Result<(), String> {
        Ok(())
    }

    /// Does nothing.
    pub(super) fn forget(&self, _folder: &str) {}

    /// Does nothing.
    pub(super) fn set_skipped(&self, _paths: &[String]) {}

    /// Does nothing: events arrive by themselves.
    pub(super) fn drain(&self, _state: &mut State) {}
}

impl Scope {
    /// Returns whether a change of a path concerns the tree.
    fn concerns(&self, path: &Path) -> bool {
        if let Some(concerns) = self.git.concerns(path) {
            return concerns;
        }
        if self.excluded.as_ref().is_some_and(|excluded| path.starts_with(excluded)) {
            return false;
        }
        let Ok(inner) = path.strip_prefix(&self.root) else { return false };
        let names: Vec<_> = inner.components().map(|name| name.as_os_str().to_str()).collect();
        // A path that is not UTF-8 is never in an answer.
        let Some(names) = names.into_iter().collect::<Option<Vec<&str>>>() else { return false };
        let folders = names.len().saturating_sub(1);
        let is_skipped = |name: &&str| rules::is_version_control(name) || rules::is_cache(name);
        !names[..folders].iter().any(is_skipped)
    }
}

/// Returns whether an event of this kind can change the result of a search.
fn may_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(kind) => kind == AccessKind::Close(AccessMode::Write),
        EventKind::Modify(ModifyKind::Metadata(kind)) => kind != MetadataKind::AccessTime,
        _ => true,
    }
}
