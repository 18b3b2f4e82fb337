//! The trees of an answer over several whose indexes are ready.

use std::{panic::resume_unwind, sync::Arc, time::Duration};

use lore_engine::WorkspacePaths;

use super::{
    Call,
    search::{ask_again, no_index},
};
use crate::{
    control::CallControl,
    failure::Failure,
    requests::{self, within},
    tree::{Opened, Outcome, Tree},
};

/// Trees that can be queried, at least one.
pub(super) struct Ready {
    /// Their names in the answer, in the same order.
    pub(super) paths: WorkspacePaths,
    /// The trees.
    pub(super) opened: Vec<(Arc<Tree>, Arc<Opened>)>,
    /// The skipped trees, with the reasons.
    pub(super) warnings: Vec<String>,
}

impl Ready {
    /// Waits for the indexes of the trees of a call, at most `limit` in all. Fails if none is ready.
    pub(super) fn wait(
        call: &Call<'_>,
        trees: &[Arc<Tree>],
        limit: Duration,
    ) -> Result<Ready, Failure> {
        let paths = call.all.paths_of(trees);
        Ready::of(trees, paths, call.skipped.to_vec(), &call.control.with_limit(limit))
    }

    /// Waits for the indexes of trees with these places.
    pub(super) fn of(
        trees: &[Arc<Tree>],
        mut paths: WorkspacePaths,
        warnings: Vec<String>,
        control: &CallControl,
    ) -> Result<Ready, Failure> {
        let prefixes = std::mem::take(&mut paths.prefixes);
        let mut ready = Ready { paths, opened: Vec::new(), warnings };
        let mut failure = None;
        // At once, because opening a repository of a cluster waits for that.
        let opened: Vec<Result<Arc<Opened>, Failure>> = std::thread::scope(|scope| {
            let opening: Vec<_> = trees
                .iter()
                .map(|tree| {
                    let request = requests::current();
                    scope.spawn(|| within(request, || tree.open()))
                })
                .collect();
            let joined = opening.into_iter().map(std::thread::ScopedJoinHandle::join);
            joined.map(|opened| opened.unwrap_or_else(|panic| resume_unwind(panic))).collect()
        });
        // All indexes are built at once, and not one after the other in the loop that waits for them.
        opened.iter().flatten().for_each(Tree::start_indexing);
        for ((tree, prefix), opened) in trees.iter().zip(prefixes).zip(opened) {
            let waited = opened.and_then(|opened| {
                let outcome = Tree::wait_until_ready(&opened, control)?;
                Ok((opened, outcome))
            });
            match waited {
                Ok((opened, Outcome::Answered(()))) => {
                    ready.opened.push((Arc::clone(tree), opened));
                    ready.paths.prefixes.push(prefix);
                }
                Ok((_, Outcome::NotReady(progress))) => {
                    let (name, state) = (&tree.name, progress.describe());
                    ready.warnings.push(format!("`{name}` is not searched yet: {state}"));
                    ready.warnings.extend(ask_again(progress));
                    failure.get_or_insert_with(|| no_index(progress));
                }
                Err(error) => {
                    let reason = error.message();
                    ready.warnings.push(format!("`{}` is not searched: {reason}", tree.name));
                    failure.get_or_insert(error);
                }
            }
        }
        if ready.opened.is_empty() {
            return Err(failure.unwrap_or_else(|| Failure::new("there is no tree to read")));
        }
        Ok(ready)
    }
}
