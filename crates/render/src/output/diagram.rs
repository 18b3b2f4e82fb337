//! The graph as a diagram: Mermaid for documents, DOT for Graphviz.
//!
//! Names come from files and are escaped, so that they cannot change the diagram.

use std::{
    collections::HashMap,
    io::{self, Write},
};

use lore_console::text;
use lore_engine::{Certainty, EdgeKind, GraphEdge, GraphNode, ResearchResponse};

use super::{GraphAnswer, Style};

/// Edges of the same kind between two nodes, as one arrow.
struct Arrow {
    from: usize,
    to: usize,
    kind: EdgeKind,
    /// The highest certainty of these edges.
    certainty: Certainty,
    /// Number of places.
    count: usize,
}

impl Arrow {
    fn label(&self) -> String {
        match self.count {
            0 | 1 => self.kind.as_str().to_owned(),
            count => format!("{} ({count})", self.kind.as_str()),
        }
    }
}

/// Writes a flow chart in the language of Mermaid.
pub(super) fn mermaid(answer: &GraphAnswer<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let response = answer.response;
    let arrows = arrows(response);
    writeln!(out, "graph LR")?;
    for (number, node) in nodes(response, &arrows) {
        let label: Vec<String> = label(node).iter().map(|line| escaped_for_mermaid(line)).collect();
        writeln!(out, "  n{number}[\"{}\"]", label.join("<br/>"))?;
    }
    for arrow in &arrows {
        let line = if arrow.certainty.is_certain() { "-->" } else { "-.->" };
        writeln!(out, "  n{} {line}|\"{}\"| n{}", arrow.from, arrow.label(), arrow.to)?;
    }
    Ok(())
}

/// Writes a graph in the language of Graphviz.
pub(super) fn dot(answer: &GraphAnswer<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let response = answer.response;
    let arrows = arrows(response);
    writeln!(out, "digraph {{\n  rankdir=LR;\n  node [shape=box];")?;
    for (number, node) in nodes(response, &arrows) {
        let label: Vec<String> = label(node).iter().map(|line| escaped_for_dot(line)).collect();
        writeln!(out, "  n{number} [label=\"{}\"];", label.join("\\n"))?;
    }
    for arrow in &arrows {
        let dashed = if arrow.certainty.is_certain() { "" } else { ", style=dashed" };
        let Arrow { from, to, .. } = arrow;
        writeln!(out, "  n{from} -> n{to} [label=\"{}\"{dashed}];", arrow.label())?;
    }
    writeln!(out, "}}")
}

/// The arrows, in the order of their first edges.
fn arrows(response: &ResearchResponse) -> Vec<Arrow> {
    let mut arrows: Vec<Arrow> = Vec::new();
    let mut known = HashMap::new();
    for edge in &response.edges {
        let at = *known.entry((edge.from, edge.to, edge.kind)).or_insert_with(|| {
            let GraphEdge { from, to, kind, certainty, .. } = *edge;
            arrows.push(Arrow { from, to, kind, certainty, count: 0 });
            arrows.len() - 1
        });
        arrows[at].count += edge.count;
        arrows[at].certainty = arrows[at].certainty.min(edge.certainty);
    }
    arrows
}

/// The subjects and all nodes with an arrow, with their numbers.
fn nodes<'a>(response: &'a ResearchResponse, arrows: &[Arrow]) -> Vec<(usize, &'a GraphNode)> {
    let mut shown = vec![false; response.nodes.len()];
    let ends = arrows.iter().flat_map(|arrow| [arrow.from, arrow.to]);
    for node in ends.chain(response.subjects.iter().copied()) {
        if let Some(shown) = shown.get_mut(node) {
            *shown = true;
        }
    }
    response.nodes.iter().enumerate().filter(|(number, _)| shown[*number]).collect()
}

/// The lines of a node's label: its name, and its place if the name does not contain it.
fn label(node: &GraphNode) -> Vec<String> {
    let mut lines = vec![text::clean(&node.name)];
    if let (Some(path), Some(line)) = (&node.path, node.line) {
        lines.push(text::clean(&format!("{path}:{line}")));
    }
    lines
}

/// Text for a quoted label. Characters that could end it, start a directive, or be HTML or Markdown
/// are written as character codes.
fn escaped_for_mermaid(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        if character.is_ascii_punctuation() && !"._-/:,()[]$@+=~!?".contains(character) {
            escaped.extend(["#", &u32::from(character).to_string(), ";"]);
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Text for a quoted string, in which Graphviz decodes HTML entities.
fn escaped_for_dot(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;")
}

#[cfg(test)]
mod tests {
    use lore_engine::Relation;

    use super::*;
    use crate::output::graph_fixture;

    fn written(
        write: fn(&GraphAnswer<'_>, &Style, &mut dyn Write) -> io::Result<()>,
        response: &ResearchResponse,
    ) -> String {
        let mut out = Vec::new();
        let answer = GraphAnswer { relation: Relation::Callers, response };
        write(&answer, &Style::plain(), &mut out).expect("writing to a vector cannot fail");
        String::from_utf8(out).expect("output is Unicode")
    }

    #[test]
    fn diagrams() {
        insta::assert_snapshot!(written(mermaid, &graph_fixture::callers()));
        insta::assert_snapshot!(written(dot, &graph_fixture::callers()));
    }

    #[test]
    fn names_are_escaped() {
        let evil = "a\"] --> n9\n%%{init: {}}%%<b>`x`&quot;#35;\\";
        assert_eq!(
            escaped_for_mermaid(&text::clean(evil)),
            "a#34;] --#62; n9 #37;#37;#123;init: #123;#125;#125;#37;#37;#60;b#62;#96;x#96;\
             #38;quot#59;#35;35#59;#92;"
        );
        assert_eq!(escaped_for_dot("a\"b\\\""), "a\\\"b\\\\\\\"");
        assert_eq!(escaped_for_dot("Vec<&str>"), "Vec<&amp;str>");
    }
}
