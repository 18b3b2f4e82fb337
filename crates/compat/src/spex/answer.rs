//! Answers of the spex ranking, and their JSON.

use lore_engine::Link;
use lore_render::wire::{LinkWire, links, schema::output_schema};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Answer of the lexical scorer over spec nodes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SpecAnswer {
    /// The hits, best first.
    pub hits: Vec<SpecHit>,
    /// Titles similar to the query if there is no hit, at most three.
    pub nearest: Vec<String>,
    /// Number of searched nodes.
    pub nodes: usize,
    /// Number of words in all nodes.
    pub tokens: usize,
    /// Milliseconds of pure computing.
    pub compute_ms: f64,
}

/// A spec node found by the lexical scorer.
#[derive(Debug, Clone, PartialEq)]
pub struct SpecHit {
    /// Identifier of the node.
    pub id: String,
    /// Title.
    pub title: String,
    /// Root-relative path of its file.
    pub path: String,
    /// Summed lexical score, above 0, with two decimals; only the order is meaningful.
    pub score: f64,
    /// One line around the first matched word.
    pub snippet: String,
    /// Code that the node governs: paths, with `#name` for a part.
    pub code: Vec<String>,
}

/// JSON of a hit.
#[derive(Serialize, JsonSchema)]
pub struct SpecHitWire<'a> {
    /// Identifier of the spec.
    id: &'a str,
    /// Title or name.
    title: &'a str,
    /// Path from the root, with `/` between names.
    path: &'a str,
    /// Score; higher is better.
    score: f64,
    /// Passage around the words.
    snippet: &'a str,
}

/// JSON of a hit with the locations of the code that the spec governs.
#[derive(Serialize, JsonSchema)]
pub struct FollowedWire<'a> {
    #[serde(flatten)]
    hit: SpecHitWire<'a>,
    /// Locations of the code that the spec governs.
    code: Vec<LinkWire<'a>>,
}

/// Returns the schema of the JSON of an answer.
pub fn schema() -> Value {
    output_schema::<Vec<SpecHitWire<'_>>>()
}

/// Returns the schema of the JSON of an answer with the governed code.
pub fn followed_schema() -> Value {
    output_schema::<Vec<FollowedWire<'_>>>()
}

/// Returns the JSON of an answer: an array and nothing else.
pub fn wire(hits: &[SpecHit]) -> Vec<SpecHitWire<'_>> {
    hits.iter()
        .map(|hit| SpecHitWire {
            id: &hit.id,
            title: &hit.title,
            path: &hit.path,
            score: hit.score,
            snippet: &hit.snippet,
        })
        .collect()
}

/// Returns the JSON of an answer with the code that each spec governs, in the order of the hits.
pub fn followed<'a>(hits: &'a [SpecHit], code: &'a [Vec<Link>]) -> Vec<FollowedWire<'a>> {
    wire(hits)
        .into_iter()
        .zip(code)
        .map(|(hit, code)| FollowedWire { hit, code: links(code) })
        .collect()
}
