//! The cache of the local backend: one folder for each repository, view and source.

use std::{
    io,
    path::{Path, PathBuf},
};

use lore_schema::SourceName;

use super::{backend::LocalBackend, exchange, private, repositories, seed::seed, views};
use crate::{
    CacheProblem, CachedRepository, DescribedView, ExchangeFolder, ExportDescription,
    ExportOptions, FoundExport, IndexCache, IndexError, IndexLocation, ViewDescription,
};

/// Maximum number of views that are tried as a start: one may be damaged or being written.
const MAX_SEED_ATTEMPTS: usize = 3;

/// Maximum number of views of commits per repository.
const MAX_REVISIONS: usize = 8;

impl IndexCache for LocalBackend {
    fn seed(
        &self,
        source: SourceName,
        location: &IndexLocation,
        fingerprint: &str,
        siblings: &dyn Fn() -> Vec<PathBuf>,
    ) -> Result<bool, IndexError> {
        // An index in memory is gone with its process.
        let IndexLocation::Folder(to) = location else { return Ok(false) };
        let Some(name) = to.file_name().filter(|_| !to.exists()) else { return Ok(false) };
        let expected = LocalBackend::expected(source, fingerprint);
        let folders = siblings().into_iter().map(|sibling| sibling.join(name));
        let mut last = Ok(false);
        for from in folders.filter(|from| from.is_dir()).take(MAX_SEED_ATTEMPTS) {
            last = seed(&from, to, &expected);
            if matches!(last, Ok(true)) {
                break;
            }
        }
        last
    }

    fn problem(&self, folder: &Path) -> Option<CacheProblem> {
        private::problem(folder)
    }

    fn close_to_others(&self, repository: &Path) {
        private::close_tree_to_others(repository);
    }

    fn views(&self, repository: &Path) -> Vec<DescribedView> {
        views::list(repository)
    }

    fn describe(&self, view: &Path, description: &ViewDescription) {
        let known = views::description(view);
        if known.as_ref() == Some(description) || views::describe(view, description).is_err() {
            return;
        }
        if description.is_revision {
            let others = views::list(view.parent().unwrap_or(view)).into_iter();
            let revisions = others.filter(|other| other.description.is_revision);
            for old in revisions.filter(|other| other.path != view).skip(MAX_REVISIONS - 1) {
                // A view that is being written stays until the next commit is searched.
                let _ = repositories::remove_view(&old.path);
            }
        }
    }

    fn record_root(&self, view: &Path, root: &Path) -> io::Result<bool> {
        repositories::record_root(view, root)
    }

    fn size(&self, view: &Path) -> u64 {
        repositories::view_size(view)
    }

    fn repositories(&self, cache: &Path) -> Vec<CachedRepository> {
        repositories::list(cache)
    }

    fn evict(&self, cache: &Path, max_bytes: u64, own: &Path) -> Vec<CachedRepository> {
        repositories::evict(cache, max_bytes, own)
    }

    fn is_unusable(&self, view: &Path, fingerprint: &str) -> bool {
        repositories::is_unusable(view, fingerprint)
    }

    fn remove(&self, view: &Path) -> Result<(), IndexError> {
        repositories::remove_view(view)
    }

    fn export(
        &self,
        options: &ExportOptions<'_>,
        file: &Path,
    ) -> Result<(ExportDescription, u64), IndexError> {
        exchange::export(options, file)
    }

    fn describe_export(&self, file: &Path) -> Result<ExportDescription, IndexError> {
        exchange::describe(file)
    }

    fn exports_in(&self, folder: &Path, limit: usize) -> Result<Vec<FoundExport>, IndexError> {
        exchange::exports_in(folder, limit)
    }

    fn unpack(
        &self,
        file: &Path,
        view: &Path,
        sources: &[SourceName],
        fingerprint: &str,
    ) -> Result<ExchangeFolder, IndexError> {
        exchange::unpack(file, view, sources, fingerprint)
    }

    fn place(
        &self,
        folder: &ExchangeFolder,
        source: SourceName,
        location: &IndexLocation,
    ) -> Result<(), IndexError> {
        exchange::place(folder, source, location)
    }
}
