//! The page of a name in a file: its definition, and every place that uses it.

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use lore_engine::{Certainty, EdgeKind, Engine, Navigator, SymbolHit, name_at};
use lore_server::tree::NotesOnly;
use maud::{Markup, html};

use crate::{
    code,
    error::PageError,
    layout::{self, Frame},
    links,
    params::Params,
    site::Site,
    text,
};

/// Maximum number of uses that are shown.
const MAX_USES: usize = 300;

/// Maximum number of lines of a definition that are shown.
const MAX_LINES: usize = 24;

/// A name in a file.
pub(crate) struct NameView {
    /// The name.
    pub(crate) name: String,
    /// Its possible definitions.
    pub(crate) definitions: Vec<SymbolHit>,
    /// The first lines of each definition.
    bodies: Vec<String>,
    /// Certainty that one of them is meant; `None` without a definition.
    pub(crate) certainty: Option<Certainty>,
    /// The places that use it.
    pub(crate) uses: Vec<NameUse>,
    /// Number of all uses.
    pub(crate) total: usize,
}

/// A place that uses a name.
pub(crate) struct NameUse {
    /// Root-relative path.
    pub(crate) path: String,
    /// Line, 1-based.
    pub(crate) line: u32,
    /// Kind of the use.
    pub(crate) kind: EdgeKind,
    /// The line without whitespace at its ends.
    pub(crate) text: String,
}

/// Looks up the name at a place of a file: a line, 1-based, and a column in UTF-16 units.
pub(crate) fn look_up(
    site: &Arc<Site>,
    path: &str,
    place: (u32, usize),
    revision: Option<&str>,
) -> Result<NameView, PageError> {
    let path = match revision {
        None => site.tree()?.locate(path)?.1,
        Some(_) => path.to_owned(),
    };
    let (at_site, revision) = (Arc::clone(site), revision.map(str::to_owned));
    site.run(move |opened| {
        let view = at_site.view(opened, revision.as_deref())?;
        name(&view, &path, place)
    })
}

fn name(engine: &Engine, path: &str, (line, column): (u32, usize)) -> Result<NameView, PageError> {
    let text = engine.text(path).map_err(|reason| PageError::skipped(path, reason))?;
    let lines: Vec<&str> = text.lines().collect();
    let line_of = |number: u32| {
        let index = (number as usize).checked_sub(1);
        index.and_then(|index| lines.get(index)).copied().unwrap_or_default()
    };
    let column = byte_column(line_of(line), column);
    let Some((position, _)) = name_at(path, (line, column), &line_of) else {
        return Err(PageError::missing(format!("there is no name at {path}:{line}")));
    };
    let (found, uses) =
        engine.navigate(Navigator::NAMES, Instant::now(), &[], &NotesOnly, |navigator| {
            Ok((navigator.meaning(&position)?, navigator.uses(&position)?))
        })?;
    let total = uses.len();
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut lines_of = |path: &str, first: u32, count: usize| {
        let text = texts.entry(path.to_owned()).or_insert_with(|| engine.text(path).ok());
        let lines = text.as_deref().unwrap_or_default().lines();
        let lines: Vec<&str> = lines.skip(first.saturating_sub(1) as usize).take(count).collect();
        lines.join("\n")
    };
    let uses = uses
        .into_iter()
        .take(MAX_USES)
        .map(|place| NameUse {
            text: lines_of(&place.path, place.line, 1).trim().to_owned(),
            path: place.path,
            line: place.line,
            kind: place.kind,
        })
        .collect();
    let (definitions, certainty) = match found {
        Some(found) => (found.definitions, Some(found.certainty)),
        None => (Vec::new(), None),
    };
    let bodies = definitions
        .iter()
        .map(|hit| {
            let count = (hit.end_line.saturating_sub(hit.line) as usize + 1).min(MAX_LINES);
            lines_of(&hit.path, hit.line, count)
        })
        .collect();
    Ok(NameView { name: position.name, definitions, bodies, certainty, uses, total })
}

