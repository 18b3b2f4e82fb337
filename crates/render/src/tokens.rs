//! Exact token counts of a text for two families of language models.
//!
//! A pattern splits the text into pieces. The bytes of a piece are merged pair by pair, the pair of
//! the lowest rank first (byte pair encoding). The vocabularies are committed tables of 6 MB, read
//! where they are in the binary, so that nothing has to be loaded at start-up;
//! `examples/token_tables.rs` writes them.

mod hash;
#[cfg(test)]
mod tables;

use std::{cmp::Reverse, collections::BinaryHeap, sync::LazyLock};

use regex_automata::meta::Regex;

/// Length in bytes of the longest token of both vocabularies: a run of spaces.
const MAX_TOKEN_LEN: usize = 128;

/// A way to count tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tokenizer {
    /// `cl100k_base`.
    Cl100k,
    /// `o200k_base`.
    #[default]
    O200k,
}

impl Tokenizer {
    /// The names that users type.
    pub const NAMES: [&'static str; 2] = ["cl100k", "o200k"];

    /// The tokenizer with this name, if it exists.
    pub fn from_name(name: &str) -> Option<Tokenizer> {
        [Tokenizer::Cl100k, Tokenizer::O200k]
            .into_iter()
            .find(|tokenizer| tokenizer.as_str() == name)
    }

    /// The name that users type.
    pub fn as_str(self) -> &'static str {
        match self {
            Tokenizer::Cl100k => "cl100k",
            Tokenizer::O200k => "o200k",
        }
    }

    /// Number of tokens of a text.
    pub fn count(self, text: &str) -> usize {
        let vocabulary = self.vocabulary();
        self.pieces(text).map(|piece| vocabulary.count(piece)).sum()
    }

    /// As [`Tokenizer::count`], but stops early and returns `None` if there are more than `max`.
    pub fn count_within(self, text: &str, max: usize) -> Option<usize> {
        // A piece can be as long as the text, and is always counted whole.
        if max.saturating_mul(MAX_TOKEN_LEN) < text.len() {
            return None;
        }
        let vocabulary = self.vocabulary();
        let mut pieces = self.pieces(text);
        pieces.try_fold(0, |sum, piece| Some(sum + vocabulary.count(piece)).filter(|n| *n <= max))
    }

    fn vocabulary(self) -> &'static Vocabulary {
        match self {
            Tokenizer::Cl100k => &CL100K,
            Tokenizer::O200k => &O200K,
        }
    }

    /// The pieces of a text; no token crosses their borders.
    fn pieces(self, text: &str) -> impl Iterator<Item = &[u8]> {
        let pattern = match self {
            Tokenizer::Cl100k => &CL100K_PATTERN,
            Tokenizer::O200k => &O200K_PATTERN,
        };
        let mut start = 0;
        std::iter::from_fn(move || {
            let found = pattern.search(&regex_automata::Input::new(text).range(start..))?;
            let mut end = found.end();
            if found.pattern().as_usize() == WHITESPACE && end < text.len() {
                // The last of several whitespace characters belongs to the next piece.
                let last = text[..end].chars().next_back().map_or(0, char::len_utf8);
                if end - last > found.start() {
                    end -= last;
                }
            }
            start = end;
            Some(&text.as_bytes()[found.start()..end])
        })
    }
}

/// The tokens of a tokenizer. The number of a token is its rank.
struct Vocabulary {
    /// The bytes of all tokens.
    bytes: &'static [u8],
    /// The start of each token and the end of the last one: little-endian numbers of four bytes.
    starts: &'static [u8],
    /// The hash table of the tokens' numbers, in the same encoding.
    slots: &'static [u8],
}

macro_rules! vocabulary {
    ($name:literal) => {
        Vocabulary {
            bytes: include_bytes!(concat!("tokens/", $name, ".bytes.bin")),
            starts: include_bytes!(concat!("tokens/", $name, ".starts.bin")),
            slots: include_bytes!(concat!("tokens/", $name, ".slots.bin")),
        }
    };
}

static CL100K: Vocabulary = vocabulary!("cl100k");
static O200K: Vocabulary = vocabulary!("o200k");

/// The index of the pattern for whitespace among those of a tokenizer.
const WHITESPACE: usize = 1;

/// The published pattern of the vocabulary, without the alternative for trailing whitespace. That one
/// needs look-ahead, which this regex engine lacks; [`Tokenizer::pieces`] handles it.
static CL100K_PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&[
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
        r"[^\r\n\p{L}\p{N}]?\p{L}+",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
    ])
});

/// As [`CL100K_PATTERN`].
static O200K_PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&[
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
    ])
});

fn pattern(alternatives: &[&str]) -> Regex {
    Regex::new_many(&[alternatives.join("|").as_str(), r"\s+"]).expect("the patterns are constant")
}

impl Vocabulary {
    /// The rank of the token with these bytes, if it exists.
    fn rank(&self, bytes: &[u8]) -> Option<u32> {
        for slot in hash::slots(bytes, self.slots.len() / 4) {
            let token = number(self.slots, slot);
            if token == hash::FREE {
                return None;
            }
            let start = number(self.starts, token as usize) as usize;
            let end = number(self.starts, token as usize + 1) as usize;
            if &self.bytes[start..end] == bytes {
                return Some(token);
            }
        }
        None
    }

