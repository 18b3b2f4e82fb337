//! Citations in the text of a commit or ticket: numbers of issues and pull requests, identifiers of
//! tickets and decisions, and hashes.
//!
//! **Invariant:** pure.

/// Kind of a citation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cited {
    /// `#12`, `GH-12`, or the address of an issue.
    Issue,
    /// `(#12)` at the end of a subject, `pull request #12`, `!12`, or the address of a pull request.
    PullRequest,
    /// `SHOP-12`.
    Ticket,
    /// `ADR-7`, `RFC 12`, `PEP 8`.
    Decision,
    /// The beginning of a hash.
    Commit,
}

/// A citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Citation {
    pub(super) cited: Cited,
    /// Number, identifier or hash: `12`, `SHOP-12`, `1a2b3c4`.
    pub(super) id: String,
    /// The word before it that states the relation: `fixes`. `cites` if there is none.
    pub(super) relation: &'static str,
    /// Name of the repository in an address, in lower case; `None` for other forms.
    pub(super) repository: Option<String>,
}

/// Words before a citation, with the relation that they state.
const RELATIONS: &[(&str, &str)] = &[
    ("close", "closes"),
    ("closed", "closes"),
    ("closes", "closes"),
    ("closing", "closes"),
    ("fix", "fixes"),
    ("fixed", "fixes"),
    ("fixes", "fixes"),
    ("fixing", "fixes"),
    ("implement", "implements"),
    ("implements", "implements"),
    ("of", "is part of"),
    ("picked", "was picked from"),
    ("resolve", "resolves"),
    ("resolved", "resolves"),
    ("resolves", "resolves"),
    ("revert", "reverts"),
    ("reverts", "reverts"),
];

/// Words that may be between a relation and its citation.
const BETWEEN: &[&str] = &["bug", "commit", "from", "in", "issue", "issues", "the", "ticket"];

/// Prefixes of numbered decisions.
const DECISIONS: &[&str] = &["adr", "kep", "madr", "pep", "rfc"];

/// Prefixes of standards and algorithms that look like tickets. Sorted.
const NO_TICKETS: &[&str] = &[
    "AES", "ARM", "BASE", "CRC", "CVE", "CWE", "FIPS", "HTTP", "IEEE", "ISO", "MD", "RSA", "SHA",
    "TLS", "UCS", "UTF", "X",
];

/// Minimum and maximum number of digits of a hash.
const HASH_LENGTHS: std::ops::RangeInclusive<usize> = 7..=64;

/// Maximum number of digits of a number.
const MAX_DIGITS: usize = 8;

/// Returns the citations of a text, in text order, each once. The first line is a subject.
pub(super) fn citations(text: &str) -> Vec<Citation> {
    let mut found: Vec<Citation> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        for (at, word) in words.iter().enumerate() {
            let is_last = number == 0 && at + 1 == words.len();
            for (cited, id) in cited(word, words.get(at + 1).copied(), is_last) {
                let before = &words[..at];
                let cited = match cited {
                    Cited::Issue if says_pull_request(before) => Cited::PullRequest,
                    other => other,
                };
                // `Fix (#12)` is the pull request of the fix.
                let is_own = cited == Cited::PullRequest && is_last && word.starts_with('(');
                let relation = if is_own { "cites" } else { relation(before) };
                let known = found.iter_mut().find(|citation| citation.id == id);
                match known {
                    Some(citation) if citation.relation == "cites" => citation.relation = relation,
                    Some(_) => {}
                    None => {
                        let repository = repository(word);
                        found.push(Citation { cited, id, relation, repository });
                    }
                }
            }
        }
    }
    found
}

/// Returns the citations in a word.
fn cited(word: &str, next: Option<&str>, is_last: bool) -> Vec<(Cited, String)> {
    if let Some(found) = address(word) {
        return vec![found];
    }
    let is_bracketed = word.starts_with('(') && word.ends_with(')');
    let inner = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '#' | '!'));
    let mut found = Vec::new();
    // `#12,#13` and `#12/#13` are two.
    for part in inner.split([',', '/', ';', '&', '+']) {
        if let Some(digits) = part.strip_prefix('#').and_then(digits) {
            let kind = if is_last && is_bracketed { Cited::PullRequest } else { Cited::Issue };
            found.push((kind, digits.to_owned()));
        } else if let Some(digits) = part.strip_prefix('!').and_then(digits) {
            found.push((Cited::PullRequest, digits.to_owned()));
        }
    }
    if !found.is_empty() {
        return found;
    }
    let folded = inner.to_lowercase();
    if DECISIONS.contains(&folded.as_str())
        && let Some(digits) = next.map(trimmed).and_then(digits)
    {
        return vec![(Cited::Decision, format!("{}-{digits}", inner.to_uppercase()))];
    }
    if let Some((prefix, number)) = inner.rsplit_once('-')
        && let Some(digits) = digits(number)
    {
        let folded = prefix.to_lowercase();
        if DECISIONS.contains(&folded.as_str()) {
            return vec![(Cited::Decision, format!("{}-{digits}", prefix.to_uppercase()))];
        }
        if folded == "gh" {
            return vec![(Cited::Issue, digits.to_owned())];
        }
        if is_ticket_prefix(prefix) {
            return vec![(Cited::Ticket, format!("{prefix}-{digits}"))];
        }
        return Vec::new();
    }
    if is_hash(inner) {
        return vec![(Cited::Commit, inner.to_lowercase())];
    }
    Vec::new()
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn digits(text: &str) -> Option<&str> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && (1..=MAX_DIGITS).contains(&text.len()) && text != "0").then_some(text)
}

