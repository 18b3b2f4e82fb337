//! Operations of the HTTP server: measurements of its requests, for the people who run it.
//!
//! Each request has a `RequestRecord`. The code that answers it adds what it knows: the route, the tool, the
//! outcome, the tree. When the answer ends, `Operations` counts the record.
//!
//! **Invariant:** nothing here delays an answer, except for the audit log, which drops no line. Nothing contains the
//! text of a query, unless the user adds that to a log.

mod audit;
mod log;
mod metrics;
mod traces;

use std::{fmt, path::PathBuf, sync::Arc};

use anyhow::Context as _;
use hyper::Method;
use lore_session::traces::Exporter;

pub use self::log::LogForm;
pub(crate) use self::metrics::CONTENT_TYPE;
use self::{audit::Audit, log::Log, metrics::Metrics};
use super::{requests::RequestRecord, roots::Trees};

/// Options of the operations of a server.
#[derive(Debug, Default)]
pub struct OperationsOptions {
    /// Version of the program, and its commit in parentheses if that is known.
    pub build: &'static str,
    /// Form of the log; `None` for no log.
    pub log: Option<LogForm>,
    /// True if the log contains the arguments of tools and the addresses of pages.
    pub logs_queries: bool,
    /// File of the audit log; `None` for no audit log.
    pub audit: Option<PathBuf>,
    /// True if the audit log contains the arguments of tools and the addresses of pages.
    pub audits_queries: bool,
    /// Sends traces; `None` for no traces.
    pub traces: Option<Exporter>,
}

/// Measurements of a server.
pub(crate) struct Operations {
    metrics: Metrics,
    log: Option<Log>,
    logs_queries: bool,
    audit: Option<Audit>,
    audits_queries: bool,
    traces: Option<Arc<Exporter>>,
}

impl fmt::Debug for Operations {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Operations").finish_non_exhaustive()
    }
}

impl Operations {
    /// Starts the measurements of a server.
    ///
    /// # Errors
    /// When the thread of the log cannot be started, or the file of the audit log cannot be opened.
    pub(crate) fn new(options: OperationsOptions, trees: Arc<Trees>) -> anyhow::Result<Operations> {
        let traces = options.traces.map(Arc::new);
        let metrics = Metrics::new(options.build, trees, traces.clone());
        let log = options.log.map(|form| Log::start(form, metrics.dropped_lines()));
        let log = log.transpose().context("could not start the log")?;
        let logs_queries = options.logs_queries && log.is_some();
        let audit = options.audit.as_deref().map(Audit::open).transpose()?;
        let audits_queries = options.audits_queries && audit.is_some();
        Ok(Operations { metrics, log, logs_queries, audit, audits_queries, traces })
    }

    /// Writes what is not written yet, for at most a moment.
    pub(crate) fn finish(&self) {
        if let Some(log) = &self.log {
            log.finish();
        }
        if let Some(traces) = &self.traces {
            traces.finish();
        }
    }

    /// Starts the record of a request. A stream stays open as long as its client, so that it has no duration and
    /// is not in flight.
    pub(crate) fn begin(self: &Arc<Self>, method: &Method, is_stream: bool) -> Recording {
        if !is_stream {
            self.metrics.begin();
        }
        let keeps_query = self.logs_queries || self.audits_queries;
        let request = Arc::new(RequestRecord::new(method.clone(), keeps_query));
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
        let mut finished = self.request.finish();
        let query = finished.query.take();
        self.operations.metrics.end(&finished, self.is_stream);
        if let Some(audit) = &self.operations.audit {
            finished.query = query.clone().filter(|_| self.operations.audits_queries);
            audit.write(&finished);
        }
        if let Some(log) = &self.operations.log {
            finished.query = query.filter(|_| self.operations.logs_queries);
            log.add(&finished);
        }
        finished.query = None;
        if let Some(traces) = self.operations.traces.as_ref().filter(|_| !self.is_stream) {
            traces.send(traces::trace(&finished));
        }
    }
}