    /// Number of tokens of a piece.
    fn count(&self, piece: &[u8]) -> usize {
        if self.rank(piece).is_some() {
            return 1;
        }
        // For each byte, the end of the part that starts there and the start of the part before it.
        // At first, each part is a single byte.
        let mut ends: Vec<usize> = (1..=piece.len()).collect();
        let mut befores: Vec<Option<usize>> =
            (0..piece.len()).map(|start| start.checked_sub(1)).collect();
        let mut parts = piece.len();
        let second_end = |ends: &[usize], start: usize| ends.get(ends[start]).copied();
        let mut pairs = BinaryHeap::new();
        let offer = |pairs: &mut BinaryHeap<_>, ends: &[usize], start: usize| {
            if let Some(end) = second_end(ends, start)
                && let Some(rank) = self.rank(&piece[start..end])
            {
                pairs.push(Reverse((rank, start, end)));
            }
        };
        for start in 0..piece.len() {
            offer(&mut pairs, &ends, start);
        }
        while let Some(Reverse((_, start, end))) = pairs.pop() {
            // Skip a pair of which a part was merged with another one meanwhile.
            if ends[start] == MERGED || second_end(&ends, start) != Some(end) {
                continue;
            }
            let joined = ends[start];
            ends[joined] = MERGED;
            ends[start] = end;
            parts -= 1;
            if let Some(before) = befores.get_mut(end) {
                *before = Some(start);
            }
            offer(&mut pairs, &ends, start);
            if let Some(before) = befores[start] {
                offer(&mut pairs, &ends, before);
            }
        }
        parts
    }
}

/// Marks the start of a part that was merged into the one before it.
const MERGED: usize = usize::MAX;

/// A number of a table.
fn number(table: &[u8], position: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&table[4 * position..4 * position + 4]);
    u32::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn committed_tables_are_up_to_date() {
        for (tokenizer, name) in
            [Tokenizer::Cl100k, Tokenizer::O200k].into_iter().zip(tables::NAMES)
        {
            assert_eq!(tokenizer.as_str(), name);
            let Vocabulary { bytes, starts, slots } = tokenizer.vocabulary();
            for ((file, generated), committed) in
                tables::tables(name).iter().zip([bytes, starts, slots])
            {
                // Not `assert_eq`, which would print megabytes.
                assert!(
                    generated == committed,
                    "run `cargo run -p lorehound-render --example token_tables`: {file}"
                );
            }
        }
    }

    #[test]
    fn no_token_is_longer_than_the_maximum() {
        for tokenizer in [Tokenizer::Cl100k, Tokenizer::O200k] {
            let starts: Vec<usize> = tokenizer
                .vocabulary()
                .starts
                .chunks_exact(4)
                .map(|bytes| u32::from_le_bytes(bytes.try_into().expect("four")) as usize)
                .collect();
            let longest = starts.windows(2).map(|pair| pair[1] - pair[0]).max();
            assert!(longest.is_some_and(|longest| longest <= MAX_TOKEN_LEN), "{longest:?}");
        }
    }

    #[test]
    fn published_counts_are_exact() {
        // From the published examples of the vocabularies: `tiktoken is great!` has 6 and 6 tokens, and
        // the second vocabulary has longer words of other languages.
        assert_eq!(Tokenizer::Cl100k.count("tiktoken is great!"), 6);
        assert_eq!(Tokenizer::O200k.count("tiktoken is great!"), 6);
        assert_eq!(Tokenizer::Cl100k.count("お誕生日おめでとう"), 9);
        assert_eq!(Tokenizer::Cl100k.count("2 + 2 = 4"), 7);
        assert_eq!(Tokenizer::O200k.count(""), 0);
    }

    /// Counts by another implementation.
    fn expected(tokenizer: Tokenizer, text: &str) -> usize {
        match tokenizer {
            Tokenizer::Cl100k => bpe_openai::cl100k_base().count(text),
            Tokenizer::O200k => bpe_openai::o200k_base().count(text),
        }
    }

    #[track_caller]
    fn check(text: &str) {
        for tokenizer in [Tokenizer::Cl100k, Tokenizer::O200k] {
            let count = expected(tokenizer, text);
            assert_eq!(tokenizer.count(text), count, "{}: {text:?}", tokenizer.as_str());
            assert_eq!(tokenizer.count_within(text, count), Some(count));
            if count > 0 {
                assert_eq!(tokenizer.count_within(text, count - 1), None);
            }
        }
    }

    #[test]
    fn real_texts_are_counted_as_by_another_implementation() {
        check(include_str!("tokens.rs"));
        check(include_str!(
            "output/snapshots/lore_render__output__json__tests__every_key_is_there.snap"
        ));
        check("ÉTUDE İstanbul 再試行 🦀👩‍👩‍👧‍👦 e\u{301}tude won't I'LL 12345678");
        check(&"a".repeat(5_000));
        check(&"再試行".repeat(1_000));
        check(&" ".repeat(3_000));
        check(&format!("x{}y", "\n \t".repeat(200)));
    }

    proptest! {
        #[test]
        fn random_texts_are_counted_as_by_another_implementation(text in prop_oneof![
            any::<String>(),
            "[ \\n\\r\\t\u{a0}a-zA-Z0-9'./_{}:,\"\u{301}é再🦀-]{0,120}",
            "([a-zA-Z]{1,9}[ _.(){};:\\n]{0,3}){0,40}",
        ]) {
            check(&text);
        }
    }
}
