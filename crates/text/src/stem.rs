//! English inflection: which words are forms of one another, and what names of doers come from.

use std::sync::OnceLock;

use frostem::{Algorithm, Stemmer};

use crate::{
    doers::verb,
    irregular::{IRREGULAR, base},
};

/// Which words are forms of one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The forms of one word: `parse`, `parses`, `parsed`.
    Inflection,
    /// Those of one verb and of what does it: `parse`, `parsed`, `parser`, `parsers`. For finding by
    /// what is meant; who names `parser`, or leaves it out, means that word.
    Root,
}

impl Relation {
    /// What related folded words have in common: their stem, of a root that of the verb.
    pub fn stem(self, word: &str) -> String {
        stem(self.origin(word))
    }

    /// Where in a sorted dictionary the words lie that a folded word is related to, as in
    /// [`form_prefixes`].
    pub fn prefixes(self, word: &str) -> Vec<String> {
        form_prefixes(self.origin(word))
    }

    /// Whether two folded words are related.
    pub fn joins(self, left: &str, right: &str) -> bool {
        // No rule of the stemmer touches a first letter, and to compare two is a hundred times faster.
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

/// The Snowball English stem of a folded word, of an irregular form that of its base. Words that are
/// not plain ASCII letters stay as they are: the rules are for English.
pub fn stem(word: &str) -> String {
    if !is_plain(word) {
        return word.to_owned();
    }
    regular(base(word).unwrap_or(word))
}

fn regular(word: &str) -> String {
    Stemmer::new(Algorithm::English).stem(word).into_owned()
}

/// Whether a word may have other forms.
fn is_plain(word: &str) -> bool {
    word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Whether two folded words are forms of one another.
pub fn same_stem(left: &str, right: &str) -> bool {
    Relation::Inflection.joins(left, right)
}

/// Where in a sorted dictionary the forms of a word lie: each begins with one of these, which begin
/// with one another in no case. Never shorter than two letters; empty for a word that has no other
/// form.
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

/// What every regular form of a word with this stem begins with.
fn regular_prefix<'w>(word: &'w str, stem: &str) -> &'w str {
    let shared = word.bytes().zip(stem.bytes()).take_while(|(left, right)| left == right).count();
    // `y` becomes `i` in some forms, an `e` at the end goes, and `bl` becomes `bil`: `retried`,
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
    fn what_does_something_shares_the_root_of_its_verb_and_no_stem() {
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
