//! English inflection: which words are forms of one another.

use frostem::{Algorithm, Stemmer};

/// The Snowball English stem of a folded word. Words that are not plain ASCII letters stay as they
/// are: the rules are for English.
pub fn stem(word: &str) -> String {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    Stemmer::new(Algorithm::English).stem(word).into_owned()
}

/// Whether two folded words are forms of one another.
pub fn same_stem(left: &str, right: &str) -> bool {
    // No rule of the stemmer touches a first letter, and to compare two is a hundred times faster.
    left == right || (left.chars().next() == right.chars().next() && stem(left) == stem(right))
}

/// A prefix that every form of the word starts with: where in a sorted dictionary its forms lie.
/// Never shorter than two letters; `None` for a word that has no other form.
pub fn stem_prefix(word: &str) -> Option<String> {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let stem = stem(word);
    let shared = word.bytes().zip(stem.bytes()).take_while(|(left, right)| left == right).count();
    // `y` becomes `i` in some forms and not in others.
    let ends_in_y = matches!(word.as_bytes()[shared - 1], b'y' | b'i');
    let end = if ends_in_y { shared - 1 } else { shared };
    Some(word[..end.max(2)].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_share_a_stem_and_a_prefix() {
        for (left, right) in [
            ("merge", "merging"),
            ("sessions", "session"),
            ("pooling", "pool"),
            ("connections", "connection"),
            ("retries", "retry"),
            ("retry", "retried"),
            ("implementing", "implementation"),
        ] {
            let prefix = stem_prefix(left).expect("an English word");
            assert!(right.starts_with(&prefix), "{left} {right} {prefix}");
            if left != "implementing" {
                assert!(same_stem(left, right), "{left} {right}");
            }
        }
        assert!(!same_stem("main", "domain"));
        assert_eq!(stem_prefix("会话"), None);
        assert_eq!(stem("utf8"), "utf8");
    }
}
