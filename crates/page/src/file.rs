//! The page of a file: its lines with colours, its outline, links at names, and the commits of its lines.

use std::{
    fmt::Write as _,
    sync::Arc,
    time::{Duration, Instant},
};

use lore_engine::{Clock, Engine, LineHistory, LineOrigin, Navigator, PathCommit, SymbolHit};
use lore_schema::SkipReason;
use lore_server::tree::{NotesOnly, Opened};
use maud::{Markup, PreEscaped, html};

use crate::{
    code::{self, escape},
    error::PageError,
    layout::{self, Frame},
    links, markdown,
    params::Params,
    raw,
    site::{self, Site, View},
    text, tree,
};

/// Maximum number of lines with links at names; in longer files, the script requests a name on a click.
const MAX_LINKED_LINES: usize = 3_000;

/// Maximum number of definitions in the outline.
const MAX_OUTLINE: usize = 400;

/// Number of lines of a block that the browser lays out when it comes into view.
const BLOCK: usize = 100;

/// Maximum time for finding the commits of the lines.
const MAX_BLAME_TIME: Duration = Duration::from_secs(4);

/// The content of a file with what belongs to it.
pub(crate) struct FileView {
    /// Root-relative path.
    pub(crate) path: String,
    /// The text without its secrets.
    pub(crate) text: String,
    /// Name of the language.
    pub(crate) language: Option<&'static str>,
    /// The definitions in the order of the text.
    pub(crate) outline: Vec<SymbolHit>,
    /// Full hash of the commit of the tree, if the file is the same in it.
    pub(crate) commit: Option<String>,
    /// The specs that govern it: identifier and title.
    pub(crate) owners: Vec<(String, String)>,
    /// The commits of its lines, if they were requested.
    pub(crate) history: Option<LineHistory>,
    /// False for a repository in a cluster, of which there is no clone.
    has_history: bool,
}

/// Reads a file of the tree as it is now, or of an earlier one. Definitions and specs come from the index; while
/// there is none, the file is parsed.
pub(crate) fn read(
    site: &Arc<Site>,
    path: &str,
    revision: Option<&str>,
    with_history: bool,
) -> Result<FileView, PageError> {
    let path = match revision {
        None => site.tree()?.locate(path)?.1,
        Some(_) => path.to_owned(),
    };
    let mut view = site.read(|opened| {
        let view = site.view(opened, revision)?;
        let text = match view.text(&path) {
            Ok(text) => text,
            Err(SkipReason::Empty) => String::new(),
            Err(reason) => return Err(PageError::skipped(&path, reason)),
        };
        let history =
            if with_history { Some(view.line_history(&path, MAX_BLAME_TIME)?) } else { None };
        let commit = view.commit();
        let is_committed = match (&view, &commit) {
            (View::Past(_), _) => true,
            (View::Now(engine), Some(commit)) => {
                let head = engine.at(commit, site::clock());
                head.is_ok_and(|head| head.text(&path).unwrap_or_default() == text)
            }
            (View::Now(_), None) => false,
        };
        let outline = match revision {
            Some(_) => view.open_text(&path, &text).definitions(),
            None => Vec::new(),
        };
        let language = lore_highlight::language_of(&path, &text);
        Ok(FileView {
            commit: commit.filter(|_| is_committed),
            path,
            text,
            language,
            outline,
            owners: Vec::new(),
            history,
            has_history: !view.is_stored(),
        })
    })?;
    if revision.is_some() {
        return Ok(view);
    }
    let asked = view.path.clone();
    let indexed = site
        .run(move |opened| Ok((outline(&opened.engine, &asked)?, owners(&opened.engine, &asked)?)));
    match indexed {
        Ok((outline, owners)) => (view.outline, view.owners) = (outline, owners),
        Err(PageError { progress: Some(_), .. }) => {
            let parsed =
                |opened: &Opened| Ok(opened.engine.open_text(&view.path, &view.text).definitions());
            view.outline = site.read(parsed)?;
        }
        Err(error) => return Err(error),
    }
    Ok(view)
}

fn outline(engine: &Engine, path: &str) -> Result<Vec<SymbolHit>, PageError> {
    let outline =
        engine.navigate(Navigator::NAMES, Instant::now(), &[], &NotesOnly, |navigator| {
            navigator.outline(path)
        })?;
    Ok(outline.unwrap_or_default())
}

/// The specs that govern a file.
fn owners(engine: &Engine, path: &str) -> Result<Vec<(String, String)>, PageError> {
    let owners = engine.owners(path)?;
    Ok(owners.governing.into_iter().map(|owner| (owner.path, owner.title)).collect())
}

