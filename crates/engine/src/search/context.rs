//! The input that all stages of a query share.

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