/// Returns the name of the repository in an address: `shop` of `https://example.com/ann/shop/pull/7`.
fn repository(word: &str) -> Option<String> {
    let (_, rest) = word.split_once("://")?;
    let parts: Vec<&str> = rest.split('/').collect();
    let is_kind = |part: &&str| {
        matches!(*part, "issues" | "pull" | "pulls" | "merge_requests" | "commit" | "-")
    };
    let at = parts.iter().position(is_kind)?;
    parts[..at].last().filter(|_| 1 < at).map(|name| name.to_lowercase())
}

/// Returns the issue, pull request or commit of an address on a host of git repositories.
fn address(word: &str) -> Option<(Cited, String)> {
    let (_, rest) = word.split_once("://")?;
    let mut parts = rest.split(['/', '#', '?', ')', '>', '"', '\'']);
    let cited = parts.find_map(|part| {
        Some(match part {
            "issues" => Cited::Issue,
            "pull" | "pulls" | "merge_requests" => Cited::PullRequest,
            "commit" => Cited::Commit,
            _ => return None,
        })
    })?;
    let id = trimmed(parts.next()?);
    match cited {
        Cited::Commit => is_hash(id).then(|| (cited, id.to_lowercase())),
        _ => digits(id).map(|id| (cited, id.to_owned())),
    }
}

fn is_ticket_prefix(prefix: &str) -> bool {
    let mut letters = prefix.bytes();
    letters.next().is_some_and(|first| first.is_ascii_uppercase())
        && 2 <= prefix.len()
        && prefix.len() <= 10
        && letters.all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && NO_TICKETS.binary_search(&prefix).is_err()
}

/// Returns true for the beginning of a hash. Words and numbers are none.
fn is_hash(word: &str) -> bool {
    HASH_LENGTHS.contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && (word.len() == 40 || word.bytes().any(|byte| byte.is_ascii_alphabetic()))
}

/// Returns the relation that the words before a citation state.
fn relation(before: &[&str]) -> &'static str {
    for word in before.iter().rev().take(4) {
        let word = trimmed(word).to_lowercase();
        if let Some((_, relation)) = RELATIONS.iter().find(|(known, _)| *known == word) {
            // "of" alone is no relation: "part of #12".
            let is_part = before.iter().any(|other| other.eq_ignore_ascii_case("part"));
            return if word == "of" && !is_part { "cites" } else { relation };
        }
        // `Fixes #12 and #13`.
        let is_citation = word.is_empty() || word.bytes().all(|byte| byte.is_ascii_digit());
        if !is_citation && word != "and" && !BETWEEN.contains(&word.as_str()) {
            break;
        }
    }
    "cites"
}

/// Returns true if the words before a number call it a pull request.
fn says_pull_request(before: &[&str]) -> bool {
    let Some(last) = before.last() else { return false };
    let last = trimmed(last).to_lowercase();
    let second = before.len().checked_sub(2).map(|at| trimmed(before[at]).to_lowercase());
    matches!(last.as_str(), "pr" | "mr")
        || (last == "request" && matches!(second.as_deref(), Some("pull" | "merge")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let show = |citation: Citation| {
            format!("{:?} {} {}", citation.cited, citation.id, citation.relation)
        };
        citations(text).into_iter().map(show).collect()
    }

    #[test]
    fn numbers_are_issues_or_pull_requests() {
        let check = |text: &str, expected: &[&str]| assert_eq!(found(text), expected, "{text}");
        check("Retry refunds (#12)", &["PullRequest 12 cites"]);
        check(
            "Retry refunds\n\nFixes #7, #8 and GH-9.",
            &["Issue 7 fixes", "Issue 8 fixes", "Issue 9 fixes"],
        );
        check("Merge pull request #31 from a/b", &["PullRequest 31 cites"]);
        check("x\n\nPart of #4; see !5", &["Issue 4 is part of", "PullRequest 5 cites"]);
        check(
            "x\n\nCloses: https://example.com/a/b/issues/77#issuecomment-1",
            &["Issue 77 closes"],
        );
        check("Fix (#12)", &["PullRequest 12 cites"]);
        check("x\n\nCloses #1, PR #2", &["Issue 1 closes", "PullRequest 2 cites"]);
        check("colour #ffffff and #0 and a#12 and #123456789", &[]);
        check("twice #3 then fixes #3", &["Issue 3 fixes"]);
    }

    #[test]
    fn tickets_decisions_and_commits() {
        let check = |text: &str, expected: &[&str]| assert_eq!(found(text), expected, "{text}");
        check("SHOP-12: retry", &["Ticket SHOP-12 cites"]);
        check("Use UTF-8, SHA-256 and x-12", &[]);
        check(
            "x\n\nImplements ADR-0007 and RFC 12.",
            &["Decision ADR-0007 implements", "Decision RFC-12 cites"],
        );
        check("x\n\nThis reverts commit 1a2b3c4d.", &["Commit 1a2b3c4d reverts"]);
        check(
            "x\n\n(cherry picked from commit 0123456789abcdef0123456789abcdef01234567)",
            &["Commit 0123456789abcdef0123456789abcdef01234567 was picked from"],
        );
        check("deadbeef defaced 12345678", &[]);
    }
}
