//! Opens repositories for reading objects.
//!
//! A repository is opened without anything that its configuration could run: filters, hooks,
//! includes, and the system's and user's configuration are ignored. That is safe for repositories of
//! any owner, so ownership is not checked.

use std::path::{Path, PathBuf};

use gix::{
    ObjectId, Repository, ThreadSafeRepository,
    bstr::BStr,
    revision::walk::{Info, Sorting},
    traverse::commit::simple::CommitTimeOrder,
};

use super::guard;
use crate::{error::SourceError, native, root, secrets::redact};

/// Size of the object cache in bytes. Neighbouring commits share most of their trees. A larger
/// cache does not help with a thousand commits.
pub(super) const OBJECT_CACHE: usize = 16 << 20;

/// Reads a file of a commit; `None` if it is no file, has more than `max` bytes, or is missing.
pub(super) fn read_blob(repository: &Repository, id: ObjectId, max: u64) -> Option<Vec<u8>> {
    let header = repository.find_header(id).ok()?;
    if header.kind() != gix::objs::Kind::Blob || header.size() > max {
        return None;
    }
    Some(repository.find_object(id).ok()?.detach().data)
}

/// Returns the names of a repository, in lower case: that of its folder, and the last part of the address it
/// was cloned from. Empty outside git.
pub fn repository_names(root: &Path) -> Vec<String> {
    let Ok(folder) = RepositoryFolder::find(root) else { return Vec::new() };
    let config = folder.repository.config_snapshot();
    let address = config.string("remote.origin.url").map(|address| address.to_string());
    let of_address = address.and_then(|address| {
        let last = address.trim_end_matches('/').rsplit(['/', ':']).next()?.to_lowercase();
        Some(last.trim_end_matches(".git").to_owned())
    });
    let top = folder.repository.workdir().and_then(Path::file_name);
    let of_folder = top.map(|name| name.to_string_lossy().to_lowercase());
    of_address.into_iter().chain(of_folder).filter(|name| !name.is_empty()).collect()
}

/// Returns the full hash of the checked-out commit of the repository that contains a folder. `None`
/// outside git, before the first commit, and if it cannot be read.
pub fn head_commit(root: &Path) -> Option<String> {
    let top = root::git_top(root)?;
    let repository = open(top).ok()?;
    let head = repository.head_id().ok()?;
    Some(head.to_string())
}

/// Opens a repository without running or trusting its configuration. Its files are checked first.
pub(super) fn open(top: &Path) -> gix::Result<Repository> {
    let mut repository = open_shared(top)?.to_thread_local();
    repository.object_cache_size(OBJECT_CACHE);
    Ok(repository)
}

/// Like [`open`], for several threads. `folder` is a root or a git folder.
pub(super) fn open_shared(folder: &Path) -> gix::Result<ThreadSafeRepository> {
    let git_dir = root::git_dir(folder);
    guard::check(git_dir.as_deref().unwrap_or(folder))
        .map_err(|reason| gix::Error::from_error(std::io::Error::other(reason)))?;
    gix::open::Options::isolated()
        .with(gix::sec::Trust::Full)
        // Replaced objects would change answers without a change of any commit.
        .config_overrides(["core.useReplaceRefs=false"])
        .open(folder)
}

/// Maximum length of an error in bytes.
const MAX_ERROR_LEN: usize = 400;

/// Formats an error with its causes, without content of files.
pub(super) fn in_one_line(error: &gix::Error) -> String {
    let mut line = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !line.contains(&text) {
            line.push_str(": ");
            line.push_str(&text);
        }
        cause = inner.source();
    }
    let mut line = redact(without_quotations(&line));
    if line.len() > MAX_ERROR_LEN {
        line.truncate(line.floor_char_boundary(MAX_ERROR_LEN));
        line.push('…');
    }
    line
}

