//! English inflection and agent nouns: relations between the forms of a word.

use std::sync::OnceLock;

use frostem::{Algorithm, Stemmer};

use crate::{
    agent_nouns::verb,
    irregular::{IRREGULAR, base},
};

/// A relation between words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Forms of one word: `parse`, `parses`, `parsed`.
    Inflection,
    /// Forms of one verb and of its agent noun: `parse`, `parsed`, `parser`, `parsers`. For
    /// questions; a query that names `parser`, or excludes it, matches that word exactly.
    Root,
}

impl Relation {
    /// The key that related folded words share: their stem, for a root that of the verb.
    pub fn stem(self, word: &str) -> String {
        stem(self.origin(word))
    }

    /// Prefixes of all folded words related to this one, for lookups in a sorted dictionary, as in
    /// [`form_prefixes`].
    pub fn prefixes(self, word: &str) -> Vec<String> {
        form_prefixes(self.origin(word))
    }

    /// Returns true if two folded words are related.
    pub fn joins(self, left: &str, right: &str) -> bool {
        // The stemmer never changes a first letter, and this comparison is a hundred times faster.
        left == right
            || (left.chars().next() == right.chars().next() && self.stem(left) == self.stem(right))
    }

    fn origin(self, word: &str) -> &str {
        match self {
            Relation::Inflection => word,
            Relation::Root => verb(word).unwrap_or(word),
        }
    }
}

/// The Snowball English stem of a folded word; for an irregular form, the stem of its base. Words
/// with other characters than ASCII letters stay unchanged: the rules are for English.
pub fn stem(word: &str) -> String {
    if !is_plain(word) {
        return word.to_owned();
    }
    regular(base(word).unwrap_or(word))
}

fn regular(word: &str) -> String {
    Stemmer::new(Algorithm::English).stem(word).into_owned()
}

/// Returns true for words that may have other forms.
fn is_plain(word: &str) -> bool {
    word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Returns true if two folded words are forms of one word.
pub fn same_stem(left: &str, right: &str) -> bool {
    Relation::Inflection.joins(left, right)
}

/// Prefixes of all forms of a word, for lookups in a sorted dictionary. No prefix starts with
/// another one, and none is shorter than two letters. Empty for a word that has no other form.
pub fn form_prefixes(word: &str) -> Vec<String> {
    static STEMS: OnceLock<Vec<(String, &str)>> = OnceLock::new();
    if !is_plain(word) {
        return Vec::new();
    }
    let base = base(word).unwrap_or(word);
    let own = regular(base);
    let mut prefixes = vec![regular_prefix(base, &own).to_owned()];
    let stems =
        STEMS.get_or_init(|| IRREGULAR.iter().map(|(form, of)| (regular(of), *form)).collect());
    for (_, form) in stems.iter().filter(|(stem, _)| *stem == own) {
        if !prefixes.iter().any(|prefix| form.starts_with(prefix.as_str())) {
            prefixes.push((*form).to_owned());
        }
    }
    prefixes
}

/// The common prefix of all regular forms of a word with this stem.
fn regular_prefix<'w>(word: &'w str, stem: &str) -> &'w str {
    let shared = word.bytes().zip(stem.bytes()).take_while(|(left, right)| left == right).count();
    // In some forms `y` becomes `i`, a final `e` is dropped, and `bl` becomes `bil`: `retried`,
    // `writing`, `visibility`.
    let may_change =
        matches!(word.as_bytes()[shared - 1], b'y' | b'i' | b'e') || word[..shared].ends_with("bl");
    let end = if may_change { shared - 1 } else { shared };
    &word[..end.max(2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_share_a_stem_and_a_prefix() {
        for (left, right) in [
            ("merge", "merging"),
            ("write", "writing"),
            ("use", "using"),
            ("stored", "storing"),
            ("visible", "visibility"),
            ("capable", "capabilities"),
            ("sessions", "session"),
            ("pooling", "pool"),
            ("connections", "connection"),
            ("retries", "retry"),
            ("retry", "retried"),
            ("sent", "sending"),
            ("sends", "sent"),
            ("wrote", "writing"),
            ("written", "wrote"),
            ("chose", "chosen"),
            ("overriding", "overridden"),
            ("indexes", "indices"),
        ] {
            for (left, right) in [(left, right), (right, left)] {
                let prefixes = form_prefixes(left);
                let starts = prefixes.iter().any(|prefix| right.starts_with(prefix.as_str()));
                assert!(starts, "{left} {right} {prefixes:?}");
                assert!(same_stem(left, right), "{left} {right}");
            }
        }
        assert_eq!(form_prefixes("wrote"), ["writ", "wrote"]);
        assert!(!same_stem("main", "domain"));
        assert!(!same_stem("bound", "bind"), "it is a word of its own");
        assert_eq!(form_prefixes("会话"), [""; 0]);
        assert_eq!(stem("utf8"), "utf8");
    }

    #[test]
    fn agent_nouns_share_the_root_of_their_verb_but_not_the_stem() {
        for (left, right) in [("parser", "parsing"), ("route", "routers"), ("formatter", "format")]
        {
            for (left, right) in [(left, right), (right, left)] {
                let prefixes = Relation::Root.prefixes(left);
                let starts = prefixes.iter().any(|prefix| right.starts_with(prefix.as_str()));
                assert!(starts, "{left} {right} {prefixes:?}");
                assert!(Relation::Root.joins(left, right), "{left} {right}");
                assert!(!same_stem(left, right), "{left} {right}");
            }
        }
        assert!(same_stem("parsers", "parser"));
        for (left, right) in
            [("user", "use"), ("setter", "settings"), ("driver", "driven"), ("worker", "works")]
        {
            assert!(!Relation::Root.joins(left, right), "{left} {right}");
        }
    }
}
