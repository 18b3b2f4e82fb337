//! Hits as cards, one for each, in the order of their ranks.

use lore_engine::{Clock, Hit};
use lore_schema::{SourceName, Trust};
use maud::{Markup, html};

use crate::{code, links, text};

/// Maximum number of characters of a passage of prose.
const MAX_PROSE: usize = 1_200;

/// A hit with its passage. The addresses of a hit of several repositories are those of its own.
pub(crate) fn card(hit: &Hit, revision: Option<&str>, now: Clock) -> Markup {
    match links::of_repository(hit) {
        Some((own, base)) => {
            let repository = hit.repository.as_deref();
            links::with_base(&base, || own_card(&own, repository, revision, now))
        }
        None => own_card(hit, None, revision, now),
    }
}

fn own_card(hit: &Hit, repository: Option<&str>, revision: Option<&str>, now: Clock) -> Markup {
    let link = links::hit(hit, revision);
    html! {
        li.card data-source=(hit.source.as_str()) {
            h2 {
                span.rank { (hit.rank) }
                " "
                a.title href=(link) { (title(hit)) }
                " "
                span.tag.(hit.source.as_str()) { (hit.source.as_str()) }
                @if hit.kind != hit.source.as_str() { " " span.kind { (hit.kind) } }
                @if let Some(status) = &hit.status { " " span.status { (status) } }
            }
            (place(hit, repository, revision, now))
            (passage(hit, revision))
            @if !hit.also_found_in.is_empty() {
                p.more {
                    "Nearly the same: "
                    @for (index, id) in hit.also_found_in.iter().enumerate() {
                        @if 0 < index { ", " }
                        code { (id) }
                    }
                }
            }
        }
    }
}

fn title(hit: &Hit) -> String {
    match hit.source {
        SourceName::Code | SourceName::Patterns => {
            let mut names = hit.breadcrumb.clone();
            if names.last() != Some(&hit.title) {
                names.push(hit.title.clone());
            }
            names.join(" › ")
        }
        _ => hit.title.clone(),
    }
}

/// Path, lines, people and dates.
fn place(hit: &Hit, repository: Option<&str>, revision: Option<&str>, now: Clock) -> Markup {
    html! {
        p.place {
            @if let Some(name) = repository { a.repository href=(links::to("/")) { (name) } " · " }
            @if let Some(path) = &hit.path {
                a href=(links::file(path, revision)) { (path) }
                @if let Some(line) = hit.start_line { span.line { ":" (line) } }
            } @else if hit.source == SourceName::Git {
                code { (text::short(hit.id.trim_start_matches("git:"))) }
            }
            @if let Some(author) = &hit.author { " · " (text::person(author)) }
            @if let Some(date) = hit.date {
                " · " time datetime=(text::day(date)) { (text::ago(date, now)) }
            }
            @if let Some(priority) = &hit.priority { " · priority " (priority) }
            @if hit.category != "own" { " · " (hit.category) }
            @if hit.origin == Trust::Outside { " · " span.outside { "text of outsiders" } }
            @for (name, value) in &hit.extra {
                @if name == "older than its code by" || name == "tried before" {
                    " · " (name) " " (value)
                }
            }
        }
    }
}

fn passage(hit: &Hit, revision: Option<&str>) -> Markup {
    let snippet = &hit.snippet;
    if snippet.text.trim().is_empty() {
        return html! {};
    }
    let is_code = matches!(hit.source, SourceName::Code | SourceName::Patterns);
    if let Some(path) = hit.path.as_ref().filter(|_| is_code) {
        let address = |line| links::lines(path, revision, line, line);
        let (language, marks) = (hit.language.as_deref(), &snippet.highlights);
        return code::passage(&snippet.text, language, snippet.start_line, marks, &address);
    }
    let cut = snippet.text.char_indices().nth(MAX_PROSE).map(|(at, _)| at);
    let shown = cut.map_or(snippet.text.as_str(), |at| &snippet.text[..at]);
    html! { p.prose { (code::marked(shown, &snippet.highlights)) } }
}
