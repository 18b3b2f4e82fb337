//! The client's side of the connection: messages to it, and its requests that are not answered yet.

use std::{
    collections::HashMap,
    io::Write,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use lore_console::report;
use lsp_server::{ErrorCode, RequestId, ResponseError};
use serde_json::{Value, json};

use crate::frames;

/// Result of a request.
pub(crate) type Answer = Result<Value, ResponseError>;

/// Flag that is set when the client cancels a request.
pub(crate) type CancelFlag = Arc<AtomicBool>;

/// The client.
pub(crate) struct Client {
    output: Mutex<Box<dyn Write + Send>>,
    /// The requests without an answer.
    pending: Mutex<HashMap<RequestId, CancelFlag>>,
}

impl Client {
    /// A client that reads `output`.
    pub(crate) fn new(output: Box<dyn Write + Send>) -> Client {
        Client { output: Mutex::new(output), pending: Mutex::default() }
    }

    fn pending(&self) -> MutexGuard<'_, HashMap<RequestId, CancelFlag>> {
        // Each change is one insertion or removal, so the map is valid after a panic.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request. Returns `None` if another one with the same id is pending.
    pub(crate) fn begin(&self, id: &RequestId) -> Option<CancelFlag> {
        let mut pending = self.pending();
        if pending.contains_key(id) {
            return None;
        }
        let flag = CancelFlag::default();
        pending.insert(id.clone(), Arc::clone(&flag));
        Some(flag)
    }

    /// Answers a pending request, unless it was cancelled.
    pub(crate) fn answer(&self, id: &RequestId, answer: Answer) {
        if self.pending().remove(id).is_none() {
            return;
        }
        let id = serde_json::to_value(id).unwrap_or_default();
        match answer {
            Ok(result) => self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result})),
            Err(error) => self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error})),
        }
    }

    /// Cancels a pending request and answers it. Its result is dropped.
    pub(crate) fn cancel(&self, id: &RequestId) {
        if let Some(flag) = self.pending().get(id) {
            flag.store(true, Ordering::Relaxed);
        }
        self.answer(id, Err(error(ErrorCode::RequestCanceled, "the client cancelled the request")));
    }

    /// Cancels all requests.
    pub(crate) fn cancel_all(&self) {
        let mut ids: Vec<RequestId> = self.pending().keys().cloned().collect();
        ids.sort();
        for id in &ids {
            self.cancel(id);
        }
    }

    /// Answers a message that is no valid request.
    pub(crate) fn reject(&self, id: &Value, error: &ResponseError) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
    }

    fn send(&self, message: &Value) {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = frames::write(&mut *output, message) {
            report::warning(&format!("could not write to the editor: {error}"));
        }
    }
}

/// Creates an error of the protocol.
pub(crate) fn error(code: ErrorCode, message: impl Into<String>) -> ResponseError {
    ResponseError { code: code as i32, message: message.into(), data: None }
}
