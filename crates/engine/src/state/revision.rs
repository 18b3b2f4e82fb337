//! From what somebody calls an earlier tree to its commit.

use std::path::Path;

use lore_sources::Revision;

use crate::{Clock, EngineError, Period};

/// Most names that are told where nothing is called so.
const NEAREST: usize = 3;

/// Least likeness of a name that is told, from 0 to 1.
const ALIKE: f64 = 0.5;

/// The commit of a name of git; where nothing is called so, of a date.
pub(crate) fn find(root: &Path, name: &str, clock: Clock) -> Result<Revision, EngineError> {
    if let Some(revision) = Revision::named(root, name)? {
        return Ok(revision);
    }
    let failed = |reason: &str, nearest: Vec<String>| EngineError::Revision {
        name: name.to_owned(),
        reason: reason.to_owned(),
        nearest: nearest.into(),
    };
    // A day counts with all of its commits.
    if let Some(period) = Period::parse(name, clock) {
        let found = Revision::before(root, period.end)?;
        return found.ok_or_else(|| failed("the history of HEAD begins later", Vec::new()));
    }
    let nearest = nearest(name, &Revision::ref_names(root));
    Err(failed("no commit, branch, tag or date is called so", nearest))
}

/// The names that are like another one, most alike first.
fn nearest(name: &str, names: &[String]) -> Vec<String> {
    // What is said of a branch (`main~3`) is no part of its name.
    let base = name.split(['~', '^', '@']).next().unwrap_or(name).to_lowercase();
    let mut alike: Vec<(f64, &String)> = names
        .iter()
        .map(|known| (strsim::normalized_levenshtein(&base, &known.to_lowercase()), known))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .collect();
    alike.sort_by(|(left, one), (right, other)| right.total_cmp(left).then_with(|| one.cmp(other)));
    alike.into_iter().take(NEAREST).map(|(_, known)| known.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn names_that_are_nearly_so_are_told() {
        let names = ["main", "maint", "release-1.2", "v1.2"].map(str::to_owned);
        assert_eq!(nearest("mian~3", &names), ["main"]);
        assert_eq!(nearest("Mai", &names), ["main", "maint"]);
        assert_eq!(nearest("relase-1.2", &names), ["release-1.2"]);
        assert_eq!(nearest("zzzz", &names), [""; 0]);
    }
}
