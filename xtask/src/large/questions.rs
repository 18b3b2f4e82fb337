//! Questions made from the names in a tree.

use std::collections::BTreeSet;

use crate::random::Random;

use super::tree::Tree;

/// Forms of questions. The two places take names of a file, a folder or a definition.
const FORMS: &[&str] = &[
    "where is the {} of {} handled",
    "how does {} work with {}",
    "{} {}",
    "which function releases {} {}",
    "error of {} in {}",
    "set up {} before {}",
];

/// Length of an identifier that a question can use.
const IDENTIFIER: std::ops::Range<usize> = 6..48;

/// Makes distinct questions: by names of files and folders, and by identifiers in files.
///
/// Fewer are returned if the tree has too few names.
pub(super) fn make(tree: &Tree, count: usize, seed: u64) -> Vec<String> {
    let files = tree.sources();
    let mut random = Random::new(seed ^ 0x51);
    let mut questions = Vec::new();
    let mut seen = BTreeSet::new();
    if files.is_empty() {
        return questions;
    }
    for _ in 0..count * 20 {
        if questions.len() == count {
            break;
        }
        let file = *random.pick(&files);
        let question = if random.one_in(4) {
            let text = std::fs::read_to_string(tree.root.join(file)).unwrap_or_default();
            let names = identifiers(&text);
            if names.is_empty() {
                continue;
            }
            (*random.pick(&names)).to_owned()
        } else {
            let (stem, folder) = names(file);
            let form = *random.pick(FORMS);
            form.replacen("{}", &stem, 1).replacen("{}", &folder, 1)
        };
        if seen.insert(question.clone()) {
            questions.push(question);
        }
    }
    questions
}

/// The words of a file's name and of its folder.
fn names(file: &str) -> (String, String) {
    let mut parts = file.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or(name);
    let words = |name: &str| name.replace(['_', '-'], " ");
    (words(stem), words(parts.next().unwrap_or("the tree")))
}

/// Identifiers of several words in a text, each once.
pub(super) fn identifiers(text: &str) -> Vec<&str> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let found: BTreeSet<&str> = text
        .split(|character| !is_part(character))
        .filter(|word| IDENTIFIER.contains(&word.len()))
        .filter(|word| word.trim_matches('_').contains('_'))
        .collect();
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{identifiers, names};

    #[test]
    fn names_are_split_into_words() {
        let expected = ("power supply core".to_owned(), "test bench".to_owned());
        assert_eq!(names("drivers/test-bench/power_supply-core.c"), expected);
        assert_eq!(names(".bashrc"), ("bashrc".to_owned(), "the tree".to_owned()));
    }

    #[test]
    fn identifiers_have_several_words() {
        let text = "int turn_wheel(int speed) { return __init; turn_wheel(a_b); }";
        assert_eq!(identifiers(text), ["turn_wheel"]);
    }
}
