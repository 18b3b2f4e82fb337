//! Which schema migrations have not been applied yet.

/// Names of migration files that are missing from the table of applied ones, oldest first.
pub fn pending_migrations<'a>(files: &'a [String], applied: &[String]) -> Vec<&'a str> {
    let mut pending: Vec<&str> = files
        .iter()
        .map(String::as_str)
        .filter(|file| !applied.iter().any(|name| name == file))
        .collect();
    pending.sort_unstable();
    pending
}
