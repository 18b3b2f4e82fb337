//! Finds the words of a query in one text. Pure.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, MatchKind};
use lore_text::{Relation, parts};

use crate::{
    answers::holders::{counts_as_start, words_of},
    query::{Query, Word, WordForm},
};

/// Words before the name of a definition, over the usual languages.
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

/// Maximum number of counted occurrences of a word in one file.
const MAX_COUNTED: u32 = 1_000;

/// A spelling of a word.
struct Spelling {
    word: usize,
    /// Index among the literal words; `None` for derived spellings.
    literal: Option<usize>,
    /// True if a longer word may start with it.
    is_start: bool,
}

/// Finds the words in texts.
pub(super) struct Finder {
    /// The words, in the order of the query.
    pub(super) words: Vec<Word>,
    /// Relation of forms that count as a word.
    pub(super) relation: Relation,
    /// The literal words.
    pub(super) literal: Vec<String>,
    spellings: Vec<Spelling>,
    automaton: Option<AhoCorasick>,
}

/// Result of scanning a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    /// Index in the tree.
    pub(super) index: usize,
    /// Number of occurrences of each word.
    pub(super) counts: Vec<u32>,
    /// Bit set of the words in names of definitions.
    pub(super) defined: u64,
    /// Bit set of the words in the path.
    pub(super) in_path: u64,
    /// Bit set of the literal words in the text.
    pub(super) literal: u64,
    /// Number of lines with a literal word.
    pub(super) lines: u64,
    /// Byte offset of the first match; names of definitions take precedence.
    pub(super) first: usize,
    /// Length of the text in bytes.
    pub(super) bytes: usize,
    /// Category of the file in the repository.
    pub(super) category: lore_schema::Category,
}

impl Seen {
    /// Returns true if the text or the path contains a word.
    pub(super) fn holds(&self, word: usize) -> bool {
        self.counts[word] > 0 || self.in_path >> word & 1 == 1
    }
}