/// Replaces quoted texts, which may be the content of a file, except names of references, of files
/// in `.git` and of commits.
fn without_quotations(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['"', '\'', '`']) {
        let quote = char::from(rest.as_bytes()[at]);
        let (before, quoted) = (&rest[..at], &rest[at + 1..]);
        shown.push_str(before);
        // An apostrophe inside a word opens no quotation.
        let is_apostrophe = quote == '\'' && before.ends_with(char::is_alphanumeric);
        let end = quoted.find(quote).filter(|_| !is_apostrophe);
        let Some(end) = end else {
            shown.push(quote);
            rest = quoted;
            continue;
        };
        let is_name = |text: &str| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
            let is_known = text.starts_with("refs/") || text.contains("/.git/") || text == "HEAD";
            let is_hash =
                (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            text.chars().all(is_plain) && (is_known || is_hash)
        };
        let text = &quoted[..end];
        shown.push(quote);
        shown.push_str(if is_name(text) { text } else { "…" });
        shown.push(quote);
        rest = &quoted[end + 1..];
    }
    shown.push_str(rest);
    shown
}

/// A folder and the repository that contains it.
pub(super) struct RepositoryFolder {
    pub(super) root: PathBuf,
    pub(super) repository: Repository,
    /// Path of the folder in the repository: empty, or with a final `/`.
    pub(super) prefix: String,
}

impl RepositoryFolder {
    pub(super) fn find(root: &Path) -> Result<RepositoryFolder, SourceError> {
        let failed = |reason: String| SourceError::Git { path: root.to_owned(), reason };
        let canonical = native::canonical(root).map_err(|error| failed(error.to_string()))?;
        let top = root::git_top(&canonical)
            .ok_or_else(|| failed("it is not in a git repository".to_owned()))?;
        let repository = open(top).map_err(|error| failed(in_one_line(&error)))?;
        let inside = canonical.strip_prefix(top).unwrap_or(Path::new(""));
        let prefix = inside.iter().map(|name| name.to_string_lossy() + "/").collect();
        Ok(RepositoryFolder { root: root.to_owned(), repository, prefix })
    }

    pub(super) fn failed(&self, reason: &str) -> SourceError {
        SourceError::Git { path: self.root.clone(), reason: reason.to_owned() }
    }

    /// Returns the tree of a commit.
    pub(super) fn tree(&self, commit: ObjectId) -> Option<ObjectId> {
        let commit = self.repository.find_commit(commit).ok()?;
        Some(commit.tree_id().ok()?.detach())
    }
}

/// Walks the commits that are reachable from the tips, newest first. Missing commits are errors, and
/// end their own line of history only.
pub(super) fn walk_newest_first<'repo>(
    repository: &'repo Repository,
    tips: &[ObjectId],
) -> gix::Result<Box<dyn Iterator<Item = Result<Info<'repo>, ()>> + 'repo>> {
    walk_selected(repository, tips, |_| true)
}

/// Like [`walk_newest_first`], without the commits that are not selected and what only they lead to.
pub(super) fn walk_selected<'repo>(
    repository: &'repo Repository,
    tips: &[ObjectId],
    is_selected: impl FnMut(&gix::oid) -> bool + Clone + 'repo,
) -> gix::Result<Box<dyn Iterator<Item = Result<Info<'repo>, ()>> + 'repo>> {
    let walk = |sorting| {
        let walk = repository.rev_walk(tips.iter().copied()).sorting(sorting);
        walk.selected(is_selected.clone())
    };
    // A tip whose date cannot be read has no place in the order of time.
    let by_time = Sorting::ByCommitTime(CommitTimeOrder::NewestFirst);
    let walk = walk(by_time).or_else(|_| walk(Sorting::BreadthFirst))?;
    Ok(Box::new(walk.map(|info| info.map_err(|_| ()))))
}

/// Walks the commits that are reachable from a tip but not from `hidden`, newest first. Missing
/// commits are errors.
pub(super) fn walk_outside(
    repository: &Repository,
    tip: ObjectId,
    hidden: Option<ObjectId>,
) -> gix::Result<Box<dyn Iterator<Item = Result<Info<'_>, ()>> + '_>> {
    let Some(hidden) = hidden else { return walk_newest_first(repository, &[tip]) };
    let order = CommitTimeOrder::NewestFirst;
    let walk = repository.rev_walk([tip]).with_hidden([hidden]);
    let walk = walk.sorting(Sorting::ByCommitTime(order)).all()?;
    Ok(Box::new(walk.map(|info| info.map_err(|_| ()))))
}

