//! The state of a tree: its index brought up to date, overlays, snapshots, and what they are made of.

pub(crate) mod analyze;
pub(crate) mod embedding;
pub(crate) mod files;
pub(crate) mod following;
pub(crate) mod housekeeping;
pub(crate) mod ingest;
pub(crate) mod limits;
pub(crate) mod opening;
pub(crate) mod overlays;
pub(crate) mod proof;
pub(crate) mod recovery;
pub(crate) mod redacted;
pub(crate) mod revision;
pub(crate) mod snapshot;
pub(crate) mod views;
