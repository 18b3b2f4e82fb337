//! The wire form of the answers of the MCP tools `search`, `read` and `trace`, and of the state of the index. `context`
//! sends the same object as `lore context --json`.

use lore_engine::{Absence, GraphEdge, GraphNode, Subject, SymbolHit};
use lore_schema::Trust;
use schemars::JsonSchema;
use serde::Serialize;

use super::{place::ChangeWire, review::ReviewFindingWire, why::HopWire};

/// An answer of `search`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchAnswer<'a> {
    /// Certainty of the answer, and the next step.
    pub(crate) verdict: Option<String>,
    /// Hits with their texts.
    pub(crate) hits: Vec<SearchAnswerHit<'a>>,
    /// Further hits, one line each.
    pub(crate) further: Vec<String>,
    /// Files that contain the words of the query.
    pub(crate) files: String,
    /// Number of hits in this answer.
    pub(crate) shown: usize,
    /// Number of hits of the query.
    pub(crate) total: u64,
    /// Cursor of the next page; null at the end.
    pub(crate) next_cursor: Option<String>,
    /// Reasons why nothing was found.
    pub(crate) absence: Option<SearchAnswerAbsence<'a>>,
    /// The tree.
    pub(crate) root: String,
    /// Commit of the tree, and the number of files that differ from it.
    pub(crate) tree: Option<&'a str>,
    /// State of the answer: verified, `partial(N pending)` or stale.
    pub(crate) fresh: String,
    /// Extent of a preliminary answer, before the first index is complete.
    pub(crate) scanned: Option<SearchAnswerScan>,
    /// Warnings and notes.
    pub(crate) notes: Vec<String>,
    /// The answers to further questions of the same call: objects like this one.
    pub(crate) others: Vec<serde_json::Map<String, serde_json::Value>>,
}

/// A hit in an answer of `search`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchAnswerHit<'a> {
    /// Rank, from 1.
    pub(crate) rank: usize,
    /// Identifier, which other commands accept.
    pub(crate) id: &'a str,
    /// Path from the root, with `/` between names; null without a file.
    pub(crate) path: Option<&'a str>,
    /// First line, from 1.
    pub(crate) start_line: Option<u32>,
    /// Last line, from 1, included.
    pub(crate) end_line: Option<u32>,
    /// Trust in the text.
    #[schemars(extend("enum" = [Trust::Own.as_str(), Trust::Outside.as_str()]))]
    pub(crate) origin: &'static str,
    /// Form of the text.
    #[schemars(extend("enum" = ["body", "passage", "reference"]))]
    pub(crate) shown: &'static str,
    /// Number of the earlier answer that contains the text.
    pub(crate) answer: Option<u32>,
    /// Text.
    pub(crate) text: &'a str,
}

/// Reasons why a search found nothing.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchAnswerAbsence<'a> {
    /// Reasons, one line each.
    pub(crate) reasons: Vec<String>,
    /// Similar names that exist.
    pub(crate) nearest: &'a [String],
}

/// Files that a search without an index listed and read.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchAnswerScan {
    /// Number of listed files.
    pub(crate) files: u64,
    /// Number of searched files.
    pub(crate) looked: u64,
    /// Number of searched files that are indexed; the others were searched for words only.
    pub(crate) indexed: u64,
    /// True if all files were listed.
    pub(crate) listed_all: bool,
}

/// An answer of `read`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadAnswer<'a> {
    /// Identifier of the passage.
    pub id: &'a str,
    /// Kind of the passage.
    pub kind: &'a str,
    /// Root-relative path; `None` for a commit.
    pub path: Option<&'a str>,
    /// First line of the text.
    pub start_line: Option<usize>,
    /// Last line of the text.
    pub end_line: Option<usize>,
    /// Number of lines over all pages.
    pub lines: usize,
    /// Trust in the text.
    #[schemars(extend("enum" = [Trust::Own.as_str(), Trust::Outside.as_str()]))]
    pub origin: &'static str,
    /// The lines.
    pub text: &'a str,
    /// Definitions around the lines, outermost first.
    pub enclosing: Vec<EnclosingWire<'a>>,
    /// Other definitions of the same name.
    pub others: &'a [String],
    /// Cursor of the next page.
    pub next_cursor: Option<&'a str>,
    /// The tree.
    pub root: String,
}

/// A definition around a passage.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EnclosingWire<'a> {
    /// Name.
    name: &'a str,
    /// Kind, such as function, class, section, spec, ticket or commit.
    kind: &'a str,
    /// First line, from 1.
    start_line: u32,
    /// Last line, from 1, included.
    end_line: u32,
    /// Signature.
    signature: &'a str,
}

