//! The wire form of definitions and of the graph.

use lore_engine::{GraphEdge, GraphNode, Relation, ResearchResponse, SymbolHit, SymbolResponse};
use schemars::JsonSchema;
use serde::Serialize;

use super::{AbsenceWire, ReceiptWire, SCHEMA, absence, receipt};

/// An answer of `lore symbol` or `lore file`.
#[derive(Serialize, JsonSchema)]
pub struct SymbolsWire<'a> {
    schema: u32,
    query: &'a str,
    results: Vec<SymbolWire<'a>>,
    absence: Option<AbsenceWire<'a>>,
    receipt: ReceiptWire<'a>,
    warnings: &'a [String],
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SymbolWire<'a> {
    id: &'a str,
    name: &'a str,
    kind: &'static str,
    visibility: &'static str,
    container: Option<&'a str>,
    breadcrumb: String,
    path: &'a str,
    line: u32,
    start_line: u32,
    end_line: u32,
    language: Option<&'a str>,
    signature: &'a str,
    doc_comment: Option<&'a str>,
    conformances: Vec<ConformanceWire<'a>>,
    category: &'static str,
    matched: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
struct ConformanceWire<'a> {
    relation: &'static str,
    name: &'a str,
}

/// The wire form of definitions.
pub fn symbols(response: &SymbolResponse) -> SymbolsWire<'_> {
    SymbolsWire {
        schema: SCHEMA,
        query: &response.query,
        results: response.hits.iter().map(symbol).collect(),
        absence: response.absence.as_ref().map(absence),
        receipt: receipt(&response.receipt),
        warnings: &response.warnings,
    }
}

pub(super) fn symbol(hit: &SymbolHit) -> SymbolWire<'_> {
    let conformance = |(relation, name)| ConformanceWire { relation, name };
    SymbolWire {
        id: &hit.id,
        name: &hit.name,
        kind: hit.kind,
        visibility: hit.visibility,
        container: hit.container.as_deref(),
        breadcrumb: hit.breadcrumb.join(" > "),
        path: &hit.path,
        line: hit.line,
        start_line: hit.start_line,
        end_line: hit.end_line,
        language: hit.language.as_deref(),
        signature: &hit.signature,
        doc_comment: hit.doc_comment.as_deref(),
        conformances: hit
            .conformances
            .iter()
            .map(|(relation, name)| conformance((*relation, name.as_str())))
            .collect(),
        category: hit.category,
        matched: hit.matched.map(lore_engine::SymbolMatch::as_str),
    }
}

/// An answer of `lore research`. Subjects and ends of edges are positions in the list of nodes.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResearchWire<'a> {
    schema: u32,
    question: &'a str,
    relation: &'static str,
    subjects: &'a [usize],
    nodes: Vec<NodeWire<'a>>,
    edges: Vec<EdgeWire<'a>>,
    outside: usize,
    guesses: usize,
    unparsed: &'a [String],
    partly_parsed: &'a [String],
    is_cut: bool,
    absence: Option<AbsenceWire<'a>>,
    receipt: ReceiptWire<'a>,
    warnings: &'a [String],
}

#[derive(Serialize, JsonSchema)]
struct NodeWire<'a> {
    id: &'a str,
    name: &'a str,
    kind: &'static str,
    path: Option<&'a str>,
    line: Option<u32>,
    signature: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct EdgeWire<'a> {
    from: usize,
    to: usize,
    kind: &'static str,
    certainty: &'static str,
    candidates: usize,
    line: Option<u32>,
    text: Option<&'a str>,
    depth: usize,
    count: usize,
}

/// The wire form of an answer about the graph.
pub fn research(relation: Relation, response: &ResearchResponse) -> ResearchWire<'_> {
    ResearchWire {
        schema: SCHEMA,
        question: &response.question,
        relation: relation.as_str(),
        subjects: &response.subjects,
        nodes: response.nodes.iter().map(node).collect(),
        edges: response
            .edges
            .iter()
            .enumerate()
            .map(|(at, of)| edge(of, response.lines.get(at).and_then(Option::as_deref)))
            .collect(),
        outside: response.outside,
        guesses: response.guesses,
        unparsed: &response.unparsed,
        partly_parsed: &response.partly_parsed,
        is_cut: response.is_cut,
        absence: response.absence.as_ref().map(absence),
        receipt: receipt(&response.receipt),
        warnings: &response.warnings,
    }
}

fn node(node: &GraphNode) -> NodeWire<'_> {
    NodeWire {
        id: &node.id,
        name: &node.name,
        kind: node.kind,
        path: node.path.as_deref(),
        line: node.line,
        signature: node.signature.as_deref(),
    }
}

fn edge<'a>(edge: &GraphEdge, text: Option<&'a str>) -> EdgeWire<'a> {
    EdgeWire {
        from: edge.from,
        to: edge.to,
        kind: edge.kind.as_str(),
        certainty: edge.certainty.as_str(),
        candidates: edge.certainty.candidates(),
        line: edge.line,
        text,
        depth: edge.depth,
        count: edge.count,
    }
}
