//! The objects that a history starts from: HEAD, branches, remote branches and tags.

use gix::{ObjectId, Repository};

/// Prefixes of the references whose commits are read. Others, such as the stash and the notes of
/// tools, are no history.
const PREFIXES: [&str; 3] = ["refs/heads/", "refs/remotes/", "refs/tags/"];

/// Returns the objects that HEAD, branches, remote branches and tags point at, sorted, each once.
/// Tags may be objects of their own: [`commits_of`] looks behind them. Empty before the first
/// commit.
///
/// # Errors
/// When HEAD or the list of references cannot be read. A single damaged reference is omitted.
pub(super) fn read_tips(repository: &Repository) -> gix::Result<Vec<ObjectId>> {
    let head = repository.head()?.try_into_peeled_id()?.map(gix::Id::detach);
    let mut tips: Vec<ObjectId> = head.into_iter().collect();
    let references = repository.references()?;
    for prefix in PREFIXES {
        // A packed tag is listed with its commit. Reading the objects of all others would take
        // longer than a search.
        let listed = references.prefixed(prefix)?.filter_map(Result::ok);
        tips.extend(listed.filter_map(|reference| {
            reference
                .inner
                .peeled
                .or_else(|| reference.inner.target.try_id().map(ToOwned::to_owned))
        }));
    }
    tips.sort_unstable();
    tips.dedup();
    Ok(tips)
}

/// Returns the commits that these objects are or name, in their order. Objects that are missing, and
/// tags of files and trees, are omitted.
pub(super) fn commits_of(repository: &Repository, tips: &[ObjectId]) -> Vec<ObjectId> {
    let commit = |tip: &ObjectId| {
        let object = repository.find_object(*tip).ok()?;
        object.peel_to_commit().ok().map(|commit| commit.id)
    };
    tips.iter().filter_map(commit).collect()
}
