//! The repositories of a cluster as trees: opened when a question needs them, and closed when too many are
//! open.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use lore_session::stored::{MAX_SELECTED, StoredRepositories};
use lore_settings::workspace::chosen_names;

use crate::{failure::Failure, tree::Tree};

/// Time for which the list of repositories is kept.
const LIST_TIME: Duration = Duration::from_secs(5);

/// Maximum number of open repositories. Each keeps what it has read, some hundred megabytes at most.
const MAX_OPEN: usize = 32;

/// The repositories of a cluster.
#[derive(Debug)]
pub(crate) struct StoredTrees {
    repositories: Arc<StoredRepositories>,
    /// Globs that choose some of them.
    globs: Vec<String>,
    listed: Mutex<Listed>,
}

#[derive(Debug, Default)]
struct Listed {
    trees: BTreeMap<String, Arc<Tree>>,
    /// Time of the last request for the list, and its error.
    last: Option<(Instant, Result<(), Failure>)>,
}

impl Listed {
    /// The outcome of the last request, if it is a few seconds old at most.
    fn recent(&self) -> Option<Result<BTreeMap<String, Arc<Tree>>, Failure>> {
        let (_, outcome) = self.last.as_ref().filter(|(at, _)| at.elapsed() < LIST_TIME)?;
        Some(outcome.clone().map(|()| self.trees.clone()))
    }
}

impl StoredTrees {
    pub(crate) fn new(repositories: StoredRepositories, globs: Vec<String>) -> StoredTrees {
        let repositories = Arc::new(repositories);
        StoredTrees { repositories, globs, listed: Mutex::default() }
    }

    /// The trees by the names of their repositories, as they were in the cluster a few seconds ago. May wait
    /// for the cluster.
    ///
    /// # Errors
    /// When the cluster does not answer, or has no such repository.
    pub(crate) fn trees(&self) -> Result<BTreeMap<String, Arc<Tree>>, Failure> {
        // A block, so that no caller waits for the lock during the request.
        let recent = { self.listed().recent() };
        let trees = match recent {
            Some(trees) => trees?,
            None => self.list()?,
        };
        close_unused(&trees);
        Ok(trees)
    }

    /// Asks the cluster for its repositories. Closes those that it no longer has.
    fn list(&self) -> Result<BTreeMap<String, Arc<Tree>>, Failure> {
        let asked = Instant::now();
        let names = self.repositories.names(&[]).map_err(Failure::from);
        let mut listed = self.listed();
        // Another caller asked later, and has its list already.
        if listed.last.as_ref().is_some_and(|(at, _)| asked < *at)
            && let Some(recent) = listed.recent()
        {
            return recent;
        }
        listed.last = Some((Instant::now(), names.as_ref().map(drop).map_err(Clone::clone)));
        // The error would name all repositories, which not every user may read.
        let names = chosen_names(names?, &self.globs).map_err(|_| {
            listed.last = None;
            Failure::new("the cluster has no repository that this server shows")
        })?;
        let trees = names.into_iter().filter_map(|name| {
            let known = listed.trees.get(&name).cloned();
            let tree = known.or_else(|| Tree::stored(&name, &self.repositories).map(Arc::new));
            Some((name, tree?))
        });
        let trees: BTreeMap<String, Arc<Tree>> = trees.collect();
        let before = std::mem::replace(&mut listed.trees, trees.clone());
        drop(listed);
        let gone = before.iter().filter(|(name, _)| !trees.contains_key(*name));
        gone.for_each(|(_, tree)| tree.close());
        Ok(trees)
    }

    /// The reason why the cluster gave no list when it was asked last, a few seconds ago. Does not ask it.
    pub(crate) fn failure(&self) -> Option<Failure> {
        self.listed().recent()?.err()
    }

    /// The trees that are open, without looking at the cluster.
    pub(crate) fn open(&self) -> Vec<(String, Arc<Tree>)> {
        let listed = self.listed();
        let open = listed.trees.iter().filter(|(_, tree)| tree.last_use().is_some());
        open.map(|(name, tree)| (name.clone(), Arc::clone(tree))).collect()
    }

    fn listed(&self) -> MutexGuard<'_, Listed> {
        self.listed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Selects the trees that a question is about. Also returns a warning if others are not searched.
    ///
    /// # Errors
    /// When the cluster does not answer.
    pub(crate) fn select(
        &self,
        question: &str,
        trees: &[Arc<Tree>],
    ) -> Result<(Vec<Arc<Tree>>, Option<String>), Failure> {
        if trees.len() <= MAX_SELECTED {
            return Ok((trees.to_vec(), None));
        }
        let names: Vec<String> = trees.iter().map(|tree| tree.name.clone()).collect();
        let (selected, warning) = self.repositories.select(question, &names)?;
        let found = selected.iter().filter_map(|name| trees.iter().find(|it| it.name == *name));
        let found: Vec<Arc<Tree>> = found.cloned().collect();
        // That of a terminal names its flag.
        let warning = warning.map(|_| {
            format!(
                "{} of {} repositories are searched: those that contain most of the words; name another \
                 one as `root`",
                found.len(),
                trees.len()
            )
        });
        Ok((found, warning))
    }
}

/// Closes the repositories that were used least recently, beyond the maximum. Calls that use one of them still
/// get their answers.
fn close_unused(trees: &BTreeMap<String, Arc<Tree>>) {
    let mut open: Vec<(Instant, &Arc<Tree>)> =
        trees.values().filter_map(|tree| Some((tree.last_use()?, tree))).collect();
    if MAX_OPEN < open.len() {
        open.sort_unstable_by_key(|(used, _)| *used);
        let surplus = open.len() - MAX_OPEN;
        open.iter().take(surplus).for_each(|(_, tree)| tree.close());
    }
}
