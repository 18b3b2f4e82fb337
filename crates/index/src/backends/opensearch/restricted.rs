//! Queries of a user whose role has document-level security.
//!
//! The security plugin of OpenSearch replaces the query of such a user by one that also requires the condition of the
//! role. That loses the names of its parts, and adds a constant to the score of every row. Here, the constant is
//! subtracted, and the rows of each named part are requested separately.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{cluster::Cluster, rows::Names, snapshot::number};
use crate::IndexError;

/// The column that identifies a row among those of a query. Every query with named parts returns it.
const NUMBER: &str = "number";

/// The constant that the cluster adds to the scores for this user; 0 without document-level security. It is
/// requested once for each process and cluster.
pub(super) fn score_offset(cluster: &Cluster, names: &Names) -> Result<f64, IndexError> {
    if let Some(offset) = cluster.score_offset.get() {
        return Ok(*offset);
    }
    // Without a query that scores, every score is 0.
    let body = json!({
        "size": 1, "_source": false, "track_total_hits": false,
        "query": {"bool": {"filter": [{"term": {"key": names.key}}]}},
    });
    let path = format!("{}/_search?routing={}", cluster.alias(), names.routing);
    let answer = cluster.send("POST", &path, Some(&body))?;
    let Some(offset) = answer["hits"]["hits"][0]["_score"].as_f64() else { return Ok(0.0) };
    Ok(*cluster.score_offset.get_or_init(|| offset))
}

/// A query for each named part of a query, for the rows of its answer.
pub(super) fn queries_of_names(body: &Value, answer: &Value) -> Vec<(String, Value)> {
    let hits = answer["hits"]["hits"].as_array().map(Vec::as_slice).unwrap_or_default();
    let numbers: Vec<u64> = hits.iter().map(|hit| number(hit, NUMBER)).collect();
    if numbers.is_empty() {
        return Vec::new();
    }
    let mut filter = body["query"]["bool"]["filter"].as_array().cloned().unwrap_or_default();
    filter.push(json!({"terms": {NUMBER: numbers}}));
    let queries = named_parts(body).into_iter().map(|(name, part)| {
        let query = json!({
            "size": numbers.len(), "track_total_hits": false,
            "stored_fields": "_none_", "docvalue_fields": [NUMBER],
            "query": {"bool": {"filter": filter, "must": [part]}},
        });
        (name, query)
    });
    queries.collect()
}

/// Adds the names of matching parts to the rows of an answer, with the score of each or as a list. `answers` are
/// those to the queries of the names.
pub(super) fn add_names(
    answer: &mut Value,
    names: &[String],
    answers: &[Value],
    with_scores: bool,
) {
    let mut found: HashMap<u64, Map<String, Value>> = HashMap::new();
    for (name, answer) in names.iter().zip(answers) {
        for hit in answer["hits"]["hits"].as_array().into_iter().flatten() {
            let number = number(hit, NUMBER);
            found.entry(number).or_default().insert(name.clone(), hit["_score"].clone());
        }
    }
    for hit in answer["hits"]["hits"].as_array_mut().into_iter().flatten() {
        if let Some(scores) = found.remove(&number(hit, NUMBER)) {
            hit["matched_queries"] = if with_scores {
                Value::Object(scores)
            } else {
                scores.into_iter().map(|(name, _)| Value::String(name)).collect()
            };
        }
    }
}

/// Adds the constant to the condition on the score of a query.
pub(super) fn raise_minimum(body: &mut Value, offset: f64) {
    if let Some(least) = body["min_score"].as_f64() {
        body["min_score"] = json!(least + offset);
    }
}

/// Subtracts the constant from the scores of an answer.
pub(super) fn lower_scores(answer: &mut Value, offset: f64) {
    for hit in answer["hits"]["hits"].as_array_mut().into_iter().flatten() {
        if let Some(score) = hit["_score"].as_f64() {
            hit["_score"] = json!(score - offset);
        }
    }
}

/// The optional parts of a query that have names, without the names.
fn named_parts(body: &Value) -> Vec<(String, Value)> {
    let parts = body["query"]["bool"]["should"].as_array().map(Vec::as_slice).unwrap_or_default();
    let named = parts.iter().filter_map(|part| {
        let mut part = part.clone();
        let kind = part.as_object_mut()?.values_mut().next()?;
        let name = kind.as_object_mut()?.remove("_name")?;
        Some((name.as_str()?.to_owned(), part))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_and_minimums_are_corrected() {
        let mut body = json!({"min_score": 1.5});
        raise_minimum(&mut body, 1.0);
        assert_eq!(body, json!({"min_score": 2.5}));
        let mut body = json!({"size": 1});
        raise_minimum(&mut body, 1.0);
        assert!(body["min_score"].is_null());
        let mut answer = json!({"hits": {"hits": [{"_score": 1.25}, {"_score": null}]}});
        lower_scores(&mut answer, 1.0);
        assert_eq!(answer, json!({"hits": {"hits": [{"_score": 0.25}, {"_score": null}]}}));
    }

    #[test]
    fn names_are_added_to_the_rows_that_match() {
        let row = |number: u64| json!({"fields": {"number": [number]}});
        let mut answer = json!({"hits": {"hits": [row(7), row(8)]}});
        let mut named = row(8);
        named["_score"] = json!(0.5);
        let answers = [json!({"hits": {"hits": [named]}})];
        add_names(&mut answer, &["x".to_owned()], &answers, true);
        assert_eq!(answer["hits"]["hits"][0], row(7));
        assert_eq!(answer["hits"]["hits"][1]["matched_queries"], json!({"x": 0.5}));
        add_names(&mut answer, &["x".to_owned()], &answers, false);
        assert_eq!(answer["hits"]["hits"][1]["matched_queries"], json!(["x"]));
    }

    #[test]
    fn parts_with_names_are_separate_queries() {
        let body = json!({"query": {"bool": {"should": [
            {"terms": {"f_body": ["a"]}},
            {"bool": {"should": [], "_name": "required"}},
            {"script_score": {"query": {"match_all": {}}, "_name": "0.1"}},
        ]}}});
        let names: Vec<String> = named_parts(&body).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["required", "0.1"]);
        assert_eq!(named_parts(&body)[0].1, json!({"bool": {"should": []}}));
        assert!(named_parts(&json!({"query": {"match_all": {}}})).is_empty());
        assert!(queries_of_names(&body, &json!({"hits": {"hits": []}})).is_empty());
        let hit = json!({"fields": {"number": [7]}});
        let queries = queries_of_names(&body, &json!({"hits": {"hits": [hit]}}));
        assert_eq!(queries[1].0, "0.1");
        let filter = &queries[1].1["query"]["bool"]["filter"];
        assert_eq!(*filter, json!([{"terms": {"number": [7]}}]));
    }
}
