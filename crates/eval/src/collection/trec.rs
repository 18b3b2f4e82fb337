//! A collection in the TREC format: a directory with corpus, queries and qrels.

use std::{collections::BTreeMap, path::Path};

use lore_schema::SourceName;
use serde::Deserialize;

use super::{Collection, Query, labels, parse_lines, read};
use crate::{EvalError, qrels};

/// `collection.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    /// Name for people; the directory's name if missing.
    name: Option<String>,
    /// Description of the collection.
    #[expect(dead_code, reason = "for readers of the file")]
    description: Option<String>,
    /// Path of the corpus, relative to the directory; it may be outside of it.
    corpus: Option<String>,
    /// Sources to search; all if missing.
    #[serde(default)]
    sources: Vec<String>,
}

/// Reads a directory with `collection.toml`, `queries.jsonl`, `qrels.txt` and a corpus.
pub(super) fn load(folder: &Path, name: String) -> Result<Collection, EvalError> {
    let path = folder.join("collection.toml");
    let malformed = |line, reason| EvalError::Malformed { path: path.clone(), line, reason };
    let text = read(&path)?;
    let manifest: Manifest = toml::from_str(&text).map_err(|error| {
        let before = error.span().map_or("", |span| text.get(..span.start).unwrap_or_default());
        malformed(before.matches('\n').count() + 1, error.message().to_owned())
    })?;
    let sources = manifest
        .sources
        .iter()
        .map(|source| {
            SourceName::from_name(source)
                .ok_or_else(|| malformed(1, format!("there is no source `{source}`")))
        })
        .collect::<Result<_, _>>()?;
    let name = manifest.name.unwrap_or(name);

    let queries = folder.join("queries.jsonl");
    let rows = parse_lines(&queries, |row, text| labels::parse(&name, row, text))?;
    let unsupported = rows.iter().filter(|query| query.is_none()).count();
    let mut queries: Vec<Query> = rows.into_iter().flatten().collect();
    let mut qrels = qrels::load(&folder.join("qrels.txt"))?;
    for query in &mut queries {
        query.targets.extend(qrels.remove(&query.id).unwrap_or_default());
        if query.repository.is_empty() {
            query.repository.clone_from(&name);
        }
    }
    if let Some((unknown, _)) = qrels.into_iter().next() {
        return Err(EvalError::Malformed {
            path: folder.join("qrels.txt"),
            line: 1,
            reason: format!("there is no query `{unknown}`"),
        });
    }
    let corpus = folder.join(manifest.corpus.as_deref().unwrap_or("corpus"));
    Ok(Collection {
        name,
        queries,
        corpus: Some(corpus),
        roots: BTreeMap::new(),
        sources,
        unsupported,
    })
}
