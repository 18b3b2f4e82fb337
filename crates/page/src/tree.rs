//! The page of a folder.

use std::{collections::BTreeMap, sync::Arc};

use maud::{Markup, html};

use crate::{
    error::PageError,
    layout::{self, Frame},
    links, markdown,
    params::Params,
    site::Site,
    text,
};

/// Names of the page that introduces a folder, in lower case.
const READMES: &[&str] = &["readme.md", "readme.markdown", "readme"];

/// A file or folder in a folder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its name.
    pub(crate) name: String,
    /// Number of files in the folder; `None` for a file.
    pub(crate) files: Option<usize>,
}

/// The entries of a folder, folders first, each group by name.
pub(crate) fn entries(paths: &[String], folder: &str) -> Vec<Entry> {
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let (mut folders, mut files) = (BTreeMap::<&str, usize>::new(), Vec::new());
    for rest in paths.iter().filter_map(|path| path.strip_prefix(prefix.as_str())) {
        match rest.split_once('/') {
            Some((name, _)) => *folders.entry(name).or_default() += 1,
            None => files.push(Entry { name: rest.to_owned(), files: None }),
        }
    }
    let folders = folders.into_iter();
    let mut entries: Vec<Entry> =
        folders.map(|(name, count)| Entry { name: name.to_owned(), files: Some(count) }).collect();
    entries.append(&mut files);
    entries
}

/// The folder of a tree.
pub(crate) struct FolderView {
    /// Root-relative path.
    pub(crate) path: String,
    /// Its entries.
    pub(crate) entries: Vec<Entry>,
    /// Path and text of the page that introduces it.
    readme: Option<(String, String)>,
    /// Full hash of the commit of the tree.
    pub(crate) commit: Option<String>,
}

/// Reads a folder of the tree as it is now, or of an earlier one.
pub(crate) fn read(
    site: &Arc<Site>,
    path: &str,
    revision: Option<&str>,
) -> Result<FolderView, PageError> {
    let path = path.trim_matches('/').to_owned();
    site.read(|opened| {
        let view = site.view(opened, revision)?;
        let entries = entries(&view.paths()?, &path);
        if entries.is_empty() && !path.is_empty() {
            return Err(PageError::missing(format!("there is no file or folder `{path}`"))
                .hint("ignored files are not shown; press `t` to find a file by its name"));
        }
        let readme = READMES.iter().find_map(|name| {
            let entry = entries.iter().find(|entry| entry.name.to_lowercase() == *name)?;
            let file = join(&path, &entry.name);
            let text = view.text(&file).ok()?;
            Some((file, text))
        });
        Ok(FolderView { path, entries, readme, commit: view.commit() })
    })
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The whole page.
pub(crate) fn page(site: &Arc<Site>, path: &str, params: &Params) -> Result<Markup, PageError> {
    let revision = params.get("at");
    let view = read(site, path, revision)?;
    let title = if view.path.is_empty() { "Files" } else { &view.path };
    let body = html! {
        div.head {
            h1 { (breadcrumb(&view.path, revision)) }
            @if let Some(revision) = revision {
                p.place {
                    "at " a href=(links::commit(view.commit.as_deref().unwrap_or(revision))) { code { (text::short(revision)) } }
                    " · " a href=(links::folder(&view.path, None)) { "As it is now" }
                }
            }
        }
        (listing(&view.entries, &view.path, revision))
        @if let Some((path, text)) = &view.readme {
            article.markdown { (markdown::render(text, path, revision)) }
        }
    };
    let permalink = view.commit.as_deref().map(|commit| links::folder(&view.path, Some(commit)));
    Ok(layout::page(&Frame::new(site, title).at(revision).permalink(permalink), &body))
}

/// The entries of a folder as a list.
pub(crate) fn listing(entries: &[Entry], folder: &str, revision: Option<&str>) -> Markup {
    html! {
        ul.files {
            @for entry in entries {
                @let path = join(folder, &entry.name);
                @if let Some(count) = entry.files {
                    li.folder {
                        a href=(links::folder(&path, revision)) { (text::visible(&entry.name)) "/" }
                        " " span.count { (count) }
                    }
                } @else {
                    li { a href=(links::file(&path, revision)) { (text::visible(&entry.name)) } }
                }
            }
        }
    }
}

/// A path whose folders are links.
pub(crate) fn breadcrumb(path: &str, revision: Option<&str>) -> Markup {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    html! {
        a href=(links::folder("", revision)) { "root" }
        @for (index, part) in parts.iter().enumerate() {
            span.slash { "/" }
            @if index + 1 == parts.len() {
                span { (text::visible(part)) }
            } @else {
                a href=(links::folder(&parts[..=index].join("/"), revision)) { (text::visible(part)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_first_and_count_their_files() {
        let paths = ["a.rs", "src/b.rs", "src/deep/c.rs", "src2/d.rs"].map(str::to_owned);
        let names = |folder: &str| -> Vec<(String, Option<usize>)> {
            entries(&paths, folder).into_iter().map(|entry| (entry.name, entry.files)).collect()
        };
        let entry = |name: &str, files| (name.to_owned(), files);
        assert_eq!(names(""), [entry("src", Some(2)), entry("src2", Some(1)), entry("a.rs", None)]);
        assert_eq!(names("src"), [entry("deep", Some(1)), entry("b.rs", None)]);
        assert!(names("sr").is_empty());
    }
}
