//! How far trees lie apart: from which index a new one best starts.

use std::path::Path;

use gix::ObjectId;

use super::{files::Differences, repository::RepositoryFolder};

/// In how many files the trees of other commits differ from that of one commit, all of them named by
/// their full hashes; `None` where there is no such commit, or not all of it can be read.
pub fn tree_distances(root: &Path, commit: &str, others: &[Option<&str>]) -> Vec<Option<u64>> {
    let unknown = vec![None; others.len()];
    let Ok(place) = RepositoryFolder::find(root) else { return unknown };
    let tree = |commit: &str| place.tree(ObjectId::from_hex(commit.as_bytes()).ok()?);
    let Some(own) = tree(commit) else { return unknown };
    let mut differences = Differences::default();
    others
        .iter()
        .map(|other| {
            let other = tree((*other)?)?;
            let mut count = 0;
            if other != own {
                let counted =
                    differences.of(&place.repository, Some(other), own, |_, _| count += 1);
                counted.ok()?;
            }
            Some(count)
        })
        .collect()
}
