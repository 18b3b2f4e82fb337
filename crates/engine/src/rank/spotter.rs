//! Where in a text words of a query may start, without analysing it: an order of magnitude faster.

use aho_corasick::{AhoCorasick, MatchKind, packed};

/// Finds the places of ASCII terms in whatever case.
#[derive(Debug)]
pub(super) enum Spotter {
    /// Looks at many letters at once, and for small ones alone.
    Packed { search: packed::Searcher, terms: Vec<Term> },
    /// Where a term is short, there are many of them, or the processor is an old one.
    Automaton(AhoCorasick),
}

/// A term in small letters.
#[derive(Debug)]
pub(super) struct Term {
    letters: String,
    /// The terms that it begins with and those that begin with it: they alone may stand where it does.
    related: Vec<usize>,
}

/// Bytes of a text that are put into small letters at once: they stay in the processor's cache. In a
/// build for tests, whose texts are short, words lie across, too.
const WINDOW: usize = if cfg!(debug_assertions) { 8 } else { 8 << 10 };

/// Fewest letters of a term that many letters at once are compared with: a single one stands
/// everywhere.
const FEWEST_LETTERS: usize = 2;

impl Spotter {
    /// For these terms; `None` when one is not ASCII, whose spellings differ in more than case.
    pub(super) fn new<'t>(terms: impl Iterator<Item = &'t str>) -> Option<Spotter> {
        let terms: Vec<String> = terms.map(str::to_ascii_lowercase).collect();
        if !terms.iter().all(|term| term.is_ascii()) {
            return None;
        }
        let packed = if terms.iter().all(|term| term.len() >= FEWEST_LETTERS) {
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

    /// Where words of a text may start, ascending, each once: far fewer places than hold the same
    /// letters. In lines beyond ASCII words may start elsewhere, too.
    pub(super) fn places(&self, text: &str) -> Vec<usize> {
        let bytes = text.as_bytes();
        let is_cut = |place: usize| !is_inside(bytes, place);
        let mut places = Vec::new();
        match self {
            Spotter::Packed { search, terms } => {
                let longest = terms.iter().map(|term| term.letters.len()).max().unwrap_or(0);
                let mut folded = Vec::with_capacity(bytes.len().min(WINDOW + longest));
                for begin in (0..bytes.len()).step_by(WINDOW) {
                    // What begins in a window may end behind it.
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
                let words = found.filter(|one| is_cut(one.start()) && is_cut(one.end()));
                places.extend(words.map(|one| one.start()));
                places.sort_unstable();
                places.dedup();
            }
        }
        places
    }

    /// Where the letters of a term first stand in a text.
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

/// The terms with those that share their beginning.
fn related(terms: Vec<String>) -> Vec<Term> {
    let shares = |one: &str, other: &str| one.starts_with(other) || other.starts_with(one);
    let related: Vec<Vec<usize>> = (0..terms.len())
        .map(|at| {
            let others = (0..terms.len()).filter(|other| *other != at);
            others.filter(|other| shares(&terms[at], &terms[*other])).collect()
        })
        .collect();
    terms.into_iter().zip(related).map(|(letters, related)| Term { letters, related }).collect()
}

/// Whether a place in a text lies inside of a word for sure: between two small letters, which are never
/// cut apart.
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
        /// However it is searched for, the same is found.
        #[test]
        fn both_ways_find_the_same(
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
