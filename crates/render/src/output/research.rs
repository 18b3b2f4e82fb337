//! Answers about the graph for people: the subjects, then the edges, nearest first.

use std::{
    collections::HashMap,
    io::{self, Write},
};

use lore_console::text;
use lore_engine::{Certainty, EdgeKind, GraphEdge, GraphNode, Relation, ResearchResponse};

use super::{
    GraphAnswer,
    edges::{participle, target},
    human::{count, plural, trust},
    style::{Role, Style},
};

/// Maximum number of unparsed files that are named; the others are counted.
const MAX_NAMED_FILES: usize = 3;

/// Maximum number of subjects that are named; the others are counted.
const MAX_NAMED_SUBJECTS: usize = 5;

/// Writes the answer.
pub(super) fn write(
    answer: &GraphAnswer<'_>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let response = answer.response;
    if !response.edges.is_empty() {
        subjects(response, style, out)?;
        match answer.relation {
            Relation::Path => path(response, style, out)?,
            Relation::Dependencies | Relation::Dependents => dependencies(response, style, out)?,
            Relation::Callees
            | Relation::Callers
            | Relation::Implementations
            | Relation::References
            | Relation::Related => edges(answer, style, out)?,
        }
        writeln!(out)?;
    }
    unread("not parsed", &response.unparsed, style, out)?;
    unread("parsed in part", &response.partly_parsed, style, out)?;
    writeln!(out, "{}", style.paint(Role::Dim, text::clean(&summary(response))))
}

/// The question and the definitions that it is about.
fn subjects(response: &ResearchResponse, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let question = text::cut(&text::clean(&response.question), style.width.max(20));
    let subjects: Vec<&GraphNode> =
        response.subjects.iter().filter_map(|at| response.nodes.get(*at)).collect();
    write!(out, "{}", style.paint(Role::Heading, question))?;
    let one_line = subjects.len() == 1;
    for subject in subjects.iter().take(MAX_NAMED_SUBJECTS) {
        write!(out, "{}", if one_line { " · " } else { "\n  " })?;
        named(subject, subject.line, style, out)?;
    }
    if let Some(others) =
        subjects.len().checked_sub(MAX_NAMED_SUBJECTS).filter(|others| *others > 0)
    {
        write!(out, "\n  and {} more", count(others as u64))?;
    }
    writeln!(out, "\n")
}

/// A node with its place.
fn named(
    node: &GraphNode,
    line: Option<u32>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let places = line.map(|line| vec![line]).unwrap_or_default();
    placed(node, &places, style, out)
}

/// A node with the given lines of its file.
fn placed(node: &GraphNode, lines: &[u32], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
    let colon = if lines.is_empty() { "" } else { ":" };
    let path = node.path.as_deref().map(text::quoted);
    match (node.kind, path) {
        ("file", Some(path)) => {
            write!(out, "{}", style.paint(Role::Path, format!("{path}{colon}{}", lines.join(","))))
        }
        ("file" | "folder" | "name", _) | (_, None) => {
            write!(out, "{}", style.paint(Role::Title, text::clean(&node.name)))
        }
        (_, Some(path)) => {
            let place = format!("{path}{colon}{}", lines.join(","));
            let name = style.paint(Role::Title, text::clean(&node.name));
            write!(out, "{name}  {}", style.paint(Role::Path, place))
        }
    }
}

/// Edges that differ only in their lines.
struct Row<'a> {
    edge: &'a GraphEdge,
    lines: Vec<u32>,
}

/// Merges edges that differ only in their lines, in the order of the first edge of each row.
fn merged<'a>(edges: impl Iterator<Item = &'a GraphEdge>) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut known = HashMap::new();
    for edge in edges {
        let key = (edge.from, edge.to, edge.kind, edge.certainty, edge.depth);
        let at = *known.entry(key).or_insert_with(|| {
            rows.push(Row { edge, lines: Vec::new() });
            rows.len() - 1
        });
        let lines = &mut rows[at].lines;
        lines.extend(edge.line.filter(|line| !lines.contains(line)));
    }
    rows
}

