//! Path patterns in the syntax that users write.

use std::{
    num::NonZeroUsize,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use lru::LruCache;

/// A list of compiled patterns.
#[derive(Debug)]
pub(crate) struct Globs(Vec<Arc<GlobSet>>);

/// Number of compiled patterns that the process keeps.
const CACHE_SIZE: NonZeroUsize = NonZeroUsize::new(100).expect("above zero");

/// Compiled patterns, by their text.
static COMPILED: LazyLock<Mutex<LruCache<String, Arc<GlobSet>>>> =
    LazyLock::new(|| Mutex::new(LruCache::new(CACHE_SIZE)));

impl Globs {
    /// Compiles patterns.
    ///
    /// - A pattern without `/` matches a file or folder of that name at any depth.
    /// - A pattern with `/`, also at its start or end, starts at the root.
    /// - A pattern that matches a folder matches its whole content.
    /// - A malformed pattern matches nothing.
    pub(crate) fn new(patterns: &[String]) -> Globs {
        Globs(patterns.iter().map(|pattern| compiled(pattern)).collect())
    }

    /// Returns true if a root-relative path matches one of the patterns. An empty path matches
    /// none.
    pub(crate) fn is_match(&self, path: &str) -> bool {
        !path.is_empty() && self.0.iter().any(|globs| globs.is_match(path))
    }
}

/// A filter of paths: patterns of which a path must match at least one, and patterns of which it
/// must match none.
#[derive(Debug)]
pub struct PathFilter {
    paths: Option<Globs>,
    excludes: Option<Globs>,
}

impl PathFilter {
    /// Compiles the patterns of a [`lore_schema::Filter`]; an empty list restricts nothing.
    pub fn new(paths: &[String], excludes: &[String]) -> PathFilter {
        let globs = |patterns: &[String]| (!patterns.is_empty()).then(|| Globs::new(patterns));
        PathFilter { paths: globs(paths), excludes: globs(excludes) }
    }

    /// Returns true if the filter accepts a root-relative path.
    pub fn admits(&self, path: &str) -> bool {
        self.paths.as_ref().is_none_or(|globs| globs.is_match(path))
            && !self.excludes.as_ref().is_some_and(|globs| globs.is_match(path))
    }
}

fn compiled(pattern: &str) -> Arc<GlobSet> {
    let lock = || COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get(pattern) {
        return Arc::clone(known);
    }
    let compiled = Arc::new(compile(pattern));
    lock().put(pattern.to_owned(), Arc::clone(&compiled));
    compiled
}

fn compile(pattern: &str) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for form in forms(pattern) {
        if let Ok(glob) = GlobBuilder::new(&form).literal_separator(true).build() {
            set.add(glob);
        }
    }
    set.build().unwrap_or_else(|_| GlobSet::empty())
}

fn forms(pattern: &str) -> Vec<String> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let anchored = pattern.contains('/');
    let plain = pattern.trim_start_matches('/').trim_end_matches('/');
    if plain.is_empty() || plain == "." {
        return vec!["**".to_owned()];
    }
    let prefix = if anchored { "" } else { "**/" };
    let content = format!("{prefix}{plain}/**");
    if pattern.ends_with('/') { vec![content] } else { vec![format!("{prefix}{plain}"), content] }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Globs, compiled};

    #[test]
    fn patterns_are_compiled_once_and_the_cache_is_bounded() {
        let first = compiled("compiled-once/**/*.rs");
        assert!(Arc::ptr_eq(&first, &compiled("compiled-once/**/*.rs")));
        for number in 0..200 {
            compiled(&format!("crowd-{number}/*.rs"));
        }
        assert!(!Arc::ptr_eq(&first, &compiled("compiled-once/**/*.rs")), "it is bounded");
    }

    #[test]
    fn patterns_match_paths() {
        let cases: &[(&str, &str, bool)] = &[
            ("*.rs", "a.rs", true),
            ("*.rs", "src/deep/a.rs", true),
            ("*.rs", "a.rst", false),
            ("src", "src/a.rs", true),
            ("src", "crates/x/src/a/b.rs", true),
            ("src", "source/a.rs", false),
            ("src/", "src/a.rs", true),
            ("src/", "crates/x/src/a.rs", false),
            ("/src", "crates/x/src/a.rs", false),
            ("./src", "src/a.rs", true),
            ("crates/x", "crates/x/a.rs", true),
            ("crates/*/src", "crates/x/src/a/b.rs", true),
            ("crates/*.rs", "crates/x/a.rs", false),
            ("crates/**/*.rs", "crates/x/y/a.rs", true),
            ("**/a.rs", "a.rs", true),
            ("{a,b}.rs", "x/b.rs", true),
            (".", "x/b.rs", true),
            ("**", "x/b.rs", true),
            ("**", "", false),
            ("[", "[", false),
            ("a[", "a/b", false),
        ];
        for (pattern, path, expected) in cases {
            let globs = Globs::new(&[(*pattern).to_owned()]);
            assert_eq!(globs.is_match(path), *expected, "{pattern} on {path}");
        }
    }
}
