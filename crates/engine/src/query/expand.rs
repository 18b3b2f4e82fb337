//! Adds words of nearly the same meaning: from a short list, and from the user's own programs. Pure.
//!
//! An added word is a further form of the word that was typed, with a lower weight. It can only find
//! more: no document is required to contain it.

use lore_text::{parts, same_stem};

use super::{Query, Word, WordForm, synonyms::GROUPS};
use crate::Expansion;

/// Maximum number of words that are added to one word.
const MAX_ADDED: usize = 20;

/// Adds forms to the words of a query: those of the list, if `listed` is true, and those that are
/// `given`. Returns the added words, in the order of the words.
pub(crate) fn expand(query: &mut Query, listed: bool, given: &[Expansion]) -> Vec<Expansion> {
    let mut expansions = Vec::new();
    for (index, word) in query.words.iter().enumerate() {
        if !may_be_added_to(word) {
            continue;
        }
        let from_list = if listed { synonyms(&word.term) } else { Vec::new() };
        let from_others = given
            .iter()
            .filter(|expansion| parts(&expansion.word).concat() == word.term)
            .flat_map(|expansion| expansion.added.iter().map(String::as_str));
        let mut added: Vec<String> = Vec::new();
        for text in from_list.into_iter().chain(from_others) {
            let term = parts(text).concat();
            let is_typed = query.words.iter().any(|word| is_form(&word.term, &term));
            if term.is_empty() || is_typed || added.contains(&term) {
                continue;
            }
            added.push(term);
        }
        added.truncate(MAX_ADDED);
        if !added.is_empty() {
            let word = word.name.clone().unwrap_or_else(|| word.term.clone());
            expansions.push(Expansion { word, added: added.clone() });
            query.added.insert(index, added);
        }
    }
    expansions
}

/// The words that others may be added to: those that were typed.
pub(crate) fn expandable(query: &Query) -> Vec<String> {
    query.words.iter().filter(|word| may_be_added_to(word)).map(|word| word.term.clone()).collect()
}

/// Returns false for prefixes and words with typing errors, which match many words already.
fn may_be_added_to(word: &Word) -> bool {
    word.is_required() && matches!(word.form, WordForm::Part | WordForm::Whole)
}

/// The other words of the groups that contain this word, in the order of the list.
fn synonyms(term: &str) -> Vec<&'static str> {
    let groups = GROUPS.iter().filter(|group| group.iter().any(|word| is_form(word, term)));
    groups.flat_map(|group| group.iter().copied()).collect()
}

fn is_form(word: &str, term: &str) -> bool {
    word == term || same_stem(word, term)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::query::parse;

    fn check(text: &str, listed: bool, given: &[(&str, &[&str])], expected: &str) {
        let given: Vec<Expansion> = given
            .iter()
            .map(|(word, added)| Expansion {
                word: (*word).to_owned(),
                added: added.iter().map(|&word| word.to_owned()).collect(),
            })
            .collect();
        let mut query = parse(text);
        let words = query.words.clone();
        let shown: Vec<String> = expand(&mut query, listed, &given)
            .iter()
            .map(|expansion| format!("{}: {}", expansion.word, expansion.added.join(" ")))
            .collect();
        assert_eq!(shown.join("; "), expected, "{text}");
        assert_eq!(query.words, words, "the typed words do not change");
    }

    #[test]
    fn listed_words_are_added() {
        check("delete user", false, &[], "");
        check("purge", true, &[], "purge: delete remove erase discard");
        check("purges", true, &[], "purges: delete remove erase discard");
        check("k8s", true, &[], "k8s: kubernetes");
        // Typed words are not added again, and names of several parts are not in the list.
        check(
            "delete or remove",
            true,
            &[],
            "delete: erase discard purge; remove: erase discard purge",
        );
        check("delete_user", true, &[], "");
        check("xyzzy", true, &[], "");
    }

    #[test]
    fn given_words_are_added() {
        check(
            "auth",
            false,
            &[("auth", &["SSO", "single_sign_on", "", "auth"])],
            "auth: sso singlesignon",
        );
        check("Auth", false, &[("auth", &["sso"])], "Auth: sso");
        check("auth", false, &[("token", &["sso"])], "");
        let many: Vec<String> = (0..99).map(|number| format!("w{number}x")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let mut query = parse("auth");
        let given = Expansion {
            word: "auth".into(),
            added: many.iter().map(|&word| word.to_owned()).collect(),
        };
        assert_eq!(expand(&mut query, false, &[given])[0].added.len(), MAX_ADDED);
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(GROUPS.len() <= 120, "{} groups are too many to review", GROUPS.len());
        for group in GROUPS {
            assert!(group.len() >= 2, "{group:?}");
            let distinct: BTreeSet<&&str> = group.iter().collect();
            assert_eq!(distinct.len(), group.len(), "{group:?}");
            for word in *group {
                assert_eq!(parts(word).concat(), *word, "{word} is not folded");
            }
        }
        assert!(GROUPS.is_sorted_by(|left, right| left[0] < right[0]), "sorted by first words");
    }
}
