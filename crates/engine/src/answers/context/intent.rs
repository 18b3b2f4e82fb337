//! Classifies a task: guesses one of seven intents from its words.
//!
//! **Invariant:** pure, and not part of a search. An intent only decides what a context package
//! contains.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

use super::triggers::{TRIGGERS, Trigger};

/// The default intent.
pub(crate) const SEARCH: &str = "search";

/// Default minimum confidence; below it, a task is a search.
pub const MIN_CONFIDENCE: f64 = 0.25;

/// Minimum distance between the best and the second intent, as a share of the total weight.
const MIN_GAP: f64 = 0.05;

/// Maximum confidence of a tie between two intents.
const TIED: f64 = 0.1;

/// The intent of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct Intent {
    /// `debug`, `explain`, `implement`, `refactor`, `review`, `search` or `test`.
    pub name: &'static str,
    /// Share of its triggers in the total weight, 0.0..=1.0, three decimals.
    pub confidence: f64,
    /// The matched triggers of the best intent as written in the task, in lower case; in a tie,
    /// those of the first.
    pub triggers: Vec<String>,
}

/// Returns the intent of a task. Below `min_confidence` (0.0..=1.0) it is a search.
///
/// Each trigger counts once, with its weight. The intent with the largest sum wins, and its share
/// of all sums is the confidence. If the second intent is less than a twentieth of the total
/// behind, the result is a search. Otherwise a verb at the start of the task decides: `find the
/// failing test` is not about writing a test.
pub fn classify(task: &str, min_confidence: f64) -> Intent {
    let mut sums: Vec<(&'static str, f64, Vec<String>)> = Vec::new();
    for (trigger, pattern) in TRIGGERS.iter().zip(PATTERNS.iter()) {
        if !sums.iter().any(|(name, ..)| *name == trigger.intent) {
            sums.push((trigger.intent, 0.0, Vec::new()));
        }
        let Some(found) = pattern.find(task) else { continue };
        if let Some((_, sum, triggers)) = sums.iter_mut().find(|entry| entry.0 == trigger.intent) {
            *sum += trigger.weight;
            triggers.push(found.as_str().to_lowercase());
        }
    }
    let total: f64 = sums.iter().map(|(_, sum, _)| sum).sum();
    if total <= 0.0 {
        return Intent { name: SEARCH, confidence: 0.0, triggers: Vec::new() };
    }
    // Stable: equal sums keep the order of the table.
    sums.sort_by(|left, right| right.1.total_cmp(&left.1));
    let confidence = |sum: f64| (sum / total * 1e3).round() / 1e3;
    let best = sums[0].1;
    if (best - sums[1].1) / total < MIN_GAP {
        let (_, sum, triggers) = sums.swap_remove(0);
        return Intent { name: SEARCH, confidence: confidence(sum).max(TIED), triggers };
    }
    let leader = leading(task).map(|trigger| trigger.intent);
    let place = sums.iter().position(|(name, ..)| Some(*name) == leader).unwrap_or(0);
    let (name, sum, triggers) = sums.swap_remove(place);
    let confidence = confidence(sum);
    let name = if confidence < min_confidence { SEARCH } else { name };
    Intent { name, confidence, triggers }
}

/// Returns the intents of several tasks, in their order.
pub fn classify_many<S: AsRef<str>>(tasks: &[S], min_confidence: f64) -> Vec<Intent> {
    tasks.iter().map(|task| classify(task.as_ref(), min_confidence)).collect()
}

/// Returns the verb at the start of a task, if it is one that decides. Polite phrases are skipped.
fn leading(task: &str) -> Option<&'static Trigger> {
    let start = POLITE.find(task).map_or(0, |polite| polite.end());
    TRIGGERS
        .iter()
        .zip(PATTERNS.iter())
        .filter(|(trigger, _)| trigger.leads)
        .find(|(_, pattern)| pattern.find_at(task, start).is_some_and(|at| at.start() == start))
        .map(|(trigger, _)| trigger)
}

static PATTERNS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| TRIGGERS.iter().map(|trigger| compiled(trigger.pattern)).collect());

/// Matches phrases before the verb of a task.
static POLITE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"^\W*(?:(?:please|kindly|first|now|then|(?:can|could|would|will) you|i (?:want|need|would like)(?: you)? to|we (?:want|need|have) to|let'?s|help me(?: to)?|try to|you should|to)\b\W*)*",
    )
});

