//! Overlays over indexes that answers leave in memory: they are written after the answer, or the next
//! answer continues from them.

use std::{
    collections::BTreeMap,
    fmt,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use lore_index::{IndexError, IndexLocation, IndexVersion, Overlay, Reader};
use lore_sources::{LiveTree, TreeVersion};

use super::{kept::KeptSource, shared_walk::SharedWalk, standing::KeptStanding};

/// Number of documents in an overlay above which it is written: for fewer, analysing them again in the
/// next process costs less than a commit.
const MAX_UNPUBLISHED_DOCUMENTS: u64 = 200;

/// Time spent on an overlay above which it is written.
const MAX_UNPUBLISHED_WORK: Duration = Duration::from_secs(2);

/// State that the answers of one engine leave for later ones. Clones share it; [`Overlays::default`] is empty.
#[derive(Clone, Default)]
pub struct Overlays(Arc<Shared>);

#[derive(Default)]
struct Shared {
    slots: Mutex<BTreeMap<PathBuf, OverlaySlot>>,
    /// Indexes that were compared with a listing, by location.
    kept: Mutex<BTreeMap<PathBuf, KeptSource>>,
    /// Number of documents of each index at its last comparison, by location.
    documents: Mutex<BTreeMap<PathBuf, u64>>,
    /// Time at which one of them was used last; `None` before.
    used: Mutex<Option<Instant>>,
    /// Walks that concurrent answers share.
    walks: SharedWalk,
    /// Name of the tree in receipts.
    standing: KeptStanding,
    /// True if the last listing contains templates, once that was looked up.
    templates: Mutex<Option<(TreeVersion, Arc<OnceLock<bool>>)>>,
    /// True if the last scan of the history left commits unread.
    has_older_commits: AtomicBool,
}

/// The overlay of one location, if there is one. It is locked while it is built, changed or published,
/// so that concurrent answers do not build it twice.
pub(crate) type OverlaySlot = Arc<Mutex<Option<CachedOverlay>>>;

/// Locks a slot. A thread that panicked while it held the lock had taken the overlay out.
pub(crate) fn lock(slot: &OverlaySlot) -> MutexGuard<'_, Option<CachedOverlay>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An overlay with the cost of building it.
pub(crate) struct CachedOverlay {
    pub(crate) overlay: Box<dyn Overlay>,
    /// Number of documents that were read for it, and of units that are gone or did not change.
    documents: u64,
    /// Bytes of text that were read for it.
    text: u64,
    work: Duration,
    /// Number of documents that ended their parser.
    faults: u64,
    /// True if it contains changes that are not on disk.
    has_changes: bool,
    /// True if it is the first index of its location.
    is_first: bool,
    /// True if it must not be written, or could not be, which was reported.
    is_memory_only: bool,
}

impl CachedOverlay {
    /// An overlay without changes.
    pub(crate) fn new(overlay: Box<dyn Overlay>, base: &dyn Reader) -> CachedOverlay {
        CachedOverlay {
            overlay,
            documents: 0,
            text: 0,
            work: Duration::ZERO,
            faults: 0,
            has_changes: false,
            is_first: base.generation() == 0 || base.is_partial(),
            is_memory_only: false,
        }
    }

    /// Counts a change.
    pub(crate) fn add(&mut self, documents: u64, work: Duration) {
        self.documents += documents;
        self.work += work;
        self.has_changes = true;
    }

    /// Counts documents that ended their parser.
    pub(crate) fn add_faults(&mut self, faults: u64) {
        self.faults += faults;
    }

    /// Counts text that was read for it, and returns the total.
    pub(crate) fn add_text(&mut self, bytes: u64) -> u64 {
        self.text += bytes;
        self.text
    }

    /// Keeps it in memory for good.
    pub(crate) fn keep_in_memory(&mut self) {
        self.is_memory_only = true;
    }

    /// Returns true if the next answer can continue from it: it was built over exactly this version.
    pub(crate) fn is_based_on(&self, base: IndexVersion) -> bool {
        self.overlay.is_over(base)
    }

    /// Returns true if it contains changes that are not committed.
    pub(crate) fn has_changes(&self) -> bool {
        self.has_changes
    }

    /// Returns true if it is a first index, large enough for a commit, or contains a document that the
    /// next process must not parse again.
    fn should_publish(&self) -> bool {
        let is_large =
            self.documents > MAX_UNPUBLISHED_DOCUMENTS || self.work > MAX_UNPUBLISHED_WORK;
        let is_worthwhile = self.is_first || is_large || self.faults > 0;
        self.has_changes && is_worthwhile && !self.is_memory_only
    }
}

/// Maximum number of new stamps that are not written by themselves: files that were touched and did not
/// change are compared again.
pub(crate) const MAX_UNWRITTEN_STAMPS: u64 = MAX_UNPUBLISHED_DOCUMENTS;

impl Overlays {
    /// Sets the watched tree that answers list from now on, or none.
    pub(crate) fn watch(&self, tree: Option<Arc<LiveTree>>) {
        let is_end = tree.is_none();
        self.walks().set_live(tree);
        if is_end {
            self.forget_kept();
        }
    }

    /// The walks of the tree.
    pub(crate) fn walks(&self) -> &SharedWalk {
        &self.0.walks
    }

    /// Returns the place for whether a listing contains templates.
    pub(crate) fn templates(&self, version: TreeVersion) -> Arc<OnceLock<bool>> {
        let mut last = self.0.templates.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((known, templates)) if *known == version => Arc::clone(templates),
            _ => Arc::clone(&last.insert((version, Arc::default())).1),
        }
    }

    /// The name of the tree in receipts.
    pub(crate) fn standing(&self) -> &KeptStanding {
        &self.0.standing
    }

    fn slots(&self) -> MutexGuard<'_, BTreeMap<PathBuf, OverlaySlot>> {
        self.0.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes whether a scan of the history left commits unread.
    pub(crate) fn note_older_commits(&self, has_older: bool) {
        self.0.has_older_commits.store(has_older, Ordering::Relaxed);
    }

    /// Returns true if the last scan of the history left commits unread.
    pub(crate) fn has_older_commits(&self) -> bool {
        self.0.has_older_commits.load(Ordering::Relaxed)
    }

    fn all_kept(&self) -> MutexGuard<'_, BTreeMap<PathBuf, KeptSource>> {
        self.0.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the index at a location that was compared last.
    pub(crate) fn kept(&self, location: &IndexLocation) -> Option<KeptSource> {
        let IndexLocation::Folder(path) = location else { return None };
        *self.last_use() = Some(Instant::now());
        self.all_kept().get(path).cloned()
    }

    /// Notes the number of documents of an index that was compared with the tree.
    pub(crate) fn note_documents(&self, location: &IndexLocation, documents: u64) {
        if let IndexLocation::Folder(path) = location {
            self.all_documents().insert(path.clone(), documents);
        }
    }

    /// Number of documents of all indexes at their last comparison; `None` before the first one.
    pub(crate) fn documents(&self) -> Option<u64> {
        let documents = self.all_documents();
        (!documents.is_empty()).then(|| documents.values().sum())
    }

    fn all_documents(&self) -> MutexGuard<'_, BTreeMap<PathBuf, u64>> {
        self.0.documents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn last_use(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets the kept indexes if no answer used them for `idle`, so that the pages of their files are
    /// no longer in the memory of this process. Returns the time of the next attempt.
    pub(crate) fn close_idle(&self, idle: Duration) -> Instant {
        let now = Instant::now();
        let end = self.last_use().map_or(now, |used| used + idle);
        if now < end {
            return end;
        }
        self.forget_kept();
        now + idle
    }

    /// Keeps an index that was compared with a listing, if the tree is watched.
    pub(crate) fn keep(&self, location: &IndexLocation, kept: KeptSource) {
        if let IndexLocation::Folder(path) = location
            && self.walks().has_live()
        {
            self.all_kept().insert(path.clone(), kept);
        }
    }

    /// Forgets the kept indexes, so that they are opened again.
    pub(crate) fn forget_kept(&self) {
        self.all_kept().clear();
    }

    /// Returns the slot of a location. An index in memory has one that is not shared.
    pub(crate) fn slot(&self, location: &IndexLocation) -> OverlaySlot {
        match location {
            IndexLocation::Folder(path) => {
                Arc::clone(self.slots().entry(path.clone()).or_default())
            }
            IndexLocation::Memory => OverlaySlot::default(),
        }
    }

    /// Publishes first indexes and large overlays, unless another process is writing. Returns true if
    /// something was written, and the errors.
    pub(crate) fn publish(&self) -> (bool, Vec<IndexError>) {
        let slots: Vec<OverlaySlot> = self.slots().values().map(Arc::clone).collect();
        let (mut is_written, mut errors) = (false, Vec::new());
        for slot in slots {
            let mut slot = lock(&slot);
            let Some(mut cached) = slot.take_if(|cached| cached.should_publish()) else { continue };
            match cached.overlay.publish() {
                // The next answer starts from the new commit.
                Ok(()) => {
                    is_written = true;
                    continue;
                }
                Err(IndexError::Moved { .. }) => continue,
                Err(IndexError::Busy { .. }) => {}
                Err(error) => {
                    cached.is_memory_only = true;
                    errors.push(error);
                }
            }
            *slot = Some(cached);
        }
        (is_written, errors)
    }
}

impl fmt::Debug for Overlays {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.slots().keys()).finish()
    }
}

/// Overlays are no setting.
impl PartialEq for Overlays {
    fn eq(&self, _: &Overlays) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_indexes_are_closed_only_after_a_pause() {
        let overlays = Overlays::default();
        let idle = Duration::from_mins(1);
        let location = IndexLocation::Folder(PathBuf::from("code"));
        let before = Instant::now();
        assert!(overlays.kept(&location).is_none());
        // Used just now: the next attempt is a whole pause after that.
        let next = overlays.close_idle(idle);
        assert!(before + idle <= next && next <= Instant::now() + idle);
        assert!(overlays.close_idle(Duration::ZERO) >= before);
    }
}
