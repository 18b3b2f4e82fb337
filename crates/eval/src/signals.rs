//! Values of all signals for the candidates of a query: what weights are fitted to.

use lore_engine::Explanation;
use serde_json::{Map, Value, json};

use crate::Answered;

/// One line of JSON: the query, and for each candidate its path, whether it is right, its score and
/// the value of every signal by name. Empty without a response, or where hits do not explain
/// themselves.
pub fn signal_line(answered: &Answered<'_>) -> String {
    let hits = answered.response.map(|response| response.hits.as_slice()).unwrap_or_default();
    let candidates: Vec<Value> = hits
        .iter()
        .zip(&answered.answer.results)
        .map(|(hit, ranked)| {
            let signals: Map<String, Value> = hit
                .explanation
                .iter()
                .flat_map(|explanation| &explanation.parts)
                .map(|part| (part.name.to_owned(), json!(part.value)))
                .collect();
            let right = answered.query.targets.iter().any(|target| target.is_covered_by(ranked));
            json!({
                "path": ranked.path,
                "id": ranked.id,
                "relevant": u8::from(right),
                "score": hit.explanation.as_ref().map_or(hit.score, Explanation::sum),
                "signals": signals,
            })
        })
        .collect();
    json!({
        "id": answered.query.id,
        "repo": answered.query.repository,
        "query": answered.query.text,
        "category": answered.query.category,
        "targets": answered.query.targets.len(),
        "candidates": candidates,
    })
    .to_string()
}
