//! Replaces secrets (keys, tokens, private keys and passwords) by labels.
//!
//! Texts are redacted once, when they are read (see [`decode`](crate::text::decode)), so that no
//! later stage (index, vectors, answers) ever sees a secret. A caller that knows from the index
//! that a file contained none reads it with [`Secrets::Shown`], and shows it only if the file is
//! unchanged. One pass searches for the literal prefixes of all rules. Each occurrence is then
//! examined over a bounded number of bytes. Line numbers do not change.
//!
//! **Invariant:** the functions are pure, and a label is never taken for a secret.

mod addresses;
mod assignments;
mod form;
mod label;
mod lexical;
mod manifests;
mod name;
mod named;
mod places;
mod private_keys;
mod rule;
mod rules;
#[cfg(test)]
mod tests;
mod tokens;
mod values;

use std::{collections::BTreeMap, ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use self::{
    label::LABEL,
    rule::{Rule, Shape},
};

/// Version of the rules. Files that were read with other rules are read again.
pub const FINGERPRINT: &str = "secrets-3";

/// Handling of secrets in texts that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Secrets {
    /// Each secret is replaced by a label.
    #[default]
    Redacted,
    /// Texts are returned unchanged.
    Shown,
}

impl Secrets {
    /// Returns the text as it may be shown.
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
    /// Byte range.
    range: Range<usize>,
    /// Name of the rule.
    rule: &'static str,
    /// True if only the name next to the value indicates a secret.
    is_guess: bool,
}

/// Automaton over the prefixes of all rules, and the rule of each prefix.
static PREFIXES: LazyLock<(AhoCorasick, Vec<(&str, &Rule)>)> = LazyLock::new(|| {
    let owners: Vec<(&str, &Rule)> = rules::all()
        .flat_map(|rule| rule.prefixes.iter().map(move |prefix| (*prefix, rule)))
        .collect();
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(owners.iter().map(|(prefix, _)| prefix))
        .expect("a few hundred short texts make a small automaton");
    (automaton, owners)
});

/// Returns the secrets of a text, ordered and disjoint.
fn find(text: &str) -> Vec<Finding> {
    let (automaton, owners) = &*PREFIXES;
    let bytes = text.as_bytes();
    let mut found: Vec<Finding> = Vec::new();
    // End of the manifests that were searched.
    let mut searched = 0;
    for prefix in automaton.find_overlapping_iter(bytes) {
        let (written, rule) = owners[prefix.pattern().as_usize()];
        let range = match rule.shape {
            Shape::Named(forms) => form::named_value(bytes, prefix.range(), forms),
            Shape::CurlUser => addresses::password_of_curl(bytes, prefix.range()),
            Shape::Manifest => {
                if prefix.start() < searched {
                    continue;
                }
                let (values, end) = manifests::values(text, prefix.range());
                searched = end.max(searched);
                found.extend(values.into_iter().map(|range| Finding {
                    range,
                    rule: rule.name,
                    is_guess: true,
                }));
                None
            }
            Shape::Token(token) => (bytes[prefix.range()] == *written.as_bytes())
                .then(|| token.at(bytes, prefix.range()))
                .flatten(),
            Shape::PrivateKey => private_keys::body_after(text, prefix.end()),
            Shape::Assignment(kind) => assignments::value_after(bytes, prefix.range(), kind),
            Shape::UrlPassword => addresses::password_in_url(bytes, prefix.range()),
            Shape::ConnectionString => addresses::password_of_connection(bytes, prefix.range()),
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

/// Replaces each secret by a label such as `[redacted:github-token]`. A secret that spans several
/// lines leaves empty lines, so that line numbers do not change.
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

/// Returns the number of labels in a redacted text, by rule.
pub fn count_redactions(text: &str) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::new();
    for (at, _) in text.match_indices(LABEL) {
        let name = text[at + LABEL.len()..].split(']').next().unwrap_or_default();
        if let Some(rule) = rules::all().find(|rule| rule.name == name) {
            *counts.entry(rule.name).or_default() += 1;
        }
    }
    counts
}

/// Returns the names of the rules, in order.
pub fn secret_rule_names() -> impl Iterator<Item = &'static str> {
    let mut names: Vec<&str> = rules::all().map(|rule| rule.name).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter()
}
