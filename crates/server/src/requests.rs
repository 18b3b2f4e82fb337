//! The record of one HTTP request, and its parts.
//!
//! A record follows its request through threads in three ways: in the extensions of a message of the protocol,
//! in the asynchronous task of a page ([`TASK_REQUEST`]), and in the thread that computes the answer ([`within`]).

use std::{
    cell::RefCell,
    fmt::Write as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use hyper::{Method, StatusCode};

/// Maximum number of trees that a record names.
const MAX_TREES: usize = 128;

/// Maximum number of characters of the text of a query.
const MAX_QUERY: usize = 1_000;

/// Maximum number of stages of a request; later ones are dropped.
const MAX_STAGES: usize = 64;

/// Part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stage {
    /// Name: `index.wait`, `query` or `render`.
    pub(crate) name: &'static str,
    /// Start.
    pub(crate) started: Instant,
    /// End.
    pub(crate) ended: Instant,
}

/// Name of the stage that waits for the first complete index.
pub(crate) const INDEX_WAIT: &str = "index.wait";
/// Name of the stage that runs a query of the engine.
pub(crate) const QUERY: &str = "query";
/// Name of the stage that writes the answer.
const RENDER: &str = "render";

/// Outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Answered.
    Ok,
    /// The tool answered with an error.
    Failed,
    /// Not answered, because the index is not complete yet.
    NotReady,
    /// The client stopped waiting.
    Cancelled,
    /// The token is missing or wrong.
    Unauthorized,
    /// Another error of the client: an unknown tool, invalid arguments, a status from 400 to 499.
    Invalid,
    /// A status of 500 or above.
    ServerError,
}

impl Outcome {
    /// Name in metrics and logs.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::Failed => "failed",
            Outcome::NotReady => "not_ready",
            Outcome::Cancelled => "cancelled",
            Outcome::Unauthorized => "unauthorized",
            Outcome::Invalid => "invalid",
            Outcome::ServerError => "server_error",
        }
    }

    fn of_status(status: StatusCode) -> Outcome {
        match status.as_u16() {
            401 => Outcome::Unauthorized,
            400..=499 => Outcome::Invalid,
            500.. => Outcome::ServerError,
            _ => Outcome::Ok,
        }
    }
}

/// The record of a request while it is answered.
#[derive(Debug)]
pub(crate) struct RequestRecord {
    id: [u8; 16],
    method: Method,
    arrived: SystemTime,
    started: Instant,
    /// True if the text of the query is kept.
    keeps_query: bool,
    parts: Mutex<Parts>,
}

#[derive(Debug, Clone, Default)]
struct Parts {
    user: Option<String>,
    route: Option<Arc<str>>,
    tool: Option<&'static str>,
    status: Option<StatusCode>,
    /// Outcome and end of the call of a tool.
    called: Option<(Outcome, Instant)>,
    is_unready: bool,
    trees: Vec<String>,
    query: Option<String>,
    stages: Vec<Stage>,
    bytes: u64,
}

/// The record of a request that was answered.
#[derive(Debug)]
pub(crate) struct FinishedRequest {
    /// Identifier, at random.
    pub(crate) id: [u8; 16],
    pub(crate) method: Method,
    pub(crate) arrived: SystemTime,
    /// The same time as `arrived`, for the times of the stages.
    pub(crate) started: Instant,
    /// Name of the user; `None` for the operator, and without a valid token.
    pub(crate) user: Option<String>,
    /// The pattern of the address; `none` if it was refused before one was chosen.
    pub(crate) route: Arc<str>,
    /// The tool that was called.
    pub(crate) tool: Option<&'static str>,
    pub(crate) outcome: Outcome,
    /// The status; `None` if the client went away before there was one.
    pub(crate) status: Option<StatusCode>,
    pub(crate) duration: Duration,
    /// Bytes of the body that were sent.
    pub(crate) bytes: u64,
    /// Names of the trees that were read.
    pub(crate) trees: Vec<String>,
    /// Arguments of the tool, or the address of the page, if they are kept.
    pub(crate) query: Option<String>,
    pub(crate) stages: Vec<Stage>,
}

