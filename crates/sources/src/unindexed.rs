//! Where a word stands that no index holds: in files that are left out, in files that were deleted,
//! and on other branches.
//!
//! Only a search that found nothing asks for this. It is bounded by time and bytes, and says whether
//! it came to its end.

mod files;
mod needles;
mod search;
#[cfg(test)]
mod tests;

use std::{thread, time::Instant};

use self::needles::Needles;
pub(crate) use self::search::UnindexedSearch;
pub use self::search::{UnindexedBounds, UnindexedMatch, UnindexedMatches, UnindexedReason};
use crate::{git, tree::Tree};

/// Looks for words, whole and in any case of ASCII letters, in what is not searched: ignored files,
/// files of the tree that are too large or no text, files that recent commits deleted, and files
/// that are others on local branches. `is_searched` tells which paths the indexes hold.
///
/// Words of fewer than three letters are everywhere, and are not looked for.
pub fn search_unindexed(
    tree: &Tree,
    words: &[&str],
    is_searched: &(dyn Fn(&str) -> bool + Sync),
    bounds: &UnindexedBounds,
) -> UnindexedMatches {
    let Some(needles) = Needles::new(words) else {
        return UnindexedMatches { complete: true, ..UnindexedMatches::default() };
    };
    let deadline = Instant::now() + bounds.time;
    let new = || UnindexedSearch::new(&needles, deadline, bounds.bytes);
    let (files, git) = thread::scope(|scope| {
        let git = scope.spawn(|| {
            let mut search = new();
            git::search_unindexed(tree, bounds, &mut search);
            search.seen
        });
        let mut search = new();
        files::search(tree, is_searched, &mut search);
        (search.seen, git.join().expect("what git holds is read without panics"))
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
