//! Several queries to one state of a tree, for measurements and short conversations: changes on
//! disk after it was opened are not searched. `fresh` in the receipts describes the moment when it
//! was opened.

use std::time::Instant;

use lore_schema::SourceName;

use crate::{
    Engine, EngineError, IndexMode, Progress, SearchRequest, SearchResponse, search,
    search::parse,
    state::{refresh, snapshot::Snapshot},
};

/// A searchable state of a tree.
pub struct Searcher<'e> {
    engine: &'e Engine,
    snapshot: Snapshot,
    sources: Vec<SourceName>,
    /// Warnings from when it was opened.
    warnings: Vec<String>,
}

impl Engine {
    /// Updates the named sources, or all of them if none is named, and keeps that state.
    ///
    /// # Errors
    /// As [`Engine::search`] without a query.
    pub fn searcher(
        &self,
        sources: &[SourceName],
        progress: &dyn Progress,
    ) -> Result<Searcher<'_>, EngineError> {
        let mut snapshot = refresh::take(&self.config, sources, IndexMode::Update, progress)?;
        let warnings = std::mem::take(&mut snapshot.warnings);
        Ok(Searcher { engine: self, snapshot, sources: sources.to_vec(), warnings })
    }
}

impl Searcher<'_> {
    /// Answers a ranked query from the opened sources, whatever the request names. A pattern is
    /// searched in the tree as it is now.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn search(
        &mut self,
        request: &SearchRequest,
        progress: &dyn Progress,
    ) -> Result<SearchResponse, EngineError> {
        if request.pattern.is_some() {
            return self.engine.search(request, progress);
        }
        let started = Instant::now();
        let mut request = request.clone();
        request.filter.sources.clone_from(&self.sources);
        parse::check(&request)?;
        self.snapshot.warnings.clone_from(&self.warnings);
        let engine = self.engine;
        let mut response =
            search::search_in(&mut self.snapshot, &engine.config, &request, &engine.follow_ups)?;
        response.receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }
}
