//! Groups passages with the same text: an archived change and the current spec, a ticket and the
//! spec that it was written from, copies of a file. Pure.

use lore_schema::SourceName;
use lore_text::{Form, analyzer};
use xxhash_rust::xxh3::xxh3_64;

/// Words per shingle: enough that common phrases do not count.
const SHINGLE_WORDS: usize = 4;

/// Minimum number of shingles of a passage: shorter ones are equal by chance.
const MIN_SHINGLES: usize = 12;

/// Minimum share of the smaller passage's shingles that the other one contains.
const MIN_SHARED: f64 = 0.8;

/// Maximum number of bytes of a passage that are compared.
const MAX_BYTES: usize = 16 << 10;

/// A passage, ready to be compared.
#[derive(Debug, Clone)]
pub(crate) struct Passage {
    source: SourceName,
    /// True if it is archived or superseded.
    old: bool,
    /// Ascending, each once.
    shingles: Vec<u64>,
}

impl Passage {
    /// Reads a passage of a source; `old` for what is archived or superseded.
    pub(crate) fn new(text: &str, source: SourceName, old: bool) -> Passage {
        let text = &text[..text.floor_char_boundary(MAX_BYTES.min(text.len()))];
        let mut words: Vec<u64> = Vec::new();
        analyzer("code").analyze(text, &mut |token| {
            if token.form == Form::Part {
                words.push(xxh3_64(token.term.as_bytes()));
            }
        });
        let hash = |window: &[u64]| {
            window.iter().fold(0_u64, |sum, word| {
                sum.rotate_left(23).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ word
            })
        };
        let mut shingles: Vec<u64> = words.windows(SHINGLE_WORDS).map(hash).collect();
        shingles.sort_unstable();
        shingles.dedup();
        Passage { source, old, shingles }
    }

    /// Returns whether both are duplicates. Passages of code often resemble each other: they must
    /// be equal.
    fn is_like(&self, other: &Passage) -> bool {
        let (small, large) = if self.shingles.len() < other.shingles.len() {
            (&self.shingles, &other.shingles)
        } else {
            (&other.shingles, &self.shingles)
        };
        if small.len() < MIN_SHINGLES {
            return false;
        }
        if self.source == SourceName::Code && other.source == SourceName::Code {
            return small == large;
        }
        shared(small, large) as f64 >= MIN_SHARED * small.len() as f64
    }
}

/// Number of values that are in both ascending lists.
fn shared(left: &[u64], right: &[u64]) -> usize {
    let mut right = right.iter().peekable();
    left.iter()
        .filter(|value| {
            while right.next_if(|other| other < value).is_some() {}
            right.peek() == Some(value)
        })
        .count()
}

/// Groups passages, best first: the one that is shown, and its duplicates. A current passage is
/// shown instead of an old one.
pub(crate) fn group(passages: &[Passage]) -> Vec<(usize, Vec<usize>)> {
    let mut groups: Vec<(usize, Vec<usize>)> = Vec::new();
    for (index, passage) in passages.iter().enumerate() {
        let like = groups.iter_mut().find(|(shown, _)| passages[*shown].is_like(passage));
        match like {
            None => groups.push((index, Vec::new())),
            Some((shown, others)) if passages[*shown].old && !passage.old => {
                others.push(std::mem::replace(shown, index));
                others.sort_unstable();
            }
            Some((_, others)) => others.push(index),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUIREMENT: &str = "The system SHALL refuse a refund that is larger than the payment. \
        WHEN a refund is larger THEN the answer names the payment and the amount that is left.";

    fn groups(rows: &[(&str, SourceName, bool)]) -> Vec<(usize, Vec<usize>)> {
        let passages: Vec<Passage> =
            rows.iter().map(|(text, source, old)| Passage::new(text, *source, *old)).collect();
        group(&passages)
    }

    #[test]
    fn the_same_text_is_shown_once() {
        use SourceName::{Code, Specs, Tickets};
        let copied = format!("{REQUIREMENT} See the ticket.");
        let other = "Tokens are refreshed ten minutes before they expire, so that no request \
            fails in between and no user has to log in again while at work on a page.";
        assert_eq!(
            groups(&[
                (REQUIREMENT, Specs, false),
                (other, Specs, false),
                (&copied, Tickets, false),
            ]),
            [(0, vec![2]), (1, vec![])]
        );
        // The current spec is shown, whichever ranks higher.
        assert_eq!(groups(&[(REQUIREMENT, Specs, true), (&copied, Specs, false)]), [(1, vec![0])]);
        // Code must be equal.
        assert_eq!(groups(&[(REQUIREMENT, Code, false), (&copied, Code, false)]).len(), 2);
        assert_eq!(groups(&[(&copied, Code, false), (&copied, Code, false)]).len(), 1);
        // Short texts are equal by chance.
        assert_eq!(groups(&[("no description", Specs, false); 2]).len(), 2);
    }
}
