//! The page with the reasons of a place or record.

use std::sync::Arc;

use lore_engine::{WhyHop, WhyKind, WhyRequest, WhyResponse};
use lore_server::tree::NotesOnly;
use maud::{Markup, html};

use crate::{
    error::PageError,
    layout::{self, Frame},
    links,
    params::Params,
    site::{self, Site},
    text,
};

/// Maximum number of steps.
const MAX_HOPS: usize = 30;

/// Finds the reasons of a target: a line, a definition, a commit, a ticket.
pub(crate) fn read(site: &Arc<Site>, target: &str) -> Result<WhyResponse, PageError> {
    let request = WhyRequest { target: target.to_owned(), limit: MAX_HOPS };
    site.run(move |opened| Ok(opened.engine.why(&request, &NotesOnly)?))
}

/// The whole page.
pub(crate) fn page(site: &Arc<Site>, params: &Params) -> Result<Markup, PageError> {
    let Some(target) = params.get("target") else {
        return Err(PageError::bad("this page needs a target")
            .hint("for example /why?target=src/lib.rs:10"));
    };
    let response = read(site, target)?;
    let subject = &response.subject;
    let body = html! {
        div.head {
            h1 { "Why " code { (subject.title) } " is as it is" }
            p.place {
                @match (&subject.path, subject.start_line, subject.end_line) {
                    (Some(path), Some(first), Some(last)) => {
                        a href=(links::lines(path, None, first, last)) { (path) ":" (first) }
                    }
                    (Some(path), ..) => { a href=(links::file(path, None)) { (path) } }
                    (None, ..) => { code { (subject.id) } }
                }
            }
        }
        @if response.hops.is_empty() { p { "No commit, ticket or document is connected with it." } }
        (hops(&response.hops))
        @if 0 < response.omitted { p.note { (response.omitted) " more." } }
        @if response.has_older_changes { p.note { "There may be older changes." } }
    };
    Ok(layout::page(&Frame::new(site, &format!("Why {}", subject.title)), &body))
}

/// Steps as a list, each below the one that it follows from.
pub(crate) fn hops(hops: &[WhyHop]) -> Markup {
    below(hops, None, 0)
}

fn below(hops: &[WhyHop], from: Option<usize>, depth: usize) -> Markup {
    let now = site::clock();
    let next: Vec<(usize, &WhyHop)> =
        hops.iter().enumerate().filter(|(_, hop)| hop.from == from).collect();
    html! {
        @if !next.is_empty() && depth < 20 {
            ul.hops {
                @for (index, hop) in next {
                    li {
                        span.tag { (hop.kind.as_str()) } " "
                        @match address(hop) {
                            Some(address) => { a href=(address) { (hop.title) } }
                            None => { (hop.title) }
                        }
                        @if let Some(status) = &hop.status { " " span.status { (status) } }
                        " " span.note {
                            (hop.evidence)
                            @if hop.certainty != lore_engine::WhyCertainty::Certain { " (" (hop.certainty.as_str()) ")" }
                            @if let Some(date) = hop.date { " · " (text::ago(date, now)) }
                        }
                        @if !hop.quote.is_empty() { blockquote { (hop.quote) } }
                        (below(hops, Some(index), depth + 1))
                    }
                }
            }
        }
    }
}

fn address(hop: &WhyHop) -> Option<String> {
    if !hop.is_known {
        return None;
    }
    if hop.kind == WhyKind::Commit {
        return Some(links::commit(hop.id.strip_prefix("git:").unwrap_or(&hop.id)));
    }
    if matches!(hop.kind, WhyKind::Ticket | WhyKind::Spec | WhyKind::Decision)
        && hop.id.split_once(':').is_some_and(|(source, _)| matches!(source, "tickets" | "specs"))
    {
        return Some(links::record(&hop.id));
    }
    let path = hop.path.as_ref()?;
    Some(match hop.line {
        Some(line) => links::lines(path, None, line, line),
        None => links::file(path, None),
    })
}
