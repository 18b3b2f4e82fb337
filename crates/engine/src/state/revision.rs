//! Resolves the name of a revision, as typed, to a commit.

use std::path::Path;

use lore_sources::Revision;

use crate::{Clock, EngineError, Period};

/// Maximum number of similar names that are suggested for an unknown one.
const MAX_SUGGESTIONS: usize = 3;

/// Minimum similarity of a suggested name, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.5;

/// Resolves a git name or, if there is none, a date to a commit.
pub(crate) fn find(root: &Path, name: &str, clock: Clock) -> Result<Revision, EngineError> {
    if let Some(revision) = Revision::named(root, name)? {
        return Ok(revision);
    }
    let failed = |reason: &str, nearest: Vec<String>| EngineError::Revision {
        name: name.to_owned(),
        reason: reason.to_owned(),
        nearest: nearest.into(),
    };
    // A day includes all of its commits.
    if let Some(period) = Period::parse(name, clock) {
        let found = Revision::before(root, period.end)?;
        return found.ok_or_else(|| failed("the history of HEAD starts later", Vec::new()));
    }
    let nearest = nearest(name, &Revision::ref_names(root));
    Err(failed("there is no commit, branch or tag of this name, and it is not a date", nearest))
}

/// The most similar names, best first.
fn nearest(name: &str, names: &[String]) -> Vec<String> {
    // A suffix such as `~3` in `main~3` is not part of the name.
    let base = name.split(['~', '^', '@']).next().unwrap_or(name).to_lowercase();
    let mut similar: Vec<(f64, &String)> = names
        .iter()
        .map(|known| (strsim::normalized_levenshtein(&base, &known.to_lowercase()), known))
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .collect();
    similar.sort_by(|(left, name), (right, other)| {
        right.total_cmp(left).then_with(|| name.cmp(other))
    });
    similar.into_iter().take(MAX_SUGGESTIONS).map(|(_, known)| known.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn similar_names_are_suggested() {
        let names = ["main", "maint", "release-1.2", "v1.2"].map(str::to_owned);
        assert_eq!(nearest("mian~3", &names), ["main"]);
        assert_eq!(nearest("Mai", &names), ["main", "maint"]);
        assert_eq!(nearest("relase-1.2", &names), ["release-1.2"]);
        assert_eq!(nearest("zzzz", &names), [""; 0]);
    }
}
