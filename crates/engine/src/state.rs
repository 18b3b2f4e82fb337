//! The state of a tree: the index brought up to date, overlays, snapshots, and their parts.

pub(crate) mod analyze;
pub(crate) mod catch_up;
pub(crate) mod chunking;
pub(crate) mod embedding;
pub(crate) mod faults;
pub(crate) mod file_commits;
pub(crate) mod files;
pub(crate) mod following;
pub(crate) mod housekeeping;
pub(crate) mod ingest;
pub(crate) mod kept;
pub(crate) mod limits;
pub(crate) mod older_commits;
pub(crate) mod opening;
pub(crate) mod overlays;
pub(crate) mod parts;
pub(crate) mod proof;
pub(crate) mod recovery;
pub(crate) mod redacted;
pub(crate) mod refresh;
pub(crate) mod revision;
mod shared_walk;
pub(crate) mod snapshot;
pub(crate) mod standing;
pub(crate) mod storage;
pub(crate) mod views;
