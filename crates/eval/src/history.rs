//! A private test that a repository's own history makes: the subject of a commit is a query, the files
//! that it changed are what is right, and the tree is the one that it found.
//!
//! The trees are laid out one after another in a folder of the caller's; nothing else is written.

mod report;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use lore_engine::{EngineError, PastCommit, PastTree, Progress, Unfit, is_lock_file, past_commits};
use lore_schema::{SkipCounts, SourceName};

pub use self::report::{Bars, write_self_report};
use crate::{Answered, Collection, EvalError, Open, Plan, Query, Run, Target, ask::ask_one};

/// Digits of a commit's hash that name a query.
const SHORT_HASH: usize = 10;

/// The commits of one history that ask questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelfTest {
    root: PathBuf,
    name: String,
    commits: Vec<PastCommit>,
    unfit: BTreeMap<Unfit, usize>,
}

/// What was answered to a repository's own history.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SelfAnswers {
    /// The queries that were asked, newest first. What is right are the files that were searched at
    /// the time; the category is the month of the commit.
    pub collection: Collection,
    /// The answers, over all sources that were asked.
    pub run: Run,
    /// The queries of which files of a source are right, with only those, and the answers of that
    /// source asked alone; in the order of the names.
    pub sources: BTreeMap<SourceName, (Collection, Run)>,
    /// Commits of which no file was searched at the time.
    pub unsearched: usize,
    /// What the trees hold that was not laid out: each path once.
    pub skipped: SkipCounts,
}

impl SelfTest {
    /// Chooses the newest `most` commits that ask something about the folder `root`: with one parent
    /// that is there, a subject of at least three words that does not only say that something is
    /// merged, undone, bumped or released, at most ten changed files, and one of them that was there
    /// before. Lock files do not count. Reads objects of the repository, and writes nothing.
    ///
    /// # Errors
    /// Outside git, before the first commit, and where the history cannot be read.
    pub fn of_history(root: &Path, most: usize) -> Result<SelfTest, EvalError> {
        let found = past_commits(root, most, &|path| !is_lock_file(path))?;
        let name = root
            .canonicalize()
            .ok()
            .and_then(|root| root.file_name().map(|name| name.to_string_lossy().into_owned()));
        Ok(SelfTest {
            root: root.to_owned(),
            name: name.unwrap_or_default(),
            commits: found.commits,
            unfit: found.unfit,
        })
    }

    /// Keeps the commits of which the predicate is true.
    pub fn retain(&mut self, keep: impl FnMut(&PastCommit) -> bool) {
        self.commits.retain(keep);
    }

    /// The commits, newest first.
    pub fn commits(&self) -> &[PastCommit] {
        &self.commits
    }

    /// The queries, newest first, without what is right: the trees tell that when they are asked.
    pub fn questions(&self) -> Collection {
        let query = |commit: &PastCommit| self.query_of(commit, &mut std::iter::empty());
        let queries = self.commits.iter().map(query).collect();
        Collection { name: self.name.clone(), queries, ..Collection::default() }
    }

    /// The query that a commit asks, of which these paths are right.
    fn query_of(&self, commit: &PastCommit, paths: &mut dyn Iterator<Item = &String>) -> Query {
        Query {
            id: short_hash(commit).to_owned(),
            repository: self.name.clone(),
            category: commit.month.clone(),
            text: commit.subject.clone(),
            targets: paths.map(|path| Target { name: path.clone(), lines: None }).collect(),
            ..Query::default()
        }
    }

    /// How many commits were passed over until there were enough, and why.
    pub fn unfit(&self) -> &BTreeMap<Unfit, usize> {
        &self.unfit
    }

    /// Asks each query at its own tree, oldest first, so that the index only takes in what changed.
    ///
    /// The trees are laid out in `folder`, which must be empty and stays as the newest commit found
    /// it; files above `largest` bytes are left out. `open` makes the engine for that folder, once.
    /// `plan` says how it is asked; its trees say nothing here. History itself is never searched,
    /// since it holds the answers. `each` sees every answer over all sources as it comes.
    ///
    /// # Errors
    /// The first error of the history, the folder or the engine.
    pub fn ask(
        &self,
        folder: &Path,
        largest: u64,
        plan: &Plan,
        open: Open<'_>,
        progress: &dyn Progress,
        each: &mut dyn FnMut(&Answered<'_>) -> Result<(), EvalError>,
    ) -> Result<SelfAnswers, EvalError> {
        let mut answers = SelfAnswers::default();
        if self.commits.is_empty() {
            return Ok(answers);
        }
        let wanted = asked_sources(&plan.sources);
        let mut tree = PastTree::open(&self.root, folder, largest)?;
        let mut engine = None;
        for (done, commit) in self.commits.iter().rev().enumerate() {
            tree.show(&commit.parent)?;
            let engine = match &mut engine {
                Some(engine) => engine,
                none => none.insert(
                    open(folder)
                        .map_err(|source| EvalError::Open { path: folder.to_owned(), source })?,
                ),
            };
            let id = short_hash(commit);
            let failed = |source| EvalError::PastTree { commit: id.to_owned(), source };
            let mut of_files = engine.sources_of(&commit.files, progress).map_err(failed)?;
            of_files.retain(|_, source| wanted.contains(source));
            if of_files.is_empty() {
                answers.unsearched += 1;
                continue;
            }
            let failed = |source: EngineError| EvalError::Engine {
                repository: self.name.clone(),
                query: id.to_owned(),
                source,
            };
            let query = self.query_of(commit, &mut of_files.keys());
            let (answer, response) =
                ask_one(engine, &query, plan, &wanted, "", progress).map_err(failed)?;
            each(&Answered {
                query: &query,
                answer: &answer,
                response: response.as_ref(),
                weights: &engine.signal_weights(),
                done: done + 1,
                known: self.commits.len(),
            })?;
            for source in SourceName::ALL {
                let paths = || of_files.iter().filter(|one| one.1 == source).map(|one| one.0);
                if paths().next().is_none() {
                    continue;
                }
                let query = self.query_of(commit, &mut paths());
                let answer = if wanted == [*source] {
                    answer.clone()
                } else {
                    let plan = Plan { explain: false, look_below: false, ..plan.clone() };
                    ask_one(engine, &query, &plan, &[*source], "", progress).map_err(failed)?.0
                };
                let of_source = answers.sources.entry(*source).or_default();
                of_source.0.queries.push(query);
                of_source.1.insert(answer);
            }
            answers.collection.queries.push(query);
            answers.run.insert(answer);
        }
        answers.collection.name.clone_from(&self.name);
        answers.collection.queries.reverse();
        answers.skipped = tree.skipped();
        Ok(answers)
    }
}

/// The part of a commit's hash that names its query.
fn short_hash(commit: &PastCommit) -> &str {
    &commit.id[..SHORT_HASH.min(commit.id.len())]
}

/// The sources that are asked: those that are wanted, or all, but never the history itself.
fn asked_sources(wanted: &[SourceName]) -> Vec<SourceName> {
    let all = SourceName::ALL.iter().copied();
    all.filter(|source| *source != SourceName::Git)
        .filter(|source| wanted.is_empty() || wanted.contains(source))
        .collect()
}
