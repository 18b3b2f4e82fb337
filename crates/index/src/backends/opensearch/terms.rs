//! Terms as words of a text, so that a cluster that splits texts at spaces finds exactly these terms.

use std::fmt::Write as _;

use lore_schema::Field;

use crate::Terms;

/// Maximum length of a term in bytes; longer ones are not indexed. Also the length at which the
/// cluster would cut a word.
const MAX_TERM: usize = 255;

/// Begins the code of a character that a term may not contain as it is.
const ESCAPE: char = '\u{F8FF}';

/// Returns the word of a term; `None` for a term that is not indexed.
pub(super) fn word(term: &str) -> Option<String> {
    let mut word = String::with_capacity(term.len());
    push_word(term, &mut word).then_some(word)
}

/// Appends the word of a term. Returns false, and appends nothing, for a term that is not indexed.
fn push_word(term: &str, text: &mut String) -> bool {
    if term.is_empty() || term.len() > MAX_TERM {
        return false;
    }
    for character in term.chars() {
        if character.is_whitespace() || character.is_control() || character == ESCAPE {
            // Writing to memory does not fail.
            let _ = write!(text, "{ESCAPE}{:x}{ESCAPE}", u32::from(character));
        } else {
            text.push(character);
        }
    }
    true
}

/// Returns true if a word differs from its term.
pub(super) fn has_code(word: &str) -> bool {
    word.contains(ESCAPE)
}

/// Returns the term of a word.
pub(super) fn term(word: &str) -> String {
    let mut term = String::with_capacity(word.len());
    for (number, part) in word.split(ESCAPE).enumerate() {
        let code = u32::from_str_radix(part, 16).ok().filter(|_| number % 2 == 1);
        match code.and_then(char::from_u32) {
            Some(character) => term.push(character),
            None => term.push_str(part),
        }
    }
    term
}

/// Returns the text of a field: its words, separated by spaces.
pub(super) fn text(terms: &Terms) -> String {
    let mut text = String::with_capacity(terms.as_encoded().len());
    for term in terms.iter() {
        if push_word(term, &mut text) {
            text.push(' ');
        }
    }
    text
}

/// The name of a field in the cluster.
pub(super) fn column(field: Field) -> String {
    format!("f_{}", field.as_str())
}

/// The name of the number that has the length of a field.
pub(super) fn length_column(field: Field) -> String {
    format!("l_{}", field.as_str())
}

/// The field of documents that has the words of all their chunks, each after the number of its field.
pub(super) const CONTAINED: &str = "contained";

/// Returns the word of [`CONTAINED`] for a word of a field of chunks.
pub(super) fn contained(field: Field, word: &str) -> String {
    format!("{}:{word}", field.index())
}

/// Rounds a length as the local index does: exact up to 40, rounded down by at most an eighth above.
/// The table is that of Lucene's `SmallFloat.intToByte4`.
pub(super) fn rounded_length(length: u32) -> u32 {
    if length < 24 {
        return length;
    }
    let rest = u64::from(length) - 24;
    if rest < 8 {
        return length;
    }
    let bits = 64 - rest.leading_zeros();
    let shift = bits - 4;
    let kept = (rest >> shift) << shift;
    u32::try_from(kept + 24).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tantivy::fieldnorm::FieldNormReader;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn words_have_no_space_and_are_read_back(written in "\\PC{0,9}|[ \t\u{2028}a-c\u{F8FF}]{0,9}") {
            if let Some(word) = word(&written) {
                prop_assert!(!word.contains(char::is_whitespace) && !word.is_empty());
                prop_assert_eq!(term(&word), written);
            }
        }
    }

    #[test]
    fn lengths_are_rounded_as_by_the_local_index() {
        let table: Vec<u32> = (0..=u8::MAX).map(FieldNormReader::id_to_fieldnorm).collect();
        for length in (0..3_000).chain([30_000, 70_001, 1_000_000, 12_345_678]) {
            let expected = table.iter().copied().filter(|known| *known <= length).max();
            assert_eq!(Some(rounded_length(length)), expected, "{length}");
        }
    }
}
