//! Helpers for root-relative paths with `/`.

/// Returns the last name of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Yields a path and each of its parent folders, except the root.
pub(crate) fn path_and_parents(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(folder, _)| folder))
}
