//! Search for words in content that no index contains: skipped files, deleted files, and other
//! branches.
//!
//! Runs only after a search without results. It is bounded by time and bytes, and reports whether
//! it was complete.

mod files;
mod search;
#[cfg(test)]
mod tests;
mod words;

use std::{thread, time::Instant};

pub(crate) use self::search::UnindexedSearch;
pub use self::search::{UnindexedBounds, UnindexedMatch, UnindexedMatches, UnindexedReason};
use self::words::WordMatcher;
use crate::{git, tree::Tree};

/// Searches for whole words, ignoring ASCII case, in unindexed content: ignored files, files of the
/// tree that are too large or not text, files deleted by recent commits, and files that differ on
/// local branches. `is_searched` selects the paths that the indexes contain.
///
/// Words of fewer than three characters occur everywhere and are skipped.
pub fn search_unindexed(
    tree: &Tree,
    words: &[&str],
    is_searched: &(dyn Fn(&str) -> bool + Sync),
    bounds: &UnindexedBounds,
) -> UnindexedMatches {
    let Some(matcher) = WordMatcher::new(words) else {
        return UnindexedMatches { complete: true, ..UnindexedMatches::default() };
    };
    let deadline = Instant::now() + bounds.time;
    let new = || UnindexedSearch::new(&matcher, deadline, bounds.bytes);
    let (files, git) = thread::scope(|scope| {
        let git = scope.spawn(|| {
            let mut search = new();
            git::search_unindexed(tree, bounds, &mut search);
            search.seen
        });
        let mut search = new();
        files::search(tree, is_searched, &mut search);
        (search.seen, git.join().expect("reading git objects does not panic"))
    });
    let mut matches = files.matches;
    matches.extend(git.matches);
    matches.sort();
    UnindexedMatches {
        matches,
        files: files.files + git.files,
        commits: git.commits,
        branches: git.branches,
        complete: files.complete && git.complete,
    }
}
