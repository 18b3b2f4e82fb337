//! Reads a commit as a document.

use std::path::Path;

use gix::{ObjectId, Repository};
use lore_schema::{Attributes, DocKey, Document, SkipReason, SourceName, Stamp, TextOrigin, Trust};

use super::super::{
    files::ChangedFiles,
    repository::{decode, summary},
};
use crate::{fingerprint::Hasher, secrets::Secrets, tree::Tree};

/// Name of the format of commits.
pub(super) const FORMAT: &str = "git";

/// Number of digits of the short hash: enough for a hundred thousand commits.
pub(super) const SHORT_HASH_LEN: usize = 10;

/// Minimum and maximum number of digits of a hash in a message.
const MIN_HASH_LEN: usize = 7;
const MAX_HASH_LEN: usize = 64;

/// Maximum number of files listed per commit. A commit that changes more is a bulk change, and its
/// files do not characterize it.
pub(super) const MAX_FILES: usize = 200;

/// History of one folder of a repository.
pub(in crate::git) struct History<'a> {
    pub(super) repository: &'a Repository,
    /// Path of the folder in the repository: empty, or with a final `/`.
    pub(in crate::git) prefix: String,
    /// Commits at which a shallow clone ends, sorted.
    ends: Vec<ObjectId>,
    /// Fingerprint of the inputs of the documents other than the commits: the folder inside the
    /// repository, and the ends of a shallow clone.
    pub(super) scope: u64,
    files: ChangedFiles,
    secrets: Secrets,
}

/// Result of reading a commit: its document, if it changes something in this tree, and whether part
/// of it could not be read.
pub(super) struct CommitContent {
    pub(super) document: Option<Document>,
    pub(super) incomplete: bool,
}

impl<'a> History<'a> {
    pub(in crate::git) fn new(
        repository: &'a Repository,
        top: &Path,
        tree: &Tree,
    ) -> gix::Result<History<'a>> {
        let inside = tree.canonical_root().strip_prefix(top).unwrap_or(Path::new(""));
        let mut prefix = String::new();
        for name in inside {
            prefix.push_str(&name.to_string_lossy());
            prefix.push('/');
        }
        let mut ends: Vec<ObjectId> = match repository.shallow_commits()? {
            Some(commits) => commits.iter().copied().collect(),
            None => Vec::new(),
        };
        ends.sort_unstable();
        let mut hasher = Hasher::default();
        hasher.bytes(prefix.as_bytes());
        for end in &ends {
            hasher.bytes(end.as_bytes());
        }
        let scope = hasher.finish();
        let (files, secrets) = (ChangedFiles::default(), tree.options().secrets);
        Ok(History { repository, prefix, ends, scope, files, secrets })
    }

    /// Returns whether a shallow clone ends at a commit: its parents are not in the clone.
    pub(super) fn is_end(&self, id: &ObjectId) -> bool {
        self.ends.binary_search(id).is_ok()
    }

    /// Returns the stamp of a commit. It depends on the hash alone, except at the end of a shallow
    /// clone: once the history is deepened, the files of that commit become known.
    pub(super) fn stamp(&self, id: &ObjectId) -> Stamp {
        let mut hasher = Hasher::default();
        hasher.bytes(id.as_bytes());
        hasher.bytes(self.prefix.as_bytes());
        hasher.number(u64::from(self.is_end(id)));
        let hash = hasher.finish();
        Stamp { metadata: hash, content: hash }
    }

    /// Reads a commit. Merges list no files: the merged commits list them. Neither does the commit
    /// at the end of a shallow clone, because every file in it would look new.
    pub(super) fn read(&mut self, id: ObjectId) -> Result<CommitContent, SkipReason> {
        let object = self.repository.find_object(id).map_err(|_| SkipReason::Unreadable)?;
        let object = object.try_into_commit().map_err(|_| SkipReason::Malformed)?;
        let commit = object.decode().map_err(|_| SkipReason::Malformed)?;
        let parents: Vec<ObjectId> = commit.parents().collect();
        let is_end = self.is_end(&id);
        let mut incomplete = false;
        let listed = if is_end || parents.len() > 1 {
            false
        } else {
            let listed = self.files.read(self.repository, parents.first().copied(), commit.tree());
            incomplete = listed.is_err();
            listed.is_ok()
        };
        if !listed {
            self.files.clear();
        }
        if !self.prefix.is_empty() {
            self.files.keep_inside(&self.prefix);
            if self.files.count() == 0 {
                return Ok(CommitContent { document: None, incomplete });
            }
        }

        let hash = id.to_string();
        let message = self.secrets.apply(decode(commit.message, commit.encoding));
        let message = message.trim();
        let title = match summary(message) {
            title if title.is_empty() => hash[..SHORT_HASH_LEN].to_owned(),
            title => title,
        };
        let author = commit.author().ok();
        let date = author.as_ref().map(gix::actor::SignatureRef::seconds);
        let mut text = message.to_owned();
        let mut extra = Vec::new();
        if is_end {
            extra.push(("shallow".to_owned(), "true".to_owned()));
        }
        if let Some(target) = reverted(message) {
            extra.push(("reverts".to_owned(), target));
        }
        if listed {
            extra.push(("files".to_owned(), self.files.count().to_string()));
        }
        if !self.files.paths().is_empty() {
            text.push('\n');
        }
        for path in self.files.paths().iter().take(MAX_FILES) {
            text.push('\n');
            text.push_str(path);
            extra.push(("file".to_owned(), path.clone()));
        }
        let attributes = Attributes {
            id: Some(hash[..SHORT_HASH_LEN].to_owned()),
            author: author
                .map(|author| decode(author.name, commit.encoding).trim().to_owned())
                .filter(|name| !name.is_empty()),
            created: date,
            updated: date,
            extra,
            ..Attributes::default()
        };
        let document = Document {
            key: DocKey { source: SourceName::Git, locator: hash },
            path: String::new(),
            format: FORMAT,
            kind: "commit",
            title,
            text,
            origin: TextOrigin::Composed,
            metadata: Vec::new(),
            attributes,
            trust: Trust::Own,
        };
        Ok(CommitContent { document: Some(document), incomplete })
    }
}

