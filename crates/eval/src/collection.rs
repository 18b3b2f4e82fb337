//! A collection: which queries are asked, of which tree, and what is right.

mod labels;
mod trec;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use lore_schema::SourceName;

use crate::{EvalError, Ranked, Target};

/// One labelled query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// Unique in its collection.
    pub id: String,
    /// The repository that it is asked of.
    pub repository: String,
    /// Language of the repository; empty if unknown.
    pub language: String,
    /// What kind of question it is; empty if unknown.
    pub category: String,
    /// What is asked.
    pub text: String,
    /// What is right, all of equal weight. Empty where nothing should be found, or where the
    /// collection does not say.
    pub targets: Vec<Target>,
    /// Paths that are taken out of an answer before it is judged.
    pub excluded: Vec<String>,
    /// The path that must come first, where the collection says so.
    pub first: Option<String>,
}

impl Query {
    /// Whether a result counts when an answer is judged.
    pub(crate) fn admits(&self, ranked: &Ranked) -> bool {
        !self.excluded.contains(&ranked.path)
    }
}

/// A corpus with queries and qrels.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Collection {
    /// Name for people.
    pub name: String,
    /// The queries, in the order of the file.
    pub queries: Vec<Query>,
    /// The corpus, where the collection brings it along.
    pub corpus: Option<PathBuf>,
    /// For a repository of which only one folder is indexed: that folder, relative to the root.
    /// Labels are relative to the root all the same.
    pub roots: BTreeMap<String, String>,
    /// Sources that are searched; empty for all.
    pub sources: Vec<SourceName>,
    /// Rows of the file that ask for something else than a search, and are left out.
    pub unsupported: usize,
}

impl Collection {
    /// Reads a collection: a folder with `collection.toml`, `queries.jsonl` and `qrels.txt`; a
    /// folder with a labelled `queries.jsonl` and perhaps `repositories.json`; or a labelled JSONL
    /// file.
    pub fn load(path: &Path) -> Result<Collection, EvalError> {
        if path.is_file() {
            return labels::load(path, stem(path));
        }
        if path.join("collection.toml").is_file() {
            return trec::load(path, stem(path));
        }
        let queries = path.join("queries.jsonl");
        if queries.is_file() {
            return labels::load(&queries, stem(path));
        }
        // A path that does not exist has its own message.
        fs::metadata(path).map_err(|source| EvalError::Read { path: path.to_owned(), source })?;
        Err(EvalError::NotACollection { path: path.to_owned() })
    }

    /// Keeps the queries of which the predicate is true.
    pub fn retain(&mut self, keep: impl FnMut(&Query) -> bool) {
        self.queries.retain(keep);
    }

    /// Names of the repositories, sorted.
    pub fn repositories(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.queries.iter().map(|query| query.repository.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// The name of a file or folder without its extension.
fn stem(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// Reads a text file.
pub(crate) fn read(path: &Path) -> Result<String, EvalError> {
    fs::read_to_string(path).map_err(|source| EvalError::Read { path: path.to_owned(), source })
}

/// Parses each line that is not blank; `parse` also gets the 0-based number of the row.
pub(crate) fn parse_lines<T>(
    path: &Path,
    mut parse: impl FnMut(usize, &str) -> Result<T, String>,
) -> Result<Vec<T>, EvalError> {
    let text = read(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .enumerate()
        .map(|(row, (line, text))| {
            parse(row, text).map_err(|reason| EvalError::Malformed {
                path: path.to_owned(),
                line: line + 1,
                reason,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests;