/// One line for each row, grouped by the number of steps.
fn edges(answer: &GraphAnswer<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let response = answer.response;
    let deepest = response.edges.iter().map(|edge| edge.depth).max().unwrap_or(1);
    let mut depth = 0;
    for row in merged(response.edges.iter()) {
        if deepest > 1 && row.edge.depth != depth {
            if depth > 0 {
                writeln!(out)?;
            }
            depth = row.edge.depth;
            let steps = plural(depth as u64, "step", "steps");
            writeln!(out, "{}", style.paint(Role::Heading, format!("{steps} away")))?;
        }
        edge(answer, &row, style, out)?;
    }
    Ok(())
}

fn edge(
    answer: &GraphAnswer<'_>,
    row: &Row<'_>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (response, edge) = (answer.response, row.edge);
    let (Some(from), Some(to)) = (response.nodes.get(edge.from), response.nodes.get(edge.to))
    else {
        return Ok(());
    };
    let is_only_subject = |node: usize| response.subjects == [node];
    // The requested end comes first: the target for callees, otherwise the origin.
    let forward = match answer.relation {
        Relation::Callees => true,
        Relation::Related => response.subjects.contains(&edge.from),
        _ => false,
    };
    let mut about = Vec::new();
    if forward {
        write!(out, "  ")?;
        named(to, to.line, style, out)?;
        about.push(participle(edge.kind).to_owned());
        if !is_only_subject(edge.from) {
            let by = if edge.kind == EdgeKind::Contains { "" } else { "by " };
            about.push(format!("{by}{}", text::clean(&from.name)));
        }
        // The place of a member is shown already.
        let lines: Vec<String> = row.lines.iter().map(u32::to_string).collect();
        if !lines.is_empty() && edge.kind != EdgeKind::Contains {
            let word = if lines.len() == 1 { "line" } else { "lines" };
            about.push(format!("in {word} {}", lines.join(", ")));
        }
    } else {
        write!(out, "  ")?;
        placed(from, &row.lines, style, out)?;
        let is_plain = matches!(answer.relation, Relation::Callers) && edge.kind == EdgeKind::Calls;
        if !is_plain || !is_only_subject(edge.to) {
            about.push(edge.kind.as_str().to_owned());
        }
        if !is_only_subject(edge.to) && edge.certainty != Certainty::Outside {
            about.push(target(response, to));
        }
    }
    write!(out, "  {}", style.paint(Role::Dim, format!("[{}]", certainty(edge.certainty))))?;
    if !about.is_empty() {
        write!(out, "  {}", style.paint(Role::Dim, about.join(" ")))?;
    }
    writeln!(out)
}

/// The path, one step per line.
fn path(response: &ResearchResponse, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(start) = response.edges.first().and_then(|edge| response.nodes.get(edge.from)) else {
        return Ok(());
    };
    write!(out, "  ")?;
    named(start, start.line, style, out)?;
    writeln!(out)?;
    for edge in &response.edges {
        let Some(to) = response.nodes.get(edge.to) else { continue };
        write!(out, "  → ")?;
        named(to, to.line, style, out)?;
        let line = edge.line.map(|line| format!("  called in line {line}")).unwrap_or_default();
        let about = format!("[{}]{line}", certainty(edge.certainty));
        writeln!(out, "  {}", style.paint(Role::Dim, about))?;
    }
    Ok(())
}

