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

/// Minimum length of a word that may be a misspelled name.
const MIN_LEN: usize = 4;

/// Minimum length of a word with two wrong characters.
const MIN_LEN_OF_TWO_ERRORS: usize = 7;

/// Returns the name that a word probably misspells: with one wrong, missing, additional or exchanged
/// character, or two in a long word. A word that only continues a name, such as `files`, is another word.
pub fn misspelled<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let length = word.chars().count();
    let max = match length {
        0..MIN_LEN => return None,
        MIN_LEN..MIN_LEN_OF_TWO_ERRORS => 1,
        _ => 2,
    };
    known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(word, name), *name))
        .filter(|(distance, name)| (1..=max).contains(distance) && !word.starts_with(name))
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::misspelled;

    #[test]
    fn misspelled_names_are_recognised() {
        let known = ["search", "status", "index", "file", "rg", "completions"];
        assert_eq!(misspelled("serch", &known), Some("search"));
        assert_eq!(misspelled("statsu", &known), Some("status"));
        assert_eq!(misspelled("indx", &known), Some("index"));
        assert_eq!(misspelled("compltion", &known), Some("completions"));
        for word in ["search", "files", "retry", "rag", "", "日本語の"] {
            assert_eq!(misspelled(word, &known), None, "{word}");
        }
    }
}
