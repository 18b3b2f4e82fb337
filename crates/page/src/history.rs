//! The page with the commits of a file.

use std::sync::Arc;

use lore_engine::FileHistory;
use lore_server::tree::NotesOnly;
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

/// Reads the commits of a file, and returns its path and the number of the page.
pub(crate) fn read(
    site: &Arc<Site>,
    path: &str,
    params: &Params,
) -> Result<(String, usize, FileHistory), PageError> {
    let page = params.number("page", 1, MAX_PAGE)?;
    let path = path.trim_matches('/').to_owned();
    let asked = path.clone();
    let history = site.run(move |opened| {
        let range = ((page - 1) * PER_PAGE, PER_PAGE);
        Ok(opened.engine.file_history(&asked, range, &NotesOnly)?)
    })?;
    if history.total == 0 {
        return Err(PageError::missing(format!("no commit changed `{path}`"))
            .hint("the path starts at the root of the tree; older commits may not be read yet"));
    }
    Ok((path, page, history))
}

/// The whole page.
pub(crate) fn page(site: &Arc<Site>, path: &str, params: &Params) -> Result<Markup, PageError> {
    let (path, page, history) = read(site, path, params)?;
    let now = site::clock();
    let link = |page: usize| format!("{}?page={page}", links::history(&path));
    let body = html! {
        div.head {
            h1 { "History of " (tree::breadcrumb(&path, None)) }
            p.place { (text::plural(history.total, "commit", "commits")) }
            nav.actions aria-label="Views of the file" { a href=(links::file(&path, None)) { "File" } }
        }
        ol.commits {
            @for commit in &history.commits {
                li {
                    a.title href=(links::commit(&commit.hash)) { (commit.subject) }
                    p.place {
                        @if let Some(author) = &commit.author { (text::person(author)) " · " }
                        @if let Some(date) = commit.date { time datetime=(text::day(date)) { (text::ago(date, now)) } " · " }
                        code { (text::short(&commit.hash)) }
                        " · " a href=(links::file(&path, Some(&commit.hash))) { "file at this commit" }
                    }
                }
            }
        }
        nav.pages aria-label="Pages" {
            @if 1 < page { a rel="prev" href=(link(page - 1)) { "Newer" } " " }
            @if page * PER_PAGE < history.total { a rel="next" href=(link(page + 1)) { "Older" } }
        }
    };
    Ok(layout::page(&Frame::new(site, &format!("History of {path}")), &body))
}
