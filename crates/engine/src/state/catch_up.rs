//! Embeds documents that an index holds without vectors.

use lore_index::{IndexLocation, Store};
use lore_sources::{SOURCES, Source};
use lore_text::Embedder;

use crate::{
    EngineConfig, EngineError, Progress,
    state::{
        embedding::{Failure, embed_missing, is_built_in, told},
        snapshot::Snapshot,
        storage::fingerprint,
        views::{self, cache_folder},
    },
};

/// Gives vectors to what an index holds without. One that cannot be written stays as it is, with a
/// warning. Returns false if the embedder does not answer.
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
    let embedded = embed_missing(source, &snapshot.tree, store, embedder, &keep, progress);
    snapshot.work.embedded += embedded.documents;
    let (name, source) = (embedder.name(), source.name().as_str());
    if let Some(error) = &embedded.refusals.first {
        let passages = match embedded.refusals.passages {
            1 => "one passage".to_owned(),
            count => format!("{count} passages"),
        };
        snapshot.warnings.push(format!(
            "`{name}` refuses {passages} of `{source}`, which words alone find: {}",
            told(error)
        ));
    }
    let reason = match &embedded.failure {
        None => return true,
        Some(Failure::Embedder(error)) => told(error),
        Some(Failure::Index(error)) => error.to_string(),
        Some(Failure::Source(error)) => error.to_string(),
    };
    let instead = if is_built_in(embedder) {
        "words alone find the rest"
    } else {
        "the model inside the program stands in"
    };
    snapshot.warnings.push(format!("`{name}` could not embed `{source}`: {reason}; {instead}"));
    !matches!(embedded.failure, Some(Failure::Embedder(_)))
}

/// Lets the embedders that a search does not wait for embed what is left. Words are searched
/// meanwhile.
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
            let place = views::place_in(config, folder.as_deref(), source.name());
            if place == IndexLocation::Memory {
                continue;
            }
            let store = config.backend.open(source.name(), &place, &fingerprint())?;
            let counts = store.reader()?.vector_counts(embedder.fingerprint())?;
            // What does not answer now is not asked for the next source again.
            if counts.missing > 0
                && !catch_up(*source, store.as_ref(), embedder, config, progress, snapshot)
            {
                break;
            }
        }
    }
    Ok(())
}
