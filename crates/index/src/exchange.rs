//! Exchange of indexes between machines: the indexes of one view in one file.

use std::path::{Path, PathBuf};

use lore_schema::SourceName;

/// The description of an export, which its file contains.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExportDescription {
    /// Version of the program that wrote it.
    pub program: String,
    /// Name of the storage engine.
    pub backend: String,
    /// Version of the format of its indexes.
    pub format: u32,
    /// Fingerprint of the text analysis that its terms come from.
    pub analysis: String,
    /// Everything else that decides which documents the view has.
    pub options: String,
    /// The commit that was checked out; `None` outside git.
    pub commit: Option<String>,
    /// The indexes, sorted by source.
    pub sources: Vec<ExportedSource>,
}

/// The index of one source in an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedSource {
    /// The source.
    pub name: SourceName,
    /// Number of units.
    pub units: u64,
    /// Number of documents.
    pub documents: u64,
    /// Number of chunks.
    pub chunks: u64,
    /// Names of the models with vectors.
    pub models: Vec<String>,
    /// Size of its files in bytes, unpacked.
    pub bytes: u64,
}

/// The index of one source that is exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceToExport {
    /// The source.
    pub name: SourceName,
    /// Folder of its index.
    pub folder: PathBuf,
}

/// Options of an export.
#[derive(Debug, Clone, Copy)]
pub struct ExportOptions<'a> {
    /// Folder of the view, in which the indexes are copied before they are packed.
    pub view: &'a Path,
    /// The indexes. Those without a commit are skipped.
    pub sources: &'a [SourceToExport],
    /// Models whose vectors are exported.
    pub models: &'a [&'a str],
    /// See [`ExportDescription`].
    pub analysis: &'a str,
    /// See [`ExportDescription`].
    pub options: &'a str,
    /// See [`ExportDescription`].
    pub commit: Option<&'a str>,
}
