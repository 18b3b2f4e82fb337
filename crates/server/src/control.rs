//! Control of a running call: its time limit, its cancellation, and the receiver of its progress.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

/// Time after which a call is answered with what is known. The documentation promises 2 seconds; the
/// rest is for writing the answer.
const DEFAULT_LIMIT: Duration = Duration::from_millis(1_600);

/// Minimum time between two progress notices.
const MIN_NOTIFY_INTERVAL: Duration = Duration::from_millis(200);

/// Receiver of progress: bytes that were read, bytes that have to be read (0 before that is known), and a
/// line for people.
pub type Notify = Arc<dyn Fn(u64, u64, &str) + Send + Sync>;

/// Control of a running call. The time counts from its creation.
pub struct CallControl {
    started: Instant,
    limit: Duration,
    cancelled: Arc<dyn Fn() -> bool + Send + Sync>,
    notify: Option<Notify>,
}

impl fmt::Debug for CallControl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CallControl").field("limit", &self.limit).finish_non_exhaustive()
    }
}

impl CallControl {
    /// Returns the control of a call that starts now, with the default limit.
    pub fn new(
        cancelled: impl Fn() -> bool + Send + Sync + 'static,
        notify: Option<Notify>,
    ) -> CallControl {
        CallControl {
            started: Instant::now(),
            limit: DEFAULT_LIMIT,
            cancelled: Arc::new(cancelled),
            notify,
        }
    }

    /// Returns the control of the same call with another time limit, from the start of the call.
    #[must_use]
    pub fn with_limit(&self, limit: Duration) -> CallControl {
        CallControl {
            started: self.started,
            limit,
            cancelled: Arc::clone(&self.cancelled),
            notify: self.notify.clone(),
        }
    }

    /// Returns true if the client cancelled the call.
    pub fn is_cancelled(&self) -> bool {
        (self.cancelled)()
    }

    /// Time limit, from the start of the call.
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// Time until the call must be answered; zero if that time has passed.
    pub fn remaining(&self) -> Duration {
        self.limit.saturating_sub(self.started.elapsed())
    }

    /// Time at which the call must be answered.
    pub fn deadline(&self) -> Instant {
        self.started + self.limit
    }

    /// Reports progress to the client, unless the last report, at `reported`, is too recent.
    pub fn report_progress(
        &self,
        reported: &mut Option<Instant>,
        done: u64,
        known: u64,
        what: &str,
    ) {
        let Some(notify) = &self.notify else { return };
        if reported.is_none_or(|last| MIN_NOTIFY_INTERVAL <= last.elapsed()) {
            *reported = Some(Instant::now());
            notify(done, known, what);
        }
    }
}
