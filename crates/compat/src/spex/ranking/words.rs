//! Words of queries and nodes, and the rule by which they match.

use std::collections::BTreeSet;

use lore_engine::documents::is_stop_word;

/// Minimum length in characters of a stem. With three, `file` would match `filter`.
const MIN_STEM_LEN: usize = 4;

/// Minimum length of a word that matches as the start of a query word.
const MIN_REVERSE_LEN: usize = 3;

/// Direction of a prefix match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matching {
    /// The query word starts the other: names are short, and `specs` must not match every `spec`
    /// of the tree.
    Forward,
    /// Also the other way round: `sessions` finds `session`, `merging` finds `merge`.
    BothWays,
}

/// A word of the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    /// Lower case, as typed.
    pub(super) text: String,
    /// Bytes of `text` that are left without its ending.
    stem: usize,
    /// True for a single Chinese or Japanese character, which matches only itself.
    character: bool,
}

impl Term {
    fn new(word: &str) -> Term {
        Term { text: word.to_owned(), stem: stem(word).len(), character: word.chars().all(is_cjk) }
    }

    /// Returns true if the term matches characters rather than words.
    pub(super) fn is_character(&self) -> bool {
        self.character
    }

    /// Returns true if the term matches a lower-case word of a node, from its start.
    fn matches(&self, word: &str, matching: Matching) -> bool {
        if self.character {
            return self.text == word;
        }
        word.starts_with(&self.text[..self.stem])
            || (matching == Matching::BothWays
                && MIN_REVERSE_LEN <= word.len()
                && self.text.starts_with(stem(word)))
    }

    /// Share of a matched word that the term covers, above 0.0 and at most 1.0.
    pub(super) fn coverage(&self, word: &str) -> f64 {
        let shared = self.text.chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
        shared as f64 / word.chars().count().max(1) as f64
    }
}

/// The distinct words of a query, in the order of the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Terms {
    list: Vec<Term>,
    /// Set of the first two bytes of all terms: one bit for each pair, by the lower six bits of
    /// both bytes. Words match from their start, in both directions, and have at least two bytes, so
    /// most words of a text need one lookup.
    starts: [u64; 64],
}

impl Terms {
    /// The words of a query without function words. Quantifiers and degrees (`many`, `several`,
    /// `same`, `too`) stay: queries for specs use them.
    pub(super) fn of(query: &str) -> Terms {
        let mut terms = Terms { list: Vec::new(), starts: [0; 64] };
        let mut seen = BTreeSet::new();
        visit_words(query, |_, word| {
            if !is_stop_word(word) && seen.insert(word.to_owned()) {
                if let Some((row, bit)) = start_of(word) {
                    terms.starts[row] |= bit;
                }
                terms.list.push(Term::new(word));
            }
        });
        terms
    }

    /// Number of terms.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The terms, in the order of the query.
    pub(super) fn iter(&self) -> std::slice::Iter<'_, Term> {
        self.list.iter()
    }

    /// The positions of the terms that match a lower-case word of a node, and these terms.
    pub(super) fn matching(
        &self,
        word: &str,
        matching: Matching,
    ) -> impl Iterator<Item = (usize, &Term)> {
        let known = start_of(word).is_some_and(|(row, bit)| self.starts[row] & bit != 0);
        let candidates = if known { self.list.as_slice() } else { &[] };
        candidates.iter().enumerate().filter(move |(_, term)| term.matches(word, matching))
    }
}

/// Row and bit of the first two bytes of a word in [`Terms::starts`].
fn start_of(word: &str) -> Option<(usize, u64)> {
    let [first, second, ..] = word.as_bytes() else { return None };
    Some((usize::from(first & 63), 1 << (second & 63)))
}

/// Role of a byte in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Part of a word, in lower case.
    Plain,
    /// An upper-case character.
    Upper,
    /// Part of a character beyond ASCII.
    Beyond,
    /// Ends a word.
    Separator,
}