/// Returns the commit that a message says it reverts: the first digits of its hash, as many as
/// [`SHORT_HASH_LEN`] or fewer, or its subject if there is no hash.
fn reverted(message: &str) -> Option<String> {
    /// Text that `git revert` writes before the hash.
    const BEFORE_HASH: &str = "This reverts commit ";
    if let Some((_, rest)) = message.split_once(BEFORE_HASH) {
        let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        if (MIN_HASH_LEN..=MAX_HASH_LEN).contains(&digits) {
            return Some(rest[..digits.min(SHORT_HASH_LEN)].to_ascii_lowercase());
        }
    }
    let subject = message.lines().next()?.strip_prefix("Revert \"")?;
    // A number of a pull request may follow.
    let (subject, _) = subject.rsplit_once('"')?;
    let subject = subject.trim();
    (!subject.is_empty()).then(|| subject.to_owned())
}

#[cfg(test)]
mod tests {
    use super::reverted;

    #[test]
    fn reverts_name_a_hash_or_a_subject() {
        let hash = "0123456789ABCDEF0123456789abcdef01234567";
        let by_git = format!("Revert \"Add x\"\n\nThis reverts commit {hash}.\n");
        for (message, expected) in [
            (by_git.as_str(), Some("0123456789")),
            ("undo it\n\nThis reverts commit 1a2b3c4, which broke y", Some("1a2b3c4")),
            ("Revert \"Add x (#12)\" (#15)\n\nReverts owner/name#12", Some("Add x (#12)")),
            ("Revert \"Say \"no\" twice\"", Some("Say \"no\" twice")),
            ("Revert \"\"", None),
            ("Revert to the old default", None),
            ("This reverts commit abc", None),
            ("", None),
        ] {
            assert_eq!(reverted(message).as_deref(), expected, "{message}");
        }
    }
}
