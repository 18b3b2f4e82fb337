//! Schemas of the JSON of `lore eval` and `lore bench`.

use lore_render::wire::schema::output_schema;
use serde_json::Value;

use crate::{
    commands::{AgentsWire, BenchWire},
    natural::ReportWire,
};

/// Figures of natural questions.
pub fn report() -> Value {
    output_schema::<ReportWire<'_>>()
}

/// A line of `lore eval --agents --json`.
pub fn agents() -> Value {
    output_schema::<AgentsWire<'_>>()
}

/// Costs of generated trees.
pub fn bench() -> Value {
    output_schema::<BenchWire>()
}
