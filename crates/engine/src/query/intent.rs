//! What a question asks for beside its words: who implements something, a definition by its kind, how
//! something works, or tests.

use lore_text::same_stem;

use super::{Query, Shape, words::MOST_TOKENS};

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Intent {
    /// It asks who implements, extends or derives what it names.
    pub(crate) implementers: bool,
    /// It asks for an interface, trait or protocol.
    pub(crate) interface: bool,
    /// It asks how something works or is done.
    pub(crate) how: bool,
}

/// What a question says of tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Tests {
    /// Nothing.
    #[default]
    Unsaid,
    /// It speaks of tests, and is about something else: `add a renderer and tests`.
    InPassing,
    /// They are what it asks for: `tests of the renderer`, `renderer tests`, `how is it tested`.
    AskedFor,
}

/// Folded words for tests and what belongs to them.
const TESTS: &[&str] =
    &["benchmark", "fixture", "fixtures", "mock", "spec", "test", "tested", "testing", "tests"];

/// Those of them after which the next word may be called: `test cookie`, `spec file`.
const QUALIFIERS: &[&str] = &["benchmark", "fixture", "mock", "spec", "test"];

/// Folded words with which a question begins, as no title does.
const QUESTIONS: &[&str] = &[
    "are", "can", "could", "did", "do", "does", "find", "how", "is", "list", "search", "should",
    "show", "what", "when", "where", "which", "who", "whose", "why",
];

/// Folded words that join tests to what a title is about, and those that may stand between.
const JOINTS: &[&str] = &["and", "including", "or", "plus", "with"];
const BETWEEN: &[&str] = &[
    "a",
    "add",
    "adds",
    "all",
    "an",
    "e2e",
    "few",
    "improve",
    "integration",
    "its",
    "more",
    "new",
    "regression",
    "some",
    "the",
    "unit",
    "update",
];

/// Folded words that follow `test` without being called after it: prepositions, and what tests
/// consist of.
const AFTER_TEST: &[&str] = &[
    "about",
    "against",
    "and",
    "case",
    "cases",
    "class",
    "classes",
    "code",
    "coverage",
    "covers",
    "data",
    "double",
    "doubles",
    "fails",
    "file",
    "files",
    "fixture",
    "fixtures",
    "for",
    "function",
    "functions",
    "harness",
    "helper",
    "helpers",
    "in",
    "is",
    "method",
    "module",
    "of",
    "on",
    "or",
    "runner",
    "setup",
    "that",
    "to",
    "utils",
    "which",
    "with",
];

/// Folded words that may stand in front of `how` where a way is asked for.
const BEFORE_HOW: &[&str] = &[
    "a",
    "and",
    "but",
    "can",
    "could",
    "describe",
    "don",
    "explain",
    "figure",
    "find",
    "help",
    "i",
    "know",
    "learn",
    "let",
    "like",
    "me",
    "need",
    "out",
    "please",
    "see",
    "show",
    "so",
    "tell",
    "through",
    "to",
    "try",
    "trying",
    "understand",
    "us",
    "walk",
    "want",
    "we",
    "would",
    "you",
];

/// Folded words after which `how` asks for a number or a time, not for a way.
const MEASURES: &[&str] =
    &["come", "expensive", "frequently", "many", "much", "often", "quickly", "soon", "well"];

/// Those after which it does where a verb or a bound follows: `how long is it` and `how long polling
/// works`.
const MEASURES_OF: &[&str] =
    &["big", "deep", "far", "fast", "high", "large", "long", "old", "short", "slow", "small"];

/// Folded verbs with which a question goes on, and words that bound a time or a place.
const BOUNDS: &[&str] = &[
    "a", "after", "an", "apart", "are", "away", "back", "before", "can", "could", "did", "do",
    "does", "has", "have", "is", "may", "must", "should", "until", "was", "were", "will", "would",
];

/// Words, by stem, that ask who implements something.
const IMPLEMENTERS: &[&str] = &[
    "adopt",
    "conform",
    "conformance",
    "extend",
    "implement",
    "implementation",
    "implementer",
    "implementor",
    "inherit",
    "subclass",
    "subtype",
];

/// Words, by stem, for what is implemented.
const INTERFACES: &[&str] = &["interface", "protocol", "trait"];

/// Whether a folded word asks for definitions by what they are or implement.
pub(super) fn asks_of_definitions(term: &str) -> bool {
    IMPLEMENTERS.iter().chain(INTERFACES).any(|one| *one == term || same_stem(one, term))
}

/// Reads what a question asks. Without a name in it, it asks nothing of definitions.
pub(crate) fn intent(query: &Query) -> Intent {
    let names = query.words.iter().any(|word| word.name.is_some());
    let says = |words: &[&str]| {
        query
            .words
            .iter()
            .filter(|word| word.is_asked() && word.name.is_none())
            .any(|word| words.iter().any(|one| *one == word.term || same_stem(one, &word.term)))
    };
    Intent {
        implementers: names && says(IMPLEMENTERS),
        interface: names && says(INTERFACES),
        how: asks_how(&query.text),
    }
}

/// The words of a sentence in small letters, without the signs around them.
fn sentence(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace()
        .take(MOST_TOKENS)
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
}

