//! English function words, which carry no meaning in a query.

/// The 44 words of the spec floor, sorted. Quantifiers (`many`, `several`, `too`, `same`) are not
/// among them: they carry meaning in questions about rules.
static STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "do", "does", "for",
    "from", "had", "has", "have", "how", "if", "in", "into", "is", "it", "its", "just", "of", "on",
    "or", "so", "than", "that", "the", "their", "then", "there", "this", "to", "was", "what",
    "when", "where", "which", "with",
];

/// Returns true for a folded function word.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_is_sorted() {
        assert!(STOP_WORDS.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(STOP_WORDS.len(), 44);
    }
}
