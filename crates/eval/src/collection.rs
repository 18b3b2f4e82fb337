//! A collection: queries, their trees, and their right results.

mod labels;
mod questions;
mod trec;

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use lore_schema::SourceName;

use crate::{EvalError, Ranked, Span, Target};

/// One labelled query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// Identifier, unique in its collection.
    pub id: String,
    /// The repository to search.
    pub repository: String,
    /// Language of the repository; empty if unknown.
    pub language: String,
    /// Category of the question; empty if unknown.
    pub category: String,
    /// Text of the query.
    pub text: String,
    /// The right results, all of equal weight. Empty if nothing should be found, or if the
    /// collection does not list them.
    pub targets: Vec<Target>,
    /// True for a natural question, which is judged by documents (the targets) and by lines (the
    /// spans).
    pub is_natural: bool,
    /// The places that answer a natural question.
    pub spans: Vec<Span>,
    /// Paths that are removed from an answer before it is judged.
    pub excluded: Vec<String>,
    /// The path that must come first, if the collection requires one.
    pub first: Option<String>,
}

impl Query {
    /// Returns true if a result counts when an answer is judged.
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
    /// The corpus, if the collection contains it.
    pub corpus: Option<PathBuf>,
    /// For a repository with only one indexed directory: that directory, relative to the root.
    /// Labels are still relative to the root.
    pub roots: BTreeMap<String, String>,
    /// Sources to search; empty for all.
    pub sources: Vec<SourceName>,
    /// Number of skipped rows that are not plain searches.
    pub unsupported: usize,
}

impl Collection {
    /// Reads a collection: a directory with `collection.toml`, `queries.jsonl` and `qrels.txt`; a
    /// directory with a labelled `queries.jsonl` and an optional `repositories.json`; a directory of
    /// labelled JSONL files; or a labelled JSONL file.
    pub fn load(path: &Path) -> Result<Collection, EvalError> {
        if path.is_file() {
            return labels::load(&[path.to_owned()], stem(path));
        }
        if path.join("collection.toml").is_file() {
            return trec::load(path, stem(path));
        }
        let queries = path.join("queries.jsonl");
        if queries.is_file() {
            return labels::load(&[queries], stem(path));
        }
        // A path that does not exist has its own message.
        let files = jsonl_files(path)
            .map_err(|source| EvalError::Read { path: path.to_owned(), source })?;
        let collection = labels::load(&files, stem(path))?;
        if collection.queries.is_empty() {
            return Err(EvalError::NotACollection { path: path.to_owned() });
        }
        Ok(collection)
    }

    /// Returns true if all queries are natural questions.
    pub fn is_natural(&self) -> bool {
        !self.queries.is_empty() && self.queries.iter().all(|query| query.is_natural)
    }

    /// Keeps the queries that satisfy the predicate.
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

/// The JSONL files in a directory, sorted by name.
fn jsonl_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort_unstable();
    Ok(files)
}

/// The name of a file or directory without its extension.
fn stem(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// Reads a text file.
pub(crate) fn read(path: &Path) -> Result<String, EvalError> {
    fs::read_to_string(path).map_err(|source| EvalError::Read { path: path.to_owned(), source })
}

/// Parses each line that is not blank; `parse` also gets the 0-based row number.
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
