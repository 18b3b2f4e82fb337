//! Earlier reverts in the lines that a change replaces.

use lore_index::StoredDocument;
use lore_schema::SourceName;
use lore_sources::{ChangedText, line_history};

use super::ReviewContext;
use crate::{
    EngineError, ReviewFinding, ReviewKind, WhyCertainty,
    search::reverts::{REVERTS, reverting},
    state::file_commits::FileCommits,
};

/// Maximum number of commits of a file that are compared, newest first.
const MAX_COMMITS: usize = 60;

/// Maximum number of hunks of a file, and of commits of a hunk.
const MAX_HUNKS: usize = 6;
const MAX_CHANGES: usize = 4;

/// Returns the commits of the replaced lines that were reverted, or that revert.
pub(super) fn reverts_in(
    context: &ReviewContext<'_>,
    commits: &mut FileCommits<'_>,
    change: &ChangedText,
) -> Result<Vec<ReviewFinding>, EngineError> {
    let mut found: Vec<ReviewFinding> = Vec::new();
    let Some(old) = &change.old else { return Ok(found) };
    let path = change.old_path.as_ref().unwrap_or(&change.path);
    let mut ids = commits.newest_first(path)?;
    ids.truncate(MAX_COMMITS);
    let commits: Vec<StoredDocument> =
        commits.read(path, &ids)?.into_iter().map(|(_, commit)| commit).collect();
    // Without a revert among the commits of the file, none is in its lines.
    let mut sources = context.snapshot.sources.iter().map(|open| open.reader.as_ref());
    let Some(reader) = sources.find(|reader| reader.source() == SourceName::Git) else {
        return Ok(found);
    };
    let is_revert =
        |commit: &StoredDocument| commit.attributes.extra.iter().any(|(name, _)| name == REVERTS);
    if !commits.iter().any(is_revert) {
        return Ok(found);
    }
    let hashes: Vec<String> = commits.iter().map(|commit| commit.key.locator.clone()).collect();
    for (lines, _) in change.hunks.iter().filter(|(old, _)| !old.is_empty()).take(MAX_HUNKS) {
        let root = &context.config.root;
        for step in line_history(root, &hashes, path, (old, lines.clone()), MAX_CHANGES) {
            let commit = &commits[step.commit];
            let short = commit.attributes.id.clone().unwrap_or_default();
            let by = reverting(&commit.key.locator, &commit.title, reader)?.into_iter().next();
            let evidence = if let Some(by) = by {
                let by = by.attributes.id.unwrap_or_default();
                format!("{short} changed these lines and was reverted by {by}")
            } else if is_revert(commit) {
                format!("{short} reverted a change of these lines")
            } else {
                continue;
            };
            if found.iter().any(|finding| finding.evidence == evidence) {
                continue;
            }
            found.push(ReviewFinding {
                support: None,
                kind: ReviewKind::Revert,
                path: Some(change.path.clone()),
                line: u32::try_from(lines.start + 1).ok(),
                name: short,
                subject: change.path.clone(),
                evidence,
                quote: commit.title.clone(),
                certainty: WhyCertainty::Certain,
            });
        }
    }
    Ok(found)
}
