//! The tree that the page shows, and the threads that answer.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use jiff::Zoned;
use lore_engine::{Clock, Engine};
use lore_server::{
    control::CallControl,
    failure::Failure,
    pages::{SharedAnswers, Threads},
    roots::Trees,
    tree::{Opened, Outcome, Tree},
};

use crate::error::PageError;

/// Time limit of an answer. A longer one continues in its thread.
pub(crate) const MAX_TIME: Duration = Duration::from_secs(10);

/// Time limit while there is no complete index; then the files themselves are searched.
const MAX_INDEX_WAIT: Duration = Duration::from_millis(300);

/// Maximum number of earlier trees that stay open.
const MAX_REVISIONS: usize = 4;

/// The tree that the page shows.
pub(crate) struct Site {
    tree: Shown,
    /// Start of the addresses of its pages: empty, or `/in/NAME`.
    pub(crate) base: String,
    pub(crate) threads: Arc<Threads>,
    /// Answers that equal requests share.
    pub(crate) shared: SharedAnswers<Result<Arc<str>, PageError>>,
    /// Engines of earlier trees by the full hash of their commit, the last used first.
    revisions: Mutex<Vec<(String, Arc<Engine>)>>,
}

/// The tree of the pages.
enum Shown {
    /// That of the start of the server.
    Start(Arc<Trees>),
    /// One of several.
    One(Arc<Tree>),
}

/// An engine for the files on disk or for an earlier tree.
pub(crate) enum View<'o> {
    /// The files on disk.
    Now(&'o Engine),
    /// The tree of a commit.
    Past(Arc<Engine>),
}

impl std::ops::Deref for View<'_> {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        match self {
            View::Now(engine) => engine,
            View::Past(engine) => engine,
        }
    }
}

impl Site {
    pub(crate) fn new(trees: Arc<Trees>) -> Site {
        Site::showing(Shown::Start(trees), String::new(), Arc::default())
    }

    /// The pages of one of several trees, whose pages share `threads`.
    pub(crate) fn of(tree: Arc<Tree>, base: String, threads: Arc<Threads>) -> Site {
        Site::showing(Shown::One(tree), base, threads)
    }

    fn showing(tree: Shown, base: String, threads: Arc<Threads>) -> Site {
        let (shared, revisions) = (SharedAnswers::default(), Mutex::default());
        Site { tree, base, threads, shared, revisions }
    }

    /// The tree that the server was started for.
    pub(crate) fn tree(&self) -> Result<Arc<Tree>, PageError> {
        let tree = match &self.tree {
            Shown::Start(trees) => trees.of_start()?.into_iter().next(),
            Shown::One(tree) => Some(Arc::clone(tree)),
        };
        tree.ok_or_else(|| PageError::missing("the tree of this server does not exist any more"))
    }

    /// Returns true if the tree is a repository in a cluster, of which there is no clone.
    pub(crate) fn is_stored(&self) -> Result<bool, PageError> {
        self.read(|opened| Ok(opened.engine.is_stored()))
    }

    /// Runs a query on the tree as it is now, once its index is complete.
    ///
    /// # Errors
    /// [`PageError::indexing`] while it is not, and when the query takes too long.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Opened) -> Result<T, PageError> + Send + 'static,
    ) -> Result<T, PageError> {
        let tree = self.tree()?;
        let is_ready = tree.progress().is_some_and(|(is_ready, _)| is_ready);
        let limit = if is_ready { MAX_TIME } else { MAX_INDEX_WAIT };
        let control = CallControl::new(|| false, None).with_limit(limit);
        // The error of the query is part of the answer, so that its status is kept.
        match tree.run(&control, |opened| Ok::<_, Failure>(query(opened)))? {
            Outcome::Answered(answer) => answer,
            Outcome::NotReady(progress) if progress.is_behind => Err(PageError::slow()),
            Outcome::NotReady(progress) => Err(PageError::indexing(progress)),
        }
    }

    /// Runs a query that needs no index, so that it is answered also while the first one is built.
    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Opened) -> Result<T, PageError>,
    ) -> Result<T, PageError> {
        let opened = self.tree()?.open()?;
        Tree::start_indexing(&opened);
        query(&opened)
    }

    /// Opens the tree of a revision; without one, that of the files on disk.
    pub(crate) fn view<'o>(
        &self,
        opened: &'o Opened,
        revision: Option<&str>,
    ) -> Result<View<'o>, PageError> {
        let Some(name) = revision else { return Ok(View::Now(&opened.engine)) };
        let engine = opened.engine.at(name, clock())?;
        let Some(hash) = engine.commit() else { return Ok(View::Past(Arc::new(engine))) };
        let mut open = self.revisions.lock().unwrap_or_else(PoisonError::into_inner);
        let at = open.iter().position(|(known, _)| *known == hash);
        let engine = match at {
            Some(at) => open.remove(at).1,
            None => Arc::new(engine),
        };
        open.insert(0, (hash, Arc::clone(&engine)));
        open.truncate(MAX_REVISIONS);
        Ok(View::Past(engine))
    }
}

/// The current time, for dates in words.
pub(crate) fn clock() -> Clock {
    lore_console::dates::clock(&Zoned::now())
}
