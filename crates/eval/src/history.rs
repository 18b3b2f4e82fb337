//! A private test from a repository's own history: the subject of a commit is a query, the files
//! that it changed are the right results, and the tree is the one before the commit.
//!
//! The trees are written one after another to a directory of the caller; nothing else is written.

mod report;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use lore_engine::{
    EngineError, PastCommit, PastTree, Progress, UnsuitableCommit, is_lock_file, past_commits,
};
use lore_schema::{SkipCounts, SourceName};

pub use self::report::{Bars, write_self_report};
use crate::{Answered, Collection, EvalError, Open, Plan, Query, Run, Target, ask::ask_one};

/// Number of digits of a commit's hash that identify a query.
const SHORT_HASH: usize = 10;

/// The commits of one history that are used as queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelfTest {
    root: PathBuf,
    name: String,
    commits: Vec<PastCommit>,
    unfit: BTreeMap<UnsuitableCommit, usize>,
}

/// The answers to the queries of a repository's history.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SelfAnswers {
    /// The queries, newest first. The right results are the files that were indexed at the time;
    /// the category is the month of the commit.
    pub collection: Collection,
    /// The answers over all searched sources.
    pub run: Run,
    /// For each source, the queries with right results in it, with only those results, and the
    /// answers from that source alone.
    pub sources: BTreeMap<SourceName, (Collection, Run)>,
    /// Number of commits whose files were not indexed at the time.
    pub unsearched: usize,
    /// Paths of the trees that were not written, each once.
    pub skipped: SkipCounts,
}

impl SelfTest {
    /// Selects the newest `most` commits that qualify for the directory `root`. A commit qualifies
    /// with a single parent that is available; a subject of at least three words that does not only
    /// announce a merge, revert, version bump or release; at most ten changed files; and one of
    /// them existing before. Lock files do not count. Reads objects of the repository, and writes
    /// nothing.
    ///
    /// # Errors
    /// Outside git, before the first commit, and if the history cannot be read.
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
            unfit: found.unsuitable,
        })
    }

    /// Keeps the commits that satisfy the predicate.
    pub fn retain(&mut self, keep: impl FnMut(&PastCommit) -> bool) {
        self.commits.retain(keep);
    }

    /// The commits, newest first.
    pub fn commits(&self) -> &[PastCommit] {
        &self.commits
    }

    /// The queries, newest first, without right results: those depend on the trees.
    pub fn questions(&self) -> Collection {
        let query = |commit: &PastCommit| self.query_of(commit, &mut std::iter::empty());
        let queries = self.commits.iter().map(query).collect();
        Collection { name: self.name.clone(), queries, ..Collection::default() }
    }

    /// The query of a commit, with these paths as right results.
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

    /// Number of commits that were skipped until there were enough, by reason.
    pub fn unfit(&self) -> &BTreeMap<UnsuitableCommit, usize> {
        &self.unfit
    }

    /// Runs each query on its own tree, oldest first, so that the index only updates changed files.
    ///
    /// The trees are written to `folder`, which must be empty and keeps the tree of the newest
    /// commit; files above `largest` bytes are skipped. `open` opens the engine for that directory,
    /// once. `plan` has the options of the run; its trees are ignored. The history itself is never
    /// searched, since it contains the answers. `each` is called with every answer over all
    /// sources.
    ///
    /// # Errors
    /// The first error of the history, the directory or the engine.
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
                let paths = || of_files.iter().filter(|file| file.1 == source).map(|file| file.0);
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

/// The part of a commit's hash that identifies its query.
fn short_hash(commit: &PastCommit) -> &str {
    &commit.id[..SHORT_HASH.min(commit.id.len())]
}

/// The sources to search: the requested ones, or all, but never the history itself.
fn asked_sources(wanted: &[SourceName]) -> Vec<SourceName> {
    let all = SourceName::ALL.iter().copied();
    all.filter(|source| *source != SourceName::Git)
        .filter(|source| wanted.is_empty() || wanted.contains(source))
        .collect()
}
