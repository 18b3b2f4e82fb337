//! Work beside an answer: recording which tree an index belongs to, evicting indexes over the disk
//! limit, and warnings about limits.

use std::path::Path;

use lore_index::{IndexError, Reader};
use lore_schema::SourceName;
use lore_text::{Embedder, StaticEmbedder};

use crate::{
    CachePlace, EngineConfig,
    state::{
        ingest::UpdateResult,
        limits::{Degradation, Limits, format_bytes},
        snapshot::Snapshot,
    },
};

/// Bytes of text from which on a run checks the disk limit of all repositories. Smaller runs add up
/// slowly, and a later one checks.
const LARGE_RUN: u64 = 4 << 20;

/// After `bytes` of text were written: records which tree the indexes belong to, and evicts those of
/// other repositories over the disk limit. Returns warnings.
pub(crate) fn evict(config: &EngineConfig, folder: &Path, bytes: u64) -> Vec<String> {
    let mut warnings = Vec::new();
    let CachePlace::Folder(cache) = &config.cache else { return warnings };
    // Without the record, the index of a removed tree is not detected; everything else works.
    let is_new = config.backend.cache().record_root(folder, &config.root).unwrap_or(false);
    let (Some(disk), Some(own)) = (config.limits.disk, folder.parent()) else {
        return warnings;
    };
    if !is_new && bytes < LARGE_RUN {
        return warnings;
    }
    let alone = config.backend.cache().size(folder);
    if disk < alone {
        warnings.push(format!(
            "the index of this tree alone takes {}, more than `limits.disk` allows ({}): it is no \
             longer written, and changed files are read again for each search",
            format_bytes(alone),
            format_bytes(disk)
        ));
    }
    for repository in config.backend.cache().evict(cache, disk, own) {
        warnings.push(format!(
            "removed the least recently used index, below `{}` ({}): all indexes together take more \
             than `limits.disk` allows ({})",
            repository.path.display(),
            format_bytes(repository.bytes),
            format_bytes(disk)
        ));
    }
    warnings
}

/// Size on disk of the indexes of a tree, in bytes.
pub(crate) fn index_bytes(config: &EngineConfig, folder: Option<&Path>) -> u64 {
    folder.map_or(0, |folder| config.backend.cache().size(folder))
}

/// Warns about work that was reduced to stay within the limits.
pub(crate) fn warn_limits(
    snapshot: &mut Snapshot,
    limits: &Limits,
    source: SourceName,
    updated: &UpdateResult,
) {
    let memory = format_bytes(limits.memory.unwrap_or(0));
    for concession in &updated.degradations {
        snapshot.warnings.push(match concession {
            Degradation::VectorsPostponed => format!(
                "embedding `{source}` was postponed until its words were written: indexing came near \
                 `limits.memory` ({memory})"
            ),
            Degradation::UnitsPostponed => format!(
                "indexing `{source}` stopped at `limits.memory` ({memory}): {} of its files or commits \
                 are postponed to the next run",
                updated.postponed.len()
            ),
            // Reported where vectors are missing, and where the index is kept in memory.
            Degradation::VectorsOmitted | Degradation::IndexRejected => continue,
        });
    }
}

/// Warns about documents without vectors because of the disk limit. The estimate may have been too high,
/// so that vectors exist.
pub(crate) fn warn_missing_vectors(
    snapshot: &mut Snapshot,
    config: &EngineConfig,
    reader: &dyn Reader,
) -> Result<(), IndexError> {
    let built_in: &dyn Embedder = StaticEmbedder::builtin();
    if 0 < reader.vector_counts(built_in.fingerprint())?.missing {
        snapshot.warnings.push(format!(
            "embedding `{}` was skipped, so that it is found only by words: with vectors, its index \
             would come near `limits.disk` ({})",
            reader.source(),
            format_bytes(config.limits.disk.unwrap_or(0))
        ));
    }
    Ok(())
}

/// Returns true if the documents of an index without vectors may get them.
pub(crate) fn has_room_for_vectors(
    config: &EngineConfig,
    folder: Option<&Path>,
    reader: &dyn Reader,
    missing: u64,
) -> bool {
    if config.limits.disk.is_none() {
        return true;
    }
    let summary = reader.summary();
    let share = missing as f64 / summary.documents.max(1) as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a number of bytes"
    )]
    let text = (summary.text_bytes as f64 * share.min(1.0)) as u64;
    !config.limits.lacks_room_for_vectors(index_bytes(config, folder), text)
}
