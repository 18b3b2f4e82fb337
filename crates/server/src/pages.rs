//! The interface to the web page: requests that are not of the protocol, and threads for their answers.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use hyper::{Request, Response, body::Bytes};
use tokio::sync::Semaphore;

/// Maximum number of answers that are computed at a time.
const MAX_RUNNING: usize = 8;

/// Maximum number of answers that wait for a thread.
const MAX_WAITING: usize = 256;

/// The answer to a request for a page.
pub type PageAnswer = Pin<Box<dyn Future<Output = Response<Bytes>> + Send>>;

/// Answers requests for pages. They have passed the checks of host, origin, token and method.
pub type Pages = Arc<dyn Fn(Request<Bytes>) -> PageAnswer + Send + Sync>;

/// The reason why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoAnswer {
    /// Too many answers are waiting.
    Busy,
    /// The answer panicked; standard error has the details.
    Panicked,
}

/// Threads for synchronous answers, bounded in number.
#[derive(Debug)]
pub struct Threads {
    permits: Semaphore,
    waiting: AtomicUsize,
}

impl Default for Threads {
    fn default() -> Threads {
        Threads { permits: Semaphore::new(MAX_RUNNING), waiting: AtomicUsize::new(0) }
    }
}

impl Threads {
    /// Runs a synchronous answer in a thread.
    ///
    /// # Errors
    /// When too many answers are waiting, or this one panics.
    pub async fn run<T: Send + 'static>(
        &self,
        answer: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NoAnswer> {
        if MAX_WAITING <= self.waiting.load(Ordering::Relaxed) {
            return Err(NoAnswer::Busy);
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        // Dropped when the client goes away while it waits.
        let waiting = Waiting(&self.waiting);
        let permit = self.permits.acquire().await.map_err(|_| NoAnswer::Busy)?;
        drop(waiting);
        let answered = tokio::task::spawn_blocking(answer).await.map_err(|_| NoAnswer::Panicked);
        drop(permit);
        answered
    }
}

/// One waiting answer.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
