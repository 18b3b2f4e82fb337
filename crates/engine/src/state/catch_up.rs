//! Embeds documents that are in an index without vectors.

use lore_index::{IndexLocation, Store};
use lore_sources::{SOURCES, Source};
use lore_text::Embedder;

use crate::{
    EngineConfig, EngineError, Progress,
    state::{
        embedding::{Failure, embed_missing, error_text, is_built_in},
        snapshot::Snapshot,
        storage::fingerprint,
        views::{self, cache_folder},
    },
};

/// Embeds the documents of an index that have no vectors. An index that cannot be written stays as it
/// is, with a warning. Returns false if the embedder does not respond.
pub(crate) fn catch_up(
    source: &dyn Source,
    store: &dyn Store,
    embedder: &dyn Embedder,
    config: &EngineConfig,
    progress: &dyn Progress,
    snapshot: &mut Snapshot,
) -> bool {
    let all = config.embedding.embedders();
    let keep: Vec<&str> = all.iter().map(Embedder::fingerprint).collect();
    let parsers = &config.parsers;
    let embedded = embed_missing(source, &snapshot.tree, store, embedder, &keep, parsers, progress);
    snapshot.work.embedded += embedded.documents;
    let (name, source) = (embedder.name(), source.name().as_str());
    if let Some(error) = &embedded.refusals.first {
        let passages = match embedded.refusals.passages {
            1 => "one passage".to_owned(),
            count => format!("{count} passages"),
        };
        snapshot.warnings.push(format!(
            "`{name}` rejects {passages} of `{source}`, found only by words: {}",
            error_text(error)
        ));
    }
    let reason = match &embedded.failure {
        None => return true,
        Some(Failure::Embedder(error)) => error_text(error),
        Some(Failure::Index(error)) => error.to_string(),
        Some(Failure::Source(error)) => error.to_string(),
    };
    let instead = if is_built_in(embedder) {
        "the rest is found only by words"
    } else {
        "the built-in model is used instead"
    };
    snapshot.warnings.push(format!("`{name}` could not embed `{source}`: {reason}; {instead}"));
    !matches!(embedded.failure, Some(Failure::Embedder(_)))
}

/// Embeds the remaining documents with the embedders that a search does not wait for. Meanwhile they
/// are found by words.
pub(crate) fn embed_the_rest(
    config: &EngineConfig,
    snapshot: &mut Snapshot,
    progress: &dyn Progress,
) -> Result<(), EngineError> {
    let folder = cache_folder(config);
    for embedder in config.embedding.embedders() {
        if is_built_in(embedder) {
            continue;
        }
        for source in SOURCES {
            if progress.is_stopped() {
                return Ok(());
            }
            let location = views::location_in(config, folder.as_deref(), source.name());
            if location == IndexLocation::Memory {
                continue;
            }
            let store = config.backend.open(source.name(), &location, &fingerprint())?;
            let counts = store.reader()?.vector_counts(embedder.fingerprint())?;
            // An embedder that does not respond now is not called for the next source.
            if counts.missing > 0
                && !catch_up(*source, store.as_ref(), embedder, config, progress, snapshot)
            {
                break;
            }
        }
    }
    Ok(())
}
