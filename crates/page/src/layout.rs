//! The frame of every page, and the headers of every answer.

use std::sync::Arc;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Response, StatusCode, header},
};
use maud::{DOCTYPE, Markup, html};

use crate::{assets, error::PageError, links, params::Params, site::Site};

/// The policy of every page: its own style sheet and script, nothing inline, nothing of others.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The parts of the frame that differ between pages.
pub(crate) struct Frame {
    title: String,
    tree: String,
    params: Params,
    /// Address of this page that stays valid: with its commit.
    permalink: Option<String>,
    /// False for a page over several repositories.
    is_of_tree: bool,
}

impl Frame {
    /// The frame of a page with this title.
    pub(crate) fn new(site: &Arc<Site>, title: &str) -> Frame {
        let tree = site.tree().map(|tree| tree.name.clone()).unwrap_or_default();
        let (title, params) = (title.to_owned(), Params::default());
        Frame { title, tree, params, permalink: None, is_of_tree: true }
    }

    /// The frame of a page over several repositories.
    pub(crate) fn of_several(title: &str) -> Frame {
        let (title, tree) = (title.to_owned(), "Lorehound".to_owned());
        Frame { title, tree, params: Params::default(), permalink: None, is_of_tree: false }
    }

    /// Sets the search whose query the page shows.
    pub(crate) fn asking(mut self, params: &Params) -> Frame {
        self.params = params.clone();
        self
    }

    /// Sets the revision, which a search from the page keeps.
    pub(crate) fn at(mut self, revision: Option<&str>) -> Frame {
        self.params = self.params.with("at", revision);
        self
    }

    /// Sets the address that stays valid.
    pub(crate) fn permalink(mut self, address: Option<String>) -> Frame {
        self.permalink = address;
        self
    }
}

/// A page with its frame.
pub(crate) fn page(frame: &Frame, body: &Markup) -> Markup {
    let params = &frame.params;
    let base = links::base();
    let kept = params.pairs().filter(|(name, _)| !matches!(*name, "q" | "page"));
    html! {
        (DOCTYPE)
        html lang="en" data-base=(base) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="same-origin";
                title { (frame.title) " · " (frame.tree) }
                link rel="icon" type="image/svg+xml" href=(assets::ICON.address());
                link rel="stylesheet" href=(assets::STYLE.address());
                script src=(assets::SCRIPT.address()) defer {}
                @if let Some(address) = &frame.permalink { link rel="canonical" href=(address); }
            }
            body {
                a.skip href="#page.main" { "Skip to the content" }
                header {
                    a.name href=(links::to("/")) title="First page" { (frame.tree) }
                    form role="search" action=(links::to("/search")) method="get" {
                        label.hidden for="page.q" { "Search" }
                        input id="page.q" name="q" type="search" value=(params.get("q").unwrap_or_default())
                            placeholder="Search code, docs, tickets, commits" autocomplete="off"
                            spellcheck="false" maxlength="8000";
                        @for (name, value) in kept { input type="hidden" name=(name) value=(value); }
                        button type="submit" { "Search" }
                    }
                    nav.top aria-label="Site" {
                        @if frame.is_of_tree {
                            a href=(links::to("/tree/")) { "Files" }
                            a href=(links::to("/find")) { "Find file" }
                            a href=(links::to("/status")) { "Status" }
                        }
                        a href=(links::to("/help")) { "Help" }
                        @if !base.is_empty() { a href="/" { "All repositories" } }
                    }
                }
                main id="page.main" tabindex="-1" { (body) }
            }
        }
    }
}

/// The page of an error.
pub(crate) fn failed(site: &Arc<Site>, error: &PageError) -> Markup {
    failed_on(&Frame::new(site, "Error"), error)
}

/// The page of an error with a frame.
pub(crate) fn failed_on(frame: &Frame, error: &PageError) -> Markup {
    let body = html! {
        section.absence data-reload=[error.progress.map(|_| "2000")] {
            h1 { @if error.progress.is_some() { "Not ready yet" } @else if error.status == StatusCode::NOT_FOUND { "Not found" } @else { "Error" } }
            p { (error.message) }
            @if let Some(hint) = &error.hint { p { (hint) } }
        }
    };
    page(frame, &body)
}

/// An answer with the headers of all answers.
pub(crate) fn response(
    status: StatusCode,
    content_type: &'static str,
    body: impl Into<Body>,
) -> Response<Body> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    secure(headers);
    response
}

/// Sets the headers that every answer has.
fn secure(headers: &mut HeaderMap) {
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "same-origin"),
        // An answer is true at the time of its request only.
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let opener = header::HeaderName::from_static("cross-origin-opener-policy");
    headers.insert(opener, HeaderValue::from_static("same-origin"));
    let resources = header::HeaderName::from_static("cross-origin-resource-policy");
    headers.insert(resources, HeaderValue::from_static("same-origin"));
}
