//! The stable part of a message: the words that do not change from run to run.

use std::sync::LazyLock;

use regex::Regex;

/// Matches text that changes from run to run: addresses, identifiers, times, temporary paths, and
/// numbers with several digits.
static VOLATILE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        \b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b  # uuid
        | \b0[xX][0-9a-fA-F]+\b                                                       # address
        | \b\d{4}-\d{2}-\d{2}(?:[T\x20]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)? # time
        | \b\d{2}:\d{2}:\d{2}(?:[.,]\d+)?\b
        | (?:/private)?/(?:tmp|var/tmp|var/folders)/[^\s:'\x22)\]]*                    # temporary
        | [A-Za-z]:\\Users\\[^\s'\x22]*\\Temp\\[^\s'\x22]*
        | \b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b                                        # IP
        | \b[0-9a-f]*\d[0-9a-f]*[a-f][0-9a-f]{5,}\b | \b[0-9a-f]*[a-f][0-9a-f]*\d[0-9a-f]{5,}\b # hash
        | \b\d+(?:\.\d+)?(?:ms|s|us|ns|kb|mb|gb|kib|mib|gib|b)?\b                     # number
        ",
    )
    .expect("a fixed pattern")
});

/// Returns a message without its volatile parts.
pub fn stable_words(message: &str) -> String {
    let kept = VOLATILE.replace_all(message, " ");
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volatile_parts_are_removed() {
        for (message, kept) in [
            ("order 4711 of 10.0.0.7:8080 timed out after 30s", "order of timed out after"),
            ("object at 0x7f01e52b76a8 is gone", "object at is gone"),
            ("job 3f2a91c0-1111-2222-3333-444455556666 failed", "job failed"),
            ("2026-01-31T10:20:30.123Z no lease", "no lease"),
            ("could not read /tmp/lore-8s7d/x.json: no such file", "could not read : no such file"),
            ("commit 3f2a91c0d4 is no ancestor", "commit is no ancestor"),
            ("utf8 in retry2 stays", "utf8 in retry2 stays"),
            ("decade and facade stay", "decade and facade stay"),
        ] {
            assert_eq!(stable_words(message), kept);
        }
    }
}