impl FinishedRequest {
    /// The identifier as text.
    pub(crate) fn id_text(&self) -> String {
        self.id.iter().fold(String::with_capacity(32), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

impl RequestRecord {
    /// Starts a record. The text of the query is kept only with `keeps_query`.
    pub(crate) fn new(method: Method, keeps_query: bool) -> RequestRecord {
        let mut id = [0; 16];
        // Without randomness, requests share an identifier, and nothing else depends on it.
        if getrandom::fill(&mut id).is_err() {
            id[15] = 1;
        }
        let (arrived, started) = (SystemTime::now(), Instant::now());
        RequestRecord { id, method, arrived, started, keeps_query, parts: Mutex::default() }
    }

    fn parts(&self) -> MutexGuard<'_, Parts> {
        // Each part is valid after a panic.
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_user(&self, user: Option<&str>) {
        self.parts().user = user.map(str::to_owned);
    }

    pub(crate) fn set_route(&self, route: Arc<str>) {
        self.parts().route = Some(route);
    }

    /// Notes the status of the response, and the length of its body as far as it is known.
    pub(crate) fn set_status(&self, status: StatusCode, bytes: u64) {
        let mut parts = self.parts();
        parts.status = Some(status);
        parts.bytes = bytes;
    }

    /// Adds bytes that were sent.
    pub(crate) fn add_bytes(&self, bytes: u64) {
        self.parts().bytes += bytes;
    }

    /// Notes the text of the query, if it is kept.
    pub(crate) fn note_query(&self, text: impl FnOnce() -> String) {
        if !self.keeps_query {
            return;
        }
        let mut text = text();
        if let Some((end, _)) = text.char_indices().nth(MAX_QUERY) {
            text.truncate(end);
        }
        self.parts().query = Some(text);
    }

    /// Notes that a tool is called. Until it ends, the request counts as cancelled.
    pub(crate) fn begin_call(&self, tool: &'static str) {
        self.parts().tool = Some(tool);
    }

    /// Notes the outcome of a call.
    pub(crate) fn end_call(&self, outcome: Outcome) {
        self.parts().called = Some((outcome, Instant::now()));
    }

    fn add_stage(&self, name: &'static str, started: Instant) {
        let mut parts = self.parts();
        if parts.stages.len() < MAX_STAGES {
            parts.stages.push(Stage { name, started, ended: Instant::now() });
        }
    }

    /// Adds the rest of the answer after its last query, in which it was written.
    fn add_render(&self) {
        let last = self.parts().stages.last().copied();
        if let Some(last) = last.filter(|stage| stage.name == QUERY) {
            self.add_stage(RENDER, last.ended);
        }
    }

    /// Ends the record.
    pub(crate) fn finish(&self) -> FinishedRequest {
        let parts = self.parts().clone();
        let ended = parts.called.map_or_else(Instant::now, |(_, ended)| ended);
        let outcome = match (parts.called, parts.tool, parts.status) {
            (Some((outcome, _)), _, _) => outcome,
            (None, Some(_), _) | (None, None, None) => Outcome::Cancelled,
            (None, None, Some(status)) => Outcome::of_status(status),
        };
        let is_unready =
            parts.is_unready && matches!(outcome, Outcome::Failed | Outcome::ServerError);
        FinishedRequest {
            id: self.id,
            method: self.method.clone(),
            arrived: self.arrived,
            started: self.started,
            stages: parts.stages,
            status: parts.status,
            bytes: parts.bytes,
            trees: parts.trees,
            query: parts.query,
            user: parts.user,
            route: parts.route.unwrap_or_else(|| Arc::from("none")),
            tool: parts.tool,
            outcome: if is_unready { Outcome::NotReady } else { outcome },
            duration: ended.saturating_duration_since(self.started),
        }
    }
}

tokio::task_local! {
    /// The request that an asynchronous task answers.
    pub(crate) static TASK_REQUEST: Arc<RequestRecord>;
}

thread_local! {
    /// The request that this thread answers.
    static THREAD_REQUEST: RefCell<Option<Arc<RequestRecord>>> = const { RefCell::new(None) };
}

/// Runs the work of a request, which adds its stages to the record.
pub(crate) fn within<T>(request: Option<Arc<RequestRecord>>, work: impl FnOnce() -> T) -> T {
    /// Restores the request of the thread, also after a panic.
    struct Restore(Option<Arc<RequestRecord>>);

    impl Drop for Restore {
        fn drop(&mut self) {
            THREAD_REQUEST.set(self.0.take());
        }
    }

    let record = request.clone();
    let _restore = Restore(THREAD_REQUEST.replace(request));
    let result = work();
    if let Some(record) = record {
        record.add_render();
    }
    result
}

/// The request that this thread answers.
pub(crate) fn current() -> Option<Arc<RequestRecord>> {
    THREAD_REQUEST.with_borrow(Option::clone)
}

/// Adds a stage that ends now to the request of this thread.
pub(crate) fn stage(name: &'static str, started: Instant) {
    if let Some(request) = current() {
        request.add_stage(name, started);
    }
}

/// Notes that the request of this thread found no complete index.
pub(crate) fn note_unready() {
    if let Some(request) = current() {
        request.parts().is_unready = true;
    }
}

/// Notes a tree that the request of this thread reads.
pub(crate) fn note_tree(name: &str) {
    if let Some(request) = current() {
        let mut parts = request.parts();
        if parts.trees.len() < MAX_TREES && parts.trees.iter().all(|known| known != name) {
            parts.trees.push(name.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(change: impl FnOnce(&RequestRecord)) -> FinishedRequest {
        let record = RequestRecord::new(Method::POST, false);
        change(&record);
        record.finish()
    }

    #[test]
    fn outcomes_follow_the_status_or_the_tool() {
        let of = |status: u16| {
            finished(|it| it.set_status(StatusCode::from_u16(status).expect("a status"), 1)).outcome
        };
        assert_eq!((of(200), of(303), of(404)), (Outcome::Ok, Outcome::Ok, Outcome::Invalid));
        assert_eq!((of(401), of(503)), (Outcome::Unauthorized, Outcome::ServerError));
        let ended = finished(|it| {
            it.set_status(StatusCode::OK, 0);
            it.begin_call("search");
            it.end_call(Outcome::Failed);
        });
        assert_eq!((ended.outcome, ended.tool), (Outcome::Failed, Some("search")));
        assert_eq!(finished(|it| it.begin_call("search")).outcome, Outcome::Cancelled);
        assert_eq!(finished(|_| ()).outcome, Outcome::Cancelled);
    }

    #[test]
    fn a_failure_without_an_index_is_not_ready() {
        let failed = |outcome| {
            let record = Arc::new(RequestRecord::new(Method::POST, false));
            within(Some(Arc::clone(&record)), note_unready);
            record.end_call(outcome);
            record.finish().outcome
        };
        assert_eq!(failed(Outcome::Failed), Outcome::NotReady);
        assert_eq!(failed(Outcome::Ok), Outcome::Ok, "a preliminary answer is one");
    }

    #[test]
    fn queries_are_kept_only_if_that_was_chosen() {
        let query = |keeps_query| {
            let record = RequestRecord::new(Method::POST, keeps_query);
            record.note_query(|| "é".repeat(2 * MAX_QUERY));
            record.finish().query.map(|query| query.chars().count())
        };
        assert_eq!((query(false), query(true)), (None, Some(MAX_QUERY)));
    }

    #[test]
    fn stages_belong_to_the_request_of_the_thread() {
        let record = Arc::new(RequestRecord::new(Method::POST, false));
        let started = Instant::now();
        stage(QUERY, started);
        within(Some(Arc::clone(&record)), || {
            within(None, || stage(QUERY, started));
            stage(INDEX_WAIT, started);
            (0..2 * MAX_STAGES).for_each(|_| stage(QUERY, started));
        });
        assert!(current().is_none());
        let stages = record.parts().stages.clone();
        assert_eq!((stages[0].name, stages[1].name), (INDEX_WAIT, QUERY));
        assert_eq!(stages.len(), MAX_STAGES);
    }
}
