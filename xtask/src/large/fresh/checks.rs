//! Checks of answers right after a change: a word must be found where it is, and nowhere else.

use std::{
    collections::BTreeSet,
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::server::Server;

/// Maximum number of described failures.
const MAX_SHOWN: usize = 12;

/// Pause before a failed check is repeated, to describe whether a later answer is right.
const PAUSE: Duration = Duration::from_millis(1_500);

/// Maximum number of hits: more than files contain one word.
const LIMIT: usize = 6;

/// Tokens of an answer: enough for the longest path.
const MAX_TOKENS: usize = 8_000;

/// Results of the checks.
#[derive(Default)]
pub(in super::super) struct Findings {
    pub(super) milliseconds: Vec<f64>,
    /// Answers with a word in a file that no longer contains it.
    pub(super) stale: u32,
    /// Answers without a word that a file contains.
    pub(super) missing: u32,
    /// Calls without an answer, and changes that could not be made.
    pub(super) errors: u32,
    /// Answers that the server marked as not verified.
    pub(super) partial: u32,
    /// Descriptions of the first failures.
    pub(super) shown: Vec<String>,
}

impl Findings {
    /// Number of failures.
    pub(super) fn failures(&self) -> u32 {
        self.stale + self.missing + self.errors
    }

    fn show(&mut self, text: String) {
        if self.shown.len() < MAX_SHOWN {
            self.shown.push(text);
        }
    }
}

/// Sends the questions of a writer.
#[derive(Clone, Copy)]
pub(super) struct Checker<'a> {
    pub(super) server: &'a Server,
    pub(super) findings: &'a Mutex<Findings>,
}

impl Checker<'_> {
    /// Checks that a word is found in at least one of the files that contain it, and in no other file.
    /// Without such files, it must not be found.
    pub(super) fn check(&self, change: &str, word: &str, holders: &[&str]) {
        let started = Instant::now();
        let answer = self.paths(word);
        let seconds = started.elapsed().as_secs_f64();
        let problem = match &answer {
            Ok((paths, _)) => Problem::of(paths, holders),
            Err(_) => Some(Problem::Error),
        };
        let mut findings = self.findings.lock().expect("no thread panics while it has the lock");
        findings.milliseconds.push(seconds * 1e3);
        if let Ok((_, false)) = &answer {
            findings.partial += 1;
        }
        let Some(problem) = problem else { return };
        match problem {
            Problem::Stale => findings.stale += 1,
            Problem::Missing => findings.missing += 1,
            Problem::Error => findings.errors += 1,
        }
        if MAX_SHOWN <= findings.shown.len() {
            return;
        }
        drop(findings);
        thread::sleep(PAUSE);
        let later = match self.paths(word) {
            Ok((paths, _)) if Problem::of(&paths, holders).is_none() => "right later".to_owned(),
            Ok((paths, _)) => format!("later {paths:?}"),
            Err(error) => format!("later {error:#}"),
        };
        let found = match answer {
            Ok((paths, _)) => format!("{paths:?}"),
            Err(error) => format!("{error:#}"),
        };
        self.findings.lock().expect("no thread panics while it has the lock").show(format!(
            "{problem:?} after {change}: `{word}` in {found}, expected {holders:?}; {later}"
        ));
    }

    /// Counts a change that could not be made.
    pub(super) fn fail(&self, change: &str, error: &anyhow::Error) {
        let mut findings = self.findings.lock().expect("no thread panics while it has the lock");
        findings.errors += 1;
        findings.show(format!("{change}: {error:#}"));
    }

    /// The files in which the server finds a word, and whether it calls its answer verified.
    ///
    /// Commits are excluded, because they may mention deleted text.
    fn paths(&self, word: &str) -> Result<(BTreeSet<String>, bool)> {
        let arguments = json!({
            "query": word,
            "in": ["code", "docs"],
            "limit": LIMIT,
            "max_tokens": MAX_TOKENS,
        });
        let answer = self.server.call("search", &arguments)?;
        let answer = &answer["structuredContent"];
        let hits = answer["hits"].as_array().context("an answer has hits")?;
        // A hit by vector similarity alone does not contain the word.
        let contains = |hit: &&Value| hit["text"].as_str().is_some_and(|text| text.contains(word));
        let paths = hits.iter().filter(contains).filter_map(|hit| hit["path"].as_str());
        Ok((paths.map(str::to_owned).collect(), answer["fresh"] == "verified"))
    }
}

/// A wrong answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Problem {
    Stale,
    Missing,
    Error,
}

impl Problem {
    /// The problem of an answer; `None` if it is right.
    fn of(paths: &BTreeSet<String>, holders: &[&str]) -> Option<Problem> {
        if paths.iter().any(|path| !holders.contains(&path.as_str())) {
            return Some(Problem::Stale);
        }
        // Of files with the same text, one is enough: answers fold duplicates.
        (paths.is_empty() && !holders.is_empty()).then_some(Problem::Missing)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Problem;

    #[test]
    fn answers_are_stale_missing_or_right() {
        let of = |paths: &[&str], holders: &[&str]| {
            let paths: BTreeSet<String> = paths.iter().map(ToString::to_string).collect();
            Problem::of(&paths, holders)
        };
        assert_eq!(of(&["a"], &["a", "b"]), None);
        assert_eq!(of(&[], &[]), None);
        assert_eq!(of(&["a"], &[]), Some(Problem::Stale));
        assert_eq!(of(&["a", "c"], &["a"]), Some(Problem::Stale));
        assert_eq!(of(&[], &["a"]), Some(Problem::Missing));
    }
}
