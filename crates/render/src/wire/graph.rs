//! The wire form of definitions and of the graph.

use lore_engine::{GraphEdge, GraphNode, Relation, ResearchResponse, SymbolHit, SymbolResponse};
use schemars::JsonSchema;
use serde::Serialize;

use super::{AbsenceWire, ReceiptWire, SCHEMA, absence, receipt};

/// An answer of `lore symbol` or `lore file`.
#[derive(Serialize, JsonSchema)]
pub struct SymbolsWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// The name or part of a path, as it was typed.
    query: &'a str,
    /// Definitions, best first.
    results: Vec<SymbolWire<'a>>,
    /// Reasons why nothing was found; null if there is an answer.
    absence: Option<AbsenceWire<'a>>,
    /// Conditions of the answer: tree, freshness, searched sources.
    receipt: ReceiptWire<'a>,
    /// Problems that did not stop the run, one line each.
    warnings: &'a [String],
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SymbolWire<'a> {
    /// Identifier, which other commands accept.
    id: &'a str,
    /// Name.
    name: &'a str,
    /// Kind of the definition.
    kind: &'static str,
    /// Visibility, such as public or private.
    visibility: &'static str,
    /// Type or module that contains it.
    container: Option<&'a str>,
    /// Names of the enclosing definitions or headings, outermost first, joined by ` > `.
    breadcrumb: String,
    /// Path from the root, with `/` between names.
    path: &'a str,
    /// Line of the name, from 1.
    line: u32,
    /// First line, from 1.
    start_line: u32,
    /// Last line, from 1, included.
    end_line: u32,
    /// Programming language; null for other text.
    language: Option<&'a str>,
    /// Signature of a definition.
    signature: &'a str,
    /// Documentation comment of a definition.
    doc_comment: Option<&'a str>,
    /// Types that it extends or implements.
    conformances: Vec<ConformanceWire<'a>>,
    /// Role of the file in the repository, such as own, test, example, generated or vendored.
    category: &'static str,
    /// Kind of the match, such as exact or similar; null in lists of files.
    matched: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
struct ConformanceWire<'a> {
    /// extends or implements.
    relation: &'static str,
    /// Name.
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
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// The question.
    question: &'a str,
    /// callers, callees, references, implementations, path, related or dependencies.
    relation: &'static str,
    /// Positions of the subjects in `nodes`.
    subjects: &'a [usize],
    /// Definitions.
    nodes: Vec<NodeWire<'a>>,
    /// Edges between them.
    edges: Vec<EdgeWire<'a>>,
    /// Number of edges to definitions outside the tree.
    outside: usize,
    /// Number of edges by name alone that are not shown.
    guesses: usize,
    /// Paths of files that could not be parsed.
    unparsed: &'a [String],
    /// Paths of files that were parsed in part.
    partly_parsed: &'a [String],
    /// True if there are more edges than the limit.
    is_cut: bool,
    /// Reasons why nothing was found; null if there is an answer.
    absence: Option<AbsenceWire<'a>>,
    /// Conditions of the answer: tree, freshness, searched sources.
    receipt: ReceiptWire<'a>,
    /// Problems that did not stop the run, one line each.
    warnings: &'a [String],
}

#[derive(Serialize, JsonSchema)]
struct NodeWire<'a> {
    /// Identifier, which other commands accept.
    id: &'a str,
    /// Name.
    name: &'a str,
    /// Kind, such as function, class, section, spec, ticket or commit.
    kind: &'static str,
    /// Path from the root, with `/` between names; null without a file.
    path: Option<&'a str>,
    /// Line of the file, from 1.
    line: Option<u32>,
    /// Signature of a definition.
    signature: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct EdgeWire<'a> {
    /// Position of the start in `nodes`.
    from: usize,
    /// Position of the end in `nodes`.
    to: usize,
    /// Kind of the edge, such as calls, extends or imports.
    kind: &'static str,
    /// Certainty: that of the relation, from exact to a guess by name.
    certainty: &'static str,
    /// Number of definitions that the name may denote.
    candidates: usize,
    /// Line of the file, from 1.
    line: Option<u32>,
    /// Text of the line.
    text: Option<&'a str>,
    /// Number of steps from the subject, from 1.
    depth: usize,
    /// Number of occurrences.
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
