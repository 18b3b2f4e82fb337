//! Answers about the graph for agents and other programs: a line for each edge, with the text of the
//! line that names the other end.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    io::{self, Write},
    ops::Range,
};

use lore_console::text;
use lore_engine::{Certainty, EdgeKind, GraphEdge, GraphNode, Relation, ResearchResponse};
use serde_json::Value;

use super::{
    GraphAnswer, Style,
    human::{count, plural},
    jsonl, markdown, toon,
};
use crate::wire;

/// The text for agents: the question and how complete the answer is, the definitions that it is about,
/// then the edges of a range, nearest first.
pub fn text(answer: &GraphAnswer<'_>, edges: Range<usize>) -> String {
    let response = answer.response;
    let mut out = format!("{}: {}\n", text::clean(&response.question), extent(response, &edges));
    if edges.start == 0 && !matches!(answer.relation, Relation::Path) {
        for node in response.subjects.iter().filter_map(|at| response.nodes.get(*at)) {
            let _ = writeln!(out, "of {}", place(node));
        }
    }
    out.push_str(&rows(answer, edges));
    out
}

/// The edges of a range, nearest first, and what the answer lacks.
pub(super) fn rows(answer: &GraphAnswer<'_>, edges: Range<usize>) -> String {
    let response = answer.response;
    let mut out = String::new();
    let mut depth = 1;
    for at in edges {
        let edge = &response.edges[at];
        if depth < edge.depth && answer.relation != Relation::Path {
            depth = edge.depth;
            let _ = writeln!(out, "{} away:", plural(depth as u64, "step", "steps"));
        }
        let _ = writeln!(out, "{}", row(answer, at));
    }
    if let Some(absence) = &response.absence {
        for reason in &absence.reasons {
            let _ = writeln!(out, "{}", text::clean(reason));
        }
        if !absence.nearest.is_empty() {
            let _ = writeln!(out, "near are: {}", text::clean(&absence.nearest.join(", ")));
        }
    }
    for note in notes(response) {
        let _ = writeln!(out, "note: {}", text::clean(&note));
    }
    out
}

/// The gaps of the answer: warnings, and files that were not parsed completely.
pub fn notes(response: &ResearchResponse) -> Vec<String> {
    let mut notes = response.warnings.clone();
    if response.guesses > 0 {
        let others = plural(response.guesses as u64, "more use", "more uses");
        notes
            .push(format!("{others} of the name may mean other definitions; `guesses` shows them"));
    }
    for (what, paths) in [
        ("could not be parsed", &response.unparsed),
        ("was parsed in part", &response.partly_parsed),
    ] {
        match paths.as_slice() {
            [] => {}
            [path] => notes.push(format!("`{path}` {what}")),
            [path, rest @ ..] => notes.push(format!("`{path}` and {} others {what}", rest.len())),
        }
    }
    notes
}

/// The number of shown edges, and whether these are all.
pub(super) fn extent(response: &ResearchResponse, shown: &Range<usize>) -> String {
    let total = response.edges.len();
    let more = if response.is_cut { ", and there are more" } else { "" };
    match shown.len() {
        _ if total == 0 => "none".to_owned(),
        shown if shown < total => {
            let total = plural(total as u64, "place", "places");
            format!("{} of {total}{more}", count(shown as u64))
        }
        _ if response.is_cut => format!("{}{more}", plural(total as u64, "place", "places")),
        1 => "the only place".to_owned(),
        _ => format!("all {}", plural(total as u64, "place", "places")),
    }
}

/// A node with its place.
fn place(node: &GraphNode) -> String {
    let shown = match (&node.path, node.line) {
        (Some(path), Some(line)) if *path == node.name => format!("{path}:{line}"),
        (Some(path), Some(line)) => format!("{path}:{line} {}", node.name),
        (Some(path), None) if *path != node.name => format!("{path} {}", node.name),
        _ => node.name.clone(),
    };
    text::clean(&shown)
}

