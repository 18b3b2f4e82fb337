//! The page of a commit: its message, what it cites, and its changes.

use std::sync::Arc;

use lore_engine::{ChangedText, CommitView, WhyHop, WhyRequest};
use lore_server::tree::NotesOnly;
use maud::{Markup, html};

use crate::{
    diff,
    error::PageError,
    layout::{self, Frame},
    links,
    site::{self, Site},
    text, why,
};

/// Maximum number of files whose changes are shown.
const MAX_FILES: usize = 60;

/// Maximum number of records that the commit is connected with.
const MAX_HOPS: usize = 20;

/// Reads a commit, and the records that it is connected with; these are unknown while there is no index.
pub(crate) fn read(site: &Arc<Site>, name: &str) -> Result<(CommitView, Vec<WhyHop>), PageError> {
    let view = site.read(|opened| Ok(opened.engine.commit_view(name, site::clock())?))?;
    let request = WhyRequest { target: format!("git:{}", view.details.hash), limit: MAX_HOPS };
    // A commit that is not in the index has no known connections.
    let hops = site.run(move |opened| Ok(opened.engine.why(&request, &NotesOnly)?.hops));
    Ok((view, hops.unwrap_or_default()))
}

/// The page of a commit of a repository without a clone: what the index has of it.
fn stored(site: &Arc<Site>, name: &str) -> Result<Markup, PageError> {
    let id = format!("git:{name}");
    let (_, text) = site.run(move |opened| Ok(opened.engine.passage(&id, &NotesOnly)?))?;
    let (subject, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let body = html! {
        div.head { h1 { (subject) } p.place { code { (name) } } }
        @if !rest.trim().is_empty() { pre.message tabindex="0" { (rest.trim()) } }
        p.note { "The changed lines are not here: this repository is searched in a cluster." }
    };
    Ok(layout::page(&Frame::new(site, subject), &body))
}

/// The whole page.
pub(crate) fn page(site: &Arc<Site>, name: &str) -> Result<Markup, PageError> {
    if site.is_stored()? {
        return stored(site, name);
    }
    let (view, hops) = read(site, name)?;
    let commit = &view.details;
    let now = site::clock();
    let added: usize = view.files.iter().map(ChangedText::added).sum();
    let removed: usize = view.files.iter().map(ChangedText::removed).sum();
    let parent = commit.parents.first().map(String::as_str);
    let body = html! {
        div.head {
            h1 { (commit.subject) }
            p.place {
                (commit.author)
                @if let Some(committer) = &commit.committer { ", committed by " (committer) }
                @if let Some(date) = commit.date { " · " time datetime=(text::day(date)) { (text::ago(date, now)) } }
                " · " code { (commit.hash) }
            }
            nav.actions aria-label="Around the commit" {
                a href=(links::folder("", Some(&commit.hash))) { "Files at this commit" }
                @for parent in &commit.parents {
                    a href=(links::commit(parent)) { "Parent " code { (text::short(parent)) } }
                }
            }
        }
        @if !commit.body.is_empty() { pre.message tabindex="0" { (commit.body) } }
        @if !hops.is_empty() {
            section { h2 { "Connected with" } (why::hops(&hops)) }
        }
        section {
            h2 {
                (text::plural(view.files.len(), "file", "files"))
                " " span.added { "+" (added) } " " span.removed { "−" (removed) }
            }
            @for file in view.files.iter().take(MAX_FILES) { (diff::file(file, &commit.hash, parent)) }
            @if MAX_FILES < view.files.len() {
                p.note { "The changes of these files are not shown:" }
                ul.files {
                    @for file in view.files.iter().skip(MAX_FILES) { li { (file.path) } }
                }
            }
        }
    };
    let permalink = Some(links::commit(&commit.hash));
    Ok(layout::page(&Frame::new(site, &commit.subject).permalink(permalink), &body))
}
