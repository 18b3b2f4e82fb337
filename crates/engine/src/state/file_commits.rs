//! The indexed commits that change a file.

use std::{cmp::Reverse, collections::HashMap};

use lore_index::{DocumentId, IndexError, Reader, StoredDocument};
use lore_schema::{Field, Filter, SourceName};

use super::snapshot::Snapshot;
use crate::query::facets;

/// The commits of a snapshot, by the files that they change.
pub(crate) struct FileCommits<'a> {
    reader: &'a dyn Reader,
    /// The date of every commit; read for the first file that has one.
    dates: Option<HashMap<DocumentId, Option<i64>>>,
}

impl<'a> FileCommits<'a> {
    /// The commits of a snapshot; `None` outside of git.
    pub(crate) fn of(snapshot: &'a Snapshot) -> Option<FileCommits<'a>> {
        let mut sources = snapshot.sources.iter().map(|source| source.reader.as_ref());
        let reader = sources.find(|reader| reader.source() == SourceName::Git)?;
        Some(FileCommits { reader, dates: None })
    }

    /// Returns the commits that change a file, newest first. A few may change a file whose path differs
    /// only in letter case, which [`FileCommits::read`] omits.
    pub(crate) fn newest_first(&mut self, path: &str) -> Result<Vec<DocumentId>, IndexError> {
        let term = facets::value_term("file", path);
        let holders = self.reader.holders(Field::Facets, &term, usize::MAX)?;
        if self.dates.is_none() && !holders.is_empty() {
            let listing = self.reader.listing(&Filter::default())?;
            self.dates = Some(listing.iter().map(|listed| (listed.id, listed.updated)).collect());
        }
        let dates = self.dates.as_ref();
        let date = |id: &DocumentId| dates.and_then(|dates| dates.get(id).copied().flatten());
        let mut ids: Vec<DocumentId> = holders.iter().map(|holder| holder.document).collect();
        ids.sort_by_key(|id| (Reverse(date(id)), *id));
        ids.dedup();
        Ok(ids)
    }

    /// Returns the commits that change a file with their dates in seconds since the epoch, newest first.
    pub(crate) fn dated(&mut self, path: &str) -> Result<Vec<(DocumentId, i64)>, IndexError> {
        let ids = self.newest_first(path)?;
        let dates = self.dates.as_ref();
        let date = |id: &DocumentId| dates.and_then(|dates| dates.get(id).copied().flatten());
        Ok(ids.into_iter().filter_map(|id| Some((id, date(&id)?))).collect())
    }

    /// Reads commits that change exactly this file, in their order.
    pub(crate) fn read(
        &self,
        path: &str,
        ids: &[DocumentId],
    ) -> Result<Vec<(DocumentId, StoredDocument)>, IndexError> {
        let is_own = |extra: &(String, String)| extra.0 == "file" && extra.1 == path;
        let commits = ids.iter().copied().zip(self.reader.documents(ids)?);
        Ok(commits.filter(|(_, commit)| commit.attributes.extra.iter().any(is_own)).collect())
    }
}
