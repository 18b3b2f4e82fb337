//! Filters beside an answer: the values of its documents with their numbers, each a link.

use lore_engine::{FacetValue, Facets};
use lore_schema::SourceName;
use maud::{Markup, html};

use crate::{params::Params, query::FILTERS};

/// Names of the periods.
const PERIODS: &[(&str, &str)] =
    &[("7d", "last 7 days"), ("30d", "last 30 days"), ("365d", "last year")];

/// The filters that are set, each with a link that removes it.
pub(crate) fn active(params: &Params) -> Markup {
    let set: Vec<(&str, String)> = FILTERS
        .iter()
        .chain(&["mode", "match", "at"])
        .flat_map(|name| params.all(name).into_iter().map(move |value| (*name, value)))
        .filter(|(name, value)| !(*name == "match" && value == "words"))
        .collect();
    html! {
        @if !set.is_empty() {
            ul.active aria-label="Filters" {
                @for (name, value) in &set {
                    li {
                        a href=(params.with("page", None).without_value(name, value).address("/search"))
                            title="Remove this filter" {
                            (name) ": " (label(value)) span aria-hidden="true" { " ×" }
                            span.hidden { " (remove)" }
                        }
                    }
                }
            }
        }
    }
}

/// The values of the documents of an answer. Values of a filter that is set are in [`active`].
pub(crate) fn facets(facets: &Facets, total: u64, params: &Params) -> Markup {
    let groups: [(&str, &str, &[FacetValue]); 6] = [
        ("in", "Source", &facets.sources),
        ("lang", "Language", &facets.languages),
        ("kind", "Kind", &facets.kinds),
        ("status", "Status", &facets.statuses),
        ("author", "Author", &facets.authors),
        ("since", "Date of commits and records", &facets.dates),
    ];
    html! {
        nav.facets aria-label="Narrow the answer" {
            @for (name, title, values) in groups {
                @if params.get(name).is_none() && !values.is_empty() {
                    section {
                        h2 { (title) }
                        ul {
                            @for value in values {
                                li {
                                    a href=(narrowed(params, name, &value.value, &facets.dated)) {
                                        (label(&value.value))
                                    }
                                    " " span.count { (value.count) @if facets.counted < total { "+" } }
                                }
                            }
                        }
                    }
                }
            }
            @if facets.counted < total {
                p.note { "Counted over the best " (facets.counted) " of " (total) " documents." }
            }
        }
    }
}

fn narrowed(params: &Params, name: &str, value: &str, dated: &[SourceName]) -> String {
    // A comma would separate two values; a star at the end matches any rest.
    let value = match value.split_once(',') {
        Some((start, _)) => format!("{start}*"),
        None => value.to_owned(),
    };
    let mut narrowed = params.with("page", None).with(name, Some(&value));
    if name == "since" {
        // Other documents have no date of their own, and are not counted.
        let sources: Vec<&str> = dated.iter().map(|source| source.as_str()).collect();
        narrowed = narrowed.with("in", Some(&sources.join(",")));
    }
    narrowed.address("/search")
}

fn label(value: &str) -> &str {
    let known = PERIODS.iter().find(|(period, _)| *period == value);
    known.map_or(value, |(_, label)| *label)
}
