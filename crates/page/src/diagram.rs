//! A picture of the neighbours of a definition: callers on the left, callees on the right, implementations
//! below. Every box is a link; colours are those of the style sheet.

use std::collections::BTreeSet;

use lore_engine::{GraphNode, ResearchResponse};
use maud::{Markup, PreEscaped, html};

use crate::links;

/// Maximum number of boxes on one side.
const MAX_BOXES: usize = 12;

/// Maximum number of characters in a box.
const MAX_LABEL: usize = 30;

const WIDTH: usize = 230;
const HEIGHT: usize = 26;
const STEP: usize = 36;
const GAP: usize = 90;

/// The neighbours of a definition, each with the verb of its edges.
pub(crate) struct Neighbours<'a> {
    /// Name of the definition.
    pub(crate) subject: &'a str,
    /// Definitions that refer to it.
    pub(crate) incoming: &'a [(&'a str, &'a ResearchResponse)],
    /// Definitions that it refers to.
    pub(crate) outgoing: &'a [(&'a str, &'a ResearchResponse)],
    /// Definitions that implement it.
    pub(crate) below: &'a [(&'a str, &'a ResearchResponse)],
}

/// A box on one side.
struct Neighbour<'a> {
    verb: &'a str,
    node: &'a GraphNode,
}

/// Draws the picture; nothing without neighbours.
pub(crate) fn draw(neighbours: &Neighbours<'_>) -> Markup {
    let left = boxes(neighbours.incoming, true);
    let right = boxes(neighbours.outgoing, false);
    let below = boxes(neighbours.below, true);
    if left.is_empty() && right.is_empty() && below.is_empty() {
        return html! {};
    }
    let rows = left.len().max(right.len()).max(1);
    let sides = rows * STEP;
    let height = sides + if below.is_empty() { 10 } else { 60 + below.len() * STEP };
    let width = 3 * WIDTH + 2 * GAP;
    let middle = WIDTH + GAP;
    let center = sides / 2;
    let label = format!(
        "{}: {} incoming, {} outgoing, {} implementations",
        neighbours.subject,
        left.len(),
        right.len(),
        below.len()
    );
    html! {
        figure.graph tabindex="0" aria-label="Neighbours in the graph" {
            (PreEscaped(format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"group\" aria-label=\"")))
            (label)
            (PreEscaped("\">"))
            @for (index, neighbour) in left.iter().enumerate() {
                @let y = row(index, left.len(), sides);
                (edge((WIDTH, y), (middle, center)))
                (node(neighbour, 0, y))
            }
            @for (index, neighbour) in right.iter().enumerate() {
                @let y = row(index, right.len(), sides);
                (edge((middle + WIDTH, center), (middle + WIDTH + GAP, y)))
                (node(neighbour, middle + WIDTH + GAP, y))
            }
            @for (index, neighbour) in below.iter().enumerate() {
                @let y = sides + 50 + index * STEP;
                (edge((middle + WIDTH / 2, y.saturating_sub(HEIGHT / 2)), (middle + WIDTH / 2, center + HEIGHT / 2)))
                (node(neighbour, middle, y))
            }
            g.subject {
                (rectangle(middle, center))
                (caption(neighbours.subject, middle, center))
            }
            (PreEscaped("</svg>"))
        }
    }
}

/// The distinct other ends of the edges.
fn boxes<'a>(
    relations: &'a [(&'a str, &'a ResearchResponse)],
    is_incoming: bool,
) -> Vec<Neighbour<'a>> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut found = Vec::new();
    for (verb, response) in relations {
        for edge in &response.edges {
            let at = if is_incoming { edge.from } else { edge.to };
            let node = &response.nodes[at];
            let is_new = !response.subjects.contains(&at) && known.insert(&node.id);
            if is_new && found.len() < MAX_BOXES {
                found.push(Neighbour { verb, node });
            }
        }
    }
    found
}

/// Vertical centre of a box among those of its side.
fn row(index: usize, count: usize, height: usize) -> usize {
    (height - count * STEP) / 2 + index * STEP + STEP / 2
}

fn rectangle(x: usize, y: usize) -> Markup {
    let top = y - HEIGHT / 2;
    PreEscaped(format!(
        "<rect x=\"{x}\" y=\"{top}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"4\"/>"
    ))
}

fn caption(label: &str, x: usize, y: usize) -> Markup {
    let cut = label.char_indices().nth(MAX_LABEL).map(|(at, _)| at);
    let (x, y) = (x + WIDTH / 2, y + 5);
    html! {
        (PreEscaped(format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">")))
        @match cut { Some(at) => { (label[..at]) "…" } None => { (label) } }
        (PreEscaped("</text>"))
    }
}

fn node(neighbour: &Neighbour<'_>, x: usize, y: usize) -> Markup {
    let node = neighbour.node;
    let place = match (&node.path, node.line) {
        (Some(path), Some(line)) => format!("{} · {path}:{line}", neighbour.verb),
        (Some(path), None) => format!("{} · {path}", neighbour.verb),
        (None, _) => neighbour.verb.to_owned(),
    };
    let inside = html! {
        (PreEscaped("<title>")) (node.name) " " (place) (PreEscaped("</title>"))
        (rectangle(x, y))
        (caption(&node.name, x, y))
    };
    html! {
        @if node.id.contains('#') {
            a href=(links::symbol(&node.id)) { (inside) }
        } @else if let Some(path) = &node.path {
            a href=(links::file(path, None)) { (inside) }
        } @else {
            g { (inside) }
        }
    }
}

/// A curve from one point to another, with an arrow at its end.
fn edge((x1, y1): (usize, usize), (x2, y2): (usize, usize)) -> Markup {
    let middle = usize::midpoint(x1, x2);
    let arrow = if y1 == y2 || x1 != x2 {
        format!("M{x2} {y2} l-7 -4 v8 z")
    } else {
        format!("M{x2} {y2} l-4 7 h8 z")
    };
    PreEscaped(format!(
        "<path class=\"edge\" d=\"M{x1} {y1} C{middle} {y1} {middle} {y2} {x2} {y2}\"/>\
         <path class=\"arrow\" d=\"{arrow}\"/>"
    ))
}