/// The whole page.
pub(crate) fn page(site: &Arc<Site>, path: &str, params: &Params) -> Result<Markup, PageError> {
    let revision = params.get("at");
    if raw::is_image(path) {
        return image(site, path, revision);
    }
    let with_history = params.get("blame").is_some();
    let view = match read(site, path, revision, with_history) {
        Ok(view) => view,
        // The path of a folder.
        Err(error) => {
            return match tree::page(site, path, params) {
                Ok(page) if !path.is_empty() => Ok(page),
                _ => Err(error),
            };
        }
    };
    let is_markdown = view.language == Some("markdown");
    let is_rendered = is_markdown && params.get("source").is_none() && !with_history;
    let marked = params.get("lines").and_then(range);
    let body = html! {
        (head(&view, params, is_markdown, is_rendered))
        @if let Some(history) = &view.history {
            @if 0 < history.unknown() {
                p.notice {
                    (text::plural(history.unknown(), "line has", "lines have"))
                    " no known commit: it is beyond a renaming, the first thousand commits of the file, or the time."
                }
            }
        }
        div.columns {
            @if !is_rendered && !view.outline.is_empty() { (outline_of(&view, revision)) }
            @if is_rendered {
                article.markdown { (markdown::render(&view.text, &view.path, revision)) }
            } @else {
                (source(&view, revision, marked))
            }
        }
    };
    let permalink = view.commit.as_deref().map(|commit| links::file(&view.path, Some(commit)));
    Ok(layout::page(&Frame::new(site, &view.path).at(revision).permalink(permalink), &body))
}

/// The page of a picture.
fn image(site: &Arc<Site>, path: &str, revision: Option<&str>) -> Result<Markup, PageError> {
    if revision.is_some() {
        return Err(PageError::missing(format!(
            "`{path}` is a picture, which has no earlier state here"
        )));
    }
    let path = site.tree()?.locate(path)?.1;
    let body = html! {
        h1 { (tree::breadcrumb(&path, None)) }
        p.picture { img src=(raw::address(&path)) alt=(path); }
    };
    Ok(layout::page(&Frame::new(site, &path), &body))
}

fn head(view: &FileView, params: &Params, is_markdown: bool, is_rendered: bool) -> Markup {
    let revision = params.get("at");
    let here = |name: &str| {
        let address = links::file(&view.path, revision);
        let joint = if revision.is_some() { '&' } else { '?' };
        format!("{address}{joint}{name}=1")
    };
    html! {
        div.head {
            h1 { (tree::breadcrumb(&view.path, revision)) }
            p.place {
                (text::plural(view.text.lines().count(), "line", "lines"))
                @if let Some(language) = view.language { " · " (language) }
                @if let Some(revision) = revision { " · at " code { (text::short(revision)) } }
            }
            nav.actions aria-label="Views of the file" {
                @if is_markdown && is_rendered { a href=(here("source")) { "Source" } }
                @if is_markdown && !is_rendered { a href=(links::file(&view.path, revision)) { "Rendered" } }
                @if view.history.is_some() {
                    a href=(links::file(&view.path, revision)) { "Without commits" }
                } @else if view.has_history {
                    a href=(here("blame")) { "Commit of each line" }
                }
                @if view.has_history { a href=(links::history(&view.path, revision)) { "History" } }
                @if let Some(revision) = revision {
                    a href=(links::file(&view.path, None)) { "As it is now" }
                    a href=(links::commit(view.commit.as_deref().unwrap_or(revision))) { "Commit" }
                } @else if let Some(commit) = &view.commit {
                    a href=(links::file(&view.path, Some(commit))) { "Permalink" }
                }
                @if !is_rendered {
                    form.line action=(links::file(&view.path, None)) method="get" {
                        @if let Some(revision) = revision { input type="hidden" name="at" value=(revision); }
                        label { "Lines " input name="lines" size="7" placeholder="3-5" value=(params.get("lines").unwrap_or_default()); }
                        " " button type="submit" { "Mark" }
                    }
                }
            }
            @if !view.owners.is_empty() {
                p.owners {
                    "Governed by "
                    @for (index, (path, title)) in view.owners.iter().enumerate() {
                        @if 0 < index { ", " }
                        a href=(links::record(path)) { (title) }
                    }
                }
            }
        }
    }
}

fn outline_of(view: &FileView, revision: Option<&str>) -> Markup {
    html! {
        nav.outline aria-label="Definitions in this file" {
            details open {
                summary { "Definitions" }
                ul {
                    @for symbol in view.outline.iter().take(MAX_OUTLINE) {
                        li data-depth=(symbol.breadcrumb.len().min(4)) {
                            a href=(format!("#L{}", symbol.line)) { (symbol.name) }
                            " "
                            @if revision.is_none() {
                                a.kind href=(links::symbol(&symbol.id)) title="Callers and uses" { (symbol.kind) }
                            } @else {
                                span.kind { (symbol.kind) }
                            }
                        }
                    }
                }
                @if MAX_OUTLINE < view.outline.len() {
                    p.note { (view.outline.len() - MAX_OUTLINE) " more" }
                }
            }
        }
    }
}