/// The imports of each module, with the number of places.
fn dependencies(response: &ResearchResponse, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut groups: Vec<(usize, Vec<(usize, &GraphEdge)>)> = Vec::new();
    let (mut of_module, mut of_edge) = (HashMap::new(), HashMap::new());
    for edge in &response.edges {
        let at = *of_module.entry(edge.from).or_insert_with(|| {
            groups.push((edge.from, Vec::new()));
            groups.len() - 1
        });
        let targets = &mut groups[at].1;
        let at = *of_edge.entry((edge.from, edge.to)).or_insert_with(|| {
            targets.push((0, edge));
            targets.len() - 1
        });
        targets[at].0 += edge.count;
    }
    for (from, targets) in groups {
        let Some(from) = response.nodes.get(from) else { continue };
        write!(out, "  ")?;
        named(from, None, style, out)?;
        writeln!(out)?;
        for (places, edge) in targets {
            let Some(to) = response.nodes.get(edge.to) else { continue };
            write!(out, "    → ")?;
            named(to, None, style, out)?;
            let outside = if edge.certainty == Certainty::Outside { "  [outside]" } else { "" };
            let about = format!("({}){outside}", count(places as u64));
            writeln!(out, " {}", style.paint(Role::Dim, about))?;
        }
    }
    Ok(())
}

fn certainty(certainty: Certainty) -> String {
    match certainty {
        Certainty::OneOf(candidates) => format!("name, 1 of {}", count(candidates as u64)),
        certain => certain.as_str().to_owned(),
    }
}

/// Files whose edges may be missing.
fn unread(state: &str, paths: &[String], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if paths.is_empty() {
        return Ok(());
    }
    let mut names: Vec<String> =
        paths.iter().take(MAX_NAMED_FILES).map(|path| text::quoted(path)).collect();
    if let Some(others) = paths.len().checked_sub(MAX_NAMED_FILES).filter(|others| *others > 0) {
        names.push(format!("and {} more", count(others as u64)));
    }
    let line = text::cut(&format!("{state}: {}", names.join(", ")), style.width);
    writeln!(out, "{}", style.paint(Role::Dim, line))
}

/// The totals and the reliability of the answer, on one line.
fn summary(response: &ResearchResponse) -> String {
    let mut parts = vec![match response.edges.len() {
        0 => "no edge".to_owned(),
        number => plural(number as u64, "edge", "edges"),
    }];
    if response.outside > 0 {
        let names = plural(response.outside as u64, "name leads", "names lead");
        parts.push(format!("{names} out of this tree"));
    }
    if response.guesses > 0 {
        let others = plural(response.guesses as u64, "guess", "guesses");
        parts.push(format!("{others} by name not shown (`--guesses`)"));
    }
    if !response.unparsed.is_empty() {
        let files = plural(response.unparsed.len() as u64, "file", "files");
        parts.push(format!("{files} not parsed"));
    }
    if response.is_cut {
        parts.push("cut: there is more".to_owned());
    }
    parts.extend(trust(&response.receipt));
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::graph_fixture;

    fn written(relation: Relation, response: &ResearchResponse) -> String {
        let mut out = Vec::new();
        let answer = GraphAnswer { relation, response };
        write(&answer, &Style::plain(), &mut out).expect("writing to a vector cannot fail");
        String::from_utf8(out).expect("output is Unicode")
    }

    #[test]
    fn callers_are_grouped_by_steps() {
        insta::assert_snapshot!(written(Relation::Callers, &graph_fixture::callers()));
    }

    #[test]
    fn callees_come_first_when_requested() {
        insta::assert_snapshot!(written(Relation::Callees, &graph_fixture::callees()));
        insta::assert_snapshot!(written(Relation::Related, &graph_fixture::callees()));
    }

    #[test]
    fn a_path_is_a_chain() {
        insta::assert_snapshot!(written(Relation::Path, &graph_fixture::callees()));
    }

    #[test]
    fn dependencies_are_grouped_by_module() {
        insta::assert_snapshot!(written(Relation::Dependencies, &graph_fixture::dependencies()));
    }

    #[test]
    fn an_answer_without_edges_is_the_summary() {
        insta::assert_snapshot!(written(Relation::Callers, &graph_fixture::no_edges()));
    }
}
