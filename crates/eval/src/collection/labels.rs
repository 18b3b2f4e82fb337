//! Labelled JSONL: one query a line, with its right results.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use serde::Deserialize;

use super::{Collection, Query, parse_lines, questions, read};
use crate::{EvalError, Target};

/// One line. Unlisted fields are ignored.
#[derive(Debug, Deserialize)]
pub(super) struct Line {
    id: Option<String>,
    name: Option<String>,
    #[serde(default)]
    repo: String,
    #[serde(default)]
    language: String,
    #[serde(default)]
    category: String,
    query: Option<String>,
    #[serde(default)]
    relevant: Vec<Label>,
    #[serde(default)]
    secondary: Vec<Label>,
    #[serde(default)]
    exclude: Vec<String>,
    first: Option<String>,
    /// The operation, if it is not a plain search.
    op: Option<String>,
    mode: Option<String>,
    /// The type of a natural question.
    #[serde(rename = "type")]
    question_type: Option<String>,
    /// The answers of a natural question; another kind of row may have a field of this name.
    answers: Option<serde_json::Value>,
}

/// A right result: a path, or a path with lines.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Label {
    Path(String),
    Span { path: String, start_line: Option<u32>, end_line: Option<u32> },
}

impl From<Label> for Target {
    fn from(label: Label) -> Target {
        match label {
            Label::Path(name) => Target { name, lines: None },
            Label::Span { path, start_line, end_line } => Target {
                name: path,
                lines: start_line.map(|start| (start, end_line.unwrap_or(u32::MAX))),
            },
        }
    }
}

/// One row of `repositories.json`, which is next to the queries of a collection that indexes only
/// one directory of each repository.
#[derive(Debug, Deserialize)]
struct Repository {
    name: String,
    #[serde(default)]
    root: String,
}

/// Parses one line. A line without an identifier gets one from its row number.
pub(super) fn parse(prefix: &str, row: usize, text: &str) -> Result<Option<Query>, String> {
    let line: Line = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let Some(text) = line.query else { return Ok(None) };
    if line.op.is_some_and(|op| op != "search") || line.mode.is_some() {
        return Ok(None);
    }
    let query = Query {
        id: line.id.or(line.name).unwrap_or_else(|| format!("{prefix}#{row}")),
        repository: line.repo,
        language: line.language,
        category: line.category,
        text,
        targets: line.relevant.into_iter().chain(line.secondary).map(Target::from).collect(),
        is_natural: false,
        spans: Vec::new(),
        excluded: line.exclude,
        first: line.first,
    };
    match (line.question_type, line.answers) {
        (Some(question_type), Some(answers)) => {
            questions::labelled(query, question_type, answers).map(Some)
        }
        _ => Ok(Some(query)),
    }
}

/// Reads files of queries, and the `repositories.json` next to them, if any.
pub(super) fn load(files: &[PathBuf], name: String) -> Result<Collection, EvalError> {
    let mut collection = Collection { name, ..Collection::default() };
    for path in files {
        for query in parse_lines(path, |row, text| parse(&collection.name, row, text))? {
            let Some(query) = query else {
                collection.unsupported += 1;
                continue;
            };
            collection.queries.push(query);
        }
    }
    disambiguate(&mut collection.queries);
    if let Some(path) = files.first() {
        collection.roots = roots(&path.with_file_name("repositories.json"))?;
    }
    Ok(collection)
}

/// Makes identifiers unique: the second `x` is `x~2`.
fn disambiguate(queries: &mut [Query]) {
    let mut seen = BTreeSet::new();
    for query in queries {
        let base = query.id.clone();
        let mut count = 1;
        while !seen.insert(query.id.clone()) {
            count += 1;
            query.id = format!("{base}~{count}");
        }
    }
}

fn roots(path: &Path) -> Result<BTreeMap<String, String>, EvalError> {
    if !path.is_file() {
        return Ok(BTreeMap::new());
    }
    let repositories: Vec<Repository> =
        serde_json::from_str(&read(path)?).map_err(|error| EvalError::Malformed {
            path: path.to_owned(),
            line: error.line(),
            reason: error.to_string(),
        })?;
    Ok(repositories
        .into_iter()
        .map(|repository| (repository.name, repository.root))
        .filter(|(_, root)| !root.is_empty() && root != ".")
        .collect())
}
