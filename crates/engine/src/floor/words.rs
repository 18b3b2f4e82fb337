//! Words of queries and nodes, and when the one matches the other.

use std::collections::BTreeSet;

/// Shortest stem that is left when an ending is cut, in characters. With three, `file` would reach
/// `filter`.
const SHORTEST_STEM: usize = 4;

/// Shortest word of a text that may be the beginning of a query word.
const SHORTEST_REVERSE: usize = 3;

/// Which of two words may be the longer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matching {
    /// The query word starts the other: names are short, and `specs` must not fall for `spec` all
    /// over the tree.
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
    /// Whether it is a single Chinese or Japanese character, which is matched whole.
    character: bool,
}

impl Term {
    fn new(word: &str) -> Term {
        Term { text: word.to_owned(), stem: stem(word).len(), character: word.chars().all(is_cjk) }
    }

    /// Whether the term is looked for by characters rather than by words.
    pub(super) fn is_character(&self) -> bool {
        self.character
    }

    /// Whether the term matches a lower-case word of a node, from its start.
    fn matches(&self, word: &str, matching: Matching) -> bool {
        if self.character {
            return self.text == word;
        }
        word.starts_with(&self.text[..self.stem])
            || (matching == Matching::BothWays
                && SHORTEST_REVERSE <= word.len()
                && self.text.starts_with(stem(word)))
    }

    /// Share of a matched word that the term covers, above 0.0 and at most 1.0.
    pub(super) fn coverage(&self, word: &str) -> f64 {
        let shared = self.text.chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
        shared as f64 / word.chars().count().max(1) as f64
    }
}

/// The words of a query that are looked for: each once, in the order of the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Terms {
    list: Vec<Term>,
    /// Which pairs of bytes some term starts with: one bit for each, by the lower six bits of both.
    /// Words match from their start, both ways, and have two bytes at least, so that most words of
    /// a text are done with after one look.
    starts: [u64; 64],
}

impl Terms {
    /// The words of a query, function words left out. Quantifiers and degrees (`many`, `several`,
    /// `same`, `too`) stay: specs are asked for by such words.
    pub(super) fn of(query: &str) -> Terms {
        let mut terms = Terms { list: Vec::new(), starts: [0; 64] };
        let mut seen = BTreeSet::new();
        visit_words(query, |_, word| {
            if !lore_text::is_stop_word(word) && seen.insert(word.to_owned()) {
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

/// What a byte can be to a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Part of a word, in lower case.
    Plain,
    /// A capital.
    Upper,
    /// Part of a character beyond ASCII.
    Beyond,
    /// Ends a word.
    Separator,
}

/// The class of every byte. One look instead of four comparisons: the whole tree goes through here
/// for every query.
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
/// digits, and single Chinese and Japanese characters. A lone ASCII letter or digit is no word.
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
        // What ended the word: a character that is a word by itself, or a separator.
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

/// Whether a character is written without spaces around words: Han and kana.
fn is_cjk(character: char) -> bool {
    matches!(character,
        '\u{3005}' | '\u{3007}'
        | '\u{3041}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9F}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{323AF}')
}

/// A word without the mute `e` that `merge` has and `merging` has not. Always a prefix of the word.
///
/// No other ending is cut. Since a stem matches every word that it starts, each ending that goes
/// lets in strangers (`scored` every `score-…`, `stops` every `stop-…`), and names are matched
/// forward only to keep those out.
fn stem(word: &str) -> &str {
    word.strip_suffix('e').filter(|stem| SHORTEST_STEM <= stem.chars().count()).unwrap_or(word)
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
