//! Several queries to one state of a tree, for measurements and short conversations: changes on
//! disk after it was opened are not searched. `fresh` in the receipts describes the moment when it
//! was opened.

use std::time::Instant;

use lore_schema::SourceName;

use crate::{
    Engine, EngineError, IndexMode, Progress, SearchRequest, SearchResponse, SymbolRequest,
    SymbolResponse, graph, search,
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

    /// Answers a ranked query from some of the opened sources; from all of them if none is named.
    ///
    /// # Errors
    /// As [`Searcher::search`].
    pub fn search_in(
        &mut self,
        sources: &[SourceName],
        request: &SearchRequest,
        progress: &dyn Progress,
    ) -> Result<SearchResponse, EngineError> {
        if sources.is_empty() {
            return self.search(request, progress);
        }
        let all = std::mem::take(&mut self.snapshot.sources);
        let (named, mut others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|source| sources.contains(&source.reader.source()));
        self.snapshot.sources = named;
        let opened = std::mem::replace(&mut self.sources, sources.to_vec());
        let response = self.search(request, progress);
        self.sources = opened;
        self.snapshot.sources.append(&mut others);
        self.snapshot.sources.sort_by_key(|source| source.reader.source());
        response
    }

    /// Finds definitions by name, as [`Engine::symbols`] does.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the name is blank.
    pub fn symbols(&self, request: &SymbolRequest) -> Result<SymbolResponse, EngineError> {
        graph::symbols_in(&self.snapshot, &self.engine.config, request)
    }

    /// Paths of the listed files, in byte order.
    pub fn paths(&self) -> Vec<String> {
        self.snapshot.tree.entries().iter().map(|entry| entry.path.clone()).collect()
    }

    /// Number of passages in the opened sources.
    pub fn passages(&self) -> u64 {
        self.snapshot.sources.iter().map(|source| source.reader.summary().chunks).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        EngineConfig,
        testing::{Silent, in_memory},
    };

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test writes the tree that it searches")]
    fn one_state_answers_searches_within_sources_symbols_and_paths() {
        let folder = tempfile::tempdir().expect("a new folder");
        for (name, text) in
            [("a.rs", "fn refund() {}\n"), ("b.md", "# Refund\n\nA refund is paid.\n")]
        {
            std::fs::write(folder.path().join(name), text).expect("a new file");
        }
        let config = EngineConfig { commits: Some(0), ..in_memory(folder.path(), 1) };
        let engine = Engine::open(config).expect("a tree");
        let mut searcher = engine.searcher(&[], &Silent).expect("an index");
        let request = SearchRequest::new("refund");
        let mut found = |sources: &[SourceName]| -> Vec<String> {
            let response = searcher.search_in(sources, &request, &Silent).expect("an answer");
            let mut paths: Vec<String> =
                response.hits.into_iter().filter_map(|hit| hit.path).collect();
            paths.sort();
            paths
        };
        assert_eq!(found(&[SourceName::Docs]), ["b.md"]);
        assert_eq!(found(&[SourceName::Code]), ["a.rs"]);
        assert_eq!(found(&[SourceName::Tickets]), [""; 0]);
        assert_eq!(found(&[]), ["a.rs", "b.md"], "the other sources are back");
        let request = SymbolRequest {
            query: "refund".into(),
            filter: lore_schema::Filter::default(),
            limit: 5,
        };
        assert_eq!(searcher.symbols(&request).expect("an answer").hits.len(), 1);
        assert_eq!(searcher.paths(), ["a.rs", "b.md"]);
        assert_eq!(searcher.passages(), 2);
        assert_eq!(engine.text("b.md").expect("a file").lines().count(), 3);
        assert!(engine.text("../b.md").is_err());
    }
}
