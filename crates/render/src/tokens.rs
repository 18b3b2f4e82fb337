//! Exact token counts of a text for two families of language models.
//!
//! A pattern splits the text into pieces. The bytes of a piece are merged pair by pair, the pair of
//! the lowest rank first (byte pair encoding). The vocabularies are committed tables of 2.3 MB;
//! `examples/token_tables.rs` writes them.

#[cfg(test)]
mod tables;
mod vocabulary;

use std::sync::LazyLock;

use regex_automata::meta::Regex;

use vocabulary::Vocabulary;

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

macro_rules! vocabulary {
    ($name:literal) => {
        Vocabulary::new(
            include_bytes!(concat!("tokens/", $name, ".bytes.bin")),
            include_bytes!(concat!("tokens/", $name, ".lengths.bin")),
        )
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
            let vocabulary = tokenizer.vocabulary();
            for ((file, generated), committed) in
                tables::tables(name).iter().zip([vocabulary.bytes, vocabulary.lengths])
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
            let longest = tokenizer.vocabulary().lengths.iter().max();
            assert!(
                longest.is_some_and(|longest| usize::from(*longest) <= MAX_TOKEN_LEN),
                "{longest:?}"
            );
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
