//! The state of all sources at one moment: their readers, and how far they can be trusted.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{Arc, OnceLock},
};

use lore_index::{DocumentId, DocumentSet, IndexError, Reader};
use lore_schema::{SkipReason, SourceName};
use lore_sources::{ScanReport, Secrets, Tree};

use crate::{
    EngineConfig, Freshness, IndexReport, Receipt, SourceReport,
    state::{
        files::Unchecked,
        proof::{Proof, ProofContext},
        redacted,
        views::{cache_folder, last_states},
    },
};

/// One source, ready to be asked.
pub(crate) struct OpenSource {
    /// Its last state.
    pub(crate) reader: Box<dyn Reader>,
    /// What its scan said.
    pub(crate) report: ScanReport,
    /// Units that differ from the reader and are not searched yet.
    pub(crate) pending: HashSet<String>,
    redacted: OnceLock<DocumentSet>,
}

impl OpenSource {
    /// What a reader, a scan and what is left to do make together.
    pub(crate) fn new(
        reader: Box<dyn Reader>,
        report: ScanReport,
        pending: HashSet<String>,
    ) -> OpenSource {
        OpenSource { reader, report, pending, redacted: OnceLock::new() }
    }

    /// The documents from whose text secrets were taken when it was indexed; all, if nobody can tell.
    pub(crate) fn redacted(&self) -> &DocumentSet {
        let read =
            || redacted::documents(self.reader.as_ref()).unwrap_or_else(|_| DocumentSet::all());
        self.redacted.get_or_init(read)
    }

    /// Reads the text of a document before anybody compares its file with what was listed. Only what
    /// held secrets when it was indexed is looked through for them again: it comes out as it was listed.
    pub(crate) fn read_unchecked(
        &self,
        id: DocumentId,
        path: &str,
        config: &EngineConfig,
    ) -> Result<Unchecked, SkipReason> {
        // Elsewhere a file's stamp is its size and a time that anybody can set.
        let is_clean = cfg!(unix) && !self.redacted().contains(id);
        config.read_unchecked(path, if is_clean { Secrets::Shown } else { config.secrets })
    }

    /// The text of a document's file, without its secrets: as the walk that made `tree` saw it or, where
    /// that is gone, as it is now.
    pub(crate) fn text_of_file(
        &self,
        id: DocumentId,
        path: &str,
        tree: &Tree,
        config: &EngineConfig,
    ) -> Result<String, SkipReason> {
        if !self.is_pending(path)
            && let Some(listed) = tree.entry(path)
            && let Ok(read) = self.read_unchecked(id, path, config)
            && let Some(text) = read.if_listed(listed.metadata)
        {
            return Ok(text);
        }
        config.read_text(path)
    }

    /// Whether what lies at this path differs from the disk. A unit may be a folder.
    pub(crate) fn is_pending(&self, path: &str) -> bool {
        !self.pending.is_empty()
            && std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(up, _)| up))
                .any(|unit| self.pending.contains(unit))
    }
}

/// All sources that a request concerns.
pub(crate) struct Snapshot {
    /// The files as the walk saw them.
    pub(crate) tree: Arc<Tree>,
    /// What the receipt calls it.
    pub(crate) tree_id: Option<String>,
    /// The sources, in the order of their names.
    pub(crate) sources: Vec<OpenSource>,
    /// What the user should know.
    pub(crate) warnings: Vec<String>,
    /// What was done to get here.
    pub(crate) work: IndexReport,
    /// Why something could not be written, when something could not.
    pub(crate) unwritten: Option<IndexError>,
    /// What was found when hits were proved.
    pub(crate) proof: Proof,
    /// Whether something was written below the folder of the tree.
    pub(crate) is_written: bool,
    has_templates: OnceLock<bool>,
}

