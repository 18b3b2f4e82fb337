//! The JSON of completions.

use lore_engine::{SuggestResponse, Suggestion};
use schemars::JsonSchema;
use serde::Serialize;

use super::{SCHEMA, tenths};

/// Completions.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuggestWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// The typed text.
    prefix: &'a str,
    /// Completions, best first.
    suggestions: Vec<SuggestionWire<'a>>,
    /// Time in milliseconds.
    elapsed_ms: f64,
}

#[derive(Serialize, JsonSchema)]
struct SuggestionWire<'a> {
    /// The completion.
    text: &'a str,
    /// term, symbol, title or path.
    kind: &'static str,
    /// Number of documents that contain it.
    documents: u64,
}

/// The wire form of completions.
pub fn suggestions(response: &SuggestResponse) -> SuggestWire<'_> {
    SuggestWire {
        schema: SCHEMA,
        prefix: &response.prefix,
        suggestions: response.suggestions.iter().map(suggestion).collect(),
        elapsed_ms: tenths(response.elapsed_ms),
    }
}

fn suggestion(suggestion: &Suggestion) -> SuggestionWire<'_> {
    let Suggestion { text, kind, documents } = suggestion;
    SuggestionWire { text, kind: kind.as_str(), documents: *documents }
}
