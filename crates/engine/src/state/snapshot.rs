//! Snapshot of all sources at one moment: their readers, and how fresh they are.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{Arc, OnceLock},
};

use lore_index::{DocumentId, DocumentSet, IndexError, Reader};
use lore_schema::{SkipReason, SourceName};
use lore_sources::{ScanReport, Secrets, Tree, TreeCheck};

use crate::{
    EngineConfig, Freshness, IndexReport, Receipt, SourceReport,
    state::{
        files::UnverifiedText,
        proof::{Proof, ProofContext},
        redacted,
        views::cache_folder,
    },
};

/// One opened source.
pub(crate) struct OpenSource {
    /// Its last state.
    pub(crate) reader: Box<dyn Reader>,
    /// Report of its scan.
    pub(crate) report: ScanReport,
    /// Units that differ from the reader and are not searched yet.
    pub(crate) pending: HashSet<String>,
    redacted: OnceLock<DocumentSet>,
}

impl OpenSource {
    /// Creates an open source from a reader, the report of its scan and the units left to index.
    pub(crate) fn new(
        reader: Box<dyn Reader>,
        report: ScanReport,
        pending: HashSet<String>,
    ) -> OpenSource {
        OpenSource { reader, report, pending, redacted: OnceLock::new() }
    }

    /// Returns the documents from whose text secrets were removed by indexing; all, if that cannot be read.
    pub(crate) fn redacted(&self) -> &DocumentSet {
        let read =
            || redacted::documents(self.reader.as_ref()).unwrap_or_else(|_| DocumentSet::all());
        self.redacted.get_or_init(read)
    }

    /// Reads the text of a document before its file is compared with the listing. The text is only
    /// scanned for secrets if it contained some when it was indexed: an unverified text is returned
    /// only if its file is as it was listed.
    pub(crate) fn read_unverified(
        &self,
        id: DocumentId,
        path: &str,
        config: &EngineConfig,
    ) -> Result<UnverifiedText, SkipReason> {
        // On other systems, a file's stamp is its size and a time that anyone can set.
        let is_clean = cfg!(unix) && !self.redacted().contains(id);
        config.read_unverified(path, if is_clean { Secrets::Shown } else { config.secrets })
    }

    /// Returns the text of a document's file without its secrets: as the walk that made `tree` listed it
    /// or, if it changed since, as it is now.
    pub(crate) fn text_of_file(
        &self,
        id: DocumentId,
        path: &str,
        tree: &Tree,
        config: &EngineConfig,
    ) -> Result<String, SkipReason> {
        if !self.is_pending(path)
            && let Some(listed) = tree.entry(path)
            && let Ok(read) = self.read_unverified(id, path, config)
            && let Some(text) = read.if_listed(listed.metadata)
        {
            return Ok(text);
        }
        config.read_text(path)
    }

    /// Returns true if the index of this path differs from the disk. A unit may be a folder.
    pub(crate) fn is_pending(&self, path: &str) -> bool {
        !self.pending.is_empty()
            && std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(up, _)| up))
                .any(|unit| self.pending.contains(unit))
    }
}

/// Snapshot of all sources that a request concerns.
pub(crate) struct Snapshot {
    /// The files as the walk listed them.
    pub(crate) tree: Arc<Tree>,
    /// Basis of the listing.
    pub(crate) check: TreeCheck,
    /// Time of the last ingestion in seconds since the epoch, for a repository in a cluster; 0 if it is
    /// not known.
    pub(crate) ingested: Option<i64>,
    /// Name of the tree in the receipt.
    pub(crate) tree_id: Option<String>,
    /// The sources, in the order of their names.
    pub(crate) sources: Vec<OpenSource>,
    /// Warnings for the user.
    pub(crate) warnings: Vec<String>,
    /// Work that was done to bring the index up to date.
    pub(crate) work: IndexReport,
    /// Reason why something could not be written, if so.
    pub(crate) unwritten: Option<IndexError>,
    /// Result of proving the hits.
    pub(crate) proof: Proof,
    /// True if something was written below the folder of the tree.
    pub(crate) is_written: bool,
    /// See [`Snapshot::has_templates`]; shared by all snapshots of one listing.
    pub(crate) templates: Arc<OnceLock<bool>>,
}

