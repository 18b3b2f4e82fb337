//! Queue of the folders that a walk has to read.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::Job;

/// Queue of folders to read, shared by the threads.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct QueueState {
    jobs: Vec<Job>,
    /// Number of threads that are reading a folder and may still add jobs.
    busy: usize,
}

impl Queue {
    /// Creates a queue with its first jobs.
    pub(super) fn of(jobs: Vec<Job>) -> Queue {
        Queue { state: Mutex::new(QueueState { jobs, busy: 0 }), ..Queue::default() }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        // A thread that panicked leaves the queue in a valid state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next job; `None` if there is none and no thread can add one.
    pub(super) fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop() {
                state.busy += 1;
                return Some(job);
            }
            if state.busy == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends a job and adds the new jobs that it created.
    pub(super) fn finish(&self, jobs: &mut Vec<Job>) {
        let mut state = self.lock();
        let waiting = jobs.len();
        state.jobs.append(jobs);
        state.busy -= 1;
        if waiting != 0 || state.busy == 0 {
            self.changed.notify_all();
        }
    }
}
