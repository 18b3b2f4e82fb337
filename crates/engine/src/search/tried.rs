//! Earlier attempts at a subject: reverted commits, and records that were rejected or superseded.
//!
//! The links are facets of the index: `reverts` of a commit, and the status of a record. They are followed when
//! a query contains words of the title.

use std::collections::{BTreeMap, BTreeSet};

use lore_index::{DocumentId, IndexError, Reader, StoredDocument};
use lore_schema::{Field, SourceName};
use lore_text::{Form, analyzer, is_stop_word, same_stem};

use super::reverts::{REVERTS, find_reverted, landed_again, reverting};
use crate::{
    Attempt, Hit, Outcome,
    commits::{changed, day, message},
    query::{facets, is_everyday},
    sentences::first_sentence,
    state::snapshot::Snapshot,
};

/// Attribute of a hit with the line about what was tried before.
pub(crate) const TRIED: &str = "tried_before";

/// Maximum number of words of a query that are combined.
const MAX_WORDS: usize = 8;

/// Maximum number of reverts that are read for a query.
const MAX_READ: usize = 40;

/// Minimum number of common words, and their minimum shares of the words of the query and of the title. With
/// .6 of either, 5 of 200 searches about other work had a line (`eval/tried`).
const MIN_COMMON: usize = 2;
const MIN_QUERY_SHARE: f64 = 0.6;
const MIN_TITLE_SHARE: f64 = 0.5;

/// Minimum number of common words, and their minimum share of the title, for a longer query.
const MIN_COMMON_LONG: usize = 3;
const MIN_TITLE_SHARE_LONG: f64 = 0.8;

/// Maximum number of hits with a line.
const MAX_HITS: usize = 2;

/// Minimum length of a word, in characters.
const MIN_WORD_LEN: usize = 3;

/// Words of every revert.
const OF_REVERTS: &[&str] = &["commit", "reapply", "reland", "revert", "reverted", "reverts"];

/// Statuses of records that were turned down, in normal form. Sorted.
const REJECTED: &[&str] = &[
    "abandoned",
    "cancelled",
    "canceled",
    "closed-unmerged",
    "declined",
    "dropped",
    "invalid",
    "not-planned",
    "obsolete",
    "rejected",
    "withdrawn",
    "wont-do",
    "wont-fix",
    "wontdo",
    "wontfix",
];

/// Statuses of records that others replace, in normal form.
const SUPERSEDED: &[&str] = &["deprecated", "replaced", "superceded", "superseded"];

