//! The storage engines, one folder each.

#![expect(clippy::disallowed_methods, reason = "the files of an index are what backends are for")]

mod local;

use crate::Backend;

#[cfg(feature = "failpoints")]
pub use self::local::{FailPoints, Stop};

/// Every storage engine, in the order of their names.
pub static BACKENDS: &[&dyn Backend] = &[&local::LocalBackend];