/// An edge as one line: the end that answers first, then the other one if it is not the only subject.
fn row(answer: &GraphAnswer<'_>, at: usize) -> String {
    let response = answer.response;
    let edge = &response.edges[at];
    let (Some(from), Some(to)) = (response.nodes.get(edge.from), response.nodes.get(edge.to))
    else {
        return String::new();
    };
    let mut row = if is_forward(answer, edge) {
        let mut row = place(to);
        if edge.kind != EdgeKind::Contains {
            let lines = edge.line.map(|line| format!(" in line {line}")).unwrap_or_default();
            let by = text::clean(&from.name);
            let _ = write!(row, ", {} by {by}{lines}", participle(edge.kind));
        }
        row
    } else {
        let shown = GraphNode { line: edge.line.or(from.line), ..from.clone() };
        let mut row = place(&shown);
        let is_plain = answer.relation == Relation::Callers && edge.kind == EdgeKind::Calls;
        if !is_plain || response.subjects != [edge.to] {
            let _ = write!(row, ", {} {}", edge.kind.as_str(), target(response, to));
        }
        row
    };
    match edge.certainty {
        Certainty::OneOf(candidates) => {
            let _ = write!(row, " (by name, 1 of {candidates})");
        }
        Certainty::Outside => row.push_str(" (outside)"),
        Certainty::SameFile | Certainty::Import | Certainty::UniqueName => {}
    }
    if edge.count > 1 {
        let _ = write!(row, " ({} times)", edge.count);
    }
    if let Some(line) = response.lines.get(at).and_then(Option::as_deref) {
        let line = text::clean_code(line);
        if !line.is_empty() {
            let _ = write!(row, " | {line}");
        }
    }
    row
}

/// The name of the end that is referred to, with its place if several subjects have the name.
pub(super) fn target(response: &ResearchResponse, node: &GraphNode) -> String {
    let mut subjects = response.subjects.iter().filter_map(|at| response.nodes.get(*at));
    let is_ambiguous = subjects.any(|other| other.name == node.name && other.id != node.id);
    match (&node.path, node.line) {
        (Some(path), Some(line)) if is_ambiguous => {
            text::clean(&format!("{} of {path}:{line}", node.name))
        }
        _ => text::clean(&node.name),
    }
}

/// Returns true if the end that is referred to answers the question.
pub(super) fn is_forward(answer: &GraphAnswer<'_>, edge: &GraphEdge) -> bool {
    match answer.relation {
        Relation::Callees | Relation::Path => true,
        Relation::Related => answer.response.subjects.contains(&edge.from),
        _ => false,
    }
}

/// The kind of an edge as seen from its target.
pub(super) fn participle(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Calls => "called",
        EdgeKind::Contains => "beside",
        EdgeKind::Derives => "derived",
        EdgeKind::Extends => "extended",
        EdgeKind::Implements => "implemented",
        EdgeKind::Imports => "imported",
        EdgeKind::Satisfies => "satisfied",
        EdgeKind::Uses => "used",
    }
}

/// The whole answer for agents.
pub(super) fn agent(answer: &GraphAnswer<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(text(answer, 0..answer.response.edges.len()).as_bytes())
}

/// One object per edge, which contains its ends, then one for the rest of the answer.
pub(super) fn json_lines(
    answer: &GraphAnswer<'_>,
    _: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut object = serde_json::to_value(wire::research(answer.relation, answer.response))?;
    let nodes = object["nodes"].take();
    for edge in object["edges"].as_array_mut().into_iter().flatten() {
        for end in ["from", "to"] {
            let at = edge[end].as_u64().and_then(|at| usize::try_from(at).ok()).unwrap_or(0);
            edge[end] = nodes[at].clone();
        }
    }
    let subjects = object["subjects"].as_array().into_iter().flatten();
    let subjects = subjects.filter_map(Value::as_u64).filter_map(|at| usize::try_from(at).ok());
    object["subjects"] = subjects.map(|at| nodes[at].clone()).collect();
    if let Some(fields) = object.as_object_mut() {
        fields.shift_remove("nodes");
    }
    jsonl::write(object, "edges", out)
}

