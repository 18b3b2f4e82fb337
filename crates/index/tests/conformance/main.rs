//! The conformance suite: the same tests for every row of `BACKENDS`, in a folder and in memory.

#![expect(clippy::disallowed_methods, reason = "tests damage files")]

mod corpus;
mod crash;
mod damage;
mod laws;
mod life;
mod lookup;
mod oracle;
mod overlay;
mod purge;
#[cfg(unix)]
mod seeds;
mod silent_damage;
mod vector_laws;
mod vectors;

use lore_index::{BACKENDS, Backend, IndexLocation};
use tempfile::TempDir;

/// Runs a test for every backend and both kinds of locations.
fn everywhere(test: impl Fn(&dyn Backend, &IndexLocation)) {
    for backend in BACKENDS {
        test(*backend, &IndexLocation::Memory);
        in_folder(|place| test(*backend, place));
    }
}

/// Runs a test in a folder that does not exist yet.
fn in_folder(test: impl FnOnce(&IndexLocation)) {
    let folder = TempDir::new().expect("a temporary folder");
    test(&IndexLocation::Folder(folder.path().join("cache").join("code")));
}

#[test]
fn backends_are_sorted_and_unique() {
    let names: Vec<&str> = BACKENDS.iter().map(|backend| backend.name()).collect();
    assert!(names.is_sorted_by(|left, right| left < right), "{names:?}");
}
