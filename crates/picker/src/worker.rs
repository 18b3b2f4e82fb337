//! A thread that takes the newest request only: older ones that it has not started are dropped.

use std::{
    io,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
};

/// The place of the next request.
struct Slot<T> {
    next: Mutex<Next<T>>,
    changed: Condvar,
    /// Number of requests that were sent.
    sent: AtomicU64,
}

struct Next<T> {
    request: Option<T>,
    is_closed: bool,
}

impl<T> Slot<T> {
    fn next(&self) -> MutexGuard<'_, Next<T>> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The side of the thread.
pub(crate) struct Inbox<T> {
    slot: Arc<Slot<T>>,
    /// Number of the request that is worked on.
    taken: u64,
}

impl<T> Inbox<T> {
    /// Waits for a request; `None` when no more will come.
    pub(crate) fn wait(&mut self) -> Option<T> {
        let mut next = self.slot.next();
        loop {
            if next.is_closed {
                return None;
            }
            if let Some(request) = next.request.take() {
                self.taken = self.slot.sent.load(Ordering::Acquire);
                return Some(request);
            }
            next = self.slot.changed.wait(next).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns true once a newer request was sent, or no answer is wanted any more.
    pub(crate) fn is_stale(&self) -> bool {
        self.slot.sent.load(Ordering::Acquire) != self.taken
    }
}

/// A thread with a place for one request. Dropping this value ends the thread after its current request.
pub(crate) struct Worker<T> {
    slot: Arc<Slot<T>>,
    thread: JoinHandle<()>,
}

impl<T: Send + 'static> Worker<T> {
    /// Starts a thread, which takes requests from its inbox until there are no more.
    ///
    /// # Errors
    /// When the system refuses the thread.
    pub(crate) fn start(
        name: &str,
        work: impl FnOnce(Inbox<T>) + Send + 'static,
    ) -> io::Result<Worker<T>> {
        let next = Mutex::new(Next { request: None, is_closed: false });
        let slot = Arc::new(Slot { next, changed: Condvar::new(), sent: AtomicU64::new(0) });
        let inbox = Inbox { slot: Arc::clone(&slot), taken: 0 };
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || work(inbox))?;
        Ok(Worker { slot, thread })
    }

    /// Sends a request in place of one that was not started yet.
    pub(crate) fn send(&self, request: T) {
        let mut next = self.slot.next();
        next.request = Some(request);
        self.slot.sent.fetch_add(1, Ordering::AcqRel);
        self.slot.changed.notify_one();
    }

    /// Returns true once the thread has ended.
    pub(crate) fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }
}

impl<T> Drop for Worker<T> {
    fn drop(&mut self) {
        self.slot.next().is_closed = true;
        // A request that is being worked on is no longer wanted.
        self.slot.sent.fetch_add(1, Ordering::AcqRel);
        self.slot.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn only_the_newest_request_is_started_and_a_running_one_learns_that_it_is_stale() {
        let (started, has_started) = mpsc::channel();
        let (go, may_go) = mpsc::channel::<()>();
        let worker = Worker::start("test", move |mut inbox: Inbox<u32>| {
            while let Some(request) = inbox.wait() {
                started.send((request, inbox.is_stale())).expect("the test waits");
                may_go.recv().expect("the test answers");
                started.send((request, inbox.is_stale())).expect("the test waits");
            }
        })
        .expect("a thread");
        worker.send(1);
        assert_eq!(has_started.recv(), Ok((1, false)));
        worker.send(2);
        worker.send(3);
        go.send(()).expect("the thread waits");
        assert_eq!(has_started.recv(), Ok((1, true)));
        assert_eq!(has_started.recv(), Ok((3, false)), "2 was never started");
        drop(worker);
        go.send(()).expect("the thread waits");
        assert_eq!(has_started.recv(), Ok((3, true)));
        assert!(has_started.recv().is_err(), "the thread ended");
    }
}
