//! Documents that are older than the code that they name.

use std::collections::BTreeSet;

use lore_index::IndexError;
use lore_schema::{Category, SourceName};
use lore_syntax::Language;

use crate::{
    Hit,
    graph::CodeGraph,
    state::{file_commits::FileCommits, snapshot::Snapshot},
};

/// Attribute of a hit with the line about the age of a document.
const OLDER: &str = "older_than_code";

/// Maximum number of hits that are looked at, and of files that one names.
const MAX_HITS: usize = 3;
const MAX_FILES: usize = 3;

/// Minimum number of commits: a few do not make a document doubtful.
const MIN_COMMITS: usize = 3;

/// Adds a line to the best documents and specs whose code was changed by several commits since they were.
pub(crate) fn add_age(hits: &mut [Hit], snapshot: &Snapshot) -> Result<(), IndexError> {
    let graph = snapshot.graph();
    let mut commits = None;
    let documents = hits
        .iter_mut()
        .filter(|hit| matches!(hit.source, SourceName::Docs | SourceName::Specs))
        .take(MAX_HITS);
    for hit in documents {
        let Some(path) = hit.path.clone() else { continue };
        let files = named_files(hit, snapshot, &graph)?;
        if files.is_empty() {
            continue;
        }
        if commits.is_none() {
            commits = FileCommits::of(snapshot);
        }
        let Some(commits) = &mut commits else { return Ok(()) };
        let Some((_, written)) = commits.dated(&path)?.into_iter().next() else { continue };
        let mut newer = BTreeSet::new();
        for file in &files {
            let of_file = commits.dated(file)?;
            newer.extend(of_file.into_iter().filter(|(_, date)| written < *date).map(|(id, _)| id));
        }
        if MIN_COMMITS <= newer.len() {
            let line = format!("by {} commits: {}", newer.len(), files.join(", "));
            hit.extra.push((OLDER.to_owned(), line));
        }
    }
    Ok(())
}

/// The source files that a hit names: by path, or by a name in code marks that is defined only there.
fn named_files(
    hit: &Hit,
    snapshot: &Snapshot,
    graph: &CodeGraph<'_>,
) -> Result<Vec<String>, IndexError> {
    let mut files: Vec<String> = Vec::new();
    let marked = hit.snippet.text.split('`').skip(1).step_by(2);
    let claimed = hit.extra.iter().map(|(_, value)| value.as_str());
    for word in claimed.chain(marked) {
        let word = word.split(['#', '(']).next().unwrap_or(word).trim();
        let is_name = 3 < word.len()
            && word.chars().all(|letter| letter.is_alphanumeric() || ":._".contains(letter));
        let found = if word.contains('/') && snapshot.tree.entry(word).is_some() {
            Some(word.to_owned())
        } else if is_name {
            let name = word.rsplit([':', '.']).next().unwrap_or(word);
            let definitions = graph.definitions(name)?;
            let mut paths: Vec<&str> =
                definitions.iter().map(|definition| definition.file.path.as_str()).collect();
            paths.dedup();
            (paths.len() == 1).then(|| paths[0].to_owned())
        } else {
            None
        };
        let Some(path) = found.filter(|path| !files.contains(path)) else { continue };
        let has_definitions = lore_syntax::detect(&path, "").is_some_and(Language::has_definitions);
        if has_definitions && lore_syntax::categorize(&path, "") == Category::Own {
            files.push(path);
        }
        if files.len() == MAX_FILES {
            break;
        }
    }
    files.sort();
    Ok(files)
}
