//! Finds positions in a text where words of a query may start, an order of magnitude faster than
//! analysing it.

use aho_corasick::{AhoCorasick, MatchKind, packed};

/// Finds the positions of ASCII terms in any letter case.
#[derive(Debug)]
pub(super) enum Spotter {
    /// Compares many bytes at once, in lower case only.
    Packed { search: packed::Searcher, terms: Vec<Term> },
    /// For short terms, many terms, or old processors.
    Automaton(AhoCorasick),
}

/// A term in lower case.
#[derive(Debug)]
pub(super) struct Term {
    letters: String,
    /// The terms that are a prefix of it and those that it is a prefix of: only they start at the
    /// same positions.
    related: Vec<usize>,
}

/// Number of bytes of a text that are lower-cased at once: they stay in the processor's cache.
/// Debug builds use a small number, so that words cross windows in the short texts of tests.
const WINDOW: usize = if cfg!(debug_assertions) { 8 } else { 8 << 10 };

/// Minimum length of a term for the packed search: a single letter is everywhere.
const MIN_TERM_LEN: usize = 2;

impl Spotter {
    /// For these terms; `None` when one is not ASCII, whose spellings differ in more than case.
    pub(super) fn new<'t>(terms: impl Iterator<Item = &'t str>) -> Option<Spotter> {
        let terms: Vec<String> = terms.map(str::to_ascii_lowercase).collect();
        if !terms.iter().all(|term| term.is_ascii()) {
            return None;
        }
        let packed = if terms.iter().all(|term| term.len() >= MIN_TERM_LEN) {
            packed::Searcher::new(&terms)
        } else {
            None
        };
        match packed {
            Some(search) => Some(Spotter::Packed { search, terms: related(terms) }),
            None => Spotter::automaton(&terms),
        }
    }

    fn automaton(terms: &[String]) -> Option<Spotter> {
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).match_kind(MatchKind::Standard);
        builder.build(terms).ok().map(Spotter::Automaton)
    }

    /// Positions where words of a text may start, ascending, each once. Positions inside words are
    /// excluded. In lines that are not ASCII, words may start elsewhere, too.
    pub(super) fn places(&self, text: &str) -> Vec<usize> {
        let bytes = text.as_bytes();
        let is_cut = |place: usize| !is_inside(bytes, place);
        let mut places = Vec::new();
        match self {
            Spotter::Packed { search, terms } => {
                let longest = terms.iter().map(|term| term.letters.len()).max().unwrap_or(0);
                let mut folded = Vec::with_capacity(bytes.len().min(WINDOW + longest));
                for begin in (0..bytes.len()).step_by(WINDOW) {
                    // A term that begins in a window may end behind it.
                    let end = bytes.len().min(begin + WINDOW + longest);
                    folded.clear();
                    folded.extend_from_slice(&bytes[begin..end]);
                    folded.make_ascii_lowercase();
                    let mut from = 0;
                    while let Some(found) = search.find_in(&folded, (from..folded.len()).into()) {
                        let start = found.start();
                        if start >= WINDOW {
                            break;
                        }
                        from = start + 1;
                        let is_word = |term: &Term| {
                            is_cut(begin + start + term.letters.len())
                                && folded[start..].starts_with(term.letters.as_bytes())
                        };
                        let found = &terms[found.pattern().as_usize()];
                        let mut related = found.related.iter().map(|index| &terms[*index]);
                        if is_cut(begin + start) && (is_word(found) || related.any(is_word)) {
                            places.push(begin + start);
                        }
                    }
                }
            }
            Spotter::Automaton(automaton) => {
                let found = automaton.find_overlapping_iter(text);
                let words = found.filter(|term| is_cut(term.start()) && is_cut(term.end()));
                places.extend(words.map(|term| term.start()));
                places.sort_unstable();
                places.dedup();
            }
        }
        places
    }

    /// First position of the letters of a term in a text.
    pub(super) fn first(&self, text: &str) -> Option<usize> {
        match self {
            Spotter::Packed { search, .. } => {
                search.find(text.as_bytes().to_ascii_lowercase()).map(|found| found.start())
            }
            Spotter::Automaton(automaton) => {
                automaton.find_overlapping_iter(text).map(|found| found.start()).min()
            }
        }
    }
}

/// The terms, each with those that share its beginning.
fn related(terms: Vec<String>) -> Vec<Term> {
    let shares = |left: &str, right: &str| left.starts_with(right) || right.starts_with(left);
    let related: Vec<Vec<usize>> = (0..terms.len())
        .map(|at| {
            let others = (0..terms.len()).filter(|other| *other != at);
            others.filter(|other| shares(&terms[at], &terms[*other])).collect()
        })
        .collect();
    terms.into_iter().zip(related).map(|(letters, related)| Term { letters, related }).collect()
}

/// Returns whether a position in a text is surely inside a word: between two lower case letters,
/// which are never split.
pub(crate) fn is_inside(text: &[u8], place: usize) -> bool {
    let is_small =
        |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(u8::is_ascii_lowercase);
    is_small(place.checked_sub(1)) && is_small(Some(place))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn places_are_those_where_words_start() {
        let spotter = |terms: &[&str]| Spotter::new(terms.iter().copied()).expect("ASCII");
        for (terms, text, expected) in [
            (&["retry", "try"][..], "retry aretry reTry RETRY_try", &[0, 13, 15, 19, 21, 25][..]),
            (&["id", "idle"], "id idle Idle hidden getId", &[0, 3, 8, 23]),
            (&["x"], "x ax aX", &[0, 6]),
            (&["retry"], "", &[]),
            (&[], "retry", &[]),
        ] {
            assert_eq!(spotter(terms).places(text), expected, "{terms:?} in {text}");
        }
        assert!(Spotter::new(["é"].into_iter()).is_none());
        assert_eq!(spotter(&["fund", "try"]).first("a REFUND, a try"), Some(4));
    }

    proptest! {
        /// Both kinds of search find the same positions.
        #[test]
        fn both_searches_find_the_same(
            terms in prop::collection::vec("[abcA]{2,4}", 1..6),
            text in "[abcABC_ é]{0,80}",
        ) {
            let both = Spotter::new(terms.iter().map(String::as_str)).expect("ASCII");
            let slow = Spotter::automaton(&terms).expect("short terms");
            prop_assert_eq!(both.places(&text), slow.places(&text));
            prop_assert_eq!(both.first(&text), slow.first(&text));
        }
    }
}
