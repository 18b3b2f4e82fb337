//! `research`: who calls, implements or reaches what.

use std::fmt::Write as _;

use lore_console::{
    focus::{focus_names, parse_question},
    text,
};
use lore_engine::{Certainty, GraphEdge, GraphNode, Relation, ResearchRequest, ResearchResponse};
use lore_render::{
    tokens::Tokenizer,
    wire::{
        agent::{self, ResearchAnswer},
        schema::answer_schema,
    },
};
use lore_schema::Filter;
use lore_settings::filters;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Call, Tool, ToolAnswer, input};
use crate::{
    answer::{self, MAX_TOKENS, MIN_TOKENS, TOKENS},
    failure::Failure,
    tree::NotesOnly,
};

/// Most edges of all parts of an answer.
const EDGES: usize = 1_000;

/// Most steps that are followed.
const MAX_DEPTH: usize = 8;

pub(super) static TOOL: Tool = Tool {
    name: "research",
    title: "Ask about calls, types and imports",
    description: "Callers, callees, references, implementations, path from A to B, related, \
                  dependencies, as `callers of save` or `what implements Store?`. Every edge states how \
                  sure it is.",
    is_read_only: true,
    input: input::<ResearchArguments>,
    output: Some(answer_schema::<ResearchAnswer<'_>>),
    call,
};

/// Arguments of a question about the graph. The comments are the descriptions that clients read.
#[derive(Deserialize, JsonSchema)]
struct ResearchArguments {
    /// Such as `callers of save`, `path from main to save`
    question: String,
    /// Relation to use if the question is only a name
    #[schemars(extend("enum" = focus_names()))]
    focus: Option<String>,
    /// Most steps
    #[schemars(range(min = 1, max = MAX_DEPTH))]
    depth: Option<usize>,
    /// Only definitions in paths that match one of these globs
    path: Option<Vec<String>>,
    /// Most tokens of the answer
    #[schemars(range(min = MIN_TOKENS, max = MAX_TOKENS), extend("default" = TOKENS))]
    max_tokens: Option<usize>,
    /// nextCursor of the answer to the same question
    cursor: Option<String>,
}

fn call(call: &Call<'_>) -> Result<ToolAnswer, Failure> {
    let arguments: ResearchArguments = call.arguments.parse()?;
    let tree = call.tree()?;
    let (question, depth) = parse_question(&arguments.question, arguments.focus.as_deref())?;
    let paths = arguments
        .path
        .iter()
        .flatten()
        .map(|glob| filters::path("path", glob, &tree.root))
        .collect::<Result<_, _>>()?;
    let request = ResearchRequest {
        depth: arguments.depth.or(depth),
        filter: Filter { paths, ..Filter::default() },
        limit: EDGES,
        question,
    };
    let relation = request.question.relation;
    let response = call.run_until_fresh(
        tree,
        |response: &ResearchResponse| &response.receipt,
        move |opened| Ok(opened.engine.research(&request, &NotesOnly)?),
    )?;
    let node = |position: usize| place(&response.nodes[position]);
    let edges = response
        .edges
        .iter()
        .flat_map(|edge| [node(edge.from), edge.kind.as_str().to_owned(), node(edge.to)]);
    let mark = answer::mark(TOOL.name, call.arguments.all(), edges);
    let sent = arguments.cursor.map_or(Ok(0), |cursor| answer::offset(&cursor, mark))?;
    let tokens = answer::tokens(arguments.max_tokens);
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
fn write(answer: &Answer<'_>, tokens: usize) -> Result<ToolAnswer, Failure> {
    let rest = answer.response.edges.len().saturating_sub(answer.sent);
    let counter = Tokenizer::O200k;
    let fits = |page: &ToolAnswer| {
        let object = page.structured.as_ref().map(Value::to_string).unwrap_or_default();
        counter.count_within(&object, tokens).is_some()
            && counter.count_within(&page.text, tokens).is_some()
    };
    // Binary search for the largest number of edges that fits.
    let (mut low, mut high) = (0, rest);
    while low < high {
        let middle = usize::midpoint(low, high + 1).max(low + 1);
        if fits(&answer.render_page(middle)?) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    let page = answer.render_page(low)?;
    if !fits(&page) || (low == 0 && 0 < rest) {
        return Err(Failure::new(format!("{tokens} tokens do not hold the answer"))
            .remedy("raise the budget with {\"max_tokens\": 8000}, or restrict it with `path`"));
    }
    Ok(page)
}

impl Answer<'_> {
    /// Renders the page of `shown` edges after those that were sent.
    fn render_page(&self, shown: usize) -> Result<ToolAnswer, Failure> {
        let response = self.response;
        let edges: Vec<&GraphEdge> = response.edges.iter().skip(self.sent).take(shown).collect();
        let sent = self.sent + edges.len();
        let next =
            (sent < response.edges.len() && 0 < shown).then(|| answer::cursor(sent, self.mark));
        ToolAnswer::new(self.text(&edges, next.as_deref()), &self.object(&edges, next.as_deref()))
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

    fn object<'a>(&'a self, edges: &[&'a GraphEdge], next: Option<&'a str>) -> ResearchAnswer<'a> {
        let response = self.response;
        let receipt = &response.receipt;
        let (reasons, nearest) = agent::reasons(response.absence.as_ref());
        let edge = |edge: &&'a GraphEdge| {
            agent::linked_edge(edge, self.node(edge.from), self.node(edge.to))
        };
        ResearchAnswer {
            relation: self.relation.as_str(),
            subjects: response.subjects.iter().map(|at| agent::end(self.node(*at))).collect(),
            edges: edges.iter().map(edge).collect(),
            shown: edges.len(),
            total: response.edges.len(),
            is_cut: response.is_cut,
            next_cursor: next,
            reasons,
            nearest,
            root: receipt.root.display().to_string(),
            tree: receipt.tree.as_deref(),
            fresh: agent::freshness(receipt.fresh),
            notes: self.notes(),
        }
    }
}

fn place(node: &GraphNode) -> String {
    let shown = match (&node.path, node.line) {
        (Some(path), Some(line)) => format!("{} {path}:{line}", node.name),
        (Some(path), None) if *path != node.name => format!("{} {path}", node.name),
        _ => node.name.clone(),
    };
    text::clean(&shown)
}