fn compiled(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).case_insensitive(true).build().expect("the patterns are constant")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(task: &str, name: &str) -> Intent {
        let intent = classify(task, MIN_CONFIDENCE);
        assert_eq!(intent.name, name, "{task}: {intent:?}");
        assert!((0.0..=1.0).contains(&intent.confidence), "{task}: {intent:?}");
        intent
    }

    #[test]
    fn tasks_are_classified() {
        for (task, name) in [
            ("implement an export of invoices as PDF", "implement"),
            ("Add a cache in front of the price lookup", "implement"),
            ("fix the crash when the basket is empty", "debug"),
            ("The nightly job fails with an exception", "debug"),
            ("refactor the retry loop of the mailer", "refactor"),
            ("Rename Basket to Cart everywhere", "refactor"),
            ("write unit tests for the tax table", "test"),
            ("add tests for the parser", "test"),
            ("explain how the scheduler works", "explain"),
            ("Why is the queue drained twice?", "explain"),
            ("review the latest changes of the importer", "review"),
            ("audit the upload handler", "review"),
            ("find every place that reads the clock", "search"),
            ("where are the prices rounded", "search"),
        ] {
            assert!(check(task, name).confidence >= 0.3, "{task}");
        }
    }

    #[test]
    fn documented_examples_are_classified_as_promised() {
        // Minimum and maximum confidence.
        for (task, name, min, max) in [
            ("implement a password reset endpoint", "implement", 0.3, 1.0),
            ("fix the bug in the date parser", "debug", 0.3, 1.0),
            ("refactor the thread pool of the importer", "refactor", 0.3, 1.0),
            ("write unit tests for the invoice module", "test", 0.3, 1.0),
            ("explain how the routing table works", "explain", 0.0, 1.0),
            ("review the newest pull request", "review", 0.0, 1.0),
            ("find all configuration readers", "search", 0.0, 1.0),
            ("", "search", 0.0, 0.0),
            ("  \n", "search", 0.0, 0.0),
            ("write tests for the client", "test", 0.0, 1.0),
            ("fix the crash at start", "debug", 0.0, 1.0),
            ("the code", "search", 0.0, 0.0),
            ("implement a new option to fix the bug in tests", "implement", 0.0, 1.0),
            ("implement a new command", "implement", 0.0, 1.0),
            ("fix tests", "search", 0.5, 0.5),
            ("add a limit with a queue to calls of the mailer", "implement", 0.0, 1.0),
            ("find where receipts are printed and archived", "search", 0.0, 1.0),
        ] {
            let intent = check(task, name);
            assert!((min..=max).contains(&intent.confidence), "{task}: {intent:?}");
            assert_eq!(intent.triggers.is_empty(), max <= 0.0, "{task}: {intent:?}");
        }
    }

    #[test]
    fn the_state_of_being_broken_is_a_task_to_debug() {
        for task in [
            "the build is broken on windows",
            "our nightly build stopped working after the upgrade",
            "the release build does not start",
            "the build is red since yesterday",
            "the service is down",
            "the cache was corrupted by the last run",
            "the parser no longer compiles with the new toolchain",
            "the importer doesn't load the model",
            "the page is completely unusable on phones",
        ] {
            check(task, "debug");
        }
        for task in [
            "build a parser for receipts",
            "please build an export of invoices",
            "we should build a cache for prices",
            "I want to quickly build a page for refunds",
            "add a build for windows",
        ] {
            check(task, "implement");
        }
        // A verb at the start still decides.
        check("explain why the build is broken", "explain");
        check("find what is broken", "search");
    }

    #[test]
    fn tasks_without_triggers_are_searches() {
        for task in ["", "  \n", "the code", "再試行"] {
            let nothing = Intent { name: SEARCH, confidence: 0.0, triggers: Vec::new() };
            assert_eq!(check(task, SEARCH), nothing);
        }
    }

    #[test]
    fn a_tie_is_a_search_with_the_triggers_of_the_first() {
        // `fix` and `tests` weigh the same.
        let intent = check("fix tests", SEARCH);
        assert!((intent.confidence - 0.5).abs() < 1e-9);
        assert_eq!(intent.triggers, ["fix"]);
    }

    #[test]
    fn each_trigger_counts_once() {
        let once = check("fix the crash", "debug");
        assert_eq!(once, check("fix the crash, fix it, and fix that CRASH", "debug"));
        assert_eq!(once.triggers, ["fix", "crash"]);
    }

    #[test]
    fn the_confidence_is_the_share_of_the_sums() {
        // `add` 2.0 for implement; `review` 3.5 for review: 2.0 / 5.5 and 3.5 / 5.5.
        let intent = check("notes on the review: add", "review");
        assert!((intent.confidence - 0.636).abs() < 1e-9, "{intent:?}");
        // A single weak trigger.
        assert!((check("write", "implement").confidence - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_first_verb_decides() {
        for (task, name) in [
            // `failing` and `test` together outweigh `find`.
            ("find the failing test", "search"),
            ("Please find the failing unit test", "search"),
            ("could you explain the bug that crashes the importer", "explain"),
            ("implement a new option to fix the bug in tests", "implement"),
            ("test the error handling of the crash reporter", "test"),
            // The object is part of the meaning of these verbs.
            ("write tests for the retry", "test"),
            ("create unit tests", "test"),
        ] {
            check(task, name);
        }
        // A name that only starts like a verb is not one.
        check("findings of the nightly run: a bug", "debug");
    }

    #[test]
    fn too_little_confidence_is_a_search() {
        let task = "find the failing test";
        let intent = classify(task, 0.9);
        assert_eq!((intent.name, intent.triggers.len()), (SEARCH, 1));
        let task = "notes on the review: add";
        assert_eq!(classify(task, 0.7).name, SEARCH);
        assert_eq!(classify(task, 0.6).name, "review");
    }

    #[test]
    fn several_tasks_keep_their_order() {
        let tasks = ["fix it", "", "explain it"];
        let names: Vec<&str> =
            classify_many(&tasks, MIN_CONFIDENCE).iter().map(|intent| intent.name).collect();
        assert_eq!(names, ["debug", "search", "explain"]);
    }

    #[test]
    fn long_texts_are_classified() {
        let text = "fix how new \u{301}'".repeat(20_000);
        assert_eq!(classify(&text, MIN_CONFIDENCE).name, "debug");
    }
}
