//! Earlier answers that a snapshot keeps. A snapshot does not change, so neither do they.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    num::NonZeroUsize,
    sync::{Arc, Mutex, MutexGuard, OnceLock},
};

use lore_schema::Field;
use lru::LruCache;

use super::points::lock;
use crate::{Holder, Summary, backends::frequencies::Frequencies};

/// Number of terms whose rows are kept.
const HOLDERS: NonZeroUsize = NonZeroUsize::new(4_096).expect("above zero");

/// Number of words whose number of rows is kept.
const COUNTS: NonZeroUsize = NonZeroUsize::new(16_384).expect("above zero");

/// Number of documents whose vectors are kept: about 10 MB.
const VECTORS: NonZeroUsize = NonZeroUsize::new(1_000).expect("above zero");

/// Number of blocks of the dictionary that are kept: 20 to 30 MB.
const BLOCKS: NonZeroUsize = NonZeroUsize::new(4_096).expect("above zero");

/// A word in a field.
pub(super) type FieldWord = (Field, String);

/// Words in a field.
pub(super) type FieldWords = (Field, Vec<String>);

/// The first rows with a term.
#[derive(Debug, Clone)]
pub(super) struct KnownHolders {
    pub(super) holders: Vec<Holder>,
    /// True if there are no others.
    pub(super) is_complete: bool,
}

/// The vector of a chunk, as it is stored.
#[derive(Debug)]
pub(super) struct StoredVector {
    pub(super) number: u64,
    pub(super) bytes: Vec<u8>,
}

/// The vectors of the chunks of a document.
pub(super) type DocumentRows = Arc<[StoredVector]>;

/// Counts of the vectors of a model.
#[derive(Debug)]
pub(super) struct Model {
    /// Number of documents that it has processed.
    pub(super) documents: u64,
    pub(super) vectors: u64,
    /// Dimensions of its vectors.
    pub(super) dimensions: BTreeSet<usize>,
}

/// The first and the last word of every block.
#[derive(Debug, Default)]
pub(super) struct Directory {
    /// The blocks of each change, by field. Those of one change do not overlap.
    pub(super) runs: BTreeMap<(Field, u64), Vec<Entry>>,
}

/// A block.
#[derive(Debug)]
pub(super) struct Entry {
    /// Position in the order in which blocks were read.
    pub(super) position: u32,
    pub(super) id: String,
    pub(super) first: String,
    pub(super) last: String,
}

impl Directory {
    /// The blocks that may have words of a field with a prefix.
    pub(super) fn blocks<'a>(
        &'a self,
        field: Field,
        prefix: &'a str,
    ) -> impl Iterator<Item = &'a Entry> {
        let runs = self.runs.range((field, 0)..=(field, u64::MAX));
        runs.flat_map(move |(_, run)| {
            let first = run.partition_point(|entry| &*entry.last < prefix);
            let is_before_end =
                move |entry: &&Entry| &*entry.first < prefix || entry.first.starts_with(prefix);
            run[first..].iter().take_while(is_before_end)
        })
    }
}

/// Earlier answers.
#[derive(Debug)]
pub(super) struct Kept {
    holders: Mutex<LruCache<FieldWord, KnownHolders>>,
    counts: Mutex<LruCache<FieldWord, u64>>,
    vectors: Mutex<LruCache<(String, u64), DocumentRows>>,
    blocks: Mutex<LruCache<u32, Arc<str>>>,
    /// Rows with all words of a list.
    conjunctions: Mutex<LruCache<FieldWords, Arc<[Holder]>>>,
    models: Mutex<HashMap<String, Arc<Model>>>,
    /// Documents of the last list of rows with a name, which are often read one by one.
    pub(super) ahead: Mutex<Vec<u64>>,
    /// Number of documents with vectors, by model and dimension.
    pub(super) embedded: Mutex<HashMap<(String, usize), u64>>,
    pub(super) frequencies: Frequencies,
    pub(super) summary: OnceLock<Summary>,
    pub(super) directory: Mutex<Option<Arc<Directory>>>,
}

impl Default for Kept {
    fn default() -> Kept {
        Kept {
            holders: Mutex::new(LruCache::new(HOLDERS)),
            counts: Mutex::new(LruCache::new(COUNTS)),
            vectors: Mutex::new(LruCache::new(VECTORS)),
            blocks: Mutex::new(LruCache::new(BLOCKS)),
            conjunctions: Mutex::new(LruCache::new(HOLDERS)),
            models: Mutex::default(),
            ahead: Mutex::default(),
            embedded: Mutex::default(),
            frequencies: Frequencies::new(),
            summary: OnceLock::new(),
            directory: Mutex::default(),
        }
    }
}

impl Kept {
    pub(super) fn holders(&self) -> MutexGuard<'_, LruCache<FieldWord, KnownHolders>> {
        lock(&self.holders)
    }

    pub(super) fn counts(&self) -> MutexGuard<'_, LruCache<FieldWord, u64>> {
        lock(&self.counts)
    }

    pub(super) fn vectors(&self) -> MutexGuard<'_, LruCache<(String, u64), DocumentRows>> {
        lock(&self.vectors)
    }

    pub(super) fn blocks(&self) -> MutexGuard<'_, LruCache<u32, Arc<str>>> {
        lock(&self.blocks)
    }

    pub(super) fn conjunctions(&self) -> MutexGuard<'_, LruCache<FieldWords, Arc<[Holder]>>> {
        lock(&self.conjunctions)
    }

    pub(super) fn models(&self) -> MutexGuard<'_, HashMap<String, Arc<Model>>> {
        lock(&self.models)
    }
}
