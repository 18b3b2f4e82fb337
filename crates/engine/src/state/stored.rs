//! A repository whose index is in a cluster, with the texts of its files. It is searched as it was last
//! ingested, without a clone.

use std::{
    collections::BTreeMap,
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use lore_index::{Backend, DocumentId, IndexError, IndexLocation, IndexVersion, Reader, Store};
use lore_schema::{Filter, SkipReason, SourceName};
use lore_sources::{Entry, SOURCES, StoredFiles, StoredTree};
use lru::LruCache;
use xxhash_rust::xxh3::xxh3_64;

use crate::{EngineConfig, EngineError, Freshness, state::storage::fingerprint};

/// Maximum size of the texts that are kept in memory, in bytes.
const MAX_KEPT_TEXTS: usize = 16 << 20;

/// Number of attempts to open the readers of one state twice, while it is being written.
const ATTEMPTS: usize = 5;

/// Maximum number of texts that are requested at once.
const MAX_REQUESTED: usize = 400;

/// A repository in a cluster. Cheap to clone; two are equal if one is a clone of the other.
#[derive(Clone)]
pub struct StoredRepository {
    inner: Arc<Stored>,
    tree: StoredTree,
}

/// The open indexes of a repository.
struct Stored {
    name: String,
    backend: &'static dyn Backend,
    stores: Vec<Box<dyn Store>>,
    current: Mutex<Arc<Current>>,
    texts: Mutex<Texts>,
    /// The last request for texts that failed: its time and its error. It is kept, because several questions
    /// may have needed the text.
    problem: Mutex<Option<(Instant, String)>>,
}

/// The last state that was read.
#[derive(Default)]
struct Current {
    /// A reader of each source that was ingested.
    readers: Vec<Box<dyn Reader>>,
    files: BTreeMap<String, File>,
}

/// A file of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct File {
    /// Index of the reader of its source.
    reader: usize,
    id: DocumentId,
    fingerprint: u64,
}

/// Texts that were read lately, by fingerprint of the file; `None` for a file without a stored text.
struct Texts {
    kept: LruCache<u64, Option<Arc<str>>>,
    bytes: usize,
}

impl StoredRepository {
    /// Opens the indexes of a repository. `backend` is that of the repository.
    ///
    /// # Errors
    /// [`EngineError::Root`] if nothing was ingested under this name; [`EngineError::Index`] if the cluster
    /// does not answer, or another version of the analysis wrote the index.
    pub(crate) fn open(
        backend: &'static dyn Backend,
        root: &std::path::Path,
        name: &str,
    ) -> Result<StoredRepository, EngineError> {
        let mut stores = Vec::new();
        for source in SOURCES {
            let location = IndexLocation::Folder(root.join(source.name().as_str()));
            stores.push(backend.open(source.name(), &location, &fingerprint())?);
        }
        let inner = Arc::new(Stored {
            name: name.to_owned(),
            backend,
            stores,
            current: Mutex::default(),
            texts: Mutex::new(Texts { kept: LruCache::unbounded(), bytes: 0 }),
            problem: Mutex::default(),
        });
        let tree = StoredTree::new(Arc::clone(&inner) as Arc<dyn StoredFiles>);
        let repository = StoredRepository { inner, tree };
        if repository.readers()?.is_empty() {
            let reason = "the cluster has no repository of this name".to_owned();
            return Err(EngineError::Root { path: PathBuf::from(name), reason });
        }
        Ok(repository)
    }

    /// Its files.
    pub(crate) fn tree(&self) -> &StoredTree {
        &self.tree
    }

    /// Readers of the last state of each source that was ingested.
    pub(crate) fn readers(&self) -> Result<Vec<Box<dyn Reader>>, IndexError> {
        self.inner.refresh()
    }

    /// Fails if texts could not be read since then: their files then look as if they had none.
    fn check_since(&self, start: Instant) -> Result<(), IndexError> {
        match &*self.inner.problem() {
            Some((at, reason)) if start <= *at => {
                let (path, reason) = (PathBuf::from(&self.inner.name), reason.clone());
                Err(IndexError::Storage { path, reason })
            }
            _ => Ok(()),
        }
    }

    /// Time of the ingestion that was read last, in seconds since the epoch; 0 if it is not known.
    pub(crate) fn last_ingestion(&self) -> i64 {
        StoredRepository::ingested(&self.inner.current().readers)
    }

    /// Time of the last ingestion, in seconds since the epoch; 0 if it is not known.
    pub(crate) fn ingested(readers: &[Box<dyn Reader>]) -> i64 {
        readers.iter().filter_map(|reader| reader.written()).max().unwrap_or(0)
    }
}

impl Drop for Stored {
    fn drop(&mut self) {
        self.backend.release();
    }
}

