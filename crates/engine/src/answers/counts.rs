//! Counts of searchable documents per source, and of what the index lacks.

use lore_index::Reader;
use lore_schema::{Change, SourceName};
use lore_sources::{SOURCES, Tree};

use crate::{
    Engine, EngineConfig, EngineError, IndexMode, Progress, SourceStatus, Status,
    engine::{Pending, add_skips},
    state::{refresh, storage, views},
};

impl Engine {
    /// Reports what is searched, per source, on the current tree. Updates the index like a search.
    ///
    /// # Errors
    /// When the tree or a source cannot be read.
    pub fn sources(&self, progress: &dyn Progress) -> Result<Status, EngineError> {
        self.recover(|config| self.sources_in(config, progress))
    }

    fn sources_in(
        &self,
        config: &EngineConfig,
        progress: &dyn Progress,
    ) -> Result<Status, EngineError> {
        let taken = refresh::take(config, &[], IndexMode::Update, progress)?;
        let mut status = Status {
            sources: SourceName::ALL.iter().map(|name| (*name, SourceStatus::default())).collect(),
            problems: taken.warnings,
            ..self.without_counts()
        };
        for source in &taken.sources {
            let mut of_source = self.counts_of(source.reader.as_ref())?;
            add_skips(&mut of_source, &source.report);
            of_source.pending = source.pending.len() as u64;
            status.sources.insert(source.reader.source(), of_source);
        }
        Ok(status)
    }

    /// Returns the status of the index without its sources.
    fn without_counts(&self) -> Status {
        Status {
            root: self.config.root.clone(),
            cache: views::cache_folder(&self.config),
            views: views::count(&self.config),
            sources: std::collections::BTreeMap::new(),
            embedder: self.embedder().map(|embedder| embedder.name().to_owned()),
            problems: Vec::new(),
        }
    }

    /// Reports counts, pending changes and problems. Writes nothing.
    ///
    /// # Errors
    /// When the tree or a source cannot be read.
    pub fn status(&self) -> Result<Status, EngineError> {
        if self.is_stored() {
            return self.sources(&());
        }
        let tree = Tree::walk(&self.config.root, &storage::walk_options(&self.config))?;
        let mut status = self.without_counts();
        for source in SOURCES {
            let mut of_source = SourceStatus::default();
            let opened = self.open_store(source.name());
            let reader = match opened.and_then(|store| store.reader()) {
                Ok(reader) => Some(reader),
                Err(error) => {
                    status.problems.push(error.to_string());
                    None
                }
            };
            if let Some(reader) = &reader {
                match self.counts_of(reader.as_ref()) {
                    Ok(counts) => of_source = counts,
                    Err(error) => status.problems.push(error.to_string()),
                }
            }
            let known = Pending(reader.as_deref());
            let mut seen = 0;
            let scan = source.scan(&tree, &known, &mut |change| {
                let differs = !matches!(change, Change::Unchanged(_) | Change::Restamp { .. });
                of_source.pending += u64::from(differs);
                seen += 1;
                std::ops::ControlFlow::Continue(())
            });
            match scan {
                Ok(lore_sources::Scan::Complete(report)) => {
                    let had = reader.as_deref().map_or(0, Reader::unit_count);
                    let kept = seen - of_source.pending.min(seen);
                    of_source.pending += had.saturating_sub(kept + of_source.pending);
                    add_skips(&mut of_source, &report);
                }
                Ok(lore_sources::Scan::Delta(report)) => add_skips(&mut of_source, &report),
                Err(error) => status.problems.push(error.to_string()),
            }
            status.sources.insert(source.name(), of_source);
        }
        Ok(status)
    }
}
