//! `research`: who calls, implements or reaches what.

use std::fmt::Write as _;

use lore_console::{
    focus::{focus_names, parse_question},
    text,
};
use lore_engine::{
    Certainty, Freshness, GraphEdge, GraphNode, Relation, ResearchRequest, ResearchResponse,
};
use lore_render::tokens::Tokenizer;
use lore_schema::Filter;
use lore_settings::filters;
use serde_json::{Value, json};

use super::{Call, Given, Tool, cursor, input, max_tokens};
use crate::{
    answer::{self, object},
    failure::Failure,
    tree::Silent,
};

/// Most edges of all parts of an answer.
const EDGES: usize = 1_000;

/// Most steps that are followed.
const DEEPEST: usize = 8;

pub(super) static TOOL: Tool = Tool {
    name: "research",
    title: "Ask about calls, types and imports",
    description: "Callers, callees, references, implementations, path from A to B, related, \
                  dependencies, as `callers of save` or `what implements Store?`. Every edge says how \
                  sure it is.",
    is_read_only: true,
    input: schema,
    output: Some(answer_schema),
    call,
};

fn schema() -> Value {
    input(
        &[
            (
                "question",
                json!({
                    "type": "string", "description": "Such as `callers of save`, `path from main to save`",
                }),
            ),
            (
                "focus",
                json!({
                    "type": "string", "enum": focus_names(),
                    "description": "What to ask where the question is a name alone",
                }),
            ),
            (
                "depth",
                json!({
                    "type": "integer", "minimum": 1, "maximum": DEEPEST, "description": "Most steps",
                }),
            ),
            (
                "path",
                json!({
                    "type": "array", "items": {"type": "string"},
                    "description": "Only definitions in paths that match one of these globs",
                }),
            ),
            max_tokens(),
            cursor(),
        ],
        &["question"],
    )
}

fn answer_schema() -> Value {
    let text = json!({"type": "string"});
    let text_or_null = json!({"type": ["string", "null"]});
    let number_or_null = json!({"type": ["integer", "null"]});
    let texts = json!({"type": "array", "items": text});
    let node = object(&[
        ("name", text.clone()),
        ("path", text_or_null.clone()),
        ("line", number_or_null.clone()),
    ]);
    let edge = object(&[
        ("from", node.clone()),
        ("kind", text.clone()),
        ("to", node.clone()),
        ("line", number_or_null),
        ("certainty", text.clone()),
        ("candidates", json!({"type": "integer"})),
        ("depth", json!({"type": "integer"})),
    ]);
    object(&[
        ("relation", text.clone()),
        ("subjects", json!({"type": "array", "items": node})),
        ("edges", json!({"type": "array", "items": edge})),
        ("shown", json!({"type": "integer"})),
        ("total", json!({"type": "integer"})),
        ("isCut", json!({"type": "boolean"})),
        ("nextCursor", text_or_null.clone()),
        ("reasons", texts.clone()),
        ("nearest", texts.clone()),
        ("root", text.clone()),
        ("tree", text_or_null),
        ("fresh", text),
        ("notes", texts),
    ])
}

fn call(call: &Call<'_>) -> Result<Given, Failure> {
    let arguments = &call.arguments;
    let tree = call.tree()?;
    let words = arguments.text("question").unwrap_or_default();
    let (question, depth) = parse_question(words, arguments.text("focus"))?;
    let paths = arguments.texts("path");
    let paths = paths
        .iter()
        .map(|glob| filters::path("path", glob, &tree.root))
        .collect::<Result<_, _>>()?;
    let request = ResearchRequest {
        depth: arguments.number("depth").or(depth),
        filter: Filter { paths, ..Filter::default() },
        limit: EDGES,
        question,
    };
    let relation = request.question.relation;
    let response = call.settled(
        tree,
        |response: &ResearchResponse| &response.receipt,
        move |opened| Ok(opened.engine.research(&request, &Silent)?),
    )?;
    let node = |position: usize| place(&response.nodes[position]);
    let edges = response
        .edges
        .iter()
        .flat_map(|edge| [node(edge.from), edge.kind.as_str().to_owned(), node(edge.to)]);
    let mark = answer::mark(TOOL.name, arguments.given(), edges);
    let sent = arguments.text("cursor").map_or(Ok(0), |cursor| answer::offset(cursor, mark))?;
    let tokens = answer::tokens(arguments.number("max_tokens"));
    write(&Answer { relation, response: &response, sent, mark }, tokens)
}

struct Answer<'a> {
    relation: Relation,
    response: &'a ResearchResponse,
    /// Edges that were sent already.
    sent: usize,
    mark: u64,
}

