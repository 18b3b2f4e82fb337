//! The page with the answer to a search.

use std::sync::Arc;

use lore_engine::{Absence, Receipt, SearchResponse, Sureness};
use lore_server::tree::IndexProgress;
use maud::{Markup, html};

use crate::{
    cards, code,
    error::PageError,
    facets, home,
    layout::{self, Frame},
    params::Params,
    query::{self, MAX_PAGE, PER_PAGE},
    site::{self, Site},
    text,
};

/// The whole page.
pub(crate) fn page(site: &Arc<Site>, params: &Params) -> Result<Markup, PageError> {
    if !query::is_asking(params) {
        return home::page(site, params);
    }
    let answer = answer(site, params)?;
    let title = params.get("q").unwrap_or("all documents").to_owned();
    Ok(layout::page(&Frame::new(site, &title).asking(params), &answer))
}

/// The part of the page that changes with the query.
pub(crate) fn answer(site: &Arc<Site>, params: &Params) -> Result<Markup, PageError> {
    let page = params.number("page", 1, MAX_PAGE)?;
    let shown = page * PER_PAGE;
    let (at_site, asked) = (Arc::clone(site), params.clone());
    let answer = site.run(move |opened| query::search(&asked, shown, &at_site, opened));
    let (response, progress) = match answer {
        Ok(response) => (response, None),
        Err(PageError { progress: Some(progress), .. }) => {
            (query::live(params, site)?, Some(progress))
        }
        Err(error) => return Err(error),
    };
    Ok(results(&response, params, page, progress))
}

/// A page of an answer. `progress` is that of the first index, while there is none.
pub(crate) fn results(
    response: &SearchResponse,
    params: &Params,
    page: usize,
    progress: Option<IndexProgress>,
) -> Markup {
    let shown = page * PER_PAGE;
    let skipped = if progress.is_some() { 0 } else { (page - 1) * PER_PAGE };
    let now = site::clock();
    let revision = params.get("at");
    html! {
        h1.hidden { "Results" }
        @if let Some(progress) = progress {
            p.notice role="status" data-reload="2000" {
                "The first index is being built: " (progress.describe())
                ". This answer comes from the files read so far."
            }
        }
        (facets::active(params))
        div.columns {
            @if let Some(counts) = &response.facets {
                (facets::facets(counts, response.receipt.total, params))
            }
            div.results {
                (receipt(response))
                @for warning in &response.warnings { p.notice { (warning) } }
                @if let Some(absence) = &response.absence { (explain(absence, response, params)) }
                ol.cards start=(skipped + 1) {
                    @for hit in response.hits.iter().skip(skipped) {
                        (cards::card(hit, revision, now))
                    }
                }
                (pages(response, page, shown, params))
            }
        }
    }
}

/// One line about the scope of the answer.
fn receipt(response: &SearchResponse) -> Markup {
    let Receipt { total, elapsed_ms, .. } = response.receipt;
    let receipt = &response.receipt;
    let sources: Vec<&str> = receipt.sources.keys().map(|source| source.as_str()).collect();
    html! {
        p.receipt role="status" {
            @if let Some(confidence) = &receipt.confidence {
                @match confidence.sureness {
                    Sureness::Found => { span.sure { "found" } " · " }
                    Sureness::Likely => { span.sure { "likely found" } " · " }
                    Sureness::Unsure => { span.unsure { "not sure" } " · " }
                }
            }
            (text::plural(usize::try_from(total).unwrap_or(usize::MAX), "document", "documents"))
            " match" @if total == 1 { "es" }
            " · " (sources.join(", "))
            @if let Some(tree) = &receipt.tree { " · " code { (tree) } }
            " · " (format!("{:.0} ms", elapsed_ms.ceil()))
            @if !receipt.corrected.is_empty() {
                " · instead of "
                @for (index, correction) in receipt.corrected.iter().enumerate() {
                    @if 0 < index { ", " }
                    q { (correction.typed) } ": " q { (correction.shown) }
                }
            }
        }
    }
}

fn explain(absence: &Absence, response: &SearchResponse, params: &Params) -> Markup {
    html! {
        section.absence {
            h2 { @if response.hits.is_empty() { "Nothing found" } @else { "No good answer" } }
            ul { @for reason in &absence.reasons { li { (reason) } } }
            @if !absence.nearest.is_empty() {
                p {
                    "Similar names that exist: "
                    @for (index, name) in absence.nearest.iter().enumerate() {
                        @if 0 < index { ", " }
                        a href=(params.with("page", None).with("q", Some(name)).address("/search")) { (name) }
                    }
                }
            }
            @for filter in &absence.filters {
                @if 0 < filter.removed {
                    p {
                        "The filter " code { (filter.name) "=" (filter.values.join(",")) }
                        " excludes " (filter.removed) ". "
                        a href=(params.with("page", None).with(filter.name, None).address("/search")) { "Remove it" }
                    }
                }
            }
            @if let Some(elsewhere) = &absence.elsewhere {
                ul {
                    @for place in &elsewhere.matches {
                        li { code { (code::marked(&place.path, &[])) } " contains " q { (place.word) } }
                    }
                }
            }
        }
    }
}

fn pages(response: &SearchResponse, page: usize, shown: usize, params: &Params) -> Markup {
    let has_more =
        response.hits.len() == shown && page < MAX_PAGE && (shown as u64) < response.receipt.total;
    let link = |page: usize| params.with("page", Some(&page.to_string())).address("/search");
    html! {
        @if 1 < page || has_more {
            nav.pages aria-label="Pages" {
                @if 1 < page { a rel="prev" href=(link(page - 1)) { "Previous" } " " }
                span { "Page " (page) }
                @if has_more { " " a rel="next" href=(link(page + 1)) { "Next" } }
            }
        }
    }
}
