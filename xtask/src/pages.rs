//! Checks that `docs/guide/index.md` links to every page of `docs` exactly once.

use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
};

use anyhow::Result;

/// Page that lists all others, relative to the root of the repository.
pub(crate) const INDEX: &str = "docs/guide/index.md";

/// Violations, one line each.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let mut pages = Vec::new();
    collect(root, &root.join("docs"), &mut pages)?;
    let index = std::fs::read_to_string(root.join(INDEX))?;
    Ok(compare(&index, &pages))
}

/// Compares the links of the index with the pages, all relative to the root.
fn compare(index: &str, pages: &[String]) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for link in links(index) {
        *counts.entry(link).or_default() += 1;
    }
    let mut violations: Vec<String> = pages
        .iter()
        .filter(|page| page.as_str() != INDEX && !counts.contains_key(*page))
        .map(|page| format!("{INDEX}: does not list `{page}`"))
        .collect();
    for (link, count) in counts {
        if count > 1 {
            violations.push(format!("{INDEX}: lists `{link}` {count} times"));
        }
        if link.starts_with("docs/") && !pages.contains(&link) {
            violations.push(format!("{INDEX}: lists `{link}`, which does not exist"));
        }
    }
    violations
}

/// Targets of the Markdown links to pages, relative to the root and without anchors.
fn links(index: &str) -> Vec<String> {
    index
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .filter(|(target, _)| !target.contains("://"))
        .map(|(target, _)| target.split('#').next().unwrap_or_default())
        .filter(|target| has_markdown_extension(Path::new(target)))
        .map(|target| resolve(Path::new(INDEX).parent().unwrap_or(Path::new("")), target))
        .collect()
}

/// Path of a link in a page of the folder, with `..` resolved and `/` as separator.
pub(crate) fn resolve(folder: &Path, target: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    for component in folder.join(target).components() {
        match component {
            Component::ParentDir => {
                parts.pop();
            }
            Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
            _ => {}
        }
    }
    parts.join("/")
}

/// Adds the pages below a folder, relative to the root, sorted by path.
fn collect(root: &Path, folder: &Path, pages: &mut Vec<String>) -> Result<()> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(root, &path, pages)?;
        } else if has_markdown_extension(&path) {
            pages.push(resolve(Path::new(""), &path.strip_prefix(root)?.to_string_lossy()));
        }
    }
    Ok(())
}

pub(crate) fn has_markdown_extension(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(paths: &[&str]) -> Vec<String> {
        paths.iter().map(|path| (*path).to_owned()).collect()
    }

    #[test]
    fn complete_index_passes() {
        let index =
            "[a](a.md), [b](../design/b.md), [c](../../C.md), [d](https://example.com/d.md)";
        let all = pages(&["docs/design/b.md", "docs/guide/a.md", "docs/guide/index.md"]);
        assert_eq!(compare(index, &all), Vec::<String>::new());
    }

    #[test]
    fn missing_repeated_and_dangling_links_are_reported() {
        let index = "[a](a.md), again [a](a.md#part), [gone](gone.md)";
        let all = pages(&["docs/guide/a.md", "docs/guide/b.md", "docs/guide/index.md"]);
        assert_eq!(
            compare(index, &all),
            [
                "docs/guide/index.md: does not list `docs/guide/b.md`",
                "docs/guide/index.md: lists `docs/guide/a.md` 2 times",
                "docs/guide/index.md: lists `docs/guide/gone.md`, which does not exist",
            ]
        );
    }
}
