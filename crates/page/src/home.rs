//! The first page: an empty search, the sources, and where to start.

use std::sync::Arc;

use maud::{Markup, html};

use crate::{
    error::PageError,
    layout::{self, Frame},
    links,
    params::Params,
    site::Site,
    text, tree,
};

/// The whole page.
pub(crate) fn page(site: &Arc<Site>, params: &Params) -> Result<Markup, PageError> {
    let read = site.run(|opened| {
        let status = opened.engine.status()?;
        let paths = opened.engine.paths()?;
        Ok((status, paths))
    });
    let (status, paths) = match read {
        Ok(read) => read,
        // The search works while the index is built.
        Err(PageError { progress: Some(progress), .. }) => {
            let body = html! {
                p.notice role="status" data-reload="2000" {
                    "The first index is being built: " (progress.describe())
                    ". You can search meanwhile."
                }
            };
            return Ok(layout::page(&Frame::new(site, "Search").asking(params), &body));
        }
        Err(error) => return Err(error),
    };
    let body = html! {
        h1.hidden { "Search this repository" }
        div.home {
            section {
                h2 { "Sources" }
                ul.sources {
                    @for (name, source) in &status.sources {
                        @if 0 < source.documents {
                            li {
                                a href={ (links::to("/search?in=")) (name.as_str()) } { (name.as_str()) }
                                " " span.count { (source.documents) }
                            }
                        }
                    }
                }
                h2 { "Look at" }
                ul {
                    li { a href=(links::to("/search?in=git")) { "Newest commits" } }
                    @if status.sources.iter().any(|(name, source)| name.as_str() == "tickets" && 0 < source.documents) {
                        li { a href=(links::to("/search?in=tickets")) { "Tickets" } }
                    }
                    li { a href=(links::to("/status")) { "State of the index" } }
                    li { a href=(links::to("/help")) { "Keys and query language" } }
                    li { a href=(links::to("/api/openapi.json")) { "The same answers as JSON" } }
                }
            }
            section {
                h2 { a href=(links::folder("", None)) { "Files" } " " span.count { (text::plural(paths.len(), "file", "files")) } }
                (tree::listing(&tree::entries(&paths, ""), "", None))
            }
        }
    };
    Ok(layout::page(&Frame::new(site, "Search").asking(params), &body))
}
