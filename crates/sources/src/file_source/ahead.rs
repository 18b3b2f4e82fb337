//! Reads changed units ahead: several threads read and hash them, and the changes are emitted in the
//! order of the units.

use std::{
    any::Any,
    collections::{HashMap, VecDeque},
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use lore_schema::Change;

use super::{Suspect, UNITS_PER_THREAD};
use crate::{formats::FileSource, source::IndexState, tree::Tree, units::ClaimedUnit};

/// Maximum number of units that wait for an earlier one.
const MAX_UNITS_AHEAD: usize = 256;

/// Maximum bytes of files that are read ahead, except for a single unit with more.
const MAX_BYTES_AHEAD: u64 = 16 << 20;

/// A unit to compare, with its position among these units.
type Job<'a> = (usize, Suspect<'a>);

/// The outcome of a job: the change, or the panic of its thread.
type Finished = (usize, Result<Change, Box<dyn Any + Send>>);

/// A unit in the order of emission.
enum Slot {
    Ready(Change),
    /// Is compared by another thread: its position among these units, and the size of its files.
    Reading(usize, u64),
}

impl FileSource {
    /// Emits one change per unit, in order. Returns [`ControlFlow::Break`] if `emit` did.
    pub(super) fn scan_units<'u>(
        &self,
        tree: &Tree,
        units: impl Iterator<Item = &'u ClaimedUnit>,
        known: &dyn IndexState,
        emit: &mut dyn FnMut(Change) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let threads = tree.options().threads.max(1);
        let (jobs, queue) = channel();
        let (finished, outcomes) = channel();
        let (queue, is_cancelled) = (Mutex::new(queue), AtomicBool::new(false));
        thread::scope(|scope| {
            let mut ahead = Ahead::new(jobs, outcomes);
            let mut inline = 0;
            for claimed in units {
                let stamp = known.stamp(&claimed.claim.unit);
                match self.suspect(tree, claimed, stamp) {
                    None => ahead.push(Slot::Ready(Change::Unchanged(self.unit(claimed)))),
                    // Starting a thread costs as much as reading a few files.
                    Some(suspect) if threads == 1 || inline < UNITS_PER_THREAD => {
                        inline += 1;
                        ahead.push(Slot::Ready(self.change(tree, suspect, known)));
                    }
                    Some(suspect) => {
                        if ahead.sent == 0 {
                            for _ in 0..threads {
                                let finished = finished.clone();
                                let (queue, is_cancelled) = (&queue, &is_cancelled);
                                scope.spawn(move || {
                                    self.compare_queued(
                                        tree,
                                        known,
                                        queue,
                                        is_cancelled,
                                        &finished,
                                    );
                                });
                            }
                        }
                        let size = |index: &usize| tree.entries()[*index].size;
                        let bytes =
                            claimed.claim.files.iter().map(size).fold(0, u64::saturating_add);
                        ahead.send(suspect, bytes);
                    }
                }
                while let Some(change) = ahead.take(Ahead::is_due) {
                    if emit(change).is_break() {
                        is_cancelled.store(true, Ordering::Relaxed);
                        return ControlFlow::Break(());
                    }
                }
            }
            while let Some(change) = ahead.take(|_| true) {
                if emit(change).is_break() {
                    is_cancelled.store(true, Ordering::Relaxed);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })
    }

    /// Compares units until the sender is dropped.
    fn compare_queued(
        &self,
        tree: &Tree,
        known: &dyn IndexState,
        queue: &Mutex<Receiver<Job<'_>>>,
        is_cancelled: &AtomicBool,
        finished: &Sender<Finished>,
    ) {
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((position, suspect)) = next else { break };
            if is_cancelled.load(Ordering::Relaxed) {
                break;
            }
            let outcome = catch_unwind(AssertUnwindSafe(|| self.change(tree, suspect, known)));
            if finished.send((position, outcome)).is_err() {
                break;
            }
        }
    }
}

/// The units that are compared but not emitted yet.
struct Ahead<'a> {
    slots: VecDeque<Slot>,
    jobs: Sender<Job<'a>>,
    outcomes: Receiver<Finished>,
    /// Changes of units that follow one that is still being read.
    early: HashMap<usize, Change>,
    /// Number of units that were sent to threads.
    sent: usize,
    /// Size of the files of those that were sent and not emitted yet.
    bytes: u64,
}

impl<'a> Ahead<'a> {
    fn new(jobs: Sender<Job<'a>>, outcomes: Receiver<Finished>) -> Ahead<'a> {
        let (slots, early) = (VecDeque::new(), HashMap::new());
        Ahead { slots, jobs, outcomes, early, sent: 0, bytes: 0 }
    }

    fn push(&mut self, slot: Slot) {
        self.slots.push_back(slot);
    }

    /// Sends a unit to the threads. `bytes` is the size of its files.
    fn send(&mut self, suspect: Suspect<'a>, bytes: u64) {
        self.push(Slot::Reading(self.sent, bytes));
        // The receiver outlives the scan.
        let _ = self.jobs.send((self.sent, suspect));
        self.sent += 1;
        self.bytes += bytes;
    }

    /// Returns true if the first unit is ready, or has to be waited for.
    fn is_due(&self) -> bool {
        matches!(self.slots.front(), Some(Slot::Ready(_)))
            || self.slots.len() > MAX_UNITS_AHEAD
            || self.bytes > MAX_BYTES_AHEAD
    }

    /// Takes the change of the first unit if there is one and it is `wanted`. Waits until it is read.
    fn take(&mut self, wanted: impl Fn(&Ahead<'a>) -> bool) -> Option<Change> {
        if self.slots.is_empty() || !wanted(self) {
            return None;
        }
        match self.slots.pop_front()? {
            Slot::Ready(change) => Some(change),
            Slot::Reading(position, bytes) => {
                self.bytes -= bytes;
                loop {
                    if let Some(change) = self.early.remove(&position) {
                        return Some(change);
                    }
                    // The threads end only after the sender of jobs is dropped.
                    let (finished, outcome) = self.outcomes.recv().ok()?;
                    let change = outcome.unwrap_or_else(|panic| resume_unwind(panic));
                    self.early.insert(finished, change);
                }
            }
        }
    }
}
