//! The files and folders of a tree, and the resolution of paths and links.

use std::collections::{HashMap, HashSet};

use lore_sources::Tree;
use lore_statements::anchors;

use super::documents::DriftDocument;
use crate::EngineConfig;

/// Result of looking up a path.
pub(super) enum Lookup {
    /// It exists.
    Present,
    /// It does not exist: the root-relative paths that it may mean.
    Missing(Vec<String>),
    /// It is no path of this repository.
    Foreign,
}

/// Endings that pages of a site may omit or replace.
const PAGE_ENDINGS: &[&str] = &[
    ".md",
    ".mdx",
    ".rst",
    ".txt",
    ".html",
    ".adoc",
    ".markdown",
    "/index.md",
    "/index.mdx",
    "/index.rst",
    "/index.html",
    "/README.md",
    "/_index.md",
    ".rb",
    ".py",
    ".js",
    ".ts",
    ".tsx",
    ".jsx",
    ".mjs",
    ".go",
    ".rs",
    ".yml",
    ".yaml",
    ".vue",
    ".md.erb",
    ".in",
    ".tmpl",
];

/// The files and folders of a tree.
pub(super) struct Paths<'a> {
    config: &'a EngineConfig,
    all: HashSet<&'a str>,
    /// Paths by their last part.
    by_name: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Paths<'a> {
    pub(super) fn new(tree: &'a Tree, config: &'a EngineConfig) -> Paths<'a> {
        let mut all: HashSet<&str> = HashSet::new();
        let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
        for entry in tree.entries() {
            let mut path = entry.path.as_str();
            while all.insert(path) {
                by_name.entry(name(path)).or_default().push(path);
                match path.rsplit_once('/') {
                    Some((parent, _)) => path = parent,
                    None => break,
                }
            }
        }
        Paths { config, all, by_name }
    }

    /// Returns true if a file or folder exists at a root-relative path, listed or not.
    pub(super) fn exists(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        path.is_empty() || self.all.contains(path) || self.config.contains(path)
    }

    /// Looks up a path that a document names: relative to the document, to the root, to a folder
    /// between them, or as the end of a path.
    pub(super) fn path(&self, document: &str, written: &str) -> Lookup {
        let written = written.trim_end_matches('/');
        let absolute = written.starts_with('/');
        let inner = written.trim_start_matches('/');
        if inner.is_empty() || inner.split('/').any(|part| part.len() > 200) {
            return Lookup::Foreign;
        }
        let mut candidates = Vec::new();
        let mut folder = Some(parent(document));
        while let Some(current) = folder {
            candidates.extend(joined(current, inner));
            folder = (!current.is_empty()).then(|| parent(current));
        }
        candidates.dedup();
        let Some(plain) = joined("", inner.trim_start_matches("../")) else {
            return Lookup::Foreign;
        };
        let is_present = |path: &String| {
            self.exists(path)
                || PAGE_ENDINGS
                    .iter()
                    .any(|ending| self.all.contains(format!("{path}{ending}").as_str()))
        };
        if candidates.iter().any(is_present) || self.ends(&plain) {
            return Lookup::Present;
        }
        if absolute && !self.all.contains(inner.split('/').next().unwrap_or(inner)) {
            return Lookup::Foreign;
        }
        if !candidates.contains(&plain) {
            candidates.push(plain.clone());
        }
        // The path as written comes first: it may also be the end of a path.
        candidates.sort_by_key(|candidate| *candidate != plain);
        Lookup::Missing(candidates)
    }

    /// Returns true if some path ends with this one.
    fn ends(&self, wanted: &str) -> bool {
        let last = name(wanted);
        let ending = format!("/{wanted}");
        let stems = PAGE_ENDINGS.iter().map(|ending| format!("{last}{ending}"));
        let is_listed = |last: &str| {
            let paths = self.by_name.get(last).map(Vec::as_slice).unwrap_or_default();
            let tail = &ending[..ending.len() - name(wanted).len()];
            paths.iter().any(|path| {
                path.strip_suffix(last).is_some_and(|start| format!("/{start}").ends_with(tail))
            })
        };
        is_listed(last) || stems.into_iter().any(|stem| !stem.contains('/') && is_listed(&stem))
    }

    /// Returns the only other path with the last part of a missing one.
    pub(super) fn elsewhere(&self, missing: &str) -> Option<&'a str> {
        let paths = self.by_name.get(name(missing))?;
        match paths.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Looks up the target of a link. The second value is true if only the anchor is missing.
    pub(super) fn link(
        &self,
        document: &DriftDocument,
        target: &str,
        documents: &HashMap<&str, &DriftDocument>,
    ) -> (Lookup, bool) {
        let target = target.split('?').next().unwrap_or(target);
        let (path, anchor) = match target.split_once('#') {
            Some((path, anchor)) => (path, Some(anchor)),
            None => (target, None),
        };
        if path.is_empty() {
            let is_there = anchor.is_none_or(|anchor| has_anchor(&document.text, anchor));
            let own = vec![document.path.clone()];
            return if is_there { (Lookup::Present, false) } else { (Lookup::Missing(own), true) };
        }
        let is_absolute = path.starts_with('/');
        let base = if is_absolute { "" } else { parent(&document.path) };
        let Some(resolved) = joined(base, path.trim_start_matches('/')) else {
            return (Lookup::Foreign, false);
        };
        let stem =
            resolved.strip_suffix(".html").or(resolved.strip_suffix(".htm")).unwrap_or(&resolved);
        let page = PAGE_ENDINGS.iter().map(|ending| format!("{stem}{ending}"));
        let found = std::iter::once(resolved.clone()).chain(page).find(|path| {
            if *path == resolved { self.exists(path) } else { self.all.contains(path.as_str()) }
        });
        if let Some(found) = found {
            let page = documents.get(found.as_str()).filter(|page| !page.is_code);
            let is_there = match (anchor, page) {
                (Some(anchor), Some(page)) if is_markdown(&found) => has_anchor(&page.text, anchor),
                _ => true,
            };
            return if is_there {
                (Lookup::Present, false)
            } else {
                (Lookup::Missing(vec![found]), true)
            };
        }
        // Addresses of a site start at a root that is not known, and pages have other folders.
        let is_site = is_absolute || !name(path).contains('.') || extension(path) == "html";
        if is_site && self.ends(stem.trim_start_matches("../")) {
            return (Lookup::Present, false);
        }
        (Lookup::Missing(vec![resolved]), false)
    }
}

/// Returns true if a page has an anchor.
fn has_anchor(text: &str, anchor: &str) -> bool {
    let is_line = anchor.starts_with('L') && anchor[1..].starts_with(|c: char| c.is_ascii_digit());
    if anchor.is_empty()
        || is_line
        || matches!(anchor, "top" | "readme")
        || anchor.starts_with([':', '!', '/'])
    {
        return true;
    }
    let wanted = anchors::comparable(anchor);
    anchors::anchors(text).iter().any(|known| anchors::comparable(known) == wanted)
}

fn extension(path: &str) -> &str {
    name(path).rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn is_markdown(path: &str) -> bool {
    matches!(extension(path), "md" | "markdown")
}

/// The folder of a path.
fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Resolves a path relative to a folder, without `.` and `..`. `None` if it leads out of the tree.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
