//! Adds words that mean nearly the same: from a small list, and from whoever knows more of them. Pure.
//!
//! An added word is one more form of the word that was typed, and counts for less. So it can only
//! find more: nothing is ever required to hold it.

use lore_text::{parts, same_stem};

use super::{Query, Word, WordForm, synonyms::GROUPS};
use crate::Expansion;

/// Most words that are added to one word.
const MOST_ADDED: usize = 20;

/// Adds forms to the words of a query: those of the list, if it is `listed`, and those that are
/// `given`. Returns what was added, in the order of the words.
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
        added.truncate(MOST_ADDED);
        if !added.is_empty() {
            let word = word.name.clone().unwrap_or_else(|| word.term.clone());
            expansions.push(Expansion { word, added: added.clone() });
            query.added.insert(index, added);
        }
    }
    expansions
}

/// The words that may be added to: those that were asked for.
pub(crate) fn expandable(query: &Query) -> Vec<String> {
    query.words.iter().filter(|word| may_be_added_to(word)).map(|word| word.term.clone()).collect()
}

/// Beginnings of words, and words with typing errors, stand for many words already.
fn may_be_added_to(word: &Word) -> bool {
    word.is_asked() && matches!(word.form, WordForm::Part | WordForm::Whole)
}

/// The words of the list that stand in a group with this one, in the order of the list.
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
        assert_eq!(query.words, words, "no word is added to what was asked for");
    }

    #[test]
    fn words_are_added_to_words() {
        check("delete user", false, &[], "");
        check("purge", true, &[], "purge: delete remove erase discard");
        check("purges", true, &[], "purges: delete remove erase discard");
        check("k8s", true, &[], "k8s: kubernetes");
        // What was typed is not added once more, and names of several parts are none of the list.
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
    fn whoever_knows_more_may_add() {
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
        assert_eq!(expand(&mut query, false, &[given])[0].added.len(), MOST_ADDED);
    }

    #[test]
    fn the_list_is_in_order() {
        assert!(GROUPS.len() <= 120, "{} groups are more than anybody reviews", GROUPS.len());
        for group in GROUPS {
            assert!(group.len() >= 2, "{group:?}");
            let distinct: BTreeSet<&&str> = group.iter().collect();
            assert_eq!(distinct.len(), group.len(), "{group:?}");
            for word in *group {
                assert_eq!(parts(word).concat(), *word, "{word} is no folded word");
            }
        }
        assert!(GROUPS.is_sorted_by(|left, right| left[0] < right[0]), "sorted by first words");
    }
}
