//! Operations of the HTTP server: measurements of its requests, for the people who run it.
//!
//! Each request has a [`RequestRecord`]. The code that answers it adds what it knows: the route, the tool, the
//! outcome, the tree. When the answer ends, [`Operations`] counts the record.
//!
//! **Invariant:** nothing here delays an answer, and nothing contains the text of a query.

mod metrics;

use std::{fmt, sync::Arc};

pub(crate) use self::metrics::CONTENT_TYPE;
use self::metrics::Metrics;
use super::{requests::RequestRecord, roots::Trees};

/// Options of the operations of a server.
#[derive(Debug, Default)]
pub struct OperationsOptions {
    /// Version of the program, and its commit in parentheses if that is known.
    pub build: &'static str,
}

/// Measurements of a server.
pub(crate) struct Operations {
    metrics: Metrics,
}

impl fmt::Debug for Operations {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Operations").finish_non_exhaustive()
    }
}

impl Operations {
    pub(crate) fn new(options: &OperationsOptions, trees: Arc<Trees>) -> Operations {
        Operations { metrics: Metrics::new(options.build, trees) }
    }

    /// Starts the record of a request. A stream stays open as long as its client, so that it has no duration and
    /// is not in flight.
    pub(crate) fn begin(self: &Arc<Self>, is_stream: bool) -> Recording {
        if !is_stream {
            self.metrics.begin();
        }
        let request = Arc::new(RequestRecord::new());
        Recording { operations: Arc::clone(self), request, is_stream }
    }

    /// Writes all metrics in the text form of Prometheus.
    pub(crate) fn metrics_text(&self) -> String {
        self.metrics.text()
    }
}

/// A request that is being answered. It is counted when this is dropped.
#[derive(Debug)]
pub(crate) struct Recording {
    operations: Arc<Operations>,
    pub(crate) request: Arc<RequestRecord>,
    is_stream: bool,
}

impl Drop for Recording {
    fn drop(&mut self) {
        let finished = self.request.finish();
        self.operations.metrics.end(&finished, self.is_stream);
    }
}
