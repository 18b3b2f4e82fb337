//! Reads the commits that earlier runs did not read, in steps that are committed one by one.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use lore_index::IndexLocation;
use lore_schema::SourceName;
use lore_sources::{SOURCES, Tree, WalkOptions};

use crate::{
    EngineConfig, EngineError, IndexMode, Phase, Progress,
    state::{housekeeping::evict, opening::Opening, snapshot::Snapshot, storage, views},
};

/// Result of reading older commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OlderCommits {
    /// Number of commits that were read.
    pub read: u64,
    /// True if some are left that can be read. False if another process is writing, too: it was left
    /// to that one.
    pub has_more: bool,
}

/// Number of commits of the first step; later ones fit the time that is left.
const FIRST_STEP: u64 = 500;

/// Maximum number of commits of a step.
const MAX_STEP: u64 = 5_000;

/// Reads older commits until the time is used, `is_stopped` returns true or none are left.
///
/// # Errors
/// When the history cannot be read or the index cannot be written.
pub(crate) fn read_older(
    config: &EngineConfig,
    time: Duration,
    is_stopped: &dyn Fn() -> bool,
    progress: &dyn Progress,
) -> Result<OlderCommits, EngineError> {
    let started = Instant::now();
    let mut total = OlderCommits { read: 0, has_more: true };
    let mut step = FIRST_STEP;
    while total.has_more && !is_stopped() {
        let left = time.saturating_sub(started.elapsed());
        progress.phase(Phase::History { finished: total.read, left });
        let read = read_step(config, step)?;
        total.read += read.read;
        total.has_more = read.has_more && read.read > 0;
        let used = started.elapsed();
        // As many as fit at the pace so far, and at least half of the first step.
        let left = time.saturating_sub(used).as_millis();
        let fitting = u128::from(total.read) * left / used.as_millis().max(1);
        let fitting = u64::try_from(fitting).unwrap_or(u64::MAX);
        if fitting < FIRST_STEP / 2 {
            break;
        }
        step = fitting.min(MAX_STEP);
    }
    Ok(total)
}

/// Reads up to `commits` older commits and commits them to the index.
fn read_step(config: &EngineConfig, commits: u64) -> Result<OlderCommits, EngineError> {
    let folder = views::cache_folder(config);
    let location = views::location_in(config, folder.as_deref(), SourceName::Git);
    let source = SOURCES.iter().find(|source| source.name() == SourceName::Git);
    let (Some(folder), Some(source), true) = (folder, source, config.write) else {
        return Ok(OlderCommits::default());
    };
    if location == IndexLocation::Memory {
        return Ok(OlderCommits::default());
    }
    let options = WalkOptions {
        commits: Some(usize::try_from(commits).unwrap_or(usize::MAX)),
        older_commits: true,
        ..storage::walk_options(config)
    };
    let tree = Arc::new(Tree::unlisted(&config.root, &options)?);
    let mut snapshot = Snapshot::new(tree);
    let opening = Opening {
        config,
        source: *source,
        location,
        folder: Some(&folder),
        commit_now: true,
        progress: &(),
        totals: None,
    };
    opening.open(IndexMode::Update, &mut snapshot)?;
    if snapshot.unwritten.is_some() {
        return Ok(OlderCommits::default());
    }
    evict(config, &folder, snapshot.work.bytes);
    let (read, ..) = snapshot.work.sources.get(&SourceName::Git).copied().unwrap_or_default();
    Ok(OlderCommits { read, has_more: config.overlays.has_older_commits() })
}
