//! The document frequencies of recent queries, which never change in a snapshot.

use std::{
    num::NonZeroUsize,
    sync::{Mutex, PoisonError},
};

use lore_schema::Field;
use lru::LruCache;

/// Number of document frequencies that a reader keeps.
const CACHE_SIZE: NonZeroUsize = NonZeroUsize::new(4_096).expect("above zero");

/// Document frequencies, by field and term.
#[derive(Debug)]
pub(super) struct Frequencies(Mutex<LruCache<(Field, String), u64>>);

impl Frequencies {
    /// Returns an empty cache.
    pub(super) fn new() -> Frequencies {
        Frequencies(Mutex::new(LruCache::new(CACHE_SIZE)))
    }

    /// The frequency of a term in a field, counted if it is not known.
    pub(super) fn get<E>(
        &self,
        field: Field,
        term: &str,
        count: impl FnOnce() -> Result<u64, E>,
    ) -> Result<u64, E> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (field, term.to_owned());
        if let Some(known) = lock().get(&key) {
            return Ok(*known);
        }
        let frequency = count()?;
        lock().put(key, frequency);
        Ok(frequency)
    }

    /// Returns true if the frequency of a term is known.
    #[cfg(feature = "opensearch")]
    pub(super) fn contains(&self, key: &(Field, String)) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(key)
    }

    /// Keeps the frequency of a term.
    #[cfg(feature = "opensearch")]
    pub(super) fn put(&self, key: (Field, String), frequency: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(key, frequency);
    }
}
