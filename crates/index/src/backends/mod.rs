//! The storage engines, one folder each.

#![expect(clippy::disallowed_methods, reason = "backends read and write the files of an index")]

mod frequencies;
mod local;
#[cfg(feature = "opensearch")]
mod opensearch;

use crate::Backend;

pub use self::local::{ExchangeFolder, PrivateFolder, is_reading_index};
#[cfg(feature = "failpoints")]
pub use self::local::{FailPoints, Stop};
#[cfg(feature = "opensearch")]
pub use self::opensearch::{ClusterAddress, ClusterCredentials, ClusterLayout, OpenSearchBackend};

/// All storage engines, sorted by name.
pub static BACKENDS: &[&dyn Backend] = &[&local::LocalBackend];

/// Returns the storage engine of this name; `None` if there is none.
pub fn backend(name: &str) -> Option<&'static dyn Backend> {
    BACKENDS.iter().copied().find(|backend| backend.name() == name)
}

/// Returns the storage engine that is used when the settings name none.
pub fn default_backend() -> &'static dyn Backend {
    &local::LocalBackend
}
