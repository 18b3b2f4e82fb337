//! Number of files in which the trees of commits differ, to choose the closest index as the start
//! of a new one.

use std::path::Path;

use gix::ObjectId;

use super::{files::Differences, repository::RepositoryFolder};

/// Returns in how many files the trees of other commits differ from that of `commit`. Commits are
/// full hashes. `None` for a commit that does not exist or cannot be read completely.
pub fn tree_distances(root: &Path, commit: &str, others: &[Option<&str>]) -> Vec<Option<u64>> {
    let unknown = vec![None; others.len()];
    let Ok(folder) = RepositoryFolder::find(root) else { return unknown };
    let tree = |commit: &str| folder.tree(ObjectId::from_hex(commit.as_bytes()).ok()?);
    let Some(own) = tree(commit) else { return unknown };
    let mut differences = Differences::default();
    others
        .iter()
        .map(|other| {
            let other = tree((*other)?)?;
            let mut count = 0;
            if other != own {
                let counted =
                    differences.of(&folder.repository, Some(other), own, |_, _| count += 1);
                counted.ok()?;
            }
            Some(count)
        })
        .collect()
}
