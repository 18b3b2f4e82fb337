//! State of a running call: its time limit, its cancellation, and who
//! hears how far it is.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

/// Time after which a call is answered with what there is. Clients were promised 2 seconds; the
/// rest is for writing the answer.
const PATIENCE: Duration = Duration::from_millis(1_600);

/// Least time between two notices.
const BETWEEN: Duration = Duration::from_millis(200);

/// Hears how far a call is: done and known steps, and what they are.
pub type Notify = Arc<dyn Fn(u64, u64, &str) + Send + Sync>;

/// A call that runs.
pub struct Watch {
    started: Instant,
    patience: Duration,
    cancelled: Arc<dyn Fn() -> bool + Send + Sync>,
    notify: Option<Notify>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Watch").field("patience", &self.patience).finish_non_exhaustive()
    }
}

impl Watch {
    /// Watches a call from now on.
    pub fn new(
        cancelled: impl Fn() -> bool + Send + Sync + 'static,
        notify: Option<Notify>,
    ) -> Watch {
        Watch {
            started: Instant::now(),
            patience: PATIENCE,
            cancelled: Arc::new(cancelled),
            notify,
        }
    }

    /// The same call, which may take so long: its job is to wait.
    #[must_use]
    pub fn for_as_long_as(&self, patience: Duration) -> Watch {
        Watch {
            started: self.started,
            patience,
            cancelled: Arc::clone(&self.cancelled),
            notify: self.notify.clone(),
        }
    }

    /// Returns true if the client cancelled the call.
    pub fn is_cancelled(&self) -> bool {
        (self.cancelled)()
    }

    /// The time limit.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// Time that is left before it must be answered.
    pub fn left(&self) -> Duration {
        self.patience.saturating_sub(self.started.elapsed())
    }

    /// When it must be answered.
    pub fn deadline(&self) -> Instant {
        self.started + self.patience
    }

    /// Reports progress, unless it was reported a moment ago.
    pub fn tell(&self, told: &mut Option<Instant>, done: u64, known: u64, what: &str) {
        let Some(notify) = &self.notify else { return };
        if told.is_none_or(|last| BETWEEN <= last.elapsed()) {
            *told = Some(Instant::now());
            notify(done, known, what);
        }
    }
}
