//! What is looked after beside an answer: whose indexes lie in the cache, how large they are, and what
//! gave way to a limit.

use std::path::Path;

use lore_index::{IndexError, Reader};
use lore_schema::SourceName;
use lore_text::{Embedder, StaticEmbedder};

use crate::{
    CachePlace, EngineConfig,
    state::{
        ingest::Updated,
        limits::{Concession, Limits, in_words},
        snapshot::Snapshot,
    },
};

/// Text from which on a run may have made the indexes of all repositories larger than they may be.
/// Smaller ones add up slowly, and a later one looks.
const LARGE_RUN: u64 = 4 << 20;

/// After something was written, of so many bytes of text: notes whose indexes these are, and removes
/// those of others that are one too many. Returns what the user should know.
pub(crate) fn keep_house(config: &EngineConfig, folder: &Path, bytes: u64) -> Vec<String> {
    let mut warnings = Vec::new();
    let CachePlace::Folder(cache) = &config.cache else { return warnings };
    // Without the note nobody learns that the tree is gone; everything else works.
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
            "the index of this tree alone has {}, more than `limits.disk` allows ({}): nothing is \
             added to it any more, and what changes is read anew each time",
            in_words(alone),
            in_words(disk)
        ));
    }
    for repository in config.backend.cache().evict(cache, disk, own) {
        warnings.push(format!(
            "removed the index below `{}` ({}), which was not used for longest: all together have \
             more than `limits.disk` allows ({})",
            repository.path.display(),
            in_words(repository.bytes),
            in_words(disk)
        ));
    }
    warnings
}

/// Size on disk of the indexes of a tree, in bytes.
pub(crate) fn kept_bytes(config: &EngineConfig, folder: Option<&Path>) -> u64 {
    folder.map_or(0, |folder| config.backend.cache().size(folder))
}

/// Says what gave way to the limits.
pub(crate) fn warn_of_limits(
    snapshot: &mut Snapshot,
    limits: &Limits,
    source: SourceName,
    updated: &Updated,
) {
    let memory = in_words(limits.memory.unwrap_or(0));
    for concession in &updated.concessions {
        snapshot.warnings.push(match concession {
            Concession::VectorsForMemory => format!(
                "embedding `{source}` was put off until its words were written: indexing came near \
                 `limits.memory` ({memory})"
            ),
            Concession::Units => format!(
                "indexing `{source}` stopped at `limits.memory` ({memory}): {} of its files or commits \
                 are left for the next run",
                updated.left.len()
            ),
            // Said where vectors stay away, and where the index is kept in memory.
            Concession::VectorsForDisk | Concession::Index => continue,
        });
    }
}

/// Says that words alone find what has no vectors for the sake of the disk. What was estimated to be too
/// large may have turned out to have room.
pub(crate) fn warn_of_missing_vectors(
    snapshot: &mut Snapshot,
    config: &EngineConfig,
    reader: &dyn Reader,
) -> Result<(), IndexError> {
    let built_in: &dyn Embedder = StaticEmbedder::builtin();
    if 0 < reader.vector_counts(built_in.fingerprint())?.missing {
        snapshot.warnings.push(format!(
            "embedding `{}` was left out, so that words alone find it: with vectors, its index would \
             come near `limits.disk` ({})",
            reader.source(),
            in_words(config.limits.disk.unwrap_or(0))
        ));
    }
    Ok(())
}

/// Whether what an index holds without vectors may get them.
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
    !config.limits.refuses_vectors(kept_bytes(config, folder), text)
}
