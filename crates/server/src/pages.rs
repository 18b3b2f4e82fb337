//! The interface to the web page: requests that are not of the protocol, and threads for their answers.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use hyper::{Request, Response, body::Bytes};
use tokio::sync::Semaphore;

use super::requests::{TASK_REQUEST, within};

/// Maximum number of answers that are computed at a time.
const MAX_RUNNING: usize = 8;

/// Maximum number of answers that wait for a thread.
const MAX_WAITING: usize = 256;

/// The answer to a request for a page.
pub type PageAnswer = Pin<Box<dyn Future<Output = Response<Bytes>> + Send>>;

/// Answers requests for pages. They have passed the checks of host, origin, token and method.
pub type Pages = Arc<dyn Fn(Request<Bytes>) -> PageAnswer + Send + Sync>;

/// Pattern of the address of a page, such as `/file/{*path}`. Routes set it as an extension of their answer.
#[derive(Debug, Clone)]
pub struct Route(pub Arc<str>);

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
        let request = TASK_REQUEST.try_with(Arc::clone).ok();
        let answer = move || within(request, answer);
        let answered = tokio::task::spawn_blocking(answer).await.map_err(|_| NoAnswer::Panicked);
        drop(permit);
        answered
    }
}

/// Answers that requests with the same key share while they wait for it.
///
/// A request gets an answer whose computation started after the request did, so that sharing makes no answer older
/// than its question.
#[derive(Debug)]
pub struct SharedAnswers<T> {
    slots: Mutex<HashMap<String, Arc<Slot<T>>>>,
}

/// The answers of one key.
#[derive(Debug)]
struct Slot<T> {
    /// Locked while an answer is computed. Requests get it in the order of their arrival.
    running: tokio::sync::Mutex<()>,
    started: AtomicU64,
    /// The last answer, with the number of its computation.
    last: Mutex<Option<(u64, T)>>,
}

impl<T> Default for SharedAnswers<T> {
    fn default() -> SharedAnswers<T> {
        SharedAnswers { slots: Mutex::default() }
    }
}

impl<T: Clone> SharedAnswers<T> {
    /// Returns the answer of a key: that of another request which started meanwhile, or a new one.
    pub async fn get(&self, key: &str, compute: impl Future<Output = T>) -> T {
        let slot = Arc::clone(self.slots().entry(key.to_owned()).or_insert_with(|| {
            let (running, started) = (tokio::sync::Mutex::default(), AtomicU64::new(0));
            Arc::new(Slot { running, started, last: Mutex::new(None) })
        }));
        let arrival = slot.started.load(Ordering::SeqCst);
        let running = slot.running.lock().await;
        let shared = slot.last().as_ref().filter(|(number, _)| arrival < *number).cloned();
        let answer = if let Some((_, answer)) = shared {
            answer
        } else {
            let number = slot.started.fetch_add(1, Ordering::SeqCst) + 1;
            let answer = compute.await;
            *slot.last() = Some((number, answer.clone()));
            answer
        };
        drop(running);
        let mut slots = self.slots();
        // The map and this request: the last one removes the answer.
        if Arc::strong_count(&slot) == 2 {
            slots.remove(key);
        }
        answer
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<String, Arc<Slot<T>>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Slot<T> {
    fn last(&self) -> MutexGuard<'_, Option<(u64, T)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One waiting answer.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn requests_share_an_answer_that_started_after_them() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_time()
            .build()
            .expect("a runtime");
        let shared = Arc::new(SharedAnswers::<usize>::default());
        let count = Arc::new(AtomicUsize::new(0));
        let ask = |key: &'static str| {
            let (shared, count) = (Arc::clone(&shared), Arc::clone(&count));
            runtime.spawn(async move {
                shared
                    .get(key, async {
                        let number = count.fetch_add(1, Ordering::SeqCst);
                        tokio::time::sleep(Duration::from_millis(100)).await;
                        number
                    })
                    .await
            })
        };
        let requests: Vec<_> = (0..20).map(|_| ask("a")).collect();
        let mut answers: Vec<usize> = requests
            .into_iter()
            .map(|request| runtime.block_on(request).expect("an answer"))
            .collect();
        answers.sort_unstable();
        answers.dedup();
        // The first request is computed; all that came meanwhile share the next answer.
        assert!(answers.len() <= 3, "{answers:?}");
        let before = count.load(Ordering::SeqCst);
        runtime.block_on(ask("a")).expect("an answer");
        assert_eq!(count.load(Ordering::SeqCst), before + 1, "a later request gets a new answer");
        assert!(shared.slots().is_empty(), "no answer is kept");
    }
}
