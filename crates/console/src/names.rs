//! Suggestions for misspelled names.

/// Minimum similarity of a suggestion.
const MIN_SIMILARITY: f64 = 0.6;

/// Returns `; did you mean …?` with the most similar name, or an empty string.
pub fn did_you_mean(name: &str, known: &[&str]) -> String {
    known
        .iter()
        .map(|candidate| (strsim::normalized_damerau_levenshtein(name, candidate), candidate))
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .max_by(|left, right| left.0.total_cmp(&right.0).then(right.1.cmp(left.1)))
        .map_or_else(String::new, |(_, candidate)| format!("; did you mean `{candidate}`?"))
}
