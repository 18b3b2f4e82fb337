//! Triggers: the patterns in a task that indicate an intent.
//!
//! Patterns are case-insensitive. Weights range from 0.8 for a weak word to 3.5 for one that names
//! the intent.

/// A pattern that indicates an intent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Trigger {
    /// A regular expression.
    pub(crate) pattern: &'static str,
    /// Weight; it counts once, however often the pattern matches.
    pub(crate) weight: f64,
    /// The intent.
    pub(crate) intent: &'static str,
    /// True if the verb decides at the start of a task: it states the whole action, unlike `write`,
    /// whose meaning depends on its object.
    pub(crate) leads: bool,
}

/// Creates a trigger that is a word anywhere in a task.
const fn sign(intent: &'static str, weight: f64, pattern: &'static str) -> Trigger {
    Trigger { pattern, weight, intent, leads: false }
}

/// Creates a trigger that is a verb and decides at the start of a task.
const fn verb(intent: &'static str, weight: f64, pattern: &'static str) -> Trigger {
    Trigger { pattern, weight, intent, leads: true }
}

/// All triggers. The order of the intents breaks ties.
pub(crate) const TRIGGERS: &[Trigger] = &[
    verb("implement", 3.5, r"\bimplement(?:s|ed|ing|ation)?\b"),
    sign("implement", 2.5, r"\bcreat(?:e|es|ing)\b"),
    sign("implement", 2.0, r"\badd(?:s|ing)?\b"),
    // The verb only: the build of `the build is broken` is a thing.
    sign(
        "implement",
        2.5,
        r"^\W*build(?:s|ing)?\b|\b(?:and|can|could|first|i|let'?s|must|now|or|please|should|then|to|us|we|will|would|you)\W+(?:\w+ly\W+)?build(?:s|ing)?\b",
    ),
    sign("implement", 2.5, r"\bdevelop(?:s|ing)?\b"),
    verb("implement", 2.5, r"\bintroduc(?:e|es|ing)\b"),
    verb("implement", 2.5, r"\b(?:enable|integrate|wire up|hook up)\b"),
    sign(
        "implement",
        1.5,
        r"\bnew (?:\w+ ){0,2}(?:feature|endpoint|command|module|class|method|function|type|api|option|flag)\b",
    ),
    sign("implement", 0.8, r"\bwrit(?:e|es|ing)\b"),
    verb("debug", 3.0, r"\bfix(?:es|ed|ing)?\b"),
    sign("debug", 3.0, r"\bbugs?\b"),
    verb("debug", 3.5, r"\b(?:debug(?:s|ged|ging)?|troubleshoot(?:ing)?|diagnos(?:e|ing))\b"),
    sign("debug", 3.0, r"\bcrash(?:es|ed|ing)?\b"),
    sign("debug", 2.0, r"\berrors?\b"),
    sign("debug", 2.0, r"\bfail(?:s|ed|ing|ures?)?\b"),
    sign("debug", 2.5, r"\b(?:exceptions?|tracebacks?|stack ?traces?|panics?|segfaults?)\b"),
    sign("debug", 2.0, r"\b(?:broken|wrong(?:ly)?|incorrect(?:ly)?|not work(?:ing)?)\b|n't work\b"),
    // The state of something that worked.
    sign(
        "debug",
        2.5,
        r"\b(?:is|are|was|were|been|be|gets?|got|seems?|looks?|stays?|remains?|went|goes|turned|still|again|completely|totally)\W+(?:(?:\w+ly|all|again|now|still|very)\W+)?(?:broken|corrupt(?:ed)?|down|garbled|red|unresponsive|unusable)\b|\b(?:stop(?:s|ped)|quit|ceased)\W+(?:build|compil|link|load|respond|runn|start|work)ing\b|\bno longer\W+(?:builds?|compiles?|links?|loads?|opens?|responds?|runs?|starts?|works?)\b|\b(?:do|does|did|can|could|will|wo|would|is|are)(?:n't|\W?not)\W+(?:build|compil|link|load|respond|start)(?:e|ing)?\b",
    ),
    sign(
        "debug",
        2.0,
        r"\b(?:regressions?|race conditions?|deadlocks?|memory leaks?|hangs?|flaky)\b",
    ),
    verb("refactor", 3.5, r"\brefactor(?:s|ed|ing)?\b"),
    verb("refactor", 2.5, r"\bclean(?:ing)?[ -]?up\b"),
    verb("refactor", 2.5, r"\bsimplif(?:y|ies|ying)\b"),
    verb("refactor", 3.0, r"\brenam(?:e|es|ing)\b"),
    verb("refactor", 2.5, r"\bextract(?:s|ing)?\b"),
    verb("refactor", 3.0, r"\b(?:restructur|reorgani[sz])(?:e|es|ing)\b"),
    verb("refactor", 2.5, r"\b(?:de-?duplicat|consolidat)(?:e|es|ing)\b"),
    verb("refactor", 2.0, r"\b(?:decoupl(?:e|ing)|split(?:ting)?|inlin(?:e|ing))\b"),
    verb("refactor", 1.5, r"\b(?:migrat|mov)(?:e|es|ing)\b"),
    verb("test", 3.0, r"\btest(?:s|ing)?\b"),
    sign("test", 3.0, r"\bunit[ -]?tests?\b"),
    sign(
        "test",
        3.0,
        r"\b(?:integration|end-to-end|e2e|regression|property|snapshot|acceptance)[ -]tests?\b",
    ),
    sign("test", 2.0, r"\bspec\b"),
    sign("test", 2.5, r"\b(?:test )?coverage\b"),
    sign("test", 2.0, r"\bmock(?:s|ed|ing)?\b"),
    sign("test", 2.0, r"\bassert(?:s|ions?)?\b"),
    sign("test", 1.5, r"\b(?:fixtures?|test ?cases?|edge cases?)\b"),
    sign("test", 2.5, r"\b(?:pytest|unittest|jest|vitest|mocha|junit|rspec|xctest|proptest)\b"),
    verb("explain", 3.5, r"\bexplain(?:s|ing)?\b"),
    verb("explain", 2.5, r"\bhow (?:do|does|did|is|are|can)\b"),
    sign("explain", 2.0, r"\bhow\b.*\bworks?\b"),
    verb("explain", 2.0, r"\bwhat (?:do|does|is|are|happens)\b"),
    verb("explain", 2.0, r"\bwhy\b"),
    verb("explain", 3.0, r"\bdescrib(?:e|es|ing)\b"),
    verb("explain", 2.5, r"\bunderstand(?:s|ing)?\b"),
    verb("explain", 2.5, r"\bwalk (?:me )?through\b"),
    sign("explain", 2.0, r"\b(?:overview|architecture)\b"),
    verb("review", 3.5, r"\breview(?:s|ed|ing)?\b"),
    sign("review", 3.0, r"\b(?:pull requests?|merge requests?)\b"),
    sign("review", 2.5, r"\bdiffs?\b"),
    verb("review", 3.0, r"\baudit(?:s|ing)?\b"),
    verb("review", 2.5, r"\binspect(?:s|ing)?\b"),
    verb("review", 1.5, r"\bcheck(?:s|ing)?\b"),
    sign("review", 1.5, r"\b(?:latest|recent|last) (?:\w+ ){0,2}(?:changes?|commits?)\b"),
    sign("review", 2.0, r"\b(?:feedback|critique|code quality|best practices)\b"),
    sign("review", 2.0, r"\b(?:vulnerabilit(?:y|ies)|security (?:issues?|holes?))\b"),
    verb("search", 2.0, r"\bfind(?:s|ing)?\b"),
    verb("search", 2.0, r"\bsearch(?:es|ing)?\b"),
    verb("search", 1.5, r"\bwhere\b"),
    verb("search", 2.5, r"\blocat(?:e|es|ing)\b"),
    verb("search", 1.5, r"\blist(?:s|ing)?\b"),
    verb("search", 1.5, r"\bshow(?:s|ing)?\b"),
    verb("search", 2.0, r"\blook(?:s|ing)?(?: up| for)\b"),
    verb("search", 1.0, r"\bwhich\b"),
    verb("search", 2.5, r"\bgrep(?:s|ping)?\b"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::answers::context::policies;

    #[test]
    fn each_intent_has_triggers_and_a_policy() {
        let mut counts = BTreeMap::new();
        for trigger in TRIGGERS {
            *counts.entry(trigger.intent).or_insert(0) += 1;
            assert!((0.8..=3.5).contains(&trigger.weight), "{}", trigger.pattern);
        }
        let intents: Vec<&str> = counts.keys().copied().collect();
        let mut known: Vec<&str> = policies().iter().map(|policy| policy.intent).collect();
        known.sort_unstable();
        assert_eq!(intents, known);
        assert!(counts.values().all(|count| *count >= 9), "{counts:?}");
        let patterns: std::collections::BTreeSet<&str> =
            TRIGGERS.iter().map(|trigger| trigger.pattern).collect();
        assert_eq!(patterns.len(), TRIGGERS.len());
    }
}
