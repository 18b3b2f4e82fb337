//! Amount of work of a run: what each source has to read, known before it is read.

use std::{collections::BTreeMap, path::Path, sync::OnceLock};

use lore_schema::{Change, SourceName};
use lore_sources::{SOURCES, Tree, Workload, file_bytes};

use crate::{
    EngineConfig, IndexMode, Phase, Progress,
    state::{known_units::KnownUnits, storage::fingerprint, views::location_in},
};

/// Units that the sources of a run have to read, computed when they are first wanted.
pub(crate) struct Totals<'a> {
    config: &'a EngineConfig,
    tree: &'a Tree,
    folder: Option<&'a Path>,
    wanted: &'a [SourceName],
    mode: IndexMode,
    known: OnceLock<BTreeMap<SourceName, Workload>>,
}

impl<'a> Totals<'a> {
    /// Returns the totals of the `wanted` sources; of all if none is named.
    pub(crate) fn new(
        config: &'a EngineConfig,
        tree: &'a Tree,
        folder: Option<&'a Path>,
        wanted: &'a [SourceName],
        mode: IndexMode,
    ) -> Totals<'a> {
        Totals { config, tree, folder, wanted, mode, known: OnceLock::new() }
    }

    /// Computes the totals on the first call for a receiver that wants them, and reports them.
    fn report(&self, progress: &dyn Progress) {
        if self.known.get().is_some() || !progress.wants_totals() {
            return;
        }
        let is_wanted = |name: &SourceName| self.wanted.is_empty() || self.wanted.contains(name);
        let names = SOURCES.iter().map(|source| source.name()).filter(is_wanted);
        let totals: BTreeMap<SourceName, Workload> = names
            .filter_map(|name| {
                let all = self.mode == IndexMode::Rebuild;
                Some((name, unread(self.config, self.folder, self.tree, name, all)?))
            })
            .collect();
        for (source, total) in &totals {
            let (finished, total) = (Workload::default(), Some(*total));
            progress.phase(Phase::Read { source: *source, finished, total });
        }
        let _ = self.known.set(totals);
    }

    fn of(&self, source: SourceName) -> Option<Workload> {
        self.known.get()?.get(&source).copied()
    }
}

/// Returns the units of a source that its index on disk does not have, or all of them; `None` if that is
/// not known.
pub(crate) fn unread(
    config: &EngineConfig,
    folder: Option<&Path>,
    tree: &Tree,
    name: SourceName,
    all: bool,
) -> Option<Workload> {
    let source = SOURCES.iter().find(|source| source.name() == name)?;
    let location = location_in(config, folder, name);
    let reader = || config.backend.open(name, &location, &fingerprint()).ok()?.reader().ok();
    match reader().filter(|_| !all) {
        Some(reader) => source.workload(tree, &KnownUnits::of(reader.as_ref())),
        // An index that cannot be read is rebuilt.
        None => source.workload(tree, &NoUnits),
    }
}

/// A state without units.
struct NoUnits;

impl lore_sources::IndexState for NoUnits {
    fn stamp(&self, _: &str) -> Option<lore_schema::Stamp> {
        None
    }

    fn cursor(&self) -> Option<&str> {
        None
    }
}

/// Reports the progress of one source.
pub(crate) struct SourceProgress<'a> {
    source: SourceName,
    tree: &'a Tree,
    max_file_size: u64,
    totals: Option<&'a Totals<'a>>,
    progress: &'a dyn Progress,
    /// Units that were compared by content and not analysed.
    restamped: Workload,
}

impl<'a> SourceProgress<'a> {
    pub(crate) fn new(
        source: SourceName,
        tree: &'a Tree,
        config: &EngineConfig,
        totals: Option<&'a Totals<'a>>,
        progress: &'a dyn Progress,
    ) -> SourceProgress<'a> {
        let (max_file_size, restamped) = (config.max_file_size, Workload::default());
        SourceProgress { source, tree, max_file_size, totals, progress, restamped }
    }

    /// Counts a unit that was compared by content and is not analysed.
    pub(crate) fn count(&mut self, change: &Change) {
        if let Change::Restamp { unit, .. } | Change::Restore { unit, .. } = change {
            self.restamped += Workload { units: 1, bytes: self.size_of(&unit.name, 0) };
        }
    }

    /// Returns the bytes of the files of a unit with so many bytes of text.
    pub(crate) fn size_of(&self, unit: &str, text: u64) -> u64 {
        let size = file_bytes(self.tree, self.source, unit);
        size.filter(|size| *size <= self.max_file_size).unwrap_or(text)
    }

    /// Reports the units that the workers have finished.
    pub(crate) fn report(&self, mut finished: Workload) {
        if let Some(totals) = self.totals {
            totals.report(self.progress);
        }
        finished += self.restamped;
        let mut total = self.totals.and_then(|totals| totals.of(self.source));
        if let Some(total) = total.as_mut().filter(|total| 0 < total.units) {
            // Files that changed since the walk may be larger. The end of the source is reported as such.
            total.bytes = total.bytes.max(1);
            finished.units = finished.units.min(total.units - 1);
            finished.bytes = finished.bytes.min(total.bytes - 1);
        }
        self.progress.phase(Phase::Read { source: self.source, finished, total });
    }

    /// Reports the end of the source.
    pub(crate) fn finish(&self, finished: Workload) {
        let total = self.totals.and_then(|totals| totals.of(self.source));
        let finished = total.unwrap_or(finished);
        self.progress.phase(Phase::Read { source: self.source, finished, total });
    }
}
