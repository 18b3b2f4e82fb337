//! The intent of a query besides its words: implementers of something, a kind of definition, how
//! something works, or tests.

use lore_text::same_stem;

use super::{Query, Shape, words::MAX_TOKENS};

/// Intent of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Intent {
    /// It requests what implements, extends or derives the named definition.
    pub(crate) implementers: bool,
    /// It requests an interface, trait or protocol.
    pub(crate) interface: bool,
    /// It is a question about how something works or is done.
    pub(crate) how: bool,
}

/// Mention of tests in a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Tests {
    /// Not at all.
    #[default]
    NotMentioned,
    /// It mentions tests, and is about something else: `add a renderer and tests`.
    Mentioned,
    /// It requests tests: `tests of the renderer`, `renderer tests`, `how is it tested`.
    Requested,
}

/// Folded words for tests and their parts.
const TESTS: &[&str] =
    &["benchmark", "fixture", "fixtures", "mock", "spec", "test", "tested", "testing", "tests"];

/// Test words that may be part of the name of the next word: `test cookie`, `spec file`.
const QUALIFIERS: &[&str] = &["benchmark", "fixture", "mock", "spec", "test"];

/// Folded words at the start of a question, which do not start a title.
const QUESTIONS: &[&str] = &[
    "are", "can", "could", "did", "do", "does", "find", "how", "is", "list", "search", "should",
    "show", "what", "when", "where", "which", "who", "whose", "why",
];

/// Folded words that join tests to the subject of a title.
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

/// Folded words that may follow `test` without being named after it: prepositions, and parts of
/// tests.
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

/// Folded words that may precede `how` in a question about a way to do something.
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

/// Folded words after which `how` starts a question about a number or a time, not about a method.
const MEASURES: &[&str] =
    &["come", "expensive", "frequently", "many", "much", "often", "quickly", "soon", "well"];

/// The same if a verb or a bound follows: `how long is it`, but not `how long polling works`.
const MEASURES_OF: &[&str] =
    &["big", "deep", "far", "fast", "high", "large", "long", "old", "short", "slow", "small"];

/// Folded verbs that continue a question, and words that bound a time or a place.
const BOUNDS: &[&str] = &[
    "a", "after", "an", "apart", "are", "away", "back", "before", "can", "could", "did", "do",
    "does", "has", "have", "is", "may", "must", "should", "until", "was", "were", "will", "would",
];

/// Words, by stem, that request implementers.
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

/// Returns true if a folded word requests definitions by their kind or by what they implement.
pub(super) fn requests_definitions(term: &str) -> bool {
    IMPLEMENTERS.iter().chain(INTERFACES).any(|word| *word == term || same_stem(word, term))
}

/// Determines the intent of a query. Without a name in it, it requests no definitions.
pub(crate) fn intent(query: &Query) -> Intent {
    let names = query.words.iter().any(|word| word.name.is_some());
    let contains =
        |words: &[&str]| {
            query.words.iter().filter(|word| word.is_required() && word.name.is_none()).any(
                |word| words.iter().any(|text| *text == word.term || same_stem(text, &word.term)),
            )
        };
    Intent {
        implementers: names && contains(IMPLEMENTERS),
        interface: names && contains(INTERFACES),
        how: is_how_question(&query.text),
    }
}

/// The words of a sentence in lower case, without surrounding punctuation.
fn sentence(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace()
        .take(MAX_TOKENS)
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
}

/// Returns true if a query is about a method: it starts with `how`, apart from an addressee or a list
/// marker, and is not about a number.
fn is_how_question(text: &str) -> bool {
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

/// Determines how a query mentions tests. In a title, tests that are joined to something else (`add a
/// renderer and tests`) or that modify a noun (`update test cookies`) are mentioned in passing.
pub(super) fn test_mention(query: &Query) -> Tests {
    let is_test = |word: &str| TESTS.contains(&word);
    if !query.contains_word(is_test) {
        return Tests::NotMentioned;
    }
    if query.shape == Shape::Symbol || query.commit_type.as_deref().is_some_and(is_test) {
        return Tests::Requested;
    }
    let text = query.text_to_embed();
    let words: Vec<String> = sentence(&text).collect();
    if words.first().is_some_and(|first| QUESTIONS.contains(&first.as_str())) {
        return Tests::Requested;
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
    // A test in a name or a path is requested.
    if places.peek().is_some() && places.all(is_in_passing) {
        Tests::Mentioned
    } else {
        Tests::Requested
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
    fn how_questions_are_recognised() {
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
    fn tests_are_requested_or_mentioned() {
        for (text, expected) in [
            ("retry a refund", Tests::NotMentioned),
            ("tests for the refund", Tests::Requested),
            ("unit tests of the refund", Tests::Requested),
            ("which tests retry a refund", Tests::Requested),
            ("are there any tests about refunds", Tests::Requested),
            ("where do we test refunds", Tests::Requested),
            ("how do I mock the gateway", Tests::Requested),
            ("refund retry tests", Tests::Requested),
            ("flaky test in the ledger", Tests::Requested),
            ("write unit tests checking the refund", Tests::Requested),
            ("refund test helpers", Tests::Requested),
            ("add a few tests that cover the refund", Tests::Requested),
            ("the refund is tested in the shop", Tests::Requested),
            ("test(refund): retry it twice", Tests::Requested),
            ("retry test_refund twice", Tests::Requested),
            ("retry `Mock::refund` twice", Tests::Requested),
            ("test_refund", Tests::Requested),
            ("mock", Tests::Requested),
            ("add a refund and tests", Tests::Mentioned),
            ("fix the refund and add some unit tests.", Tests::Mentioned),
            ("retry a refund, with a test", Tests::Mentioned),
            ("require test suite to pass when a refund is retried", Tests::Mentioned),
            ("update test cookies of the shop", Tests::Mentioned),
        ] {
            assert_eq!(parse(text).tests, expected, "{text}");
        }
    }
}
