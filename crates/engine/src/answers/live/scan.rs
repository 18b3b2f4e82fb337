//! Looks for the words of a question in one text. Pure.

use aho_corasick::{AhoCorasick, MatchKind};
use lore_text::{Relation, parts};

use crate::{
    answers::holders::{counts_as_start, words_of},
    query::{Query, Word, WordForm},
};

/// Words before a name that make it a definition, over the usual languages.
const DEFINING: &[&str] = &[
    "class",
    "const",
    "def",
    "enum",
    "fn",
    "fun",
    "func",
    "function",
    "impl",
    "interface",
    "macro",
    "mod",
    "module",
    "object",
    "package",
    "protocol",
    "record",
    "struct",
    "sub",
    "trait",
    "type",
    "typedef",
    "union",
];

/// Occurrences of a word in one file beyond which more of them say nothing.
const MAX_COUNTED: u32 = 1_000;

/// One way in which a word is written.
struct Spelling {
    word: usize,
    /// Position among the literal words; `None` for what follows from a word.
    literal: Option<usize>,
    /// Whether a longer word may begin with it.
    is_start: bool,
}

/// Finds the words in texts.
pub(super) struct Finder {
    /// The words, in the order of the question.
    pub(super) words: Vec<Word>,
    /// Which words count as these.
    pub(super) relation: Relation,
    /// The words that are looked for literally.
    pub(super) literal: Vec<String>,
    spellings: Vec<Spelling>,
    automaton: Option<AhoCorasick>,
}

/// What was seen of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    /// Position in the tree.
    pub(super) index: usize,
    /// Occurrences of each word.
    pub(super) counts: Vec<u32>,
    /// The words that a definition in it is named by, one bit each.
    pub(super) defined: u64,
    /// The words that its path holds, one bit each.
    pub(super) in_path: u64,
    /// The literal words that its text holds, one bit each.
    pub(super) literal: u64,
    /// Lines with a literal word.
    pub(super) lines: u64,
    /// Byte of the first place with a word, a definition's name first.
    pub(super) first: usize,
    /// Bytes of its text.
    pub(super) bytes: usize,
    /// What it is to the repository.
    pub(super) category: lore_schema::Category,
}

impl Seen {
    /// Whether its text or path holds a word.
    pub(super) fn holds(&self, word: usize) -> bool {
        self.counts[word] > 0 || self.in_path >> word & 1 == 1
    }
}

impl Finder {
    /// Of the words of a question; the parts and joints of names are further spellings of them.
    pub(super) fn new(query: &Query) -> Finder {
        let words: Vec<Word> = query.words[..query.typed()].iter().take(64).cloned().collect();
        let literal: Vec<String> =
            words_of(query).into_iter().map(|one| one.term.clone()).collect();
        let relation = query.shape.relation();
        let mut patterns: Vec<String> = Vec::new();
        let mut spellings = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let place = literal.iter().position(|term| *term == word.term);
            let is_start = counts_as_start(&word.term) || word.form == WordForm::Prefix;
            patterns.push(word.term.clone());
            spellings.push(Spelling { word: at, literal: place, is_start });
            if word.form == WordForm::Part {
                let starts = relation.prefixes(&word.term).into_iter();
                for start in starts.filter(|one| counts_as_start(one) && *one != word.term) {
                    patterns.push(start);
                    spellings.push(Spelling { word: at, literal: None, is_start: true });
                }
            }
            if let Some(name) = &word.name
                && word.form == WordForm::Whole
            {
                for joint in ["_", "-"] {
                    patterns.push(parts(name).join(joint));
                    spellings.push(Spelling { word: at, literal: place, is_start: true });
                }
            }
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .build(&patterns)
            .ok();
        Finder { words, relation, literal, spellings, automaton }
    }

    /// Positions of the words that were asked for.
    pub(super) fn asked(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().filter(|(_, word)| word.is_asked()).map(|(at, _)| at)
    }

    /// The words that a path holds, one bit each.
    pub(super) fn words_in_path(&self, path: &str) -> u64 {
        let mut words = 0;
        self.find(path, &mut |spelling, _, _| words |= 1 << spelling.word);
        words
    }

