//! The log of requests: one line for each on standard error.
//!
//! **Invariant:** writing never delays an answer. A thread writes the lines; while it waits for a slow reader, up
//! to [`MAX_WAITING`] lines are kept and further ones are dropped and counted.

use std::{
    sync::{
        Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
    time::Duration,
};

use jiff::Timestamp;
use lore_console::report;
use lore_render::wire::requests::RequestWire;
use prometheus_client::metrics::counter::Counter;

use crate::requests::FinishedRequest;

/// Maximum number of lines that wait for the thread.
const MAX_WAITING: usize = 1024;

/// Maximum wait for the last lines at the end of the server.
const MAX_FLUSH: Duration = Duration::from_millis(500);

/// Form of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogForm {
    /// A short line.
    Text,
    /// An object of JSON.
    Json,
}

/// The log of a server.
pub(super) struct Log {
    form: LogForm,
    /// `None` after the end.
    lines: Mutex<Option<SyncSender<String>>>,
    /// Disconnected when the thread has written the last line.
    written: Mutex<Receiver<()>>,
    dropped: Counter,
}

impl Log {
    /// Starts the thread. `dropped` counts the lines that are dropped.
    pub(super) fn start(form: LogForm, dropped: Counter) -> std::io::Result<Log> {
        Log::start_with(form, dropped, move |line| match form {
            // Serialised text has no control characters.
            LogForm::Json => report::styled_lines(&line),
            LogForm::Text => report::plain_line(&line),
        })
    }

    fn start_with(
        form: LogForm,
        dropped: Counter,
        write: impl Fn(String) + Send + 'static,
    ) -> std::io::Result<Log> {
        let (lines, waiting) = sync_channel::<String>(MAX_WAITING);
        let (end, written) = sync_channel(0);
        thread::Builder::new().name("log".to_owned()).spawn(move || {
            waiting.into_iter().for_each(write);
            drop(end);
        })?;
        Ok(Log { form, lines: Mutex::new(Some(lines)), written: Mutex::new(written), dropped })
    }

    /// Adds the line of a request.
    pub(super) fn add(&self, request: &FinishedRequest) {
        let line = match self.form {
            LogForm::Json => json_line(request),
            LogForm::Text => text_line(request),
        };
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.as_ref().is_some_and(|lines| lines.try_send(line).is_err()) {
            self.dropped.inc();
        }
    }

    /// Ends the log, and waits a moment for its last lines.
    pub(super) fn finish(&self) {
        drop(self.lines.lock().unwrap_or_else(PoisonError::into_inner).take());
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = written.recv_timeout(MAX_FLUSH);
    }
}

/// Arrival of a request, in UTC with milliseconds.
fn time(request: &FinishedRequest) -> String {
    Timestamp::try_from(request.arrived).map_or_else(|_| String::new(), |it| format!("{it:.3}"))
}

pub(super) fn json_line(request: &FinishedRequest) -> String {
    let wire = RequestWire {
        time: time(request),
        id: &request.id_text(),
        method: request.method.as_str(),
        user: request.user.as_deref(),
        route: &request.route,
        tool: request.tool,
        status: request.status.map(|status| status.as_u16()),
        outcome: request.outcome.as_str(),
        milliseconds: request.duration.as_secs_f64() * 1e3,
        bytes: request.bytes,
        trees: &request.trees,
        query: request.query.as_deref(),
        ..RequestWire::default()
    };
    wire.line()
}

/// The short line. Fields that are missing are `-`, so that each field keeps its column.
fn text_line(request: &FinishedRequest) -> String {
    let status =
        request.status.map_or_else(|| "-".to_owned(), |status| status.as_u16().to_string());
    let trees = if request.trees.is_empty() { "-".to_owned() } else { request.trees.join(",") };
    let query = request.query.as_ref().map_or_else(String::new, |query| format!(" {query}"));
    format!(
        "{} {} {} {} {} {status} {} {:.1}ms {}B {trees}{query}",
        time(request),
        request.id_text(),
        request.method,
        request.route,
        request.tool.unwrap_or("-"),
        request.outcome.as_str(),
        request.duration.as_secs_f64() * 1e3,
        request.bytes,
    )
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use hyper::StatusCode;

    use super::*;
    use crate::requests::{Outcome, RequestRecord};

    fn request() -> FinishedRequest {
        let record = RequestRecord::new(hyper::Method::POST, true);
        record.set_route(Arc::from("/mcp"));
        record.begin_call("search");
        record.note_query(|| "{\"query\": \"a\\nb\"}".to_owned());
        record.set_status(StatusCode::OK, 0);
        record.add_bytes(120);
        record.end_call(Outcome::Ok);
        record.finish()
    }

    #[test]
    fn a_line_of_text_has_a_column_for_each_field() {
        let line = text_line(&request());
        let columns: Vec<&str> = line.split(' ').collect();
        assert_eq!(columns[2..7], ["POST", "/mcp", "search", "200", "ok"], "{line}");
        assert_eq!(columns[8..10], ["120B", "-"], "{line}");
        assert!(columns[0].ends_with('Z') && columns[1].len() == 32, "{line}");
    }

    #[test]
    fn a_line_of_json_is_one_line() {
        let line = json_line(&request());
        assert!(!line.contains('\n'), "{line}");
        let value: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!((&value["tool"], &value["bytes"]), (&"search".into(), &120.into()));
        assert_eq!(value["query"], "{\"query\": \"a\\nb\"}");
    }

    #[test]
    fn a_slow_reader_delays_nothing() {
        let (release, released) = sync_channel::<()>(0);
        let (dropped, count) = (Counter::default(), Arc::new(AtomicUsize::new(0)));
        let written = Arc::clone(&count);
        let log = Log::start_with(LogForm::Text, dropped.clone(), move |_| {
            let _ = released.recv();
            written.fetch_add(1, Ordering::SeqCst);
        });
        let log = log.expect("a thread");
        (0..MAX_WAITING + 100).for_each(|_| log.add(&request()));
        assert!((99..=100).contains(&dropped.get()), "{}", dropped.get());
        drop(release);
        log.finish();
        let kept = MAX_WAITING + 100 - usize::try_from(dropped.get()).expect("a small number");
        assert_eq!(count.load(Ordering::SeqCst), kept);
    }
}
