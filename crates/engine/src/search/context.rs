//! The input that all stages of a query share, and the texts that they read.

use std::borrow::Cow;

use lore_index::StoredDocument;

use crate::{EngineConfig, SearchRequest, state::snapshot::Snapshot};

/// The request and the state that it is answered from: read by every stage and changed by none.
#[derive(Clone, Copy)]
pub(crate) struct SearchContext<'a> {
    /// The request.
    pub(crate) request: &'a SearchRequest,
    /// The sources that it searches.
    pub(crate) snapshot: &'a Snapshot,
    /// The engine's settings.
    pub(crate) config: &'a EngineConfig,
}

/// The text of a document: as stored, or as it is on disk now.
pub(crate) fn text_of<'d>(
    document: &'d StoredDocument,
    config: &EngineConfig,
) -> Option<Cow<'d, str>> {
    if let Some(text) = &document.text {
        return Some(Cow::Borrowed(text));
    }
    let read = config.read_text(&document.path);
    read.ok().map(Cow::Owned)
}

/// Minimum number of hits that are chosen: a smaller limit cuts this list. Otherwise duplicates,
/// edges and the hits that are promoted for their source would depend on the limit.
const MIN_RANKED: usize = 10;

impl SearchContext<'_> {
    /// Number of hits to choose.
    pub(crate) fn ranking_limit(&self) -> usize {
        self.request.limit.max(MIN_RANKED)
    }

    /// Number of chosen hits to keep. Hits that hops start from are cut after these.
    pub(crate) fn shown_limit(&self) -> usize {
        if self.request.hops == 0 { self.request.limit } else { self.ranking_limit() }
    }
}
