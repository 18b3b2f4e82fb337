//! Selection of commit subjects that are usable as queries.

/// Minimum number of words of a usable subject.
const MIN_WORDS: usize = 3;

/// Words of release announcements.
const PUBLISHING: &[&str] =
    &["bump", "changelog", "publish", "release", "released", "releases", "releasing", "version"];

/// Words without content next to those.
const FILLERS: &[&str] = &[
    "a",
    "an",
    "and",
    "for",
    "from",
    "in",
    "new",
    "next",
    "notes",
    "number",
    "numbers",
    "of",
    "prepare",
    "preparing",
    "set",
    "tag",
    "the",
    "to",
    "update",
    "upgrade",
    "v",
];

/// Words that git and git hosts put after `Merge`.
const MERGED: &[&str] =
    &["branch", "branches", "commit", "master", "main", "pr", "pull", "remote-tracking", "tag"];

/// Removes the number of a pull request at the end: `Handle x (#12)`.
pub fn without_number(subject: &str) -> &str {
    let subject = subject.trim();
    let number = subject.rsplit_once(" (#").filter(|(_, rest)| {
        rest.strip_suffix(')').is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
        })
    });
    number.map_or(subject, |(rest, _)| rest.trim_end())
}

/// Returns whether a subject is usable as a query: it has at least three words, and does not only
/// announce a merge, a revert, a version bump or a release.
pub(super) fn is_usable(subject: &str) -> bool {
    let lowercase = subject.to_lowercase();
    let text = without_type(&lowercase);
    let is_revert_type = text.len() < lowercase.len() && lowercase.starts_with("revert");
    count_words(text) >= MIN_WORDS
        && !is_merge(text)
        && !is_revert_type
        && !is_revert(text)
        && !is_publication(&lowercase)
}

/// Removes the prefix of conventional commits: `fix(parser)!: `.
fn without_type(subject: &str) -> &str {
    let Some((kind, rest)) = subject.split_once(": ") else { return subject };
    let name = kind.trim_end_matches('!');
    let name =
        name.strip_suffix(')').and_then(|name| name.split_once('(')).map_or(name, |(name, _)| name);
    let is_type = !name.is_empty() && name.bytes().all(|character| character.is_ascii_lowercase());
    if is_type { rest.trim_start() } else { subject }
}

/// Counts the words of a text. Two characters of a script without spaces count as one word.
fn count_words(text: &str) -> usize {
    let words = text.split(|character: char| !character.is_alphanumeric());
    words
        .map(|word| {
            let dense = word.chars().filter(|character| is_dense(*character)).count();
            let others = word.chars().count() - dense;
            dense.div_ceil(2) + usize::from(others > 0)
        })
        .sum()
}

/// Returns whether a character belongs to a script without spaces between words: Thai, Lao,
/// Burmese, Khmer, Chinese or Japanese.
fn is_dense(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

fn is_merge(text: &str) -> bool {
    text.strip_prefix("merge ").is_some_and(|rest| {
        let next = rest.split_whitespace().next().unwrap_or_default();
        MERGED.contains(&next.trim_end_matches(':')) || next.starts_with(['\'', '"', '#'])
    })
}

fn is_revert(text: &str) -> bool {
    ["revert", "reverts", "reapply"].iter().any(|word| {
        text.strip_prefix(word).is_some_and(|rest| {
            let rest = rest.trim_start_matches([':', ' ']);
            rest.starts_with(['"', '\'', '`'])
                || rest.starts_with("commit ")
                || rest.split(' ').next().is_some_and(is_hash)
        })
    })
}

fn is_hash(word: &str) -> bool {
    word.len() >= 7 && word.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// Returns whether a subject only announces a release: a word for that, version numbers, and at
/// most one name. `Bump` at the start is sufficient.
fn is_publication(subject: &str) -> bool {
    let text = without_type(subject);
    if ["bump ", "bumps ", "bumped "].iter().any(|word| text.starts_with(word)) {
        return true;
    }
    let is_word = |character: char| {
        character.is_alphanumeric() || matches!(character, '.' | '-' | '_' | '+' | '/')
    };
    let words =
        subject.split(|character: char| !is_word(character)).filter(|word| !word.is_empty());
    let (mut publishing, mut versions, mut others) = (false, 0, 0);
    for word in words {
        let word = word.trim_matches('.');
        if PUBLISHING.contains(&word) {
            publishing = true;
        } else if is_version(word) {
            versions += 1;
        } else if !FILLERS.contains(&word) && word != "chore" && word != "build" {
            others += 1;
        }
    }
    let is_named = publishing && versions > 0 && others == 1;
    is_named || (others == 0 && (publishing || versions > 0))
}

/// Returns whether a word is a version number: `v1.2.0-rc.1`, `14`, `tokio-1.2.3`.
fn is_version(word: &str) -> bool {
    let number = word.rsplit_once("-v").map_or(word, |(_, number)| number);
    let number = number.strip_prefix('v').unwrap_or(number);
    let digits = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    digits(number)
        || number.rsplit_once('-').is_some_and(|(_, tail)| digits(tail) && tail.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pull_request_numbers_are_removed() {
        assert_eq!(without_number("Handle x (#12)"), "Handle x");
        assert_eq!(without_number(" Handle x (#12) (#345) "), "Handle x (#12)");
        for subject in ["Handle (#12) x", "Handle x (12)", "Handle x (#)", "Handle x (#1a)"] {
            assert_eq!(without_number(subject), subject);
        }
    }

    #[test]
    fn usable_subjects_are_accepted() {
        for subject in [
            "Retry a refund once",
            "fix(parser): unclosed strings end at the line",
            "feat!: stream answers as they come",
            "Release the lock before waiting",
            "Merge adjacent spans in one pass",
            "Revert to the older parser of dates",
            "Show the version of the index in the receipt",
            "printer: trim the separator",
            "\u{4fee}\u{590d}\u{91cd}\u{590d}\u{652f}\u{4ed8}",
            "\u{418}\u{441}\u{43f}\u{440}\u{430}\u{432}\u{438}\u{442}\u{44c} \u{43f}\u{43e}\u{432}\u{442}\u{43e}\u{440} \u{43f}\u{43b}\u{430}\u{442}\u{435}\u{436}\u{430}",
        ] {
            assert!(is_usable(subject), "{subject}");
        }
    }

    #[test]
    fn announcements_are_rejected() {
        for subject in [
            "",
            "wip",
            "fix tests",
            "fix: typo again",
            "v1.2.3",
            "1.2.0-rc.1 and 1.2.0",
            "Bump serde from 1.0.1 to 1.0.2",
            "chore(deps): bump the cargo group with 3 updates",
            "Release ripgrep 14.0.0",
            "chore(release): release version 2.0.1 of core",
            "Prepare for the next release",
            "changelog: 14.1.0",
            "grep-0.3.1 and grep-cli-0.1.10",
            "Merge branch 'main' into fix",
            "Merge pull request #12 from ann/fix",
            "Merge remote-tracking branch 'origin/main'",
            "Revert \"Retry a refund once\"",
            "revert: \"Retry a refund once\"",
            "Revert commit 1234567 since it broke the build",
            "Revert 0123abcdef for now please",
            "\u{66f4}\u{65b0}\u{7248}\u{672c}",
        ] {
            assert!(!is_usable(subject), "{subject}");
        }
    }
}