impl Snapshot {
    /// Creates a snapshot of a tree without sources.
    pub(crate) fn new(tree: Arc<Tree>) -> Snapshot {
        Snapshot {
            tree,
            check: TreeCheck::Walked,
            ingested: None,
            tree_id: None,
            sources: Vec::new(),
            warnings: Vec::new(),
            work: IndexReport::default(),
            unwritten: None,
            proof: Proof::default(),
            is_written: false,
            templates: Arc::default(),
        }
    }

    /// The readers of the sources, in the order of their names.
    pub(crate) fn readers(&self) -> Vec<&dyn Reader> {
        self.sources.iter().map(|source| source.reader.as_ref()).collect()
    }

    /// Returns true if the tree contains templates of spec and agent tools.
    pub(crate) fn has_templates(&self) -> bool {
        let is_template = |entry: &lore_sources::Entry| lore_syntax::is_template(&entry.path);
        *self.templates.get_or_init(|| self.tree.entries().iter().any(is_template))
    }

    /// Context for proving hits of one of the sources.
    pub(crate) fn proof_context<'a>(
        &'a self,
        source: usize,
        config: &'a EngineConfig,
    ) -> ProofContext<'a> {
        let reader = self.sources.get(source).map(|source| source.reader.as_ref());
        ProofContext { config, tree: &self.tree, reader, proof: &self.proof }
    }

    /// Returns true if a file is listed and has not changed since, as far as its times show.
    pub(crate) fn is_as_listed(&self, path: &str, config: &EngineConfig) -> bool {
        let is_unchanged = |listed: u64| listed == 0 || config.is_unchanged(path, listed);
        self.tree.entry(path).is_some_and(|entry| is_unchanged(entry.metadata))
    }

    /// Warns once, for all sources, that the cache cannot be written.
    pub(crate) fn warn_unwritable(&mut self, config: &EngineConfig, error: &IndexError) {
        let note = unwritable_cache_warning(config, error);
        let start = note.split(": ").next().unwrap_or_default();
        if !self.warnings.iter().any(|warning| warning.starts_with(start)) {
            self.warnings.push(note);
        }
    }

    /// Warns once, for all sources, that the index is rebuilt.
    pub(crate) fn warn_rebuild(&mut self, config: &EngineConfig, error: &IndexError) {
        let cache = cache_folder(config).unwrap_or_default();
        let what = match error {
            IndexError::Incompatible { .. } => "comes from another version",
            _ => "is damaged",
        };
        let note = format!("the index below `{}` {what}; it is rebuilt", cache.display());
        if !self.warnings.contains(&note) {
            self.warnings.push(note);
        }
    }

    /// Freshness of the snapshot, including files that changed while the answer was made.
    pub(crate) fn freshness(&self) -> Freshness {
        let pending: u64 = self.sources.iter().map(|source| source.pending.len() as u64).sum();
        match pending + self.proof.changes() {
            0 if self.proof.is_unchecked() => Freshness::Stale,
            0 if self.ingested.is_some() => Freshness::Ingested(self.ingested.unwrap_or(0)),
            0 => Freshness::Verified,
            pending => Freshness::Partial(pending),
        }
    }

    /// Creates the receipt of an answer.
    pub(crate) fn receipt(
        &self,
        config: &EngineConfig,
        total: u64,
        matched_all: u64,
        shown: u64,
    ) -> Receipt {
        let fresh = self.freshness();
        Receipt {
            tree: self.tree_id.clone(),
            fresh,
            check: self.check,
            exhaustive: total <= shown && fresh == Freshness::Verified,
            total,
            matched_all,
            sources: self.reports(),
            ..Receipt::new(config.root.clone())
        }
    }

    /// Counts per source, for the receipt.
    pub(crate) fn reports(&self) -> BTreeMap<SourceName, SourceReport> {
        self.sources
            .iter()
            .map(|source| {
                let summary = source.reader.summary();
                let mut skipped = summary.skipped.clone();
                for (reason, count) in &source.report.skipped {
                    *skipped.entry(*reason).or_default() += count;
                }
                (source.reader.source(), SourceReport { documents: summary.documents, skipped })
            })
            .collect()
    }
}

/// The warning that the cache cannot be written.
pub(crate) fn unwritable_cache_warning(config: &EngineConfig, error: &IndexError) -> String {
    let reason = match error {
        IndexError::Unwritable { reason, .. } | IndexError::Refused { reason, .. } => {
            reason.clone()
        }
        other => other.to_string(),
    };
    let cache = cache_folder(config).unwrap_or_default();
    format!(
        "could not write the index below `{}`: {reason}; this search keeps the index in memory",
        cache.display()
    )
}
