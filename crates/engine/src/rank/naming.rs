//! Compares names with the words of a query, in any form.

use lore_text::{Form, Relation, analyzer};

use super::spotter::is_inside;
use crate::query::{Query, Word};

/// A word, prepared to recognise its forms.
#[derive(Debug)]
pub(super) struct WordForms<'a> {
    pub(super) term: &'a str,
    relation: Relation,
    stem: String,
    /// Prefixes of its forms; empty for a word that is not inflected.
    prefixes: Vec<String>,
}

impl WordForms<'_> {
    /// Stems a word.
    pub(super) fn new(word: &Word, relation: Relation) -> WordForms<'_> {
        let term = word.term.as_str();
        let (stem, prefixes) = (relation.stem(term), relation.prefixes(term));
        WordForms { term, relation, stem, prefixes }
    }

    /// Prefixes of its forms, the word itself included.
    fn beginnings(&self) -> impl Iterator<Item = &str> {
        self.prefixes.iter().map(String::as_str).chain([self.term])
    }

    /// Returns whether a folded word may be a form of it. This is cheaper than stemming, and
    /// excludes most.
    fn may_have(&self, form: &str) -> bool {
        self.beginnings().any(|beginning| form.starts_with(beginning))
    }

    /// Returns whether a text in ASCII may start with a form of it.
    fn may_start(&self, text: &[u8]) -> bool {
        self.beginnings().any(|beginning| {
            let start = text.get(..beginning.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(beginning.as_bytes()))
        })
    }
}

/// Returns whether a folded word is a form of one of these, all of which use the same relation.
pub(super) fn is_form_of_any<'w>(
    word: &str,
    words: impl Iterator<Item = &'w WordForms<'w>>,
) -> bool {
    let mut alike = words.filter(|known| known.may_have(word));
    let Some(next) = alike.next() else { return false };
    // Most words occur as typed, and stemming is the slowest part.
    let mut stem = None;
    std::iter::once(next).chain(alike).any(|known| {
        known.term == word || known.stem == *stem.get_or_insert_with(|| known.relation.stem(word))
    })
}

/// The typed words of a query, ready to be found in names.
#[derive(Debug)]
pub(super) struct AskedWords<'a> {
    words: Vec<WordForms<'a>>,
    /// For the last five bits of each first byte, a set of the last five bits of the second bytes
    /// of all forms.
    starts: [u32; 32],
}

impl<'a> AskedWords<'a> {
    /// The typed words of a query.
    pub(super) fn new(query: &'a Query) -> AskedWords<'a> {
        let words: Vec<WordForms<'_>> = query
            .required_words()
            .map(|(_, word)| WordForms::new(word, Relation::Inflection))
            .collect();
        let mut starts = [0; 32];
        for beginning in words.iter().flat_map(WordForms::beginnings) {
            let Some(&first) = beginning.as_bytes().first() else { continue };
            let second = beginning.as_bytes().get(1);
            starts[bits(first)] |= second.map_or(u32::MAX, |second| 1 << bits(*second));
        }
        AskedWords { words, starts }
    }

    /// Returns whether a folded word is one of them, in any inflection. Agent nouns do not count: a
    /// query about how dates are parsed does not name `DateParser`.
    fn contain(&self, word: &str) -> bool {
        is_form_of_any(word, self.words.iter())
    }

    /// Returns whether a part of a name may be one of them. This is cheaper than splitting, and
    /// excludes most.
    pub(super) fn may_name_part_of(&self, name: &str) -> bool {
        let bytes = name.as_bytes();
        let may_start = |at| self.may_start(bytes, at) && !is_inside(bytes, at);
        !name.is_ascii() || (0..bytes.len()).any(may_start) || self.spell(name)
    }

    /// Returns whether all parts of a name may be among them, judged by the positions where parts
    /// surely begin.
    pub(super) fn may_name_all_of(&self, name: &str) -> bool {
        let bytes = name.as_bytes();
        // Behind a separator, and an upper case letter behind a lower case one.
        let begins = |at: usize| {
            let before = at.checked_sub(1).map_or(b'_', |before| bytes[before]);
            bytes[at].is_ascii_alphanumeric()
                && (before == b'_' || before.is_ascii_lowercase() && bytes[at].is_ascii_uppercase())
        };
        let mut begun = (0..bytes.len()).filter(|at| begins(*at));
        !name.is_ascii() || begun.all(|at| self.may_start(bytes, at)) || self.spell(name)
    }

    /// Returns whether a form of one of them may start at a position of a name in ASCII.
    fn may_start(&self, name: &[u8], at: usize) -> bool {
        let second = name.get(at + 1).map_or(0, |second| bits(*second));
        self.starts[bits(name[at])] >> second & 1 == 1
            && self.words.iter().any(|word| word.may_start(&name[at..]))
    }

    /// Returns whether a name in ASCII may be one of them, whatever its separators. No `s` is
    /// compared, as the plural `s` of an acronym belongs to no part.
    fn spell(&self, name: &str) -> bool {
        let of_name = letters_without_s(name);
        self.words.iter().any(|word| letters_without_s(word.term).eq(of_name.clone()))
    }
}

/// The letters and digits of a name in ASCII, in lower case, without `s`.
fn letters_without_s(name: &str) -> impl Iterator<Item = u8> + Clone {
    let letters = name.bytes().filter(u8::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).filter(|letter| *letter != b's')
}

/// The last five bits of a byte, which are the same for both cases of a letter.
fn bits(byte: u8) -> usize {
    usize::from(byte & 31)
}

/// A name, compared with the words of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Naming {
    /// The folded parts of the name, joined.
    pub(super) whole: String,
    /// Number of parts.
    pub(super) parts: usize,
    /// Number of parts that were typed, in any form.
    asked: usize,
    /// True if the name was typed as one word.
    is_one_word: bool,
}

