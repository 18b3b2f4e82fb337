//! What answers leave in memory: overlays over indexes, to be written after the answer or to be gone
//! on from by the next one.

use std::{
    collections::BTreeMap,
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use lore_index::{IndexError, IndexLocation, IndexVersion, Overlay, Reader};

/// Documents in an overlay from which on it is written: below, analysing them again costs the next
/// process less than a commit is worth.
const MOST_DOCUMENTS: u64 = 200;

/// Work in an overlay from which on it is written.
const MOST_WORK: Duration = Duration::from_secs(2);

/// The overlays of one engine. Clones share them; [`Overlays::default`] are those of an engine that
/// nobody has asked yet.
#[derive(Clone, Default)]
pub struct Overlays(Arc<Mutex<BTreeMap<PathBuf, Slot>>>);

/// Where the overlay of one place is kept. Locked while it is made, changed or published: what one
/// answer makes, another one that comes meanwhile does not make again.
pub(crate) type Slot = Arc<Mutex<Option<Kept>>>;

/// Locks a slot. Who panics while it is locked has taken the overlay out.
pub(crate) fn lock(slot: &Slot) -> MutexGuard<'_, Option<Kept>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An overlay with what it is worth.
pub(crate) struct Kept {
    pub(crate) overlay: Box<dyn Overlay>,
    /// Documents that were read for it, and units that are gone or were found to be as they had been.
    documents: u64,
    /// Bytes of text that were read for it.
    text: u64,
    work: Duration,
    /// Whether it holds what lies on no disk yet.
    has_changes: bool,
    /// Whether there is nothing below.
    is_first: bool,
    /// Whether it may not be written, or could not be, which was told.
    is_refused: bool,
}

impl Kept {
    /// An overlay without changes.
    pub(crate) fn new(overlay: Box<dyn Overlay>, base: &dyn Reader) -> Kept {
        Kept {
            overlay,
            documents: 0,
            text: 0,
            work: Duration::ZERO,
            has_changes: false,
            is_first: base.generation() == 0,
            is_refused: false,
        }
    }

    /// Counts a change.
    pub(crate) fn add(&mut self, documents: u64, work: Duration) {
        self.documents += documents;
        self.work += work;
        self.has_changes = true;
    }

    /// Counts text that was read for it, and returns all that was.
    pub(crate) fn add_text(&mut self, bytes: u64) -> u64 {
        self.text += bytes;
        self.text
    }

    /// Keeps it in memory for good.
    pub(crate) fn refuse(&mut self) {
        self.is_refused = true;
    }

    /// Whether the next answer should go on from it: it changes exactly this state.
    pub(crate) fn is_over(&self, base: IndexVersion) -> bool {
        self.overlay.is_over(base)
    }

    /// Whether it holds what no commit has.
    pub(crate) fn has_changes(&self) -> bool {
        self.has_changes
    }

    /// Whether it is worth a commit.
    fn is_due(&self) -> bool {
        let is_large = self.documents > MOST_DOCUMENTS || self.work > MOST_WORK;
        self.has_changes && (self.is_first || is_large) && !self.is_refused
    }
}

/// Stamps that are not worth an overlay by themselves: files that were touched and hold what they
/// held are compared again.
pub(crate) const FEW_STAMPS: u64 = MOST_DOCUMENTS;

impl Overlays {
    fn slots(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Slot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The slot of a place. What lies in memory as a whole has one that nobody shares.
    pub(crate) fn slot(&self, place: &IndexLocation) -> Slot {
        match place {
            IndexLocation::Folder(path) => {
                Arc::clone(self.slots().entry(path.clone()).or_default())
            }
            IndexLocation::Memory => Slot::default(),
        }
    }

    /// Writes what is worth it, as far as nobody else writes. Returns whether something was written, and
    /// why something could not be.
    pub(crate) fn publish(&self) -> (bool, Vec<IndexError>) {
        let slots: Vec<Slot> = self.slots().values().map(Arc::clone).collect();
        let (mut is_written, mut errors) = (false, Vec::new());
        for slot in slots {
            let mut slot = lock(&slot);
            let Some(mut kept) = slot.take_if(|kept| kept.is_due()) else { continue };
            match kept.overlay.publish() {
                // What lies below now is what the next answer stands on.
                Ok(()) => {
                    is_written = true;
                    continue;
                }
                Err(IndexError::Moved { .. }) => continue,
                Err(IndexError::Busy { .. }) => {}
                Err(error) => {
                    kept.is_refused = true;
                    errors.push(error);
                }
            }
            *slot = Some(kept);
        }
        (is_written, errors)
    }
}

impl fmt::Debug for Overlays {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.slots().keys()).finish()
    }
}

/// What is in memory is no setting.
impl PartialEq for Overlays {
    fn eq(&self, _: &Overlays) -> bool {
        true
    }
}
