//! Names that are near to a misspelt one.

/// Words that differ by more than this are not near.
const LEAST_SIMILARITY: f64 = 0.6;

/// `; did you mean …?` with the nearest name, or nothing.
pub fn did_you_mean(name: &str, known: &[&str]) -> String {
    known
        .iter()
        .map(|candidate| (strsim::normalized_damerau_levenshtein(name, candidate), candidate))
        .filter(|(similarity, _)| *similarity >= LEAST_SIMILARITY)
        .max_by(|left, right| left.0.total_cmp(&right.0).then(right.1.cmp(left.1)))
        .map_or_else(String::new, |(_, candidate)| format!("; did you mean `{candidate}`?"))
}
