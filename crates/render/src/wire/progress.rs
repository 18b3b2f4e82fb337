//! The wire forms of an index run that is under way or only planned: its progress, one object per line,
//! and its estimate.

use std::{collections::BTreeMap, path::Path};

use lore_engine::{IndexCosts, IndexEstimate};
use schemars::JsonSchema;
use serde::Serialize;

use super::display;

/// A line of progress. Totals never decrease, and what is finished equals them only at the end of the
/// phase.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProgressWire {
    /// Version of the form of this object: 1.
    pub schema: u32,
    /// The phase: `import`, `list`, `read`, `embed`, `write`, `history` or `export`; the last line has
    /// `done` or `interrupted`.
    pub phase: &'static str,
    /// The source that is read or written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'static str>,
    /// Number of files that were read, of all sources.
    pub files: u64,
    /// Number of files that have to be read; 0 before it is known.
    pub files_total: u64,
    /// Bytes of the files that were read.
    pub bytes: u64,
    /// Bytes of the files that have to be read.
    pub bytes_total: u64,
    /// Documents whose vectors were computed in the phase `embed`, and all that need them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documents: Option<[u64; 2]>,
    /// Number of commits that were read.
    pub commits: u64,
    /// Bytes per second in the last ten seconds, in the phase `read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_per_second: Option<u64>,
    /// Estimate of the rest of the phase in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_left: Option<u64>,
    /// Seconds since the start of the run.
    pub seconds: f64,
}

impl ProgressWire {
    /// Returns the line, without a line end.
    pub fn line(&self) -> String {
        let rounded = ProgressWire {
            schema: super::SCHEMA,
            seconds: (self.seconds * 1e3).round() / 1e3,
            ..self.clone()
        };
        serde_json::to_string(&rounded).unwrap_or_default()
    }
}

/// Work that an index run would do.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EstimateWire {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Root directory of the tree.
    root: String,
    /// Files by source. Commits are not counted in advance.
    sources: BTreeMap<&'static str, FilesWire>,
    /// Files of all sources.
    total: FilesWire,
    /// Expected costs.
    expected: CostsWire,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FilesWire {
    /// Number of files.
    files: u64,
    /// Bytes of these files.
    bytes: u64,
    /// Number of files that have to be read, because the index does not have their content.
    files_to_read: u64,
    /// Bytes of the files that have to be read.
    bytes_to_read: u64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CostsWire {
    /// Origin of the rate: `earlier run` on this machine, or `model`.
    basis: &'static str,
    /// Bytes that are read per second.
    bytes_per_second: u64,
    /// Seconds until everything but older commits is in the index.
    seconds: f64,
    /// Bytes of memory at most, without mapped files.
    memory_bytes: u64,
    /// Bytes on the disk in addition to those of the present index.
    disk_bytes: u64,
}

/// The wire form of an estimate. `is_measured` is true if the rate is that of an earlier run.
pub fn estimate(
    estimate: &IndexEstimate,
    costs: &IndexCosts,
    is_measured: bool,
    root: &Path,
) -> EstimateWire {
    let files = |(all, unread): (lore_engine::Workload, lore_engine::Workload)| FilesWire {
        files: all.units,
        bytes: all.bytes,
        files_to_read: unread.units,
        bytes_to_read: unread.bytes,
    };
    let sources = estimate.sources.iter().map(|(name, found)| (name.as_str(), files(*found)));
    EstimateWire {
        schema: super::SCHEMA,
        root: display(root),
        sources: sources.collect(),
        total: files(estimate.total()),
        expected: CostsWire {
            basis: if is_measured { "earlier run" } else { "model" },
            bytes_per_second: costs.bytes_per_second,
            seconds: (costs.time.as_secs_f64() * 10.0).round() / 10.0,
            memory_bytes: costs.memory,
            disk_bytes: costs.disk,
        },
    }
}
