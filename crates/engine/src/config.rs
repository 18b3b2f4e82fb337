//! Configuration of an engine. [`EngineConfig::new`] lists the defaults of a program that embeds the
//! engine; `lore` sets every field from its settings.

use std::{collections::BTreeMap, fmt, path::PathBuf, sync::Arc, time::Duration};

use lore_index::Backend;
use lore_sources::{CustomSources, Revision, Secrets};
use lore_text::Embedder;

use crate::{
    Overlays, Parsers,
    state::{limits::Limits, stored::StoredRepository},
};

/// Location of the indexes. They are caches: deleting them costs time and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CachePlace {
    /// Below this folder, with one subfolder per repository.
    Folder(PathBuf),
    /// In memory: nothing is written, and the next process reads everything again.
    Memory,
}

/// Settings of one engine. Start from [`EngineConfig::new`] and change fields, so that a new field of a later
/// version does not break your code:
///
/// ```
/// use lore_engine::{CachePlace, EngineConfig};
///
/// let config = EngineConfig {
///     cache: CachePlace::Folder("/var/cache/my-program".into()),
///     commits: Some(0),
///     ..EngineConfig::new("/srv/project")
/// };
/// assert_eq!(config.max_file_size, 1 << 20);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct EngineConfig {
    /// The tree to search. Paths in answers are relative to it.
    pub root: PathBuf,
    /// The commit whose tree is searched; `None` for the folder as it is on disk.
    pub at: Option<Revision>,
    /// The repository in a cluster that is searched without its files: see
    /// [`Engine::open_stored`](crate::Engine::open_stored).
    pub stored: Option<StoredRepository>,
    /// The storage engine of the indexes.
    pub backend: &'static dyn Backend,
    /// Location of the indexes.
    pub cache: CachePlace,
    /// If true, a search may write the index.
    pub write: bool,
    /// If true, hidden files and folders are searched.
    pub hidden: bool,
    /// Maximum size of a file that is read, in bytes.
    pub max_file_size: u64,
    /// Number of commits that the git source reads, newest first; `None` for all of them.
    pub commits: Option<usize>,
    /// Exports of issue trackers that are read as tickets, inside or outside the tree. Absolute, or relative
    /// to the root. Every set of exports has an index of its own.
    pub exports: Vec<PathBuf>,
    /// Sources of documents that this program implements. Every set of them, by name, has an index of its
    /// own. They have no history: [`Engine::at`](crate::Engine::at) reads them as they are now.
    pub custom: CustomSources,
    /// Treatment of secrets in everything that is read, and so in every answer and vector.
    pub secrets: Secrets,
    /// Number of threads that index, read texts for a phrase and compare vectors of large trees, at least 1.
    pub threads: usize,
    /// Ranking weights that differ from the built-in ones.
    pub ranking: RankingConfig,
    /// Embedder for vectors.
    pub embedding: Embedding,
    /// The place where texts are parsed.
    pub parsers: Parsers,
    /// Overlays with the changes since the last commit, shared by successive answers.
    pub overlays: Overlays,
    /// Limits on memory and disk space.
    pub limits: Limits,
    /// Maximum time between commits of a long index run: after a kill, the next run continues from the
    /// last one.
    pub commit_interval: Duration,
}

impl EngineConfig {
    /// Default time between commits of an index run. A commit of a part takes a fraction of a second, and
    /// a kill loses at most this much work and that commit.
    pub const COMMIT_INTERVAL: Duration = Duration::from_secs(6);

    /// Settings with the defaults of `lore`, except that the index is kept in memory.
    ///
    /// | Field | Value |
    /// |---|---|
    /// | `cache` | memory |
    /// | `write`, `hidden` | true |
    /// | `max_file_size` | 1 MiB |
    /// | `commits` | 1,000 |
    /// | `secrets` | removed |
    /// | `threads` | one per processor |
    /// | `embedding` | the built-in model |
    /// | `parsers` | in this process |
    /// | `limits` | none |
    /// | `commit_interval` | 6 s |
    /// | `at`, `stored`, `exports`, `custom`, `ranking`, `overlays` | empty |
    pub fn new(root: impl Into<PathBuf>) -> EngineConfig {
        EngineConfig {
            root: root.into(),
            at: None,
            stored: None,
            backend: lore_index::default_backend(),
            cache: CachePlace::Memory,
            write: true,
            hidden: true,
            max_file_size: 1 << 20,
            commits: Some(1_000),
            exports: Vec::new(),
            custom: CustomSources::none(),
            secrets: Secrets::Redacted,
            threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            ranking: RankingConfig::default(),
            embedding: Embedding::Embedded,
            parsers: Parsers::in_process(),
            overlays: Overlays::default(),
            limits: Limits::none(),
            commit_interval: EngineConfig::COMMIT_INTERVAL,
        }
    }
}

/// Embedder for vectors.
#[derive(Clone, Default)]
pub enum Embedding {
    /// None: only words are compared.
    Off,
    /// The built-in model.
    #[default]
    Embedded,
    /// This embedder; the built-in model where it fails.
    Other(Arc<dyn Embedder>),
}

impl Embedding {
    /// Returns a name of the vectors, for comparisons.
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
