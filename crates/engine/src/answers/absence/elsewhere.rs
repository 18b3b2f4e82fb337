//! Looks for unknown words in files that are not searched.

use std::{collections::HashSet, time::Duration};

use lore_index::Reader;
use lore_schema::{Category, Filter};
use lore_sources::{Tree, UnindexedBounds, UnindexedMatch, UnindexedReason, search_unindexed};

use crate::{Absence, EngineConfig, EngineError, state::snapshot::Snapshot};

/// Extra time for an empty answer: worth waiting for, because the alternative is to search by hand.
const TIME: Duration = Duration::from_millis(150);

/// Maximum number of bytes of files, and of git objects.
const BYTES: u64 = 256 << 20;

/// Maximum number of commits that are checked for deleted files: about 100 ms.
const COMMITS: usize = 1_000;

/// Maximum number of branches that are compared with HEAD.
const BRANCHES: usize = 50;

/// Number of digits of a shown commit hash.
const SHORT_HASH: usize = 10;

/// Looks for the words outside the index and adds what it finds to the absence.
pub(super) fn look(
    config: &EngineConfig,
    snapshot: &Snapshot,
    others: &[Box<dyn Reader>],
    words: &[&str],
    absence: &mut Absence,
) -> Result<(), EngineError> {
    let everything = Filter::default();
    let mut searched: HashSet<&str> = HashSet::new();
    let readers = snapshot.sources.iter().map(|source| &source.reader).chain(others);
    for reader in readers {
        searched.extend(reader.listing(&everything)?.into_iter().map(|listed| listed.path));
    }
    let is_searched = |path: &str| searched.contains(path);
    look_in(config, &snapshot.tree, &is_searched, words, absence);
    Ok(())
}

/// Like `look`, with a given test of which files are searched.
pub(crate) fn look_in(
    config: &EngineConfig,
    tree: &Tree,
    is_searched: &(dyn Fn(&str) -> bool + Sync),
    words: &[&str],
    absence: &mut Absence,
) {
    let bounds = UnindexedBounds {
        time: TIME,
        bytes: BYTES,
        commits: config.commits.unwrap_or(COMMITS).min(COMMITS),
        branches: BRANCHES,
    };
    let elsewhere = search_unindexed(tree, words, is_searched, &bounds);
    absence.reasons.extend(elsewhere.matches.iter().map(sentence));
    if !elsewhere.complete {
        absence.reasons.push(
            "ignored files, deleted files and other branches were checked only in part: there are \
             too many"
                .to_owned(),
        );
    }
    absence.elsewhere = Some(elsewhere);
}

/// Describes a sighting as a sentence.
fn sentence(sighting: &UnindexedMatch) -> String {
    let UnindexedMatch { reason, path, line, word } = sighting;
    let place = match line {
        Some(line) => format!("`{path}` line {line}"),
        None => format!("`{path}`"),
    };
    match reason {
        UnindexedReason::Ignored => {
            let about = match lore_syntax::categorize(path, "") {
                Category::Vendored => ", vendored",
                Category::Generated | Category::Minified | Category::Lock => ", generated",
                Category::Data
                | Category::Example
                | Category::Own
                | Category::Template
                | Category::Test
                | Category::Translation => "",
            };
            format!("`{word}` is in the ignored{about} file {place}")
        }
        UnindexedReason::TooLarge => {
            format!("`{word}` is in {place}, which is too large to search")
        }
        UnindexedReason::Binary => format!("`{word}` is in {place}, which is not text"),
        UnindexedReason::Deleted { commit } => {
            let commit: String = commit.chars().take(SHORT_HASH).collect();
            format!("`{word}` was in {place}, which the commit `{commit}` deleted")
        }
        UnindexedReason::Branch { name } => {
            format!("`{word}` is in {place} on the branch `{name}`")
        }
    }
}
