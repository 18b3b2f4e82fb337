//! One commit: its people, times, message and parents.

use std::path::Path;

use super::repository::{RepositoryFolder, decode, split_message};
use crate::{error::SourceError, secrets::Secrets};

/// A commit. Recognised secrets of its message are removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitDetails {
    /// Full hash.
    pub hash: String,
    /// Full hashes of its parents, in their order.
    pub parents: Vec<String>,
    /// Name of the author.
    pub author: String,
    /// Author date, in seconds since the epoch.
    pub date: Option<i64>,
    /// Name of the committer, if it is another person.
    pub committer: Option<String>,
    /// First paragraph of the message, on one line.
    pub subject: String,
    /// The rest of the message, without whitespace at its ends.
    pub body: String,
}

/// Reads a commit by its full hash.
///
/// # Errors
/// Outside git, and when the commit cannot be read.
pub fn commit_details(
    root: &Path,
    hash: &str,
    secrets: Secrets,
) -> Result<CommitDetails, SourceError> {
    let folder = RepositoryFolder::find(root)?;
    let failed = || folder.failed(&format!("commit {hash} could not be read"));
    let id = gix::ObjectId::from_hex(hash.as_bytes()).map_err(|_| failed())?;
    let commit = folder.repository.find_commit(id).map_err(|_| failed())?;
    let parents = commit.parent_ids().map(|parent| parent.to_string()).collect();
    let read = commit.decode().map_err(|_| failed())?;
    let author = commit.author().map_err(|_| failed())?;
    let committer = commit.committer().map_err(|_| failed())?;
    let name = |name: &gix::bstr::BStr| decode(name, read.encoding).trim().to_owned();
    let (subject, body) = split_message(&secrets.apply(decode(read.message, read.encoding)));
    Ok(CommitDetails {
        hash: hash.to_owned(),
        parents,
        author: name(author.name),
        date: author.time().ok().map(|time| time.seconds),
        committer: Some(name(committer.name)).filter(|other| *other != name(author.name)),
        subject,
        body,
    })
}
