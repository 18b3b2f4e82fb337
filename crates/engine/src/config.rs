//! What an engine is told when it is opened. Nothing here has a hidden default.

use std::{collections::BTreeMap, fmt, path::PathBuf, sync::Arc};

use lore_index::Backend;
use lore_sources::{Revision, Secrets};
use lore_text::Embedder;

use crate::{Overlays, state::limits::Limits};

/// Where indexes are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CachePlace {
    /// Below this folder, in one sub-folder for each repository.
    Folder(PathBuf),
    /// In memory: nothing is written, everything is read again by the next process.
    Memory,
}

/// Settings of one engine.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineConfig {
    /// The tree to search. Printed paths start here.
    pub root: PathBuf,
    /// The commit whose tree is searched; `None` for the folder as it is on disk.
    pub at: Option<Revision>,
    /// The storage engine of the indexes.
    pub backend: &'static dyn Backend,
    /// Where indexes are kept.
    pub cache: CachePlace,
    /// Whether a search may write the index.
    pub write: bool,
    /// Whether hidden files and folders are searched.
    pub hidden: bool,
    /// Largest file that is read, in bytes.
    pub max_file_size: u64,
    /// Number of commits that the git source reads, newest first; `None` for all of them.
    pub commits: Option<usize>,
    /// Exports of issue trackers that are read as tickets, wherever they lie. Absolute, or relative
    /// to the root. Tickets that were read with other exports are never mixed with these.
    pub exports: Vec<PathBuf>,
    /// Whether secrets are taken out of all that is read, and so of every answer and vector.
    pub secrets: Secrets,
    /// Threads that index, read texts for a phrase and compare vectors of large trees, at least 1.
    pub threads: usize,
    /// Ranking weights that differ from the built-in ones.
    pub ranking: RankingConfig,
    /// What makes the vectors of meaning.
    pub embedding: Embedding,
    /// Where answers keep what they made of changed files, for the next ones.
    pub overlays: Overlays,
    /// What it may use.
    pub limits: Limits,
}

/// What makes the vectors of meaning.
#[derive(Clone, Default)]
pub enum Embedding {
    /// Nothing: words alone are compared.
    Off,
    /// The model inside the program.
    #[default]
    Embedded,
    /// This one; where it cannot answer, the model inside the program.
    Other(Arc<dyn Embedder>),
}

impl Embedding {
    /// Names the vectors that are made, for comparisons.
    fn identity(&self) -> Option<&str> {
        match self {
            Embedding::Off => None,
            Embedding::Embedded => Some(""),
            Embedding::Other(embedder) => Some(embedder.fingerprint()),
        }
    }
}

impl fmt::Debug for Embedding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Embedding").field(&self.identity()).finish()
    }
}

impl PartialEq for Embedding {
    fn eq(&self, other: &Embedding) -> bool {
        self.identity() == other.identity()
    }
}

/// Weights of ranking signals by name. A name that is missing keeps its built-in weight.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RankingConfig {
    /// Signal name to weight.
    pub weights: BTreeMap<String, f32>,
}
