//! A list of collections with their trees and measures.
//!
//! Paths may contain variables in braces, whose values the caller supplies: most collections and
//! all trees are outside the repository that contains the list.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::{Path, PathBuf},
};

use lore_schema::SourceName;
use serde::Deserialize;
use toml::Spanned;

use crate::{
    EvalError, Trees,
    collection::read,
    measures::{DEFAULT, Measure},
};

/// One collection of a list.
#[derive(Debug, Clone)]
pub struct ListedCollection {
    /// A short name, used as a column header.
    pub name: String,
    /// Description; the name if the list has none.
    pub about: String,
    /// The collection, or a dump of its signals.
    pub path: PathBuf,
    /// Location of its trees.
    pub trees: Trees,
    /// Sources to search; if empty, those of the collection.
    pub sources: Vec<SourceName>,
    /// Measures; the first is the headline.
    pub measures: Vec<Measure>,
    /// Weight of the collection when signal weights are fitted, 0.0 or more; `None` excludes it.
    pub vote: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    collection: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    about: Option<String>,
    path: Spanned<String>,
    /// A directory with a tree for each repository.
    trees: Option<Spanned<String>>,
    /// The tree of every repository.
    root: Option<Spanned<String>>,
    #[serde(default)]
    sources: Vec<Spanned<String>>,
    #[serde(default)]
    measures: Vec<Spanned<String>>,
    vote: Option<Spanned<f64>>,
}

/// Reads a list of collections. Paths are relative to its directory; `{name}` is replaced by the
/// variable of that name.
///
/// # Errors
/// If the file cannot be read or parsed, contains an unknown source or measure, or uses variables
/// without a value.
pub fn load_collections(
    path: &Path,
    variables: &BTreeMap<String, String>,
) -> Result<Vec<ListedCollection>, EvalError> {
    let text = read(path)?;
    // The line of an offset in the text, 1-based.
    let line_of =
        |span: Range<usize>| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1;
    let malformed = |line, reason| EvalError::Malformed { path: path.to_owned(), line, reason };
    let unknown = |kind, written: &Spanned<String>| EvalError::UnknownName {
        path: path.to_owned(),
        line: line_of(written.span()),
        kind,
        name: written.get_ref().clone(),
    };
    let list: List = toml::from_str(&text)
        .map_err(|error| malformed(error.span().map_or(1, line_of), error.message().to_owned()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut missing = BTreeSet::new();
    let mut place = |written: &Spanned<String>| {
        let text = written.get_ref();
        filled(text, variables, &mut missing).map(|filled| folder.join(filled)).ok_or_else(|| {
            let reason = format!("`{text}` has an unpaired brace");
            malformed(line_of(written.span()), reason)
        })
    };
    let mut collections = Vec::new();
    for entry in list.collection {
        let sources = entry.sources.iter().map(|source| {
            SourceName::from_name(source.get_ref()).ok_or_else(|| unknown("source", source))
        });
        let measures = if entry.measures.is_empty() {
            vec![Measure::from_name(DEFAULT[0])?]
        } else {
            let measures = entry.measures.iter();
            let measure = |name: &Spanned<String>| {
                Measure::from_name(name.get_ref()).map_err(|_| unknown("measure", name))
            };
            measures.map(measure).collect::<Result<_, _>>()?
        };
        if let Some(vote) = &entry.vote
            && !(0.0..=1e6).contains(vote.get_ref())
        {
            let reason = format!("the vote of `{}` is not from 0 to 1000000", entry.name);
            return Err(malformed(line_of(vote.span()), reason));
        }
        collections.push(ListedCollection {
            about: entry.about.unwrap_or_else(|| entry.name.clone()),
            name: entry.name,
            path: place(&entry.path)?,
            trees: Trees {
                named: BTreeMap::new(),
                single: entry.root.as_ref().map(&mut place).transpose()?,
                folder: entry.trees.as_ref().map(&mut place).transpose()?,
            },
            sources: sources.collect::<Result<_, _>>()?,
            measures,
            vote: entry.vote.map(Spanned::into_inner),
        });
    }
    if missing.is_empty() {
        Ok(collections)
    } else {
        Err(EvalError::Unset { path: path.to_owned(), names: missing.into_iter().collect() })
    }
}

/// The text with variables replaced; names without a value are added to `unset`. `None` if a brace
/// is not closed.
fn filled(
    text: &str,
    variables: &BTreeMap<String, String>,
    missing: &mut BTreeSet<String>,
) -> Option<String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}')?;
        filled.push_str(before);
        match variables.get(name) {
            Some(value) => filled.push_str(value),
            None => {
                missing.insert(name.to_owned());
            }
        }
        rest = after;
    }
    filled.push_str(rest);
    (!rest.contains('}')).then_some(filled)
}
