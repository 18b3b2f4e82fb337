//! Finds the commit that last changed lines of a file.

use crate::{
    EngineConfig, EngineError,
    state::{file_commits::FileCommits, snapshot::Snapshot},
};

/// Maximum number of commits of a file that are compared, newest first. Each costs two versions of
/// the file.
const MAX_COMMITS: usize = 16;

/// Number of commits that are compared at a time.
const STEP: usize = 4;

/// Maximum number of lines that are compared: the first ones.
const MAX_LINES: usize = 200;

/// Maximum length of a reason in characters.
const MAX_REASON: usize = 200;

/// The commit that last changed lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastChange {
    /// Full hash.
    pub hash: String,
    /// Author date, in seconds since the epoch.
    pub date: Option<i64>,
    /// Name of the author.
    pub author: Option<String>,
    /// First paragraph of the message, on one line.
    pub subject: String,
    /// First sentence after it, if there is one.
    pub reason: Option<String>,
}

/// Finds the newest of the file's commits that added one of the lines.
pub(super) fn last_change(
    path: &str,
    lines: &[String],
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> Result<Option<LastChange>, EngineError> {
    let Some(mut commits) = FileCommits::of(snapshot) else { return Ok(None) };
    let mut ids = commits.newest_first(path)?;
    ids.truncate(MAX_COMMITS);
    // Lines such as a closing brace are in every version.
    let lines: Vec<String> = lines
        .iter()
        .filter(|line| line.chars().any(char::is_alphanumeric))
        .take(MAX_LINES)
        .cloned()
        .collect();
    for ids in ids.chunks(STEP) {
        let commits = commits.read(path, ids)?;
        let hashes: Vec<String> =
            commits.iter().map(|(_, commit)| commit.key.locator.clone()).collect();
        let added = lore_sources::lines_added(&config.root, &hashes, path, &lines);
        let newest = added.iter().position(|added| !added.is_empty());
        if let Some((_, commit)) = newest.and_then(|newest| commits.into_iter().nth(newest)) {
            return Ok(Some(LastChange {
                hash: commit.key.locator,
                date: commit.attributes.updated,
                author: commit.attributes.author,
                reason: commit.text.as_deref().and_then(reason),
                subject: commit.title,
            }));
        }
    }
    Ok(None)
}

/// Returns the first sentence of the second paragraph of a commit's text. The paths that the commit
/// changed follow the message as a paragraph of their own.
fn reason(text: &str) -> Option<String> {
    let body = text.split_once("\n\n")?.1;
    let paragraph: Vec<&str> =
        body.lines().map(str::trim).skip_while(|line| line.is_empty()).collect();
    let end = paragraph.iter().position(|line| line.is_empty()).unwrap_or(paragraph.len());
    let is_list_of_paths =
        end == paragraph.len() && !paragraph.iter().any(|line| line.contains(' '));
    if is_list_of_paths {
        return None;
    }
    let joined = paragraph[..end].join(" ");
    let sentence = joined.split_inclusive(". ").next().unwrap_or_default().trim();
    match sentence.char_indices().nth(MAX_REASON) {
        Some((cut, _)) => Some(format!("{}…", &sentence[..cut])),
        None => Some(sentence.to_owned()).filter(|sentence| !sentence.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn the_reason_is_the_first_sentence_of_the_body() {
        let text = "refund: one key\n\nThe gateway made a new key\nfor each attempt. It was paid \
                    twice.\n\nsrc/refund.rs";
        assert_eq!(reason(text).as_deref(), Some("The gateway made a new key for each attempt."));
        assert_eq!(reason("Take payments\n\nsrc/lib.rs\nsrc/payment.rs"), None);
        assert_eq!(reason("Take payments"), None);
        assert_eq!(reason("Take\n\nnow\n\nsrc/a b.rs").as_deref(), Some("now"));
    }
}