/// The class of every byte. One lookup instead of four comparisons: every query reads the whole
/// tree.
static CLASSES: [Class; 256] = {
    let mut classes = [Class::Separator; 256];
    let mut byte = 0_u8;
    loop {
        classes[byte as usize] = match byte {
            b'a'..=b'z' | b'0'..=b'9' => Class::Plain,
            b'A'..=b'Z' => Class::Upper,
            128..=255 => Class::Beyond,
            _ => Class::Separator,
        };
        if byte == u8::MAX {
            break classes;
        }
        byte += 1;
    }
};

/// Calls `visit` with the byte offset and the lower-case form of every word: runs of letters and
/// digits, and single Chinese and Japanese characters. A single ASCII letter or digit is no word.
pub(super) fn visit_words(text: &str, mut visit: impl FnMut(usize, &str)) {
    let bytes = text.as_bytes();
    let class = |offset: usize| {
        bytes.get(offset).map_or(Class::Separator, |byte| CLASSES[usize::from(*byte)])
    };
    let mut folded = String::new();
    let mut offset = 0;
    while offset < bytes.len() {
        let start = offset;
        while class(offset) == Class::Plain {
            offset += 1;
        }
        if class(offset) == Class::Separator {
            if start + 2 <= offset {
                visit(start, &text[start..offset]);
            }
            offset += 1;
            continue;
        }
        offset += run(&text[offset..]);
        let word = &text[start..offset];
        if 2 <= word.len() {
            folded.clear();
            folded.extend(word.chars().flat_map(char::to_lowercase));
            visit(start, &folded);
        }
        // The character after the word: a word by itself, or a separator.
        if let Some(character) = text[offset..].chars().next() {
            let end = offset + character.len_utf8();
            if is_cjk(character) {
                visit(offset, &text[offset..end]);
            }
            offset = end;
        }
    }
}

/// Bytes at the start of a text that belong to one word.
fn run(text: &str) -> usize {
    text.find(|character: char| !character.is_alphanumeric() || is_cjk(character))
        .unwrap_or(text.len())
}

/// Returns true for characters of scripts without spaces: Han and kana.
fn is_cjk(character: char) -> bool {
    matches!(character,
        '\u{3005}' | '\u{3007}'
        | '\u{3041}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9F}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{323AF}')
}

/// A word without the final `e` that `merge` has and `merging` lacks. Always a prefix of the word.
///
/// No other ending is cut. A stem matches every word that it starts, so cutting more endings would
/// match unrelated names (`scored` every `score-…`, `stops` every `stop-…`), which matching names
/// forward only is meant to prevent.
fn stem(word: &str) -> &str {
    word.strip_suffix('e').filter(|stem| MIN_STEM_LEN <= stem.chars().count()).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_of_a_query() {
        let check = |query: &str, expected: &[&str]| {
            let terms: Vec<String> =
                Terms::of(query).iter().map(|term| term.text.clone()).collect();
            assert_eq!(terms, expected, "{query}");
        };
        check("会话 abc x", &["会", "话", "abc"]);
        check("too many owners", &["too", "many", "owners"]);
        check("how does the it is", &[]);
        check("main-guard MAIN 42 7", &["main", "guard", "42"]);
        check("Größe naïve", &["größe", "naïve"]);
        check("", &[]);
    }

    #[test]
    fn stems_are_prefixes() {
        let check = |word: &str, expected: &str| assert_eq!(stem(word), expected, "{word}");
        check("merge", "merg");
        check("file", "file");
        check("specs", "specs");
        check("scored", "scored");
        check("e", "e");
    }

    #[test]
    fn words_match_from_their_start() {
        let check = |term: &str, word: &str, forward: bool, both: bool| {
            let term = Term::new(term);
            assert_eq!(term.matches(word, Matching::Forward), forward, "{term:?} {word}");
            assert_eq!(term.matches(word, Matching::BothWays), both, "{term:?} {word}");
        };
        check("main", "domain", false, false);
        check("merge", "merging", true, true);
        check("merging", "merge", false, true);
        check("sessions", "session", false, true);
        check("session", "sessions", true, true);
        check("settings", "set", false, true);
        check("launched", "la", false, false);
        check("节", "节", true, true);
    }
}
