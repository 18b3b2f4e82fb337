//! [`Engine`]: exports of its index, and imports.

use std::path::Path;

use super::Engine;
use crate::{
    EngineError, IndexMode, IndexReport, Progress,
    state::exchange::{self, ExportReport, ImportPlan, ImportReport},
};
#[cfg(doc)]
use lore_index::IndexError;

impl Engine {
    /// Brings the index up to date and writes it to one file, for other clones of the repository. The file
    /// contains the documents of the tree and its history, and nothing that only the settings of this
    /// user name: no tickets of exports, no custom sources, no vectors of embedding servers.
    ///
    /// # Errors
    /// [`IndexError::Export`] when the file cannot be written, or secrets are shown. Otherwise as
    /// [`Engine::index`].
    pub fn export(
        &self,
        file: &Path,
        mode: IndexMode,
        progress: &dyn Progress,
    ) -> Result<(IndexReport, ExportReport), EngineError> {
        let exported = Engine::open(exchange::exported(&self.config, file)?)?;
        let report = exported.index(mode, progress)?;
        let export = exchange::export(&exported.config, file, progress)?;
        Ok((report, export))
    }

    /// Chooses the export that [`Engine::import`] reads: a file, or of the files in a folder the one whose
    /// commit is nearest to HEAD. With `replaces`, indexes that are complete are replaced. Writes nothing.
    ///
    /// # Errors
    /// [`IndexError::Import`] when no file fits.
    pub fn plan_import(&self, path: &Path, replaces: bool) -> Result<ImportPlan, EngineError> {
        exchange::plan(&self.config, path, replaces)
    }

    /// Starts the index from an export. Only what the tree contains is taken from it: every file is read, and
    /// compared by its content. Call [`Engine::index`] afterwards.
    ///
    /// # Errors
    /// [`IndexError::Import`] when the file is damaged: then nothing has changed. [`IndexError::Busy`] while
    /// another process writes the index.
    pub fn import(
        &self,
        plan: ImportPlan,
        progress: &dyn Progress,
    ) -> Result<ImportReport, EngineError> {
        exchange::import(&self.config, plan, progress)
    }
}