impl Snapshot {
    /// A snapshot of a tree without sources yet.
    pub(crate) fn new(tree: Arc<Tree>) -> Snapshot {
        Snapshot {
            tree,
            tree_id: None,
            sources: Vec::new(),
            warnings: Vec::new(),
            work: IndexReport::default(),
            unwritten: None,
            proof: Proof::default(),
            is_written: false,
            has_templates: OnceLock::new(),
        }
    }

    /// The readers of the sources, in the order of their names.
    pub(crate) fn readers(&self) -> Vec<&dyn Reader> {
        self.sources.iter().map(|source| source.reader.as_ref()).collect()
    }

    /// Whether the tree holds templates of tools for specs and agents.
    pub(crate) fn has_templates(&self) -> bool {
        let is_template = |entry: &lore_sources::Entry| lore_syntax::is_template(&entry.path);
        *self.has_templates.get_or_init(|| self.tree.entries().iter().any(is_template))
    }

    /// What a hit of one of the sources is proved against.
    pub(crate) fn proof_context<'a>(
        &'a self,
        source: usize,
        config: &'a EngineConfig,
    ) -> ProofContext<'a> {
        let reader = self.sources.get(source).map(|source| source.reader.as_ref());
        ProofContext { config, tree: &self.tree, reader, proof: &self.proof }
    }

    /// Whether a file is listed and has not changed since then, as far as its times can tell.
    pub(crate) fn is_as_listed(&self, path: &str, config: &EngineConfig) -> bool {
        let is_still = |listed: u64| listed == 0 || config.is_still(path, listed);
        self.tree.entry(path).is_some_and(|entry| is_still(entry.metadata))
    }

    /// Says once, for all sources, that the cache cannot be written.
    pub(crate) fn warn_of_memory(&mut self, config: &EngineConfig, error: &IndexError) {
        let note = told_of_memory(config, error);
        let start = note.split(": ").next().unwrap_or_default();
        if !self.warnings.iter().any(|warning| warning.starts_with(start)) {
            self.warnings.push(note);
        }
    }

    /// Says once, for all sources, that the index is made anew.
    pub(crate) fn warn_of_rebuild(&mut self, config: &EngineConfig, error: &IndexError) {
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

    /// Whether everything that is on disk is searched.
    pub(crate) fn freshness(&self) -> Freshness {
        let pending: u64 = self.sources.iter().map(|source| source.pending.len() as u64).sum();
        match pending + self.proof.changes() {
            0 if self.proof.is_unchecked() => Freshness::Stale,
            0 => Freshness::Verified,
            pending => Freshness::Partial(pending),
        }
    }

    /// What an answer says of itself.
    pub(crate) fn receipt(
        &self,
        config: &EngineConfig,
        total: u64,
        matched_all: u64,
        shown: u64,
    ) -> Receipt {
        let fresh = self.freshness();
        Receipt {
            root: config.root.clone(),
            tree: self.tree_id.clone(),
            fresh,
            exhaustive: total <= shown && fresh == Freshness::Verified,
            total,
            matched_all,
            sources: self.reports(),
            expanded: Vec::new(),
            semantic: "off".to_owned(),
            semantic_fallback: None,
            failure: None,
            scanned: None,
            elapsed_ms: 0.0,
        }
    }

    /// The last states of the sources that the request leaves out, as far as there are any.
    pub(crate) fn last_states_of_others(&self, config: &EngineConfig) -> Vec<Box<dyn Reader>> {
        let is_open =
            |name: SourceName| self.sources.iter().any(|open| open.reader.source() == name);
        last_states(config, |name| !is_open(name))
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

/// That the cache cannot be written, in words.
pub(crate) fn told_of_memory(config: &EngineConfig, error: &IndexError) -> String {
    let reason = match error {
        IndexError::Unwritable { reason, .. } => reason.clone(),
        other => other.to_string(),
    };
    let cache = cache_folder(config).unwrap_or_default();
    format!(
        "could not write the index below `{}`: {reason}; this search keeps it in memory",
        cache.display()
    )
}