impl Stored {
    fn current(&self) -> Arc<Current> {
        Arc::clone(&self.current.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn texts(&self) -> MutexGuard<'_, Texts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn problem(&self) -> MutexGuard<'_, Option<(Instant, String)>> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the last state of each source. The files are those of the same state.
    fn refresh(&self) -> Result<Vec<Box<dyn Reader>>, IndexError> {
        let open = || -> Result<Vec<Box<dyn Reader>>, IndexError> {
            let mut readers = Vec::with_capacity(self.stores.len());
            for store in &self.stores {
                let reader = store.reader()?;
                if reader.generation() > 0 {
                    readers.push(reader);
                }
            }
            Ok(readers)
        };
        let versions = |readers: &[Box<dyn Reader>]| -> Vec<(SourceName, IndexVersion)> {
            readers.iter().map(|reader| (reader.source(), reader.version())).collect()
        };
        let mut readers = open()?;
        for attempt in 0..=ATTEMPTS {
            if versions(&self.current().readers) == versions(&readers) {
                return Ok(readers);
            }
            if attempt == ATTEMPTS {
                break;
            }
            // A writer may commit between the two.
            let others = std::mem::replace(&mut readers, open()?);
            let current = Arc::new(Current::new(others)?);
            *self.current.lock().unwrap_or_else(PoisonError::into_inner) = current;
        }
        Err(IndexError::Moved { path: PathBuf::from(&self.name) })
    }

    /// Loads the texts of files and keeps them. Returns that of the last file.
    fn load(&self, current: &Current, files: &[File]) -> Result<Option<Arc<str>>, IndexError> {
        let mut last = None;
        for (index, reader) in current.readers.iter().enumerate() {
            let of_reader: Vec<File> =
                files.iter().copied().filter(|file| file.reader == index).collect();
            for some in of_reader.chunks(MAX_REQUESTED) {
                let ids: Vec<DocumentId> = some.iter().map(|file| file.id).collect();
                let texts = reader.texts(&ids)?;
                let mut kept = self.texts();
                for (file, text) in some.iter().zip(texts) {
                    last = text.map(Arc::from);
                    kept.keep(file.fingerprint, last.clone());
                }
            }
        }
        Ok(last)
    }
}

impl Current {
    fn new(readers: Vec<Box<dyn Reader>>) -> Result<Current, IndexError> {
        let mut files = BTreeMap::new();
        for (index, reader) in readers.iter().enumerate() {
            for listed in reader.listing(&Filter::default())? {
                // Commits have no path, and tickets of one file share its path.
                if listed.path.is_empty() || files.contains_key(listed.path) {
                    continue;
                }
                let number = [listed.id.number.to_le_bytes(), (index as u64).to_le_bytes()];
                // The number of a document is never used again; 0 is no fingerprint.
                let fingerprint = xxh3_64(&number.concat()).max(1);
                let file = File { reader: index, id: listed.id, fingerprint };
                files.insert(listed.path.to_owned(), file);
            }
        }
        Ok(Current { readers, files })
    }
}

impl Texts {
    fn keep(&mut self, fingerprint: u64, text: Option<Arc<str>>) {
        let size = |text: &Option<Arc<str>>| text.as_ref().map_or(0, |text| text.len());
        self.bytes += size(&text);
        if let Some(old) = self.kept.put(fingerprint, text) {
            self.bytes -= size(&old);
        }
        // The last one stays, whatever its size.
        while MAX_KEPT_TEXTS < self.bytes
            && 1 < self.kept.len()
            && let Some((_, text)) = self.kept.pop_lru()
        {
            self.bytes -= size(&text);
        }
    }
}

impl StoredFiles for Stored {
    fn list(&self) -> Vec<Entry> {
        let entry = |(path, file): (&String, &File)| Entry {
            path: path.clone(),
            size: 0,
            metadata: file.fingerprint,
        };
        self.current().files.iter().map(entry).collect()
    }

    fn read(&self, path: &str) -> Result<(String, u64), SkipReason> {
        let current = self.current();
        let file = current.files.get(path).ok_or(SkipReason::Unreadable)?;
        let kept = self.texts().kept.get(&file.fingerprint).cloned();
        let text = if let Some(text) = kept {
            text
        } else {
            self.load(&current, &[*file]).map_err(|error| {
                *self.problem() = Some((Instant::now(), error.to_string()));
                SkipReason::Unreadable
            })?
        };
        let text = text.ok_or(SkipReason::Unreadable)?;
        Ok((text.to_string(), file.fingerprint))
    }

    fn fingerprint(&self, path: &str) -> Option<u64> {
        Some(self.current().files.get(path)?.fingerprint)
    }

    fn contains(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let current = self.current();
        let folder = format!("{path}/");
        let inside = || current.files.range(folder.clone()..).next();
        path.is_empty()
            || current.files.contains_key(path)
            || inside().is_some_and(|(first, _)| first.starts_with(&folder))
    }

    fn read_ahead(&self, paths: &[&str]) {
        let current = self.current();
        let mut missing: Vec<File> = {
            let texts = self.texts();
            let files = paths.iter().filter_map(|path| current.files.get(*path).copied());
            files.filter(|file| !texts.kept.contains(&file.fingerprint)).collect()
        };
        missing.dedup();
        // A text that cannot be read is requested again, and that error is reported.
        let _ = self.load(&current, &missing);
    }
}

impl fmt::Debug for Stored {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("StoredRepository").field(&self.name).finish()
    }
}

impl fmt::Debug for StoredRepository {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(formatter)
    }
}

impl PartialEq for StoredRepository {
    fn eq(&self, other: &StoredRepository) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl EngineConfig {
    /// Fails if the cluster did not give the texts that an answer needed since `start`.
    pub(crate) fn check_texts_since(&self, start: Instant) -> Result<(), EngineError> {
        let stored = self.stored.as_ref();
        Ok(stored.map_or(Ok(()), |stored| stored.check_since(start))?)
    }

    /// Freshness of an answer for which every file of the tree was read.
    pub(crate) fn freshness(&self) -> Freshness {
        let stored = self.stored.as_ref();
        stored.map_or(Freshness::Verified, |it| Freshness::Ingested(it.last_ingestion()))
    }
}
