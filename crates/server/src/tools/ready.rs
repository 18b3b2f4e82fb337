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
    tree::{IndexProgress, Opened, Outcome, Tree},
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
        let mut waiting: Vec<(&str, IndexProgress)> = Vec::new();
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
                    waiting.push((&tree.name, progress));
                    failure.get_or_insert_with(|| no_index(progress));
                }
                Err(error) => {
                    let reason = error.message();
                    ready.warnings.push(format!("`{}` is not searched: {reason}", tree.name));
                    failure.get_or_insert(error);
                }
            }
        }
        ready.warnings.extend(not_ready(&waiting, trees.len()));
        if ready.opened.is_empty() {
            return Err(failure.unwrap_or_else(|| Failure::new("there is no tree to read")));
        }
        Ok(ready)
    }
}

/// Maximum number of trees of which each has a line of its own, and of names in a common line.
const MAX_NAMED: usize = 3;

/// The trees of `all` whose indexes are not ready, and the time until all of them are.
fn not_ready(waiting: &[(&str, IndexProgress)], all: usize) -> Vec<String> {
    let mut lines: Vec<String> = if waiting.len() <= MAX_NAMED {
        let one = |(name, progress): &(&str, IndexProgress)| {
            format!("`{name}` is not searched yet: {}", progress.describe())
        };
        waiting.iter().map(one).collect()
    } else {
        let names = waiting.iter().take(MAX_NAMED).map(|(name, _)| format!("`{name}`"));
        let names = names.collect::<Vec<_>>().join(", ");
        let (count, others) = (waiting.len(), waiting.len() - MAX_NAMED);
        vec![format!(
            "{count} of {all} repositories are not searched yet: {names} and {others} more"
        )]
    };
    // No time is known before that of each is.
    if waiting.iter().all(|(_, progress)| progress.seconds_left.is_some()) {
        let last = waiting.iter().map(|(_, progress)| *progress);
        lines.extend(last.max_by_key(|progress| progress.seconds_left).and_then(ask_again));
    }
    lines
}

#[cfg(test)]
mod tests {
    use crate::tree::IndexProgress;

    use super::not_ready;

    fn waiting<'a>(names: &[&'a str]) -> Vec<(&'a str, IndexProgress)> {
        let seconds = |at: usize| Some(3 * (at as u64 % 4));
        let progress = |at| IndexProgress { seconds_left: seconds(at), ..IndexProgress::default() };
        names.iter().enumerate().map(|(at, name)| (*name, progress(at))).collect()
    }

    #[test]
    fn many_repositories_that_are_not_ready_take_one_line() {
        assert_eq!(not_ready(&[], 2), Vec::<String>::new());
        let few = not_ready(&waiting(&["a", "b"]), 2);
        assert_eq!(few.len(), 3);
        assert!(few[0].starts_with("`a` is not searched yet: "), "{few:?}");
        let unknown = [("a", IndexProgress::default()), waiting(&["a", "b"])[1]];
        assert_eq!(not_ready(&unknown, 2).len(), 2);
        assert_eq!(
            not_ready(&waiting(&["a", "b", "c", "d", "e"]), 6),
            [
                "5 of 6 repositories are not searched yet: `a`, `b`, `c` and 2 more",
                "ask again in about 9 s for the complete answer"
            ]
        );
    }
}
