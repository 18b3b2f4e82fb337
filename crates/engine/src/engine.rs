//! The engine: one tree, its sources and their indexes.

use crate::{
    CheckReport, EngineConfig, EngineError, IndexMode, IndexReport, Progress, SearchRequest,
    SearchResponse, SpecAnswer, Status,
};

/// One tree, ready to be asked.
#[derive(Debug)]
pub struct Engine {
    config: EngineConfig,
}

impl Engine {
    /// Opens a tree. Reads nothing but the root folder's existence.
    pub fn open(config: EngineConfig) -> Result<Engine, EngineError> {
        Ok(Engine { config })
    }

    /// Answers a question on the tree as it is now.
    pub fn search(
        &self,
        request: &SearchRequest,
        progress: &dyn Progress,
    ) -> Result<SearchResponse, EngineError> {
        let _ = (request, progress, &self.config);
        Err(EngineError::EmptyQuery)
    }

    /// Brings the index up to date, or makes it anew.
    pub fn index(
        &self,
        mode: IndexMode,
        progress: &dyn Progress,
    ) -> Result<IndexReport, EngineError> {
        let _ = (mode, progress);
        Err(EngineError::EmptyQuery)
    }

    /// Counts, what is pending and what is wrong; writes nothing.
    pub fn status(&self) -> Result<Status, EngineError> {
        Err(EngineError::EmptyQuery)
    }

    /// Verifies the index byte by byte and the tree's readability; writes nothing.
    pub fn check(&self) -> Result<CheckReport, EngineError> {
        Err(EngineError::EmptyQuery)
    }

    /// The lexical floor over spec nodes: no index, no model, no git.
    pub fn spec(&self, query: &str, limit: usize) -> Result<SpecAnswer, EngineError> {
        let _ = (query, limit);
        Err(EngineError::EmptyQuery)
    }
}
