//! The page of a definition: its text, its callers, what it calls, its implementations, as lists and as a
//! picture.

use std::sync::Arc;

use lore_engine::{
    Engine, GraphEdge, PlaceRequest, Relation, ResearchQuestion, ResearchRequest, ResearchResponse,
    SymbolHit, SymbolRequest,
};
use lore_schema::Filter;
use lore_server::tree::NotesOnly;
use maud::{Markup, html};

use crate::{
    code, diagram,
    error::PageError,
    layout::{self, Frame},
    links,
    params::Params,
    site::Site,
    text,
};

/// Maximum number of edges of each relation.
const MAX_EDGES: usize = 100;

/// Maximum number of definitions of a name.
const MAX_NAMESAKES: usize = 50;

/// Maximum number of lines of the definition.
const MAX_LINES: usize = 60;

/// The relations that the page shows, with their titles.
const RELATIONS: &[(Relation, &str)] = &[
    (Relation::Callers, "Callers"),
    (Relation::References, "Uses"),
    (Relation::Implementations, "Implementations"),
    (Relation::Callees, "Calls"),
];

/// A definition with its neighbours in the graph.
pub(crate) struct SymbolView {
    /// `source:path#Container.name`.
    pub(crate) id: String,
    title: String,
    kind: String,
    path: String,
    lines: (u32, u32),
    text: String,
    language: Option<&'static str>,
    /// The answer for each of [`RELATIONS`].
    relations: Vec<ResearchResponse>,
}

/// Reads a definition by its identifier.
pub(crate) fn read(site: &Arc<Site>, id: &str) -> Result<SymbolView, PageError> {
    let id = id.to_owned();
    site.run(move |opened| view(&opened.engine, &id))
}

fn view(engine: &Engine, id: &str) -> Result<SymbolView, PageError> {
    let request = PlaceRequest { place: id.to_owned(), relation: None, has_uses: false, limit: 1 };
    let place = engine.place(&request, &NotesOnly)?;
    let subject = place.subject;
    let (Some(path), Some(first), Some(last)) =
        (subject.path, subject.start_line, subject.end_line)
    else {
        return Err(PageError::missing(format!("`{id}` is not a definition in a file")));
    };
    let source = format!("{}:", subject.source);
    let name = subject.id.strip_prefix(source.as_str()).unwrap_or(&subject.id).to_owned();
    let mut relations = Vec::with_capacity(RELATIONS.len());
    for (relation, _) in RELATIONS {
        relations.push(graph(engine, *relation, &name, MAX_EDGES)?);
    }
    Ok(SymbolView {
        language: lore_highlight::language_of(&path, &place.text),
        id: subject.id,
        title: subject.title,
        kind: subject.kind,
        path,
        lines: (first, last),
        text: place.text,
        relations,
    })
}

/// Queries one relation of a definition.
pub(crate) fn graph(
    engine: &Engine,
    relation: Relation,
    name: &str,
    limit: usize,
) -> Result<ResearchResponse, PageError> {
    let request = ResearchRequest {
        question: ResearchQuestion { relation, subject: Some(name.to_owned()), object: None },
        depth: Some(1),
        filter: Filter::default(),
        limit,
        guesses: false,
    };
    Ok(engine.research(&request, &NotesOnly)?)
}

/// The definitions of a name, best first.
pub(crate) fn named(site: &Arc<Site>, name: &str) -> Result<Vec<SymbolHit>, PageError> {
    let request =
        SymbolRequest { query: name.to_owned(), filter: Filter::default(), limit: MAX_NAMESAKES };
    site.run(move |opened| Ok(opened.engine.symbols(&request, &NotesOnly)?.hits))
}

/// The whole page.
pub(crate) fn page(site: &Arc<Site>, params: &Params) -> Result<Markup, PageError> {
    if let Some(id) = params.get("id") {
        return of_id(site, id);
    }
    let Some(name) = params.get("name") else {
        return Err(
            PageError::bad("this page needs a definition").hint("for example /symbol?name=main")
        );
    };
    let hits = named(site, name)?;
    let body = html! {
        h1 { "Definitions of " code { (name) } }
        @if hits.is_empty() {
            p { "There is none. " a href=(links::search(name)) { "Search for it" } }
        }
        ul.uses {
            @for hit in &hits {
                li {
                    a href=(links::symbol(&hit.id)) { code { (hit.signature) } } " "
                    span.kind { (hit.kind) }
                    " " a href=(links::lines(&hit.path, None, hit.line, hit.line)) { (hit.path) ":" (hit.line) }
                }
            }
        }
    };
    Ok(layout::page(&Frame::new(site, name), &body))
}

fn of_id(site: &Arc<Site>, id: &str) -> Result<Markup, PageError> {
    let view = read(site, id)?;
    let cut = view.text.lines().take(MAX_LINES).collect::<Vec<_>>().join("\n");
    let [callers, uses, implementations, callees] = &view.relations[..] else {
        return Err(PageError::missing("the graph has no answer"));
    };
    let picture = diagram::Neighbours {
        subject: &view.title,
        incoming: &[("calls", callers), ("uses", uses)],
        outgoing: &[("calls", callees)],
        below: &[("implements", implementations)],
    };
    let body = html! {
        div.head {
            h1 { (view.title) " " span.kind { (view.kind) } }
            p.place { a href=(links::lines(&view.path, None, view.lines.0, view.lines.1)) { (view.path) ":" (view.lines.0) } }
            nav.actions aria-label="Around the definition" {
                a href=(links::why(&view.id)) { "Why it is so" }
                a href=(links::history(&view.path, None)) { "History of the file" }
            }
        }
        (code::passage(&cut, view.language, view.lines.0, &[], &|line| links::lines(&view.path, None, line, line)))
        (diagram::draw(&picture))
        @for ((relation, title), response) in RELATIONS.iter().zip(&view.relations) {
            (edges(*relation, title, response))
        }
    };
    Ok(layout::page(&Frame::new(site, &view.title), &body))
}

/// The other end of an edge: the one that is not the subject.
fn other(relation: Relation, edge: &GraphEdge) -> usize {
    if relation == Relation::Callees { edge.to } else { edge.from }
}

fn edges(relation: Relation, title: &str, response: &ResearchResponse) -> Markup {
    // Callers are among the uses of a definition, and shown once.
    let shown: Vec<(usize, &GraphEdge)> = response
        .edges
        .iter()
        .enumerate()
        .filter(|(_, edge)| {
            relation != Relation::References || edge.kind != lore_engine::EdgeKind::Calls
        })
        .collect();
    html! {
        @if !shown.is_empty() {
            section {
                h2 { (title) " " span.count { (shown.len()) } }
                ul.uses {
                    @for (index, edge) in &shown {
                        @let node = &response.nodes[other(relation, edge)];
                        @let from = &response.nodes[edge.from];
                        li {
                            @if node.id.contains('#') {
                                a href=(links::symbol(&node.id)) { (node.name) }
                            } @else { (node.name) }
                            @if let (Some(path), Some(line)) = (&from.path, edge.line) {
                                " " a href=(links::lines(path, None, line, line)) { (path) ":" (line) }
                            }
                            @if !edge.certainty.is_certain() {
                                " " span.note { (edge.certainty.as_str()) }
                            }
                            @if let Some(Some(line)) = response.lines.get(*index) { br; code { (line) } }
                        }
                    }
                }
                @if 0 < response.guesses {
                    p.note { (text::plural(response.guesses, "more place names", "more places name")) " one of many definitions with this name." }
                }
                @if response.is_cut { p.note { "There are more." } }
            }
        }
    }
}
