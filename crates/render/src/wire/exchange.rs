//! The wire forms of exports and imports of an index.

use std::{collections::BTreeMap, path::Path};

use lore_engine::{ExportReport, ImportPlan, ImportReport};
use schemars::JsonSchema;
use serde::Serialize;

use super::display;

/// A finished import.
#[derive(Serialize, JsonSchema)]
pub(super) struct ImportWire<'a> {
    /// Path of the file.
    path: String,
    /// Commit that it was made from; null outside git.
    commit: Option<&'a str>,
    /// Indexes that were imported, by source.
    imported: Vec<&'static str>,
    /// Number of units of the file whose content the tree has.
    kept: u64,
    /// Number of units of the tree that were read and analysed.
    analysed: u64,
    /// Number of units of the file that the tree does not have.
    dropped: u64,
    /// Time of the import in seconds.
    seconds: f64,
}

/// A written export.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExportWire<'a> {
    /// Path of the file.
    path: String,
    /// Commit that is checked out; null outside git.
    commit: Option<&'a str>,
    /// Size of the file in bytes.
    bytes: u64,
    /// Size of the index in bytes, unpacked.
    unpacked_bytes: u64,
    /// Number of documents.
    documents: u64,
    /// Number of chunks.
    chunks: u64,
    /// Time of the export in seconds.
    seconds: f64,
}

/// An import that would be made.
#[derive(Serialize, JsonSchema)]
pub struct ImportPlanWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Root directory of the tree.
    root: String,
    /// Path of the file.
    path: String,
    /// Commit that it was made from; null outside git.
    commit: Option<&'a str>,
    /// Bytes on the disk in addition to those of the present index.
    bytes: u64,
    /// Indexes of the file, by source.
    sources: BTreeMap<&'static str, PlannedWire>,
}

#[derive(Serialize, JsonSchema)]
struct PlannedWire {
    /// Number of units in the file.
    units: u64,
    /// True if they would be imported. A complete index is not replaced.
    imported: bool,
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 1e3).round() / 1e3
}

pub(super) fn import(report: &ImportReport) -> ImportWire<'_> {
    let sources = report.plan.sources.iter().filter(|(_, (_, is_imported))| *is_imported);
    ImportWire {
        path: display(&report.plan.path),
        commit: report.plan.commit.as_deref(),
        imported: sources.map(|(name, _)| name.as_str()).collect(),
        kept: report.kept,
        analysed: report.analysed,
        dropped: report.dropped,
        seconds: rounded(report.seconds),
    }
}

pub(super) fn export(report: &ExportReport) -> ExportWire<'_> {
    ExportWire {
        path: display(&report.path),
        commit: report.commit.as_deref(),
        bytes: report.bytes,
        unpacked_bytes: report.unpacked_bytes,
        documents: report.documents,
        chunks: report.chunks,
        seconds: rounded(report.seconds),
    }
}

/// The wire form of an import that would be made.
pub fn import_plan<'a>(plan: &'a ImportPlan, root: &Path) -> ImportPlanWire<'a> {
    let sources = plan.sources.iter();
    ImportPlanWire {
        schema: super::SCHEMA,
        root: display(root),
        path: display(&plan.path),
        commit: plan.commit.as_deref(),
        bytes: plan.bytes,
        sources: sources
            .map(|(name, (units, imported))| {
                (name.as_str(), PlannedWire { units: *units, imported: *imported })
            })
            .collect(),
    }
}
