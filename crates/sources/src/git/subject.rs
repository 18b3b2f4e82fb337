//! Which subjects of commits ask for something.

/// Fewest words of a question.
const LEAST_WORDS: usize = 3;

/// Words that say that something is published.
const PUBLISHING: &[&str] =
    &["bump", "changelog", "publish", "release", "released", "releases", "releasing", "version"];

/// Words that say nothing beside those.
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

/// What git, and sites for it, put behind `Merge`.
const MERGED: &[&str] =
    &["branch", "branches", "commit", "master", "main", "pr", "pull", "remote-tracking", "tag"];

/// A subject without the number of a pull request at its end: `Handle x (#12)`.
pub(super) fn without_number(subject: &str) -> &str {
    let subject = subject.trim();
    let number = subject.rsplit_once(" (#").filter(|(_, rest)| {
        rest.strip_suffix(')').is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
        })
    });
    number.map_or(subject, |(rest, _)| rest.trim_end())
}

/// Returns whether a subject asks for something: it has at least three words, and does not only say
/// that something is merged, undone, bumped or released.
pub(super) fn asks(subject: &str) -> bool {
    let lowercase = subject.to_lowercase();
    let said = without_type(&lowercase);
    let is_revert_type = said.len() < lowercase.len() && lowercase.starts_with("revert");
    count_words(said) >= LEAST_WORDS
        && !is_merge(said)
        && !is_revert_type
        && !is_revert(said)
        && !is_publication(&lowercase)
}

/// A subject without what conventional commits put before it: `fix(parser)!: `.
fn without_type(subject: &str) -> &str {
    let Some((kind, rest)) = subject.split_once(": ") else { return subject };
    let name = kind.trim_end_matches('!');
    let name =
        name.strip_suffix(')').and_then(|name| name.split_once('(')).map_or(name, |one| one.0);
    let is_type = !name.is_empty() && name.bytes().all(|character| character.is_ascii_lowercase());
    if is_type { rest.trim_start() } else { subject }
}

/// How many words a text has. Two letters of a script without spaces are one.
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

/// Returns whether a character belongs to a script that writes words without spaces: Thai, Lao,
/// Burmese, Khmer, and those of China and Japan.
fn is_dense(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

fn is_merge(said: &str) -> bool {
    said.strip_prefix("merge ").is_some_and(|rest| {
        let next = rest.split_whitespace().next().unwrap_or_default();
        MERGED.contains(&next.trim_end_matches(':')) || next.starts_with(['\'', '"', '#'])
    })
}

fn is_revert(said: &str) -> bool {
    ["revert", "reverts", "reapply"].iter().any(|word| {
        said.strip_prefix(word).is_some_and(|rest| {
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

/// Returns whether a subject says only that something is published: a word for that, and beside
/// numbers of versions at most one name. `Bump` at the start says it by itself.
fn is_publication(subject: &str) -> bool {
    let said = without_type(subject);
    if ["bump ", "bumps ", "bumped "].iter().any(|word| said.starts_with(word)) {
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

/// Returns whether a word is a number of a version: `v1.2.0-rc.1`, `14`, `tokio-1.2.3`.
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
    fn numbers_of_pull_requests_are_cut() {
        assert_eq!(without_number("Handle x (#12)"), "Handle x");
        assert_eq!(without_number(" Handle x (#12) (#345) "), "Handle x (#12)");
        for subject in ["Handle (#12) x", "Handle x (12)", "Handle x (#)", "Handle x (#1a)"] {
            assert_eq!(without_number(subject), subject);
        }
    }

    #[test]
    fn subjects_ask() {
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
            assert!(asks(subject), "{subject}");
        }
    }

    #[test]
    fn subjects_that_only_tell_do_not_ask() {
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
            assert!(!asks(subject), "{subject}");
        }
    }
}
