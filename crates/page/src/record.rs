//! The page of a ticket or spec: its state, its text, and everything that it is connected with.

use std::sync::Arc;

use lore_engine::{RecordView, RelatedRecord, WhyHop, WhyRequest};
use lore_server::tree::NotesOnly;
use maud::{Markup, html};

use crate::{
    error::PageError,
    layout::{self, Frame},
    links, markdown,
    params::Params,
    site::{self, Site},
    text, why,
};

/// Maximum number of records that cite it.
const MAX_HOPS: usize = 30;

/// Reads a ticket or spec, its text, and the commits and tests that are connected with it.
pub(crate) fn read(
    site: &Arc<Site>,
    id: &str,
) -> Result<(RecordView, String, Vec<WhyHop>), PageError> {
    let id = id.to_owned();
    site.run(move |opened| {
        let engine = &opened.engine;
        let Some(record) = engine.record(&id, &NotesOnly)? else {
            return Err(PageError::missing(format!("there is no ticket and no spec `{id}`"))
                .hint("search for it: /search?in=specs,tickets"));
        };
        let text = match &record.text {
            Some(text) => text.clone(),
            None => engine
                .text(&record.path)
                .map_err(|reason| PageError::skipped(&record.path, reason))?,
        };
        let target = record.attributes.id.clone().unwrap_or_else(|| record.id.clone());
        let request = WhyRequest { target, limit: MAX_HOPS };
        let hops = engine.why(&request, &NotesOnly).map(|response| response.hops);
        Ok((record, text, hops.unwrap_or_default()))
    })
}

/// The whole page.
pub(crate) fn page(site: &Arc<Site>, params: &Params) -> Result<Markup, PageError> {
    let Some(id) = params.get("id") else {
        return Err(PageError::bad("this page needs a ticket or spec")
            .hint("for example /record?id=REF-12"));
    };
    let (record, text, hops) = read(site, id)?;
    let attributes = &record.attributes;
    let body = html! {
        div.head {
            h1 { (record.title) }
            p.place {
                span.tag { (record.kind) }
                @if let Some(id) = &attributes.id { " " code { (id) } }
                @if let Some(status) = &attributes.status { " " span.status { (status) } }
                " · " a href=(links::file(&record.path, None)) { (record.path) }
            }
        }
        (fields(&record))
        div.columns {
            article.markdown { (markdown::render(&text, &record.path, None)) }
            aside.relations {
                (related("Refers to", &record.named))
                (related("Referenced by", &record.naming))
                @if !record.governs.is_empty() {
                    section {
                        h2 { "Governs" }
                        ul {
                            @for link in &record.governs {
                                li {
                                    @match (link.found, link.start_line, link.end_line) {
                                        (false, ..) => { (link.path) " " span.note { "missing" } }
                                        (true, Some(first), Some(last)) => {
                                            a href=(links::lines(&link.path, None, first, last)) { (link.id.split_once(':').map_or(link.id.as_str(), |(_, rest)| rest)) }
                                        }
                                        (true, ..) if link.path.contains('*') => {
                                            a href=(links::to(&format!("/search?in=code&path={}", links::encode(&link.path)))) { (link.path) }
                                        }
                                        (true, ..) => { a href=(links::file(&link.path, None)) { (link.path) } }
                                    }
                                }
                            }
                        }
                    }
                }
                @if !hops.is_empty() { section { h2 { "Commits, tests and records" } (why::hops(&hops)) } }
            }
        }
    };
    Ok(layout::page(&Frame::new(site, &record.title), &body))
}

/// The attributes as a list of terms.
fn fields(record: &RecordView) -> Markup {
    let attributes = &record.attributes;
    let now = site::clock();
    let time = |seconds: Option<i64>| seconds.map(|seconds| text::ago(seconds, now));
    let rows: Vec<(&str, String)> = [
        ("priority", attributes.priority.clone()),
        ("assignee", attributes.assignee.clone()),
        ("author", attributes.author.clone()),
        ("created", time(attributes.created)),
        ("updated", time(attributes.updated)),
        ("tags", Some(attributes.tags.join(", ")).filter(|tags| !tags.is_empty())),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect();
    html! {
        @if !(rows.is_empty() && attributes.extra.is_empty()) {
            dl.fields {
                @for (name, value) in &rows { div { dt { (name) } dd { (value) } } }
                @for (name, value) in &attributes.extra {
                    @if value.len() <= 200 { div { dt { (name) } dd { (value) } } }
                }
            }
        }
    }
}

fn related(title: &str, records: &[RelatedRecord]) -> Markup {
    html! {
        @if !records.is_empty() {
            section {
                h2 { (title) }
                ul {
                    @for other in records {
                        li {
                            span.note { (other.field) } " "
                            a href=(links::record(&other.id)) { (other.title) }
                            @if let Some(status) = &other.status { " " span.status { (status) } }
                        }
                    }
                }
            }
        }
    }
}