/// Returns the outcome of a record that was turned down or replaced, by its attributes; `None` for others.
pub(crate) fn outcome_of(document: &StoredDocument) -> Option<(Outcome, Option<String>)> {
    let attributes = &document.attributes;
    let value = |name: &str| {
        let mut extra = attributes.extra.iter();
        extra.find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    if let Some(by) = value("supersededBy").filter(|by| !by.trim().is_empty()) {
        return Some((Outcome::Superseded, Some(by)));
    }
    let reasons = [value("resolution"), value("state_reason"), value("stateReason")];
    let stated = attributes.status.iter().cloned().chain(reasons.into_iter().flatten());
    let normal: Vec<String> =
        stated.map(|status| facets::normal(&status).replace('\'', "")).collect();
    if normal.iter().any(|status| SUPERSEDED.contains(&status.as_str())) {
        return Some((Outcome::Superseded, None));
    }
    let is_rejected = normal.iter().any(|status| REJECTED.contains(&status.as_str()));
    let is_unmerged = value("merged").is_some_and(|merged| merged == "false")
        && normal.iter().any(|status| status == "closed");
    (is_rejected || is_unmerged).then_some((Outcome::Rejected, None))
}

/// Returns a record as an attempt, if it was turned down or replaced.
pub(crate) fn attempt_of_record(document: &StoredDocument) -> Option<Attempt> {
    let (outcome, by) = outcome_of(document)?;
    let attributes = &document.attributes;
    Some(Attempt {
        source: document.key.source,
        id: document.key.to_string(),
        title: document.title.clone(),
        path: (!document.path.is_empty()).then(|| document.path.clone()),
        outcome,
        status: attributes.status.clone(),
        by,
        date: attributes.updated.or(attributes.created),
        reason: attributes.description.as_deref().map(first_sentence).unwrap_or_default(),
        paths: Vec::new(),
        again: None,
    })
}

/// Returns the attempt that a commit reverts; `None` if it reverts nothing, or a revert.
pub(crate) fn attempt_of_revert(
    revert: &StoredDocument,
    reader: &dyn Reader,
) -> Result<Option<Attempt>, IndexError> {
    let Some((_, target)) = revert.attributes.extra.iter().find(|(name, _)| name == REVERTS) else {
        return Ok(None);
    };
    let mut targets = find_reverted(target, reader)?;
    targets.retain(|commit| commit.key.locator != revert.key.locator);
    let reverted = targets.into_iter().next();
    let quoted = quoted_title(&revert.title);
    let title = reverted.as_ref().map_or(quoted, |commit| Some(commit.title.clone()));
    // The revert of a revert makes a change again.
    let Some(title) = title.filter(|title| quoted_title(title).is_none()) else { return Ok(None) };
    let undone = reverting(&revert.key.locator, &revert.title, reader)?.into_iter().next();
    let again = match (&undone, &reverted) {
        (Some(commit), _) => Some(commit.clone()),
        (None, Some(reverted)) => landed_again(reverted, revert, reader)?.into_iter().next(),
        (None, None) => None,
    };
    // The change that was made again may have been undone again.
    let again = match again {
        Some(again) if is_undone(&again, reader)? => None,
        again => again,
    };
    let mut paths: BTreeSet<String> = changed(revert).map(str::to_owned).collect();
    paths.extend(reverted.iter().flat_map(|commit| changed(commit).map(str::to_owned)));
    let short = |commit: &StoredDocument| commit.attributes.id.clone();
    let id = reverted.as_ref().and_then(short).unwrap_or_else(|| target.clone());
    Ok(Some(Attempt {
        source: SourceName::Git,
        id: format!("git:{id}"),
        title,
        path: None,
        outcome: Outcome::Reverted,
        status: None,
        by: short(revert),
        date: revert.attributes.updated,
        reason: reason_of(message(revert)),
        paths: paths.into_iter().collect(),
        again: again.as_ref().and_then(short),
    }))
}

/// Returns true if a commit is reverted for good: its revert is not reverted.
fn is_undone(commit: &StoredDocument, reader: &dyn Reader) -> Result<bool, IndexError> {
    for revert in reverting(&commit.key.locator, &commit.title, reader)? {
        if reverting(&revert.key.locator, &revert.title, reader)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the subject in `Revert "subject"`.
fn quoted_title(title: &str) -> Option<String> {
    let rest = title.strip_prefix("Revert ")?.trim_start_matches(['"', '\'', ':', ' ']);
    let title = rest.rsplit_once('"').map_or(rest, |(title, _)| title);
    (!title.trim().is_empty()).then(|| title.trim().to_owned())
}

/// Returns the first sentence of a revert that is not the one that names the commit.
fn reason_of(message: &str) -> String {
    let body = message.split_once("\n\n").map_or("", |(_, body)| body);
    let paragraphs = body.split("\n\n").map(|paragraph| {
        // Neither the reverted commit nor its pull request is a reason.
        let lines = paragraph.lines().filter(|line| {
            let mut words = line.split_whitespace().take(4).map(str::to_lowercase);
            !words.any(|word| word.starts_with("revert")) && !line.starts_with("Original ")
        });
        lines.collect::<Vec<_>>().join("\n")
    });
    first_sentence(&paragraphs.collect::<Vec<_>>().join("\n\n"))
}

/// The words of a text that say something about its subject, folded, each once.
pub(crate) fn subject_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    analyzer("code").analyze(text, &mut |token| {
        let word = token.term;
        let is_word = token.form == Form::Part
            && MIN_WORD_LEN <= word.chars().count()
            && !is_stop_word(word)
            && !is_everyday(word)
            && !OF_REVERTS.contains(&word)
            && word.chars().any(char::is_alphabetic);
        if is_word && !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    });
    words
}

/// Number of words of a query that a title contains, in any form.
pub(crate) fn common_words(query: &[String], title: &[String]) -> usize {
    let is_common =
        |word: &&String| title.iter().any(|other| other == *word || same_stem(other, word));
    query.iter().filter(is_common).count()
}

/// Returns true if a title is about what the words of a query are about.
fn is_about(query: &[String], title: &[String]) -> bool {
    let common = common_words(query, title);
    let share = |of: usize| f64::from(u32::try_from(common).unwrap_or(0)) / of.max(1) as f64;
    let of_title = share(title.len());
    let is_same = MIN_QUERY_SHARE <= share(query.len()) && MIN_TITLE_SHARE <= of_title;
    let is_part = MIN_COMMON_LONG <= common && MIN_TITLE_SHARE_LONG <= of_title;
    MIN_COMMON <= common && (is_same || is_part)
}

/// Returns the reverts whose titles or texts contain two of the words, those with most of them first.
fn reverts_with(words: &[String], reader: &dyn Reader) -> Result<Vec<StoredDocument>, IndexError> {
    let mut counts: BTreeMap<(DocumentId, Field), usize> = BTreeMap::new();
    let mut lists: Vec<(Field, Vec<String>)> = Vec::new();
    for (field, common) in [(Field::Title, &["revert"][..]), (Field::Body, &["reverts", "commit"])]
    {
        for word in words {
            let common = common.iter().map(|word| (*word).to_owned());
            lists.push((field, common.chain([word.clone()]).collect()));
        }
    }
    reader.announce_all(&lists)?;
    for (field, terms) in &lists {
        let holders = reader.holders_of_all(*field, terms)?;
        let ids: BTreeSet<DocumentId> = holders.iter().map(|holder| holder.document).collect();
        for id in ids {
            *counts.entry((id, *field)).or_default() += 1;
        }
    }
    let mut found: BTreeMap<DocumentId, usize> = BTreeMap::new();
    for ((id, _), count) in counts.into_iter().filter(|(_, count)| MIN_COMMON <= *count) {
        let most = found.entry(id).or_default();
        *most = count.max(*most);
    }
    let mut found: Vec<(usize, DocumentId)> = found.into_iter().map(|(id, n)| (n, id)).collect();
    found.sort_unstable_by(|left, right| right.0.cmp(&left.0).then(left.1.cmp(&right.1)));
    let ids: Vec<DocumentId> = found.into_iter().take(MAX_READ).map(|(_, id)| id).collect();
    reader.documents(&ids)
}

/// Adds a line to the best hits that are about a change that was reverted: that commit, its revert, or a file
/// that it changed.
pub(crate) fn add_tried(
    hits: &mut [Hit],
    query: &str,
    snapshot: &Snapshot,
) -> Result<(), IndexError> {
    let mut words = subject_words(query);
    words.truncate(MAX_WORDS);
    if hits.is_empty() || words.len() < MIN_COMMON {
        return Ok(());
    }
    let mut readers = snapshot.sources.iter().map(|open| open.reader.as_ref());
    let Some(reader) = readers.find(|reader| reader.source() == SourceName::Git) else {
        return Ok(());
    };
    let mut attempts: Vec<(usize, Attempt)> = Vec::new();
    for revert in reverts_with(&words, reader)? {
        let Some(attempt) = attempt_of_revert(&revert, reader)? else { continue };
        let title = subject_words(&attempt.title);
        if attempt.again.is_none() && is_about(&words, &title) {
            attempts.push((common_words(&words, &title), attempt));
        }
    }
    // The one with most of the words, then the newest.
    attempts.sort_by(|left, right| {
        let key = |attempt: &(usize, Attempt)| (attempt.0, attempt.1.date);
        key(right).cmp(&key(left)).then(left.1.id.cmp(&right.1.id))
    });
    let mut count = 0;
    for hit in hits {
        if count == MAX_HITS {
            break;
        }
        let hash = hit.id.strip_prefix("git:").and_then(|hash| hash.get(..10));
        let found = attempts.iter().find(|(_, attempt)| {
            let is_file = hit.path.as_ref().is_some_and(|path| attempt.paths.contains(path));
            let is_commit = hash.is_some_and(|hash| {
                attempt.id.ends_with(hash) || attempt.by.as_deref() == Some(hash)
            });
            is_file || is_commit
        });
        if let Some((_, attempt)) = found {
            count += 1;
            hit.extra.push((TRIED.to_owned(), line(attempt)));
        }
    }
    Ok(())
}

/// Returns the line about an attempt: `1a2b3c4d5e reverted by 4d5e6f7a8b, 2024-03-01: "subject"`.
pub(crate) fn line(attempt: &Attempt) -> String {
    let id = attempt.id.strip_prefix("git:").unwrap_or(&attempt.id);
    let by = attempt.by.as_ref().map_or_else(String::new, |by| format!(" by {by}"));
    let day = attempt.date.and_then(day).map_or_else(String::new, |day| format!(", {day}"));
    format!("{id} {}{by}{day}: \"{}\"", attempt.outcome.as_str(), attempt.title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_compared_by_their_subjects() {
        let words = subject_words("why does the cache keep misses");
        assert_eq!(words, ["cache", "keep", "misses"]);
        assert!(is_about(&words, &subject_words("cache: keep a miss (#12)")));
        assert!(!is_about(&words, &subject_words("cache: count hits")));
        assert!(!is_about(&subject_words("cache"), &subject_words("cache")));
    }

    #[test]
    fn the_reason_is_not_the_name_of_the_commit() {
        let message =
            "Revert \"Add x\"\n\nThis reverts commit 1a2b3c4d.\n\nIt broke the build. And more.";
        assert_eq!(reason_of(message), "It broke the build.");
        assert_eq!(reason_of("Revert \"Add x\"\n\nThis reverts commit 1a2b3c4d."), "");
        assert_eq!(
            quoted_title("Revert \"Add \"x\" (#1)\" (#2)").as_deref(),
            Some("Add \"x\" (#1)")
        );
        assert_eq!(quoted_title("Reverting is hard"), None);
    }
}