/// The lines of the file.
fn source(view: &FileView, revision: Option<&str>, marked: Option<(u32, u32)>) -> Markup {
    let spans = lore_highlight::highlight_file(&view.path, &view.text);
    let lines = lore_highlight::in_lines(&view.text, &spans);
    let count = view.text.lines().count();
    let is_linked = count <= MAX_LINKED_LINES && !view.outline.is_empty();
    let prefix = revision
        .map_or_else(|| "?d=".to_owned(), |revision| format!("?at={}&d=", links::encode(revision)));
    let mut out = String::with_capacity(view.text.len() * 3 + 1024);
    let _ = write!(
        out,
        "<pre class=\"source{}\" tabindex=0 aria-label=\"Lines of the file\" data-path=\"",
        if view.history.is_some() { " blamed" } else { "" }
    );
    escape(&view.path, &mut out);
    out.push_str("\"><code>");
    let now = site::clock();
    for (index, content) in view.text.lines().enumerate() {
        if index % BLOCK == 0 {
            out.push_str(if index == 0 {
                "<span class=block>"
            } else {
                "</span><span class=block>"
            });
        }
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let is_marked = marked.is_some_and(|(first, last)| first <= number && number <= last);
        let _ =
            write!(out, "<span class=\"l{}\" id=L{number}>", if is_marked { " on" } else { "" });
        if let Some(history) = &view.history {
            blame(history, index, &view.path, revision, now, &mut out);
        }
        let _ = write!(out, "<a class=no tabindex=-1 href=\"#L{number}\">{number}</a>");
        let spans = lines.get(index).map(Vec::as_slice).unwrap_or_default();
        let link = |at: usize, _: &str| {
            let column = content[..at].encode_utf16().count();
            Some(format!("{prefix}{number}.{column}"))
        };
        let link_of: Option<code::LinkOf<'_>> = if is_linked { Some(&link) } else { None };
        code::line(content, spans, &[], link_of, &mut out);
        out.push_str("\n</span>");
    }
    if 0 < count {
        out.push_str("</span>");
    }
    out.push_str("</code></pre>");
    PreEscaped(out)
}

/// The commit of a line, with its reason; nothing in the lines after the first one of a run.
fn blame(
    history: &LineHistory,
    index: usize,
    path: &str,
    revision: Option<&str>,
    now: Clock,
    out: &mut String,
) {
    let of = |index: usize| history.lines.get(index).copied().unwrap_or(LineOrigin::Unknown);
    out.push_str("<span class=b>");
    let is_first = index == 0 || of(index - 1) != of(index);
    match of(index) {
        _ if !is_first => {}
        LineOrigin::Uncommitted => out.push_str("not committed"),
        LineOrigin::Unknown => out.push_str("unknown"),
        LineOrigin::Commit(commit) => {
            if let Some(commit) = history.commits.get(commit) {
                reason(commit, (path, index, revision), now, out);
            }
        }
    }
    out.push_str("</span>");
}

/// The commit of a line, with a link to its reasons; these are known for the tree of now.
fn reason(
    commit: &PathCommit,
    (path, index, revision): (&str, usize, Option<&str>),
    now: Clock,
    out: &mut String,
) {
    out.push_str("<a href=\"");
    escape(&links::commit(&commit.hash), out);
    out.push_str("\" title=\"");
    escape(&commit.subject, out);
    if !commit.body.is_empty() {
        out.push_str("\n\n");
        let end = commit.body.char_indices().nth(400).map_or(commit.body.len(), |(at, _)| at);
        escape(&commit.body[..end], out);
    }
    out.push_str("\">");
    escape(text::short(&commit.hash).get(..8).unwrap_or_default(), out);
    out.push_str("</a>");
    if revision.is_none() {
        out.push_str(" <a href=\"");
        escape(&links::why(&format!("{path}:{}", index + 1)), out);
        out.push_str("\">why</a>");
    }
    if let Some(date) = commit.date {
        out.push(' ');
        escape(&text::ago(date, now), out);
    }
    out.push_str(" · ");
    // The rest does not fit into the column.
    let end = commit.subject.char_indices().nth(60).map_or(commit.subject.len(), |(at, _)| at);
    escape(&commit.subject[..end], out);
}

/// Reads `3-5` or `3`.
fn range(text: &str) -> Option<(u32, u32)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim_start_matches('L').parse::<u32>().ok();
    let (first, last) = (number(first)?, number(last)?);
    (first <= last).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn lines_are_read_as_written() {
        assert_eq!(range("3-5"), Some((3, 5)));
        assert_eq!(range("L7"), Some((7, 7)));
        for text in ["", "5-3", "a", "1-", "-1", "99999999999"] {
            assert_eq!(range(text), None, "{text}");
        }
    }
}
