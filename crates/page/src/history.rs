//! The page with the commits of a file or folder.

use std::sync::Arc;

use lore_engine::{PathCommit, PathCommits};
use maud::{Markup, html};

use crate::{
    error::PageError,
    layout::{self, Frame},
    links,
    params::Params,
    site::{self, Site},
    text, tree,
};

/// Commits on a page.
const PER_PAGE: usize = 50;

/// Maximum number of a page.
const MAX_PAGE: usize = 10_000;

/// The commits of a file or folder, and those of them on one page.
pub(crate) struct HistoryView {
    /// Root-relative path.
    pub(crate) path: String,
    /// Number of the page, from 1.
    pub(crate) page: usize,
    /// All commits.
    pub(crate) all: PathCommits,
}

impl HistoryView {
    /// The commits on the page.
    pub(crate) fn shown(&self) -> &[PathCommit] {
        let commits = &self.all.commits;
        let start = ((self.page - 1) * PER_PAGE).min(commits.len());
        &commits[start..(start + PER_PAGE).min(commits.len())]
    }
}

/// Reads the commits of a file or folder, up to a revision.
pub(crate) fn read(
    site: &Arc<Site>,
    path: &str,
    params: &Params,
) -> Result<HistoryView, PageError> {
    let page = params.number("page", 1, MAX_PAGE)?;
    let path = path.trim_matches('/').to_owned();
    let all =
        site.read(|opened| Ok(site.view(opened, params.get("at"))?.path_history(&path)?))?;
    if all.commits.is_empty() {
        return Err(PageError::missing(format!("no commit of `{path}` was found"))
            .hint("the path starts at the root of the tree"));
    }
    Ok(HistoryView { path, page, all })
}

/// The whole page.
pub(crate) fn page(site: &Arc<Site>, path: &str, params: &Params) -> Result<Markup, PageError> {
    let view = read(site, path, params)?;
    let revision = params.get("at");
    let (path, page, total) = (&view.path, view.page, view.all.commits.len());
    let now = site::clock();
    let link = |page: usize| {
        params.with("page", Some(&page.to_string())).address(&links::history(path, None))
    };
    let body = html! {
        div.head {
            h1 { "History of " (tree::breadcrumb(path, revision)) }
            p.place {
                @if !view.all.is_whole { "at least " }
                (text::plural(total, "commit", "commits"))
                @if let Some(revision) = revision { " up to " code { (text::short(revision)) } }
            }
            nav.actions aria-label="Views of the path" {
                a href=(links::file(path, revision)) { "Content" }
            }
        }
        ol.commits {
            @for commit in view.shown() {
                li {
                    a.title href=(links::commit(&commit.hash)) { (commit.subject) }
                    p.place {
                        (text::person(&commit.author)) " · "
                        @if let Some(date) = commit.date { time datetime=(text::day(date)) { (text::ago(date, now)) } " · " }
                        code { (text::short(&commit.hash)) }
                        " · " a href=(links::file(path, Some(&commit.hash))) { "content at this commit" }
                    }
                }
            }
        }
        nav.pages aria-label="Pages" {
            @if 1 < page { a rel="prev" href=(link(page - 1)) { "Newer" } " " }
            @if page * PER_PAGE < total { a rel="next" href=(link(page + 1)) { "Older" } }
        }
    };
    Ok(layout::page(&Frame::new(site, &format!("History of {path}")).at(revision), &body))
}
