//! The JSON of completions.

use lore_engine::{SuggestResponse, Suggestion};
use schemars::JsonSchema;
use serde::Serialize;

use super::{SCHEMA, tenths};

/// Completions.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuggestWire<'a> {
    schema: u32,
    prefix: &'a str,
    suggestions: Vec<SuggestionWire<'a>>,
    elapsed_ms: f64,
}

#[derive(Serialize, JsonSchema)]
struct SuggestionWire<'a> {
    text: &'a str,
    kind: &'static str,
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