/// Whether a question asks in which way: it begins with `how`, but for who is asked and the sign of a
/// list, and asks for no number.
fn asks_how(text: &str) -> bool {
    // `how's`, `don't`.
    let start = |word: String| word.split(['\'', '’']).next().unwrap_or_default().to_owned();
    let is_sign = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut words = sentence(text)
        .map(start)
        .filter(|word| !is_sign(word))
        .skip_while(|word| BEFORE_HOW.contains(&word.as_str()));
    if words.next().is_none_or(|word| word != "how") {
        return false;
    }
    let Some(first) = words.next() else { return false };
    let is_bound = |word: String| BOUNDS.contains(&word.as_str());
    let is_measure = MEASURES.contains(&first.as_str())
        || MEASURES_OF.contains(&first.as_str()) && words.next().is_none_or(is_bound);
    !is_measure
}

/// Reads what a question says of tests: in a title, tests that are joined to something else (`add a
/// renderer and tests`) or that something is called after (`update test cookies`) are spoken of in
/// passing.
pub(super) fn said_of_tests(query: &Query) -> Tests {
    let is_test = |word: &str| TESTS.contains(&word);
    if !query.says(is_test) {
        return Tests::Unsaid;
    }
    if query.shape == Shape::Symbol || query.commit_type.as_deref().is_some_and(is_test) {
        return Tests::AskedFor;
    }
    let text = query.meant();
    let words: Vec<String> = sentence(&text).collect();
    if words.first().is_some_and(|first| QUESTIONS.contains(&first.as_str())) {
        return Tests::AskedFor;
    }
    let is_in_passing = |at: usize| {
        let mut before = words[..at].iter().rev().map(String::as_str);
        let joint = before.find(|word| !BETWEEN.contains(word));
        let is_joined = joint.is_some_and(|word| JOINTS.contains(&word));
        let after = words.get(at + 1).map(String::as_str);
        let qualifies = at > 0
            && QUALIFIERS.contains(&words[at].as_str())
            && after.is_some_and(|after| !AFTER_TEST.contains(&after));
        is_joined || qualifies
    };
    let mut places = (0..words.len()).filter(|at| is_test(&words[*at])).peekable();
    // A test that stands in a name or a path is meant.
    if places.peek().is_some() && places.all(is_in_passing) {
        Tests::InPassing
    } else {
        Tests::AskedFor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::parse;

    fn check(text: &str, implementers: bool, interface: bool) {
        let how = false;
        assert_eq!(intent(&parse(text)), Intent { implementers, interface, how }, "{text}");
    }

    #[test]
    fn intents() {
        check("what implements ChunkStore", true, false);
        check("implements Codable", true, false);
        check("Comparable implementation", true, false);
        check("Implement a retry", false, false);
        check("where refunds are implemented", false, false);
        check("which classes extend BaseStore", true, false);
        check("ChunkStore protocol", false, true);
        check("ChunkStore", false, false);
        check("what is a ChunkStore", false, false);
    }

    #[test]
    fn a_way_is_asked_for() {
        for (text, how) in [
            ("how are refunds retried", true),
            ("How does a queue compact?", true),
            ("\"How\" to retry", true),
            ("'how' to retry", true),
            ("how's a refund retried", true),
            ("how’s a refund retried", true),
            ("- how is it tested", true),
            ("1. how to retry", true),
            ("so, how is it tested", true),
            ("can you please explain how a refund is retried?", true),
            ("I want to understand how refunds work", true),
            ("I don't understand how refunds work", true),
            ("walk me through how refunds work", true),
            ("a) how to retry", true),
            ("how long polling works", true),
            ("how large uploads are handled", true),
            ("", false),
            ("how", false),
            ("how ?", false),
            ("how many refunds are retried", false),
            ("How long does a retry take", false),
            ("how large is it", false),
            ("how old", false),
            ("how long before it is retried", false),
            ("how far apart are retries", false),
            ("how large a file may be", false),
            ("how well is it tested", false),
            ("how quickly is it retried", false),
            ("how come it is retried", false),
            ("refunds and how they are retried", false),
            ("docs: explain how to retry", false),
            ("how_to_retry", false),
            ("however it is retried", false),
            ("what a queue does", false),
        ] {
            assert_eq!(intent(&parse(text)).how, how, "{text}");
        }
    }

    #[test]
    fn tests_are_asked_for_or_spoken_of() {
        for (text, expected) in [
            ("retry a refund", Tests::Unsaid),
            ("tests for the refund", Tests::AskedFor),
            ("unit tests of the refund", Tests::AskedFor),
            ("which tests retry a refund", Tests::AskedFor),
            ("are there any tests about refunds", Tests::AskedFor),
            ("where do we test refunds", Tests::AskedFor),
            ("how do I mock the gateway", Tests::AskedFor),
            ("refund retry tests", Tests::AskedFor),
            ("flaky test in the ledger", Tests::AskedFor),
            ("write unit tests checking the refund", Tests::AskedFor),
            ("refund test helpers", Tests::AskedFor),
            ("add a few tests that cover the refund", Tests::AskedFor),
            ("the refund is tested in the shop", Tests::AskedFor),
            ("test(refund): retry it twice", Tests::AskedFor),
            ("retry test_refund twice", Tests::AskedFor),
            ("retry `Mock::refund` twice", Tests::AskedFor),
            ("test_refund", Tests::AskedFor),
            ("mock", Tests::AskedFor),
            ("add a refund and tests", Tests::InPassing),
            ("fix the refund and add some unit tests.", Tests::InPassing),
            ("retry a refund, with a test", Tests::InPassing),
            ("require test suite to pass when a refund is retried", Tests::InPassing),
            ("update test cookies of the shop", Tests::InPassing),
        ] {
            assert_eq!(parse(text).tests, expected, "{text}");
        }
    }
}
