//! spexcode: a tree of nodes. Each node is a folder below `.spec` with a `spec.md`.
//!
//! A node's folder may contain its evaluations (`eval.md`, formerly `yatsu.md`, and `*.ndjson`),
//! and `.spec/.issues` contains issues, which are tickets. Neither is part of the node's text.

use std::collections::BTreeMap;

use lore_schema::Document;
use unicode_normalization::UnicodeNormalization;

use super::page::{Page, read_pages};
use crate::{
    UnitFiles,
    front_matter::Dialect,
    store::{Listing, Reader, UnitContent},
    units::Claim,
};

pub(super) struct Spex;

const FOLDER: &str = ".spec";
const FILE: &str = "spec.md";

impl Reader for Spex {
    fn name(&self) -> &'static str {
        "spex"
    }

    /// Creates one unit per name: nodes whose folders have the same name are one unit, because the
    /// identifier of each depends on the paths of the others.
    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for index in listing.under(FOLDER) {
            let path = listing.path(index);
            if path.rsplit('/').next() == Some(FILE) {
                let name = segments(path).last().map(normal).unwrap_or_default();
                by_name.entry(name).or_default().push(index);
            }
        }
        by_name
            .into_values()
            .map(|files| Claim { unit: listing.path(files[0]).to_owned(), files })
            .collect()
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        let paths: Vec<&str> =
            unit.files.iter().map(|&index| tree.entries()[index].path.as_str()).collect();
        let mut ids = identifiers(&paths).into_iter();
        read_pages(tree, unit, |path, text| {
            // `read_pages` skips unreadable files, so identifiers are looked up by path.
            let id = ids.by_ref().find(|(of, _)| *of == path).map(|(_, id)| id);
            document(path, text, id.unwrap_or_else(|| path.to_owned()))
        })
    }
}

/// Reads a node.
pub(super) fn document(path: &str, text: String, id: String) -> Document {
    let mut page = Page::new(path, text, Dialect::Lines);
    let title = page.stated_title.take().unwrap_or_else(|| id.clone());
    page.into_document("spex", "spec", id, title)
}

/// Returns the folders between `.spec` and the file.
fn segments(path: &str) -> Vec<&str> {
    let mut segments: Vec<&str> = path.split('/').skip(1).collect();
    segments.pop();
    segments
}

/// Normalizes a name to composed Unicode: macOS returns decomposed names, users type composed ones.
fn normal(name: &&str) -> String {
    name.nfc().collect()
}

/// Returns the identifiers of nodes whose folders have the same name: for each, the shortest end of
/// its path that is unique, joined by `_`.
fn identifiers<'a>(paths: &[&'a str]) -> Vec<(&'a str, String)> {
    let names: Vec<Vec<String>> =
        paths.iter().map(|path| segments(path).iter().map(normal).collect()).collect();
    let tail = |name: &[String], length: usize| name[name.len() - length..].join("_");
    let longest = names.iter().map(Vec::len).max().unwrap_or(0);
    let mut ids: Vec<Option<String>> = vec![None; paths.len()];
    for length in 1..=longest {
        let mut count: BTreeMap<String, usize> = BTreeMap::new();
        for name in names.iter().filter(|name| name.len() >= length) {
            *count.entry(tail(name, length)).or_default() += 1;
        }
        for (id, name) in ids.iter_mut().zip(&names) {
            if id.is_some() || name.len() < length {
                continue;
            }
            let tail = tail(name, length);
            if count.get(&tail) == Some(&1) || name.len() == length {
                *id = Some(tail);
            }
        }
        if ids.iter().all(Option::is_some) {
            break;
        }
    }
    // A node directly in `.spec` has no name.
    let ids = ids.into_iter().map(|id| id.unwrap_or_else(|| FOLDER.to_owned()));
    paths.iter().copied().zip(ids).collect()
}
