//! Private parsers of outside bytes, within reach of the fuzz targets: only with the feature
//! `fuzzing`, and no part of the interface.

use crate::query;

/// The words of a question: term, name as typed, weight.
pub fn parse_query(text: &str) -> Vec<(String, Option<String>, f32)> {
    query::parse(text).words.into_iter().map(|word| (word.term, word.name, word.weight)).collect()
}
