//! Nearest words: the word of an index that differs from a misspelt one by the fewest edits.

use std::cmp::Reverse;

use foldhash::HashMap;
use lore_index::{IndexError, Reader};
use lore_schema::Field;
use lore_text::{Relation, StaticEmbedder};
use strsim::osa_distance;

use super::{MAX_CANDIDATES, MIN_WORD_LEN};

/// Minimum length of a word for which two edits are one misspelling.
const MIN_LEN_OF_TWO_EDITS: usize = 9;

/// Fields with the words of texts, paths and titles.
const FIELDS: [Field; 4] = [Field::Body, Field::Title, Field::Path, Field::Names];

/// The word of the indexes that differs from a misspelt one by the fewest edits; of several the most
/// frequent one. `None` for a correct word that the repository lacks: `refused` is not `reused`.
pub(super) fn nearest_word(
    term: &str,
    readers: &[&dyn Reader],
) -> Result<Option<String>, IndexError> {
    if !term.bytes().all(|byte| byte.is_ascii_lowercase()) || is_correct(term) {
        return Ok(None);
    }
    let is_near = is_within(term, max_edits(term));
    let mut found: HashMap<String, u64> = HashMap::default();
    for reader in readers {
        for field in FIELDS {
            for other in reader.accepted_terms(field, "", &is_near, MAX_CANDIDATES)? {
                let documents = reader.document_frequency(field, &other)?;
                *found.entry(other).or_default() += documents;
            }
        }
    }
    let best = found.into_iter().min_by(|left, right| {
        let key = |(other, documents): &(String, u64)| (edits(term, other), Reverse(*documents));
        key(left).cmp(&key(right)).then_with(|| left.0.cmp(&right.0))
    });
    Ok(best.map(|(other, _)| other))
}

/// Number of edits between two words, where a swap of neighbours counts once and another first letter
/// twice: few misspellings begin with another letter.
pub(super) fn edits(typed: &str, other: &str) -> usize {
    let other_start = typed.as_bytes().first() != other.as_bytes().first();
    // A short word has too many neighbours: only swapped letters are accepted.
    let is_swap = typed.len() == other.len() && LetterSet::of(typed) == LetterSet::of(other);
    let short = usize::from(typed.len() <= MIN_WORD_LEN && !is_swap);
    osa_distance(typed, other) + usize::from(other_start) + short
}

/// Returns whether a word or its stem is one of the embedding model.
fn is_correct(term: &str) -> bool {
    let model = StaticEmbedder::builtin();
    model.knows_word(term) || model.knows_word(&Relation::Inflection.stem(term))
}

/// Maximum number of edits of one misspelling of a word or identifier.
pub(super) fn max_edits(term: &str) -> usize {
    if term.len() < MIN_LEN_OF_TWO_EDITS { 1 } else { 2 }
}

/// Returns a function that checks whether a term differs from this one by at most `most` edits. Cheap
/// for terms that differ by many.
pub(super) fn is_within(term: &str, most: usize) -> impl Fn(&str) -> bool {
    let set = LetterSet::of(term);
    move |other| {
        term.len().abs_diff(other.len()) <= most
            && set.differs_little(other, most)
            && edits(term, other) <= most
    }
}

/// The set of letters of a word in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LetterSet(u32);

impl LetterSet {
    fn of(word: &str) -> LetterSet {
        LetterSet(word.bytes().fold(0, |set, byte| {
            set | if byte.is_ascii_lowercase() { 1 << (byte - b'a') } else { 1 << 26 }
        }))
    }

    /// Returns whether another word may differ by at most this number of edits: each changes at most
    /// two letters of the set.
    fn differs_little(self, other: &str, edits: usize) -> bool {
        (self.0 ^ LetterSet::of(other).0).count_ones() as usize <= 2 * edits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_is_one_edit_and_another_first_letter_two() {
        for (typed, other, expected) in [
            ("moduel", "module", 1),
            ("shutdwon", "shutdown", 1),
            ("featuer", "feature", 1),
            ("perfomance", "performance", 1),
            ("polyfil", "polyfill", 1),
            ("house", "mouse", 2),
            ("veiw", "view", 1),
            ("grpc", "grep", 3),
        ] {
            assert_eq!(edits(typed, other), expected, "{typed} {other}");
            assert!(LetterSet::of(typed).differs_little(other, expected), "{typed} {other}");
        }
    }
}
