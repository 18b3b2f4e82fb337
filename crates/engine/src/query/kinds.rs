//! The kinds of question that the words of a query suggest. They are soft: each moves the scores of
//! some sources, none excludes a hit. Pure.

/// One kind of question with the words that suggest it.
struct Rule {
    /// Words and phrases, in lower case.
    phrases: &'static [&'static str],
    /// Words and phrases that count at the start of the query only.
    starts: &'static [&'static str],
}

/// The kinds, in the order of [`Kinds::values`].
static RULES: [Rule; 9] = [
    // The reason of a change: commits, changelogs and decisions answer.
    Rule {
        phrases: &["why", "reason", "reasons", "rationale", "motivation", "instead of", "how come"],
        starts: &[],
    },
    // When something changed, and by whom.
    Rule {
        phrases: &[
            "which commit",
            "what commit",
            "which version",
            "what version",
            "which release",
            "which pr",
            "since when",
            "who added",
            "who changed",
            "who introduced",
            "who moved",
            "who removed",
            "who wrote",
            "commit that",
            "commit which",
        ],
        starts: &["when", "who"],
    },
    // That something changed.
    Rule {
        phrases: &[
            "when did",
            "when was",
            "when were",
            "whose",
            "first release",
            "introduced",
            "reverted",
            "revert",
            "was added",
            "was removed",
            "were added",
            "were removed",
            "got removed",
            "got added",
            "removed",
            "dropped",
            "dropping",
            "deprecated",
            "switched",
            "switch from",
            "moved",
            "renamed",
            "bumped",
            "stopped",
            "changed",
            "history",
        ],
        starts: &[],
    },
    // How something is used: guides and examples answer.
    Rule {
        phrases: &[
            "how do i",
            "how do you",
            "how do we",
            "how can i",
            "how can you",
            "how can we",
            "how to",
            "how should",
            "how would",
            "can i",
            "example",
            "examples",
            "usage",
            "configure",
            "configuring",
            "configuration",
            "install",
            "installing",
            "set up",
            "setup",
            "enable",
            "disable",
            "upgrade",
            "upgrading",
            "migrate",
            "migrating",
            "tutorial",
            "guide",
        ],
        starts: &[],
    },
    // What depends on a definition: its callers answer.
    Rule {
        phrases: &[
            "who calls",
            "what calls",
            "who uses",
            "what uses",
            "where is it used",
            "used by",
            "callers",
            "caller",
            "usages",
            "call sites",
            "breaks if",
            "break if",
            "breaks when",
            "depends on",
            "depend on",
            "implementations of",
            "implementers",
            "implements",
            "affected by",
            "is called from",
            "called from",
            "is used",
        ],
        starts: &[],
    },
    // A pasted message: the source that writes it answers.
    Rule {
        phrases: &[
            "error",
            "failed",
            "failure",
            "panic",
            "panicked",
            "exception",
            "traceback",
            "fatal",
            "cannot",
            "could not",
            "unable to",
            "not found",
            "invalid",
            "unexpected",
            "warning",
            "must be",
            "is not",
        ],
        starts: &[],
    },
    // A record by its kind or number: specs, decisions, tickets.
    Rule {
        phrases: &[
            "ticket",
            "tickets",
            "issue",
            "issues",
            "task",
            "tasks",
            "bug report",
            "adr",
            "rfc",
            "kep",
            "pep",
            "spec",
            "specs",
            "proposal",
            "proposals",
            "design doc",
            "decision",
            "enhancement",
            "change request",
            "changelog",
            "release notes",
            "roadmap",
        ],
        starts: &[],
    },
    // A setting.
    Rule {
        phrases: &[
            "option",
            "options",
            "flag",
            "flags",
            "setting",
            "settings",
            "config",
            "env var",
            "environment variable",
            "env",
            "default",
            "defaults",
            "default value",
            "parameter",
        ],
        starts: &[],
    },
    // Where something is defined, or how it works: code answers.
    Rule {
        phrases: &[
            "which file",
            "which function",
            "which class",
            "which module",
            "which method",
            "what function",
            "what file",
            "defined",
            "definition",
            "declared",
            "implemented",
            "implementation",
            "code that",
            "code for",
            "logic",
            "decides",
            "computed",
        ],
        starts: &["where", "how does", "how do", "how is", "how are"],
    },
];

/// Number of kinds that rules recognise, and of those that follow from the form of the query.
pub(crate) const KINDS: usize = RULES.len() + 3;

/// Names of all kinds, in the order of [`Kinds::values`].
pub(crate) static KIND_NAMES: [&str; KINDS] = [
    "asks-reason",
    "asks-when",
    "asks-change",
    "asks-how-to",
    "asks-uses",
    "asks-error",
    "asks-record",
    "asks-setting",
    "asks-place",
    "is-question",
    "is-short",
    "is-name",
];

/// The kinds of one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Kinds {
    /// 0.0 or 1.0 for each kind.
    pub(crate) values: [f32; KINDS],
}

/// Words that begin a question.
const QUESTION_WORDS: &[&str] = &[
    "are", "can", "could", "did", "do", "does", "how", "is", "should", "what", "when", "where",
    "which", "who", "whose", "why",
];

/// Number of words above which a text without a question word is read as a sentence.
const MIN_SENTENCE: usize = 7;

/// Maximum number of words of a short query.
const MAX_SHORT: usize = 3;

impl Kinds {
    /// Returns whether the query is a question or a sentence.
    pub(crate) fn is_question(&self) -> bool {
        self.values[RULES.len()] > 0.0
    }

    /// The kinds of a query text. `is_name` is true for a single name.
    pub(crate) fn of(text: &str, is_name: bool) -> Kinds {
        let words: Vec<String> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let padded = format!(" {} ", words.join(" "));
        let mut values = [0.0; KINDS];
        for (value, rule) in values.iter_mut().zip(&RULES) {
            let contains = |phrase: &str| padded.contains(&format!(" {phrase} "));
            let starts = |phrase: &str| padded.starts_with(&format!(" {phrase} "));
            let holds =
                rule.phrases.iter().any(|p| contains(p)) || rule.starts.iter().any(|p| starts(p));
            *value = f32::from(u8::from(holds));
        }
        let asks = words.first().is_some_and(|word| QUESTION_WORDS.contains(&word.as_str()));
        let is_question = asks || text.trim_end().ends_with('?') || words.len() >= MIN_SENTENCE;
        for (index, holds) in
            [is_question, words.len() <= MAX_SHORT, is_name].into_iter().enumerate()
        {
            values[RULES.len() + index] = f32::from(u8::from(holds));
        }
        Kinds { values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_suggest_kinds() {
        for (text, expected) in [
            ("why was the cache removed?", &["asks-reason", "asks-change", "is-question"][..]),
            ("who calls parse_header", &["asks-when", "asks-uses", "is-question"]),
            ("RFC 2394", &["asks-record", "is-short"]),
            ("how do I set up a proxy", &["asks-how-to", "asks-place", "is-question"]),
            ("fatal: bad object HEAD", &["asks-error"]),
            ("retry backoff", &["is-short"]),
        ] {
            let kinds = Kinds::of(text, false);
            let found: Vec<&str> = KIND_NAMES
                .iter()
                .zip(kinds.values)
                .filter_map(|(name, value)| (value > 0.0).then_some(*name))
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