/// Walks the commits that are reachable from the tips and not older than a time in seconds, newest
/// first. A path to a commit ends at an older one.
pub(super) fn walk_since(
    repository: &Repository,
    tips: impl IntoIterator<Item = ObjectId>,
    seconds: i64,
) -> gix::Result<impl Iterator<Item = Result<Info<'_>, ()>>> {
    let order = CommitTimeOrder::NewestFirst;
    let walk = repository.rev_walk(tips);
    let walk = walk.sorting(Sorting::ByCommitTimeCutoff { order, seconds }).all()?;
    Ok(walk.map(|info| info.map_err(|_| ())))
}

/// Maximum length of the summary of a commit in bytes. A longer one is a text without paragraphs.
const MAX_SUMMARY_BYTES: usize = 1_000;

/// Maximum length of the text of a commit in bytes: a message, or the name of an author. The rest of
/// a longer one is not read.
const MAX_TEXT_BYTES: usize = 256 << 10;

/// Returns the first paragraph of a message as one line. A long one is cut.
pub(super) fn summary(message: &str) -> String {
    let mut summary = String::new();
    for line in message.lines().map(str::trim).take_while(|line| !line.is_empty()) {
        if !summary.is_empty() {
            summary.push(' ');
        }
        let room = MAX_SUMMARY_BYTES.saturating_sub(summary.len());
        if room < line.len() {
            summary.push_str(&line[..line.floor_char_boundary(room)]);
            summary.push('…');
            break;
        }
        summary.push_str(line);
    }
    summary
}

/// Splits a message into its summary and the rest, without whitespace at its ends.
pub(super) fn split_message(message: &str) -> (String, String) {
    let message = message.trim_start();
    let body = message.split_once("\n\n").map_or("", |(_, body)| body).trim();
    (summary(message), body.to_owned())
}

/// Decodes a text of a commit: UTF-8 unless the commit declares another encoding. Of those, only
/// Latin-1 is supported, which old commits use in practice. A long text is cut.
pub(super) fn decode(bytes: &BStr, encoding: Option<&BStr>) -> String {
    let bytes = cut(bytes);
    let is_latin = encoding.is_some_and(|name| {
        let name = name.to_string().to_lowercase();
        matches!(name.as_str(), "iso-8859-1" | "iso8859-1" | "latin-1" | "latin1")
    });
    if is_latin {
        return bytes.iter().map(|&byte| char::from(byte)).collect();
    }
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns at most [`MAX_TEXT_BYTES`] of a text, without half a character of UTF-8.
fn cut(bytes: &[u8]) -> &[u8] {
    if bytes.len() <= MAX_TEXT_BYTES {
        return bytes;
    }
    let is_start = |at: &usize| bytes[*at] & 0b1100_0000 != 0b1000_0000;
    let end = (MAX_TEXT_BYTES - 3..=MAX_TEXT_BYTES).rev().find(is_start);
    &bytes[..end.unwrap_or(MAX_TEXT_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_are_cut() {
        let long = "é ".repeat(1_000_000);
        let first = summary(&long);
        assert!(first.len() < MAX_SUMMARY_BYTES + 8 && first.ends_with('…'), "{first}");
        assert_eq!(summary("one\n two \n\nthree"), "one two");
        let text = decode(long.as_bytes().into(), None);
        assert!(text.len() <= MAX_TEXT_BYTES && !text.contains(char::REPLACEMENT_CHARACTER));
        assert_eq!(decode("é".as_bytes().into(), None), "é");
    }

    #[test]
    fn errors_quote_no_content() {
        for (error, shown) in [
            ("could not read \"secret words\" at HEAD", "could not read \"…\" at HEAD"),
            ("the ref 'refs/heads/main' is gone", "the ref 'refs/heads/main' is gone"),
            ("it isn't there: `a/.git/HEAD`", "it isn't there: `a/.git/HEAD`"),
            ("the `refs/a b` and \"", "the `…` and \""),
        ] {
            assert_eq!(without_quotations(error), shown);
        }
    }
}