/// The byte column of a column in UTF-16 units.
fn byte_column(line: &str, column: usize) -> usize {
    let mut units = 0;
    for (at, character) in line.char_indices() {
        if column <= units {
            return at;
        }
        units += character.len_utf16();
    }
    line.len()
}

/// Reads a place of an address: `12.5`.
pub(crate) fn place(text: &str) -> Result<(u32, usize), PageError> {
    let parts = text.split_once('.');
    let read = parts.and_then(|(line, column)| Some((line.parse().ok()?, column.parse().ok()?)));
    read.filter(|(line, _)| 0 < *line)
        .ok_or_else(|| PageError::bad(format!("`{text}` is not a place: write LINE.COLUMN")))
}

/// The whole page.
pub(crate) fn page(
    site: &Arc<Site>,
    path: &str,
    at: &str,
    params: &Params,
) -> Result<Markup, PageError> {
    let revision = params.get("at");
    let view = look_up(site, path, place(at)?, revision)?;
    let body = html! {
        h1 { code { (view.name) } }
        p.place { "named in " a href=(links::lines(path, revision, place(at)?.0, place(at)?.0)) { (path) ":" (place(at)?.0) } }
        (parts(&view, revision))
    };
    Ok(layout::page(&Frame::new(site, &view.name), &body))
}

/// The definitions and uses of a name.
pub(crate) fn parts(view: &NameView, revision: Option<&str>) -> Markup {
    html! {
        @if view.definitions.is_empty() {
            p {
                "No definition of " code { (view.name) } " is known in this tree. "
                a href=(links::search(&view.name)) { "Search for it" }
            }
        }
        @if let Some(Certainty::OneOf(count)) = view.certainty {
            p.note { "One of " (count) " definitions with this name; it is unknown which one is meant." }
        }
        @for (hit, body) in view.definitions.iter().zip(&view.bodies) {
            section.definition {
                h2 {
                    a.title href=(links::lines(&hit.path, revision, hit.line, hit.line)) { (hit.breadcrumb.join(" › ")) @if !hit.breadcrumb.is_empty() { " › " } (hit.name) }
                    " " span.kind { (hit.kind) }
                }
                p.place {
                    (hit.path) ":" (hit.line)
                    @if revision.is_none() {
                        " · " a href=(links::symbol(&hit.id)) { "callers and uses" }
                        " · " a href=(links::why(&format!("{}:{}", hit.path, hit.line))) { "why" }
                    }
                }
                @if let Some(comment) = &hit.doc_comment { p.prose { (comment) } }
                (code::passage(body, hit.language.as_deref(), hit.line, &[], &|line| links::lines(&hit.path, revision, line, line)))
            }
        }
        @if !view.uses.is_empty() {
            section {
                h2 { (text::plural(view.total, "use", "uses")) }
                (uses(view, revision))
                @if view.uses.len() < view.total { p.note { "The first " (view.uses.len()) " are shown." } }
            }
        }
    }
}

fn uses(view: &NameView, revision: Option<&str>) -> Markup {
    let mut files: Vec<(&str, Vec<&NameUse>)> = Vec::new();
    for place in &view.uses {
        match files.last_mut() {
            Some((path, places)) if *path == place.path => places.push(place),
            _ => files.push((&place.path, vec![place])),
        }
    }
    html! {
        @for (path, places) in files {
            h3 { a href=(links::file(path, revision)) { (path) } }
            ul.uses {
                @for place in places {
                    li {
                        a href=(links::lines(path, revision, place.line, place.line)) { (place.line) }
                        " " code { (place.text) } " " span.kind { (place.kind.as_str()) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_as_in_a_browser() {
        assert_eq!(byte_column("a🦀b", 0), 0);
        assert_eq!(byte_column("a🦀b", 1), 1);
        assert_eq!(byte_column("a🦀b", 3), 5);
        assert_eq!(byte_column("a", 9), 1);
        assert_eq!(place("12.5").expect("a place"), (12, 5));
        for text in ["", "12", "0.1", "a.b", "1.-1"] {
            assert!(place(text).is_err(), "{text}");
        }
    }
}