/// The object of the JSON format, in TOON.
pub(super) fn toon_object(
    answer: &GraphAnswer<'_>,
    _: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let object = serde_json::to_value(wire::research(answer.relation, answer.response))?;
    writeln!(out, "{}", toon::encode(&object))
}

/// A list with an item per edge.
pub(super) fn markdown_list(
    answer: &GraphAnswer<'_>,
    _: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let response = answer.response;
    let all = 0..response.edges.len();
    writeln!(out, "### {}: {}\n", markdown::word(&response.question), extent(response, &all))?;
    for at in all {
        let row = row(answer, at);
        let (about, line) = row.split_once(" | ").unwrap_or((&row, ""));
        write!(out, "- {}", markdown::word(about))?;
        if !line.is_empty() {
            write!(out, ": {}", markdown::span(line))?;
        }
        writeln!(out)?;
    }
    let reasons = response.absence.iter().flat_map(|absence| &absence.reasons);
    for reason in reasons.chain(&notes(response)) {
        writeln!(out, "\n{}", markdown::word(reason))?;
    }
    Ok(())
}

/// The paths of the ends that answer, each once, in the order of the edges.
pub(super) fn paths(
    answer: &GraphAnswer<'_>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let response = answer.response;
    let ends = response.edges.iter().filter_map(|edge| {
        let end = if is_forward(answer, edge) { edge.to } else { edge.from };
        response.nodes.get(end)?.path.as_deref()
    });
    write_paths(ends, style.null, out)
}

/// Writes paths, each once: quoted and with a line end, or followed by NUL.
pub(super) fn write_paths<'a>(
    paths: impl Iterator<Item = &'a str>,
    null: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut written = BTreeSet::new();
    for path in paths.filter(|path| written.insert(*path)) {
        if null {
            write!(out, "{path}\0")?;
        } else {
            writeln!(out, "{}", text::quoted(path))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::graph_fixture;

    #[test]
    fn edges_are_lines_with_their_text() {
        let response = graph_fixture::callers();
        let answer = GraphAnswer { relation: Relation::Callers, response: &response };
        insta::assert_snapshot!(text(&answer, 0..response.edges.len()));
        insta::assert_snapshot!(text(&answer, 1..2));
        let response = graph_fixture::callees();
        for relation in [Relation::Callees, Relation::Path] {
            let answer = GraphAnswer { relation, response: &response };
            insta::assert_snapshot!(text(&answer, 0..2));
        }
        let response = graph_fixture::no_edges();
        let answer = GraphAnswer { relation: Relation::Callers, response: &response };
        insta::assert_snapshot!(text(&answer, 0..0));
    }

    #[test]
    fn lines_of_json_contain_their_ends() {
        let response = graph_fixture::callers();
        let answer = GraphAnswer { relation: Relation::Callers, response: &response };
        let mut out = Vec::new();
        json_lines(&answer, &Style::plain(), &mut out).expect("writing to a vector cannot fail");
        let text = String::from_utf8(out).expect("JSON is Unicode");
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(lines.len(), response.edges.len() + 1);
        assert_eq!(lines[0]["from"]["name"], "Shop.pay");
        assert_eq!(lines[0]["to"]["name"], "Disk.save");
        let rest = lines.last().and_then(Value::as_object).expect("an object");
        assert_eq!(rest.keys().next().map(String::as_str), Some("receipt"));
        assert_eq!(rest["subjects"][0]["name"], "Disk.save");
        assert!(!rest.contains_key("nodes"));
    }

    #[test]
    fn paths_are_those_of_the_answering_ends() {
        let mut out = Vec::new();
        let response = graph_fixture::callers();
        let answer = GraphAnswer { relation: Relation::Callers, response: &response };
        paths(&answer, &Style::plain(), &mut out).expect("writing to a vector cannot fail");
        assert_eq!(String::from_utf8_lossy(&out), "src/shop.rs\nrun.py\nsrc/main.rs\n");
    }
}
