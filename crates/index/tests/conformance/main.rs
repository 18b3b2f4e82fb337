//! The conformance suite: the same tests for every backend, in a folder and in memory.
//!
//! The cluster is tested if `LORE_OPENSEARCH_URL` names a node, such as that of `cargo xtask opensearch
//! start`. Each run has an index of its own there.

#![expect(clippy::disallowed_methods, reason = "tests damage files, and read where the cluster is")]

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

use std::sync::LazyLock;

use lore_index::{BACKENDS, Backend, IndexLocation};
#[cfg(feature = "opensearch")]
use lore_index::{ClusterAddress, ClusterLayout, OpenSearchBackend};
use tempfile::TempDir;

/// All backends that can be tested here.
fn backends() -> Vec<&'static dyn Backend> {
    let cluster = CLUSTER.iter().map(|cluster| -> &dyn Backend { cluster });
    BACKENDS.iter().copied().chain(cluster).collect()
}

#[cfg(feature = "opensearch")]
static CLUSTER: LazyLock<Option<OpenSearchBackend>> = LazyLock::new(|| {
    let node = std::env::var("LORE_OPENSEARCH_URL").ok()?;
    let address = ClusterAddress { nodes: vec![node], ..ClusterAddress::default() };
    let layout = ClusterLayout { shards: 1, replicas: 0 };
    let index = format!("conformance-{}", std::process::id());
    let backend = OpenSearchBackend::new(&address, &index, layout, None).expect("a backend");
    backend.create().expect("the cluster answers");
    Some(backend)
});

#[cfg(not(feature = "opensearch"))]
static CLUSTER: LazyLock<Option<&dyn Backend>> = LazyLock::new(|| None);

/// Runs a test for every backend and both kinds of locations.
fn everywhere(test: impl Fn(&dyn Backend, &IndexLocation)) {
    for backend in backends() {
        test(backend, &IndexLocation::Memory);
        in_folder(|place| test(backend, place));
    }
}

/// Another location of the same kind.
fn beside(place: &IndexLocation) -> IndexLocation {
    match place {
        IndexLocation::Memory => IndexLocation::Memory,
        IndexLocation::Folder(folder) => {
            let cache = folder.parent().expect("a folder");
            IndexLocation::Folder(cache.with_file_name("other").join("code"))
        }
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
