//! Whether a word that nothing holds stands in what is not searched.

use std::{collections::HashSet, time::Duration};

use lore_index::Reader;
use lore_schema::{Category, Filter};
use lore_sources::{Tree, UnindexedBounds, UnindexedMatch, UnindexedReason, search_unindexed};

use crate::{Absence, EngineConfig, EngineError, state::snapshot::Snapshot};

/// Time that an empty answer may take longer: what is worth waiting for where the alternative is to
/// search by hand.
const TIME: Duration = Duration::from_millis(150);

/// Bytes of files, and as many of git's objects.
const BYTES: u64 = 256 << 20;

/// Most commits that are looked at for deleted files: some 100 ms.
const COMMITS: usize = 1_000;

/// Most branches that are compared with HEAD.
const BRANCHES: usize = 50;

/// Digits of a commit's hash that are told.
const SHORT_HASH: usize = 10;

/// Looks for the words in what no index holds, and notes what is there.
pub(super) fn look(
    config: &EngineConfig,
    snapshot: &Snapshot,
    others: &[Box<dyn Reader>],
    strangers: &[&str],
    absence: &mut Absence,
) -> Result<(), EngineError> {
    let everything = Filter::default();
    let mut searched: HashSet<&str> = HashSet::new();
    let readers = snapshot.sources.iter().map(|source| &source.reader).chain(others);
    for reader in readers {
        searched.extend(reader.listing(&everything)?.into_iter().map(|listed| listed.path));
    }
    let is_searched = |path: &str| searched.contains(path);
    look_in(config, &snapshot.tree, &is_searched, strangers, absence);
    Ok(())
}

/// The same, where it is known what is searched.
pub(crate) fn look_in(
    config: &EngineConfig,
    tree: &Tree,
    is_searched: &(dyn Fn(&str) -> bool + Sync),
    strangers: &[&str],
    absence: &mut Absence,
) {
    let bounds = UnindexedBounds {
        time: TIME,
        bytes: BYTES,
        commits: config.commits.unwrap_or(COMMITS).min(COMMITS),
        branches: BRANCHES,
    };
    let elsewhere = search_unindexed(tree, strangers, is_searched, &bounds);
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

/// A sighting in words.
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
                | Category::Test => "",
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