impl Finder {
    /// Creates a finder for the words of a query; parts and joined forms of names are additional
    /// spellings.
    pub(super) fn new(query: &Query) -> Finder {
        let words: Vec<Word> = query.words[..query.typed()].iter().take(64).cloned().collect();
        let literal: Vec<String> =
            words_of(query).into_iter().map(|word| word.term.clone()).collect();
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
                for start in starts.filter(|start| counts_as_start(start) && *start != word.term) {
                    patterns.push(start);
                    spellings.push(Spelling { word: at, literal: None, is_start: true });
                }
            }
            if let Some(name) = &word.name
                && word.form == WordForm::Whole
            {
                // As typed, too: a digit separates parts, but the name has no joint there.
                let joined = ["_", "-"].map(|joint| parts(name).join(joint));
                let spelled: BTreeSet<String> = joined.into_iter().chain([name.clone()]).collect();
                for spelling in spelled {
                    patterns.push(spelling);
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

    /// Returns the indices of the words in the query.
    pub(super) fn query_words(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().filter(|(_, word)| word.is_required()).map(|(at, _)| at)
    }

    /// Returns the bit set of the words in a path.
    pub(super) fn words_in_path(&self, path: &str) -> u64 {
        let mut words = 0;
        self.find(path, &mut |spelling, _, _| words |= 1 << spelling.word);
        words
    }

    /// Scans a text; `None` if neither the text nor its path contains a word.
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
        // A stem and its word may start at the same position.
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

    /// Calls `tell` for every match, ordered by its end.
    fn find(&self, text: &str, on_match: &mut dyn FnMut(&Spelling, usize, usize)) {
        let Some(automaton) = &self.automaton else { return };
        let bytes = text.as_bytes();
        for found in automaton.find_overlapping_iter(bytes) {
            let spelling = &self.spellings[found.pattern().as_usize()];
            let (start, end) = (found.start(), found.end());
            if begins_word(bytes, start) && (spelling.is_start || ends_word(bytes, end)) {
                on_match(spelling, start, end);
            }
        }
    }
}

/// Returns true if a word or a part of an identifier starts here.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| bytes[before]) else { return true };
    let first = bytes[at];
    if !before.is_ascii_alphanumeric() || !first.is_ascii_alphanumeric() {
        return true;
    }
    if first.is_ascii_uppercase() {
        // `getUser`, and the last upper-case letter of `HTTPServer`.
        return !before.is_ascii_uppercase()
            || bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    }
    before.is_ascii_digit() != first.is_ascii_digit()
}

/// Returns true if a word or a part of an identifier ends before this byte.
fn ends_word(bytes: &[u8], at: usize) -> bool {
    let (Some(last), Some(next)) = (at.checked_sub(1).map(|last| bytes[last]), bytes.get(at))
    else {
        return true;
    };
    !next.is_ascii_alphanumeric()
        || (next.is_ascii_uppercase() && !last.is_ascii_uppercase())
        || next.is_ascii_digit() != last.is_ascii_digit()
}

/// Returns true if a definition has the identifier around this byte as its name, or if the line is
/// a heading.
fn is_defining(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let name = bytes[..at].iter().rposition(|byte| !is_name(byte)).map_or(0, |before| before + 1);
    if is_c_function(bytes, name, is_name) {
        return true;
    }
    let blank = bytes[..name].iter().rposition(|byte| !matches!(byte, b' ' | b'\t'));
    let Some(before) = blank.filter(|before| before + 1 < name) else { return false };
    if bytes[before] == b'#' {
        return true;
    }
    let word = bytes[..=before].iter().rposition(|byte| !is_name(byte)).map_or(0, |at| at + 1);
    let word = text.get(word..=before).unwrap_or_default();
    DEFINING.binary_search(&word).is_ok()
}

/// Returns true if the identifier that starts at `name` is that of a function as C defines it: on a line
/// that starts with a type, before its parameters, and the line does not end a statement.
fn is_c_function(bytes: &[u8], name: usize, is_name: impl Fn(&u8) -> bool) -> bool {
    let line = bytes[..name].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let is_type = |byte: &u8| is_name(byte) || matches!(byte, b' ' | b'\t' | b'*' | b'&' | b':');
    let before = &bytes[line..name];
    if !before.first().is_some_and(u8::is_ascii_alphabetic)
        || !before.iter().all(is_type)
        || before.starts_with(b"return ")
        || before.starts_with(b"else ")
    {
        return false;
    }
    let rest = &bytes[name..];
    let rest = &rest[rest.iter().position(|byte| !is_name(byte)).unwrap_or(rest.len())..];
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let rest = rest[..end].trim_ascii_end();
    rest.starts_with(b"(") && !rest.ends_with(b";")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Plan;

    fn look(query: &str, path: &str, text: &str) -> Option<Seen> {
        Finder::new(&Plan::of_words(query).query).look(0, path, text)
    }

    #[test]
    fn a_name_with_a_digit_is_found_as_it_is_typed() {
        let text = "\nint tcp_v4_connect(struct sock *sk)\n{\n}\n";
        let seen = look("tcp_v4_connect", "a.c", text).expect("a match");
        let whole = Finder::new(&Plan::of_words("tcp_v4_connect").query);
        let whole = whole.words.iter().position(|word| word.form == WordForm::Whole);
        assert!(seen.holds(whole.expect("the name")));
    }

    #[test]
    fn functions_of_c_are_defined_where_their_line_starts_with_a_type() {
        let defines = |line: &str| {
            let at = line.find("connect").expect("the name");
            is_defining(line, at)
        };
        for line in [
            "int tcp_connect(struct sock *sk)",
            "static inline struct sock *connect(int a,",
            "void Socket::connect() {",
        ] {
            assert!(defines(line), "{line}");
        }
        for line in [
            "int connect(struct sock *sk);",
            "    err = connect(sk)",
            "connect(sk)",
            "return connect(sk)",
            "int connect;",
            "#include <connect.h>",
        ] {
            assert!(!defines(line), "{line}");
        }
    }

    #[test]
    fn words_start_at_parts_of_identifiers() {
        let counts =
            |query: &str, text: &str| look(query, "a.rs", text).map_or(0, |seen| seen.counts[0]);
        assert_eq!(counts("user", "user getUser get_user USER_ID users HTTPUser"), 6);
        assert_eq!(counts("user", "superuser reuser"), 0);
        assert_eq!(counts("io", "io.read ratio iota asyncIo io2"), 3, "a short word stands alone");
        assert_eq!(counts("retried", "retry retries retrying poetry"), 3, "forms of it count");
        assert_eq!(counts("getUser", "getUser get_user get-user GETUSER"), 4);
    }

    #[test]
    fn lines_and_definitions_of_a_text_are_counted() {
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