/// The wire form of a definition around a passage.
pub fn enclosing(hit: &SymbolHit) -> EnclosingWire<'_> {
    EnclosingWire {
        name: &hit.name,
        kind: hit.kind,
        start_line: hit.start_line,
        end_line: hit.end_line,
        signature: &hit.signature,
    }
}

/// An answer of `trace`. Its edges contain their ends, because an answer is a page of all edges.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TraceAnswer<'a> {
    /// The relation.
    pub relation: &'static str,
    /// Definitions that the question is about.
    pub subjects: Vec<EndWire<'a>>,
    /// The edges of this page.
    pub edges: Vec<LinkedEdgeWire<'a>>,
    /// The commits of this page, if the relation is `history`, newest first.
    pub commits: Vec<ChangeWire<'a>>,
    /// The reasons of this page, if the relation is `why`.
    pub hops: Vec<HopWire<'a>>,
    /// The findings of this page, if the relation is `review`.
    pub findings: Vec<ReviewFindingWire<'a>>,
    /// Number of edges, commits, reasons or findings of this page.
    pub shown: usize,
    /// Number of edges, commits, reasons or findings of all pages.
    pub total: usize,
    /// True if there are more than the pages contain.
    pub is_cut: bool,
    /// Cursor of the next page.
    pub next_cursor: Option<&'a str>,
    /// Reasons why nothing was found.
    pub reasons: &'a [String],
    /// Similar names.
    pub nearest: &'a [String],
    /// The tree.
    pub root: String,
    /// Commit of the tree, and the number of files that differ from it.
    pub tree: Option<&'a str>,
    /// State of the index.
    pub fresh: String,
    /// Warnings, and files that could not be parsed.
    pub notes: Vec<String>,
}

/// An end of an edge.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndWire<'a> {
    /// Name.
    name: &'a str,
    /// Path from the root, with `/` between names; null without a file.
    path: Option<&'a str>,
    /// Line of the file, from 1.
    line: Option<u32>,
}

/// An edge with both ends.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkedEdgeWire<'a> {
    /// Start.
    from: EndWire<'a>,
    /// Kind of the edge.
    kind: &'static str,
    /// End.
    to: EndWire<'a>,
    /// Line of the file, from 1.
    line: Option<u32>,
    /// The line of the file of `from` that names `to`.
    text: Option<&'a str>,
    /// Certainty: that of the relation, from exact to a guess by name.
    certainty: &'static str,
    /// Number of definitions that the name may denote.
    candidates: usize,
    /// Number of steps from the subject, from 1.
    depth: usize,
}

/// The wire form of an end of an edge.
pub fn end(node: &GraphNode) -> EndWire<'_> {
    EndWire { name: &node.name, path: node.path.as_deref(), line: node.line }
}

/// The wire form of a place as an end.
pub fn place_end(subject: &Subject) -> EndWire<'_> {
    EndWire { name: &subject.title, path: subject.path.as_deref(), line: subject.start_line }
}

/// The wire form of an edge between two nodes, with the text of its line.
pub fn linked_edge<'a>(
    edge: &GraphEdge,
    from: &'a GraphNode,
    to: &'a GraphNode,
    text: Option<&'a str>,
) -> LinkedEdgeWire<'a> {
    LinkedEdgeWire {
        from: end(from),
        kind: edge.kind.as_str(),
        to: end(to),
        line: edge.line,
        text,
        certainty: edge.certainty.as_str(),
        candidates: edge.certainty.candidates(),
        depth: edge.depth,
    }
}

/// The state of the index, as a resource.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StatusAnswer<'a> {
    /// Version of Lorehound.
    pub version: &'static str,
    /// The tree.
    pub root: String,
    /// All trees of the session.
    pub roots: &'a [String],
    /// State of the index.
    #[schemars(extend("enum" = ["indexing", "ready"]))]
    pub phase: &'static str,
    /// Number of documents that are indexed.
    pub done: u64,
    /// Number of documents that are known so far.
    pub known: u64,
    /// The model that makes vectors.
    pub embedder: Option<&'a str>,
    /// The sources.
    pub sources: Vec<StatusAnswerSource>,
    /// Problems with the index.
    pub problems: &'a [String],
}

/// A source of the state of the index.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatusAnswerSource {
    /// Name of the source.
    pub name: &'static str,
    /// Number of documents.
    pub documents: u64,
    /// Number of changes since the index was written.
    pub pending: u64,
}

/// Returns the reasons and similar names of an absence; none without one.
pub fn reasons(absence: Option<&Absence>) -> (&[String], &[String]) {
    absence.map_or((&[], &[]), |absence| (&absence.reasons, &absence.nearest))
}