/// Writes as many edges as fit.
fn write(answer: &Answer<'_>, tokens: usize) -> Result<Given, Failure> {
    let rest = answer.response.edges.len().saturating_sub(answer.sent);
    let counter = Tokenizer::O200k;
    let fits = |given: &Given| {
        let object = given.structured.as_ref().map(Value::to_string).unwrap_or_default();
        counter.count_within(&object, tokens).is_some()
            && counter.count_within(&given.text, tokens).is_some()
    };
    // The most edges that fit lie between these.
    let (mut low, mut high) = (0, rest);
    while low < high {
        let middle = usize::midpoint(low, high + 1).max(low + 1);
        if fits(&answer.given(middle)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    let given = answer.given(low);
    if !fits(&given) || (low == 0 && 0 < rest) {
        return Err(Failure::new(format!("{tokens} tokens do not hold the answer"))
            .remedy("ask for more with {\"max_tokens\": 8000}, or for less with `path`"));
    }
    Ok(given)
}

impl Answer<'_> {
    fn given(&self, shown: usize) -> Given {
        let response = self.response;
        let edges: Vec<&GraphEdge> = response.edges.iter().skip(self.sent).take(shown).collect();
        let sent = self.sent + edges.len();
        let next =
            (sent < response.edges.len() && 0 < shown).then(|| answer::cursor(sent, self.mark));
        Given {
            text: self.text(&edges, next.as_deref()),
            structured: Some(self.structured(&edges, next.as_deref())),
        }
    }

    fn node(&self, position: usize) -> &GraphNode {
        &self.response.nodes[position]
    }

    fn text(&self, edges: &[&GraphEdge], next: Option<&str>) -> String {
        let response = self.response;
        let mut out = format!(
            "{}: {} of {} edges",
            self.relation.as_str(),
            edges.len(),
            response.edges.len()
        );
        if response.is_cut {
            out.push_str(", and there are more");
        }
        out.push('\n');
        for position in &response.subjects {
            let _ = writeln!(out, "of {}", place(self.node(*position)));
        }
        for edge in edges {
            let certainty = match edge.certainty {
                Certainty::OneOf(count) => format!("by name alone, one of {count}"),
                certainty => certainty.as_str().to_owned(),
            };
            let at = edge.line.map(|line| format!(" at line {line}")).unwrap_or_default();
            let _ = writeln!(
                out,
                "{} {} {}{at} ({certainty})",
                place(self.node(edge.from)),
                edge.kind.as_str(),
                place(self.node(edge.to)),
            );
        }
        if let Some(absence) = &response.absence {
            for reason in &absence.reasons {
                let _ = writeln!(out, "{}", text::clean(reason));
            }
            if !absence.nearest.is_empty() {
                let _ = writeln!(out, "near are: {}", text::clean(&absence.nearest.join(", ")));
            }
        }
        for note in self.notes() {
            let _ = writeln!(out, "note: {}", text::clean(&note));
        }
        if let Some(next) = next {
            let _ = writeln!(out, "more: {{\"cursor\": \"{next}\"}}");
        }
        out.truncate(out.trim_end().len());
        out
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.response.warnings.clone();
        for (what, paths) in [
            ("could not be parsed", &self.response.unparsed),
            ("was parsed in part", &self.response.partly_parsed),
        ] {
            match paths.as_slice() {
                [] => {}
                [path] => notes.push(format!("`{path}` {what}")),
                [path, rest @ ..] => {
                    notes.push(format!("`{path}` and {} others {what}", rest.len()));
                }
            }
        }
        notes
    }

    fn structured(&self, edges: &[&GraphEdge], next: Option<&str>) -> Value {
        let response = self.response;
        let receipt = &response.receipt;
        let absence = response.absence.clone().unwrap_or_default();
        json!({
            "relation": self.relation.as_str(),
            "subjects": response.subjects.iter().map(|at| node(self.node(*at))).collect::<Vec<_>>(),
            "edges": edges.iter().map(|edge| self.edge(edge)).collect::<Vec<_>>(),
            "shown": edges.len(),
            "total": response.edges.len(),
            "isCut": response.is_cut,
            "nextCursor": next,
            "reasons": absence.reasons,
            "nearest": absence.nearest,
            "root": receipt.root.display().to_string(),
            "tree": receipt.tree,
            "fresh": match receipt.fresh {
                Freshness::Verified => "verified".to_owned(),
                Freshness::Partial(pending) => format!("partial({pending} pending)"),
                Freshness::Stale => "stale".to_owned(),
            },
            "notes": self.notes(),
        })
    }

    fn edge(&self, edge: &GraphEdge) -> Value {
        json!({
            "from": node(self.node(edge.from)),
            "kind": edge.kind.as_str(),
            "to": node(self.node(edge.to)),
            "line": edge.line,
            "certainty": edge.certainty.as_str(),
            "candidates": edge.certainty.candidates(),
            "depth": edge.depth,
        })
    }
}

fn node(node: &GraphNode) -> Value {
    json!({"name": node.name, "path": node.path, "line": node.line})
}

fn place(node: &GraphNode) -> String {
    let shown = match (&node.path, node.line) {
        (Some(path), Some(line)) => format!("{} {path}:{line}", node.name),
        (Some(path), None) if *path != node.name => format!("{} {path}", node.name),
        _ => node.name.clone(),
    };
    text::clean(&shown)
}
