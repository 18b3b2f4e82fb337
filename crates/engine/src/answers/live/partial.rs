//! The part of an index that exists while the rest is built: its hits, and how those of a scan are
//! added to them.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use lore_schema::SourceName;
use lore_sources::{SOURCES, ScanReport, Tree};

use crate::{
    EngineConfig, EngineError, Hit, SearchRequest, SearchResponse,
    answers::follow_ups::FollowUpCache,
    search,
    state::{
        known_units::KnownUnits,
        snapshot::{OpenSource, Snapshot},
        views::last_states,
    },
};

/// The files that an incomplete index has in their current state, and its answer.
pub(super) struct Indexed {
    snapshot: Snapshot,
    /// By index in the tree: true if the index has the file.
    is_known: Vec<bool>,
    /// Number of such files.
    pub(super) files: u64,
}

impl Indexed {
    /// Opens the index as it was last written; `None` if it has no file of the tree.
    pub(super) fn open(config: &EngineConfig, tree: &Arc<Tree>) -> Option<Indexed> {
        let readers = last_states(config, |_| true);
        let mut is_known = vec![false; tree.entries().len()];
        for reader in &readers {
            let source = SOURCES.iter().find(|source| source.name() == reader.source());
            if let Some(source) = source {
                source.mark_known_files(tree, &KnownUnits::of(reader.as_ref()), &mut is_known);
            }
        }
        let files = is_known.iter().filter(|is_known| **is_known).count() as u64;
        if files == 0 {
            return None;
        }
        let mut snapshot = Snapshot::new(Arc::clone(tree));
        for reader in readers {
            let source = OpenSource::new(reader, ScanReport::default(), HashSet::new());
            snapshot.sources.push(source);
        }
        Some(Indexed { snapshot, is_known, files })
    }

    /// Returns true if the index has this file of the tree as it is now.
    pub(super) fn knows(&self, index: usize) -> bool {
        self.is_known.get(index).copied().unwrap_or(false)
    }

    /// Returns true if the source has an index.
    pub(super) fn has_source(&self, name: SourceName) -> bool {
        self.snapshot.sources.iter().any(|source| source.reader.source() == name)
    }

    /// Answers the request from the index alone.
    pub(super) fn answer(
        &mut self,
        config: &EngineConfig,
        request: &SearchRequest,
    ) -> Result<SearchResponse, EngineError> {
        let mut request = request.clone();
        // Both would be claims about the whole tree.
        request.extras.judge = false;
        request.extras.holders = false;
        let wanted = &request.filter.sources;
        if !wanted.is_empty() {
            self.snapshot.sources.retain(|source| wanted.contains(&source.reader.source()));
        }
        let mut found =
            search::search_in(&mut self.snapshot, config, &request, &FollowUpCache::default())?;
        found.follow_ups.clear();
        found.receipt.confidence = None;
        found.receipt.weak = false;
        Ok(found)
    }
}

/// Adds the hits of a scan to those of the index, both best first. Scores of the two do not compare, so
/// `by_scan` has the score that a scan gives to files of the index, by path. A scanned hit comes before
/// a hit of the index only if it has a higher score by scan than that hit, and than each later hit of the
/// index.
pub(super) fn merge(
    indexed: Vec<Hit>,
    scanned: Vec<Hit>,
    by_scan: &BTreeMap<&str, f32>,
    limit: usize,
) -> Vec<Hit> {
    let score = |hit: &Hit| {
        let score = hit.path.as_deref().and_then(|path| by_scan.get(path));
        score.copied().unwrap_or(0.0)
    };
    let mut highest_from: Vec<f32> = indexed.iter().map(score).collect();
    for at in (1..highest_from.len()).rev() {
        highest_from[at - 1] = highest_from[at - 1].max(highest_from[at]);
    }
    let mut scanned = scanned.into_iter().peekable();
    let mut hits = Vec::new();
    for (hit, highest) in indexed.into_iter().zip(highest_from) {
        while let Some(better) = scanned.next_if(|scanned| scanned.score > highest) {
            hits.push(better);
        }
        hits.push(hit);
    }
    hits.extend(scanned);
    hits.truncate(limit);
    let mut last = f32::INFINITY;
    for (at, hit) in hits.iter_mut().enumerate() {
        hit.rank = at + 1;
        hit.score = hit.score.min(last);
        last = hit.score;
    }
    hits
}
