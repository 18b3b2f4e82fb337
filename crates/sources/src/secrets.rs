//! Finds what must not be shown: keys, tokens, private keys and passwords, and puts a label in their
//! place.
//!
//! Texts pass here once, where they are read (see [`decode`](crate::text::decode)), so that nothing
//! behind it — index, vectors, answers — has ever seen a secret. Whoever knows from the index that a
//! file held none reads it with [`Secrets::Shown`], and shows it only if it is still that file. One
//! pass looks for the literal beginnings of all rules; what begins like one is looked at closely,
//! over a bounded number of bytes. Lines keep their numbers.
//!
//! **Invariant:** pure, and a label is never taken for a secret.

mod assignments;
mod label;
mod private_keys;
mod rules;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use self::{
    label::LABEL,
    rules::{RULES, Rule, Shape},
};

/// Names the rules: what was read under others is read anew.
pub const FINGERPRINT: &str = "secrets-2";

/// Whether secrets are taken out of texts that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Secrets {
    /// A label stands in the place of each.
    #[default]
    Redacted,
    /// Texts are read as they are.
    Shown,
}

impl Secrets {
    /// The text as it may be shown.
    pub fn apply(self, text: String) -> String {
        match self {
            Secrets::Redacted => redact(text),
            Secrets::Shown => text,
        }
    }
}

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    /// Its bytes.
    range: Range<usize>,
    /// Name of the rule.
    rule: &'static str,
    /// Whether only the name beside it tells that it is one.
    is_guess: bool,
}

/// Beginnings of all rules in one automaton, and whose each is.
static BEGINNINGS: LazyLock<(AhoCorasick, Vec<(&str, &Rule)>)> = LazyLock::new(|| {
    let owners: Vec<(&str, &Rule)> =
        RULES.iter().flat_map(|rule| rule.begins.iter().map(move |begin| (*begin, rule))).collect();
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(owners.iter().map(|(begin, _)| begin))
        .expect("a few hundred short texts make a small automaton");
    (automaton, owners)
});

/// The secrets of a text, ordered, apart.
fn find(text: &str) -> Vec<Finding> {
    let (automaton, owners) = &*BEGINNINGS;
    let bytes = text.as_bytes();
    let mut found: Vec<Finding> = Vec::new();
    for begin in automaton.find_overlapping_iter(bytes) {
        let (written, rule) = owners[begin.pattern().as_usize()];
        let range = match rule.shape {
            Shape::Token(token) => (bytes[begin.range()] == *written.as_bytes())
                .then(|| token.at(bytes, begin.range()))
                .flatten(),
            Shape::PrivateKey => private_keys::body_after(text, begin.end()),
            Shape::Assignment(kind) => assignments::value_after(bytes, begin.range(), kind),
            Shape::UrlPassword => assignments::password_in_url(bytes, begin.range()),
            Shape::ConnectionString => assignments::password_of_connection(bytes, begin.range()),
        };
        let Some(range) = range else { continue };
        let is_guess = matches!(rule.shape, Shape::Assignment(_));
        found.push(Finding { range, rule: rule.name, is_guess });
    }
    found.sort_by_key(|finding| (finding.range.start, finding.is_guess));
    found.dedup_by(|next, kept| {
        let overlaps = next.range.start < kept.range.end;
        if overlaps {
            kept.range.end = kept.range.end.max(next.range.end);
            if kept.is_guess && !next.is_guess {
                (kept.rule, kept.is_guess) = (next.rule, false);
            }
        }
        overlaps
    });
    found
}

/// The text with a label such as `[redacted:github-token]` in the place of each secret. What goes
/// over several lines leaves empty ones behind.
pub fn redact(text: String) -> String {
    let found = find(&text);
    if found.is_empty() {
        return text;
    }
    let mut redacted = String::with_capacity(text.len());
    let mut at = 0;
    for Finding { range, rule, .. } in found {
        redacted.push_str(&text[at..range.start]);
        redacted.push_str(LABEL);
        redacted.push_str(rule);
        redacted.push(']');
        let hidden = text.as_bytes()[range.clone()].iter();
        redacted
            .extend(hidden.filter(|byte| matches!(byte, b'\r' | b'\n')).map(|byte| *byte as char));
        at = range.end;
    }
    redacted.push_str(&text[at..]);
    redacted
}

/// How many labels a text that was read has, by rule.
pub fn count_redactions(text: &str) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::new();
    for (at, _) in text.match_indices(LABEL) {
        let name = text[at + LABEL.len()..].split(']').next().unwrap_or_default();
        if let Some(rule) = RULES.iter().find(|rule| rule.name == name) {
            *counts.entry(rule.name).or_default() += 1;
        }
    }
    counts
}

/// The names of the rules, in their order.
pub fn secret_rule_names() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.name)
}