    /// Looks through a text; `None` if neither it nor its path holds a word.
    pub(super) fn look(&self, index: usize, path: &str, text: &str) -> Option<Seen> {
        let in_path = self.words_in_path(path);
        let mut seen = Seen {
            index,
            counts: vec![0; self.words.len()],
            defined: 0,
            in_path,
            literal: 0,
            lines: 0,
            first: usize::MAX,
            bytes: text.len(),
            category: lore_schema::Category::default(),
        };
        // A stem and its word may stand at the same place.
        let mut counted = vec![usize::MAX; self.words.len()];
        let mut line_end = 0;
        let mut names_something = false;
        let bytes = text.as_bytes();
        self.find(text, &mut |spelling, start, end| {
            let word = spelling.word;
            if counted[word] != start {
                counted[word] = start;
                seen.counts[word] = (seen.counts[word] + 1).min(MAX_COUNTED);
            }
            if let Some(literal) = spelling.literal {
                seen.literal |= 1 << literal;
                if start >= line_end {
                    seen.lines += 1;
                    let rest = &bytes[end..];
                    let to_end = rest.iter().position(|byte| *byte == b'\n');
                    line_end = to_end.map_or(bytes.len(), |to| end + to + 1);
                }
            }
            if seen.defined >> word & 1 == 0 && is_defining(text, start) {
                seen.defined |= 1 << word;
                if !names_something {
                    seen.first = start;
                    names_something = true;
                }
            }
            seen.first = seen.first.min(if names_something { seen.first } else { start });
        });
        if seen.counts.iter().all(|count| *count == 0) && in_path == 0 {
            return None;
        }
        seen.first = if seen.first == usize::MAX { 0 } else { seen.first };
        seen.category = lore_syntax::categorize(path, text);
        Some(seen)
    }

    /// Tells every place where a word stands, by where it ends.
    fn find(&self, text: &str, tell: &mut dyn FnMut(&Spelling, usize, usize)) {
        let Some(automaton) = &self.automaton else { return };
        let bytes = text.as_bytes();
        for found in automaton.find_overlapping_iter(bytes) {
            let spelling = &self.spellings[found.pattern().as_usize()];
            let (start, end) = (found.start(), found.end());
            if begins_word(bytes, start) && (spelling.is_start || ends_word(bytes, end)) {
                tell(spelling, start, end);
            }
        }
    }
}

/// Whether a word or a part of an identifier begins here.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| bytes[before]) else { return true };
    let first = bytes[at];
    if !before.is_ascii_alphanumeric() || !first.is_ascii_alphanumeric() {
        return true;
    }
    if first.is_ascii_uppercase() {
        // `getUser`, and the last capital of `HTTPServer`.
        return !before.is_ascii_uppercase()
            || bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    }
    before.is_ascii_digit() != first.is_ascii_digit()
}

/// Whether a word or a part of an identifier ends before this byte.
fn ends_word(bytes: &[u8], at: usize) -> bool {
    let (Some(last), Some(next)) = (at.checked_sub(1).map(|last| bytes[last]), bytes.get(at))
    else {
        return true;
    };
    !next.is_ascii_alphanumeric()
        || (next.is_ascii_uppercase() && !last.is_ascii_uppercase())
        || next.is_ascii_digit() != last.is_ascii_digit()
}

/// Whether the identifier around this byte is named by a definition, or the line is a heading.
fn is_defining(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let name = bytes[..at].iter().rposition(|byte| !is_name(byte)).map_or(0, |before| before + 1);
    let blank = bytes[..name].iter().rposition(|byte| !matches!(byte, b' ' | b'\t'));
    let Some(before) = blank.filter(|before| before + 1 < name) else { return false };
    if bytes[before] == b'#' {
        return true;
    }
    let word = bytes[..=before].iter().rposition(|byte| !is_name(byte)).map_or(0, |at| at + 1);
    let word = text.get(word..=before).unwrap_or_default();
    DEFINING.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Plan;

    fn look(query: &str, path: &str, text: &str) -> Option<Seen> {
        Finder::new(&Plan::of_words(query).query).look(0, path, text)
    }

    #[test]
    fn words_begin_where_identifiers_have_parts() {
        let counts =
            |query: &str, text: &str| look(query, "a.rs", text).map_or(0, |seen| seen.counts[0]);
        assert_eq!(counts("user", "user getUser get_user USER_ID users HTTPUser"), 6);
        assert_eq!(counts("user", "superuser reuser"), 0);
        assert_eq!(counts("io", "io.read ratio iota asyncIo io2"), 3, "a short word stands alone");
        assert_eq!(counts("retried", "retry retries retrying poetry"), 3, "forms of it count");
        assert_eq!(counts("getUser", "getUser get_user get-user GETUSER"), 4);
    }

    #[test]
    fn a_text_is_told_by_its_lines_and_definitions() {
        let text = "use pool;\n// pool, pool\npub fn pool_size() {}\n";
        let seen = look("pool", "src/a.rs", text).expect("it holds the word");
        assert_eq!((seen.lines, seen.counts[0], seen.defined), (3, 4, 1));
        assert_eq!(&text[seen.first..seen.first + 9], "pool_size", "a definition comes first");
        let seen = look("pool", "src/pool.rs", "nothing\n").expect("its path does");
        assert_eq!((seen.in_path, seen.literal, seen.lines), (1, 0, 0));
        assert_eq!(look("pool", "src/a.rs", "nothing\n"), None);
        let seen = look("pool", "a.md", "# The pool\n\n## Pool\n").expect("it holds the word");
        assert_eq!(seen.defined, 1);
    }

    #[test]
    fn defining_words_are_sorted() {
        assert!(DEFINING.is_sorted_by(|left, right| left < right));
    }
}