impl Naming {
    /// Splits a name into parts and compares them.
    pub(super) fn new(name: &str, words: &AskedWords<'_>) -> Naming {
        let (mut whole, mut parts, mut asked) = (String::with_capacity(name.len()), 0, 0);
        analyzer("code").analyze(name, &mut |token| {
            if token.form == Form::Part {
                whole.push_str(token.term);
                parts += 1;
                asked += usize::from(words.contain(token.term));
            }
        });
        let is_one_word = words.words.iter().any(|word| word.term == whole);
        Naming { whole, parts, asked, is_one_word }
    }

    /// Returns whether the name, or a part of it, was typed.
    pub(super) fn is_typed_in_part(&self) -> bool {
        self.is_one_word || self.asked > 0
    }

    /// Returns whether all of the name was typed.
    pub(super) fn is_typed(&self) -> bool {
        self.parts > 0 && (self.is_one_word || self.asked == self.parts)
    }
}

#[cfg(test)]
mod tests {
    use lore_text::{parts, stem};
    use proptest::prelude::*;

    use super::*;
    use crate::query::parse;

    proptest! {
        /// The cheap checks reject no name that was typed.
        #[test]
        fn no_typed_name_is_rejected(
            pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..6),
            asked in prop::sample::subsequence(&WORDS[..], 1..=WORDS.len()),
        ) {
            let name = pieces.concat();
            let query = parse(&asked.join(" "));
            let words = AskedWords::new(&query);
            // The same without the cheap checks.
            let parts = parts(&name);
            let is_typed = |part: &&String| {
                query.required_words().any(|(_, word)| stem(&word.term) == stem(part))
            };
            let held = parts.iter().filter(is_typed).count();
            let is_one_word = query.required_words().any(|(_, word)| word.term == parts.concat());
            let naming = Naming::new(&name, &words);
            prop_assert_eq!(naming.is_typed_in_part(), is_one_word || held > 0, "{}", name);
            let is_all = !parts.is_empty() && (is_one_word || held == parts.len());
            prop_assert_eq!(naming.is_typed(), is_all, "{}", name);
            prop_assert!(!naming.is_typed_in_part() || words.may_name_part_of(&name), "{}", name);
            prop_assert!(!naming.is_typed() || words.may_name_all_of(&name), "{}", name);
        }
    }

    /// Pieces of names.
    const PIECES: [&str; 20] = [
        "get",
        "Get",
        "user",
        "Users",
        "URL",
        "URLs",
        "s",
        "ID",
        "IDs",
        "_",
        "-",
        "$",
        "2",
        "x",
        "HTTP",
        "Sent",
        "Visibility",
        "Parser",
        "écrit",
        "Écrit",
    ];

    /// Words of queries.
    const WORDS: [&str; 18] = [
        "get", "users", "url", "urls", "ids", "x", "2", "http", "send", "getuser", "getURL",
        "user_id", "id2", "x2", "visible", "parse", "parsers", "écrit",
    ];
}
