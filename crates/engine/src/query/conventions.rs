//! Conventions in a pasted title: the type of a conventional commit in front (`fix(parser): …`), and
//! the number of a ticket (`SHOP-1204 …`). Both show where the title comes from, not its subject. Pure.

use std::ops::Range;

/// Types of commits, by the convention and by usage.
const TYPES: &[&str] = &[
    "build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test",
    "tests",
];

/// Letters before the number of a standard, an algorithm or an advisory, not of a ticket.
const STANDARDS: &[&str] = &[
    "AES", "ARM", "BLAKE", "CP", "CRC", "CVE", "ECMA", "ED", "EIP", "FIPS", "GPT", "HTTP", "IEC",
    "IEEE", "ISO", "JEP", "JSR", "KOI", "MD", "PEP", "PKCS", "RFC", "RSA", "SHA", "SSL", "TLS",
    "UCS", "UTF", "WCAG", "WINDOWS",
];

/// Range of the type of a commit in front of a title: `fix` in `fix(parser): …`.
pub(super) fn commit_type(text: &str) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start().len();
    let rest = &text[start..];
    let length = rest.find(|c: char| !c.is_ascii_lowercase())?;
    let after = &rest[length..];
    let after = match after.strip_prefix('(') {
        Some(scope) => scope.split_once(')')?.1,
        None => after,
    };
    let after = after.strip_prefix('!').unwrap_or(after);
    let title = after.strip_prefix(": ")?;
    (TYPES.contains(&&rest[..length]) && !title.trim().is_empty()).then(|| start..start + length)
}

/// Range of the letters of a ticket number in front of a title: `SHOP` in `SHOP-1204 Retry …`,
/// with or without brackets.
pub(super) fn ticket_letters(text: &str) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start().trim_start_matches(['[', '(']).len();
    let rest = &text[start..];
    let length = rest.find('-')?;
    let letters = &rest[..length];
    let is_project = (2..=10).contains(&length)
        && letters.bytes().all(|byte| byte.is_ascii_uppercase())
        && !STANDARDS.contains(&letters);
    let after = rest[length + 1..].trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = rest.len() - length - 1 - after.len();
    let title = after.trim_start_matches([']', ')', ':']);
    let is_title = title.starts_with(' ') && !title.trim().is_empty();
    (is_project && (1..=6).contains(&digits) && is_title).then(|| start..start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_commits() {
        for (text, expected) in [
            ("fix: retry a refund", Some("fix")),
            ("  feat(cart)!: retry a refund", Some("feat")),
            ("fix retry: a refund", None),
            ("fix:", None),
            ("fix(cart: retry", None),
            ("retry: a refund", None),
            ("std::fix: retry", None),
            ("Fix: retry", None),
            ("", None),
        ] {
            assert_eq!(commit_type(text).map(|range| &text[range]), expected, "{text:?}");
        }
    }

    #[test]
    fn letters_of_tickets() {
        for (text, expected) in [
            ("SHOP-1204 Retry a refund", Some("SHOP")),
            ("[SHOP-1204] Retry a refund", Some("SHOP")),
            ("SHOP-1204: Retry a refund", Some("SHOP")),
            ("SHOP-1204", None),
            ("UTF-8 decoding of names", None),
            ("SHA-256 of a file", None),
            ("CRC-32 of a file", None),
            ("shop-1204 retry", None),
            ("S-1204 retry", None),
            ("SHOP-retry a refund", None),
            ("SHOP-12ab retry", None),
            ("", None),
        ] {
            assert_eq!(ticket_letters(text).map(|range| &text[range]), expected, "{text:?}");
        }
    }
}
