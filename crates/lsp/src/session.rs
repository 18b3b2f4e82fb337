//! The session with one editor: the order of its messages, and the threads that answer.
//!
//! The main thread reads messages and applies changes of files at once. A request gets the state at
//! its arrival and is answered by one of a few threads, so that answers may overtake each other.

use std::{
    io::BufRead,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::Ordering,
        mpsc::{Sender, channel},
    },
    thread,
};

use anyhow::Context as _;
use lore_console::report;
use lore_server::{Options, tree::Tree};
use lsp_server::{ErrorCode, Message, Notification, Request, ResponseError};
use lsp_types::{
    DidChangeTextDocumentParams, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams,
};
use serde_json::Value;

use crate::{
    answers::{self, Work, commands},
    client::{CancelFlag, Client, error},
    frames::{self, Frame},
    handshake::{self, Features},
    state::{EditorState, decode},
};

/// Number of requests that are answered at a time.
const THREADS: usize = 4;

/// State of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Before `initialize`.
    New,
    /// Between `initialize` and `shutdown`.
    Running,
    /// After `shutdown`.
    ShutDown,
}

/// The session.
pub(crate) struct Session {
    client: Arc<Client>,
    phase: Phase,
    editor: EditorState,
    jobs: Sender<Job>,
}

type Job = Box<dyn FnOnce() + Send>;

/// End of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// After `shutdown`.
    Orderly,
    /// Without `shutdown`.
    Abruptly,
}

impl Session {
    /// Starts the threads of a session.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub(crate) fn new(options: Options, client: Client) -> anyhow::Result<Session> {
        let (jobs, queue) = channel::<Job>();
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..THREADS {
            let queue = Arc::clone(&queue);
            let work = move || {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(job) = next else { break };
                    job();
                }
            };
            thread::Builder::new()
                .name("answer".to_owned())
                .spawn(work)
                .context("could not start a thread")?;
        }
        Ok(Session {
            client: Arc::new(client),
            phase: Phase::New,
            editor: EditorState::new(Arc::new(options)),
            jobs,
        })
    }

    /// Handles messages until `exit` or the end of the input.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub(crate) fn run(mut self, input: &mut impl BufRead) -> anyhow::Result<Ended> {
        while let Some(frame) = frames::read(input).context("could not read from the editor")? {
            match frame {
                Frame::Message(Message::Request(request)) => self.request(request),
                Frame::Message(Message::Notification(notification)) => {
                    if notification.method == "exit" {
                        break;
                    }
                    self.notification(notification);
                }
                // The server sends no requests.
                Frame::Message(Message::Response(_)) => {}
                Frame::Rejected { id, code, reason } => {
                    self.client.reject(&id, &error(code, reason));
                }
            }
        }
        self.client.cancel_all();
        Ok(if self.phase == Phase::ShutDown { Ended::Orderly } else { Ended::Abruptly })
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let Some(flag) = self.client.begin(&id) else {
            let id = serde_json::to_value(id).unwrap_or_default();
            let reason = "a request with this id is not answered yet";
            self.client.reject(&id, &error(ErrorCode::InvalidRequest, reason));
            return;
        };
        let answer = match (self.phase, method.as_str()) {
            (Phase::New, "initialize") => Ok(self.initialize(&params)),
            (Phase::New, _) => Err(error(
                ErrorCode::ServerNotInitialized,
                "the first request must be `initialize`",
            )),
            (Phase::ShutDown, _) => {
                Err(error(ErrorCode::InvalidRequest, "the session was shut down"))
            }
            (Phase::Running, "initialize") => {
                Err(error(ErrorCode::InvalidRequest, "the session is initialized already"))
            }
            (Phase::Running, "shutdown") => {
                self.phase = Phase::ShutDown;
                Ok(Value::Null)
            }
            (Phase::Running, method) => match answers::prepare(&self.editor, method, params) {
                Ok(work) => {
                    self.start(id, flag, work);
                    return;
                }
                Err(error) => Err(error),
            },
        };
        self.client.answer(&id, answer);
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.phase = Phase::Running;
        self.editor.features = Features::of(params);
        self.editor.workspaces.set(&handshake::folders(params));
        serde_json::to_value(handshake::answer(self.editor.features, commands::NAMES))
            .unwrap_or_default()
    }

    /// Answers a request on another thread.
    fn start(&self, id: lsp_server::RequestId, flag: CancelFlag, work: Work) {
        let client = Arc::clone(&self.client);
        let job = move || {
            // A cancelled request is answered already.
            if flag.load(Ordering::Relaxed) {
                return;
            }
            let answer = catch_unwind(AssertUnwindSafe(|| work(&flag))).unwrap_or_else(|_| {
                let reason =
                    "internal error, which is a bug of lore; standard error has the details";
                Err(error(ErrorCode::InternalError, reason))
            });
            client.answer(&id, answer);
        };
        self.jobs.send(Box::new(job)).expect("the threads end after the session");
    }

    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        // Before `initialize`, only `exit` counts.
        if self.phase == Phase::New {
            return;
        }
        let handled = match method.as_str() {
            "initialized" => {
                self.open_trees();
                Ok(())
            }
            "$/cancelRequest" => {
                self.cancel(&params);
                Ok(())
            }
            "textDocument/didOpen" => self.did_open(params),
            "textDocument/didChange" => self.did_change(params),
            "textDocument/didClose" => self.did_close(params),
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.editor.note_change();
                Ok(())
            }
            "workspace/didChangeWorkspaceFolders" => self.did_change_folders(params),
            _ => Ok(()),
        };
        if let Err(error) = handled {
            report::warning(&format!("`{method}` is ignored: {}", error.message));
        }
    }

    /// Starts to index the trees of all folders.
    fn open_trees(&self) {
        for root in self.editor.workspaces.roots() {
            let tree = Arc::clone(&root.tree);
            let open = move || match tree.open() {
                Ok(opened) => Tree::start_indexing(&opened),
                Err(failure) => report::warning(&failure.text()),
            };
            self.jobs.send(Box::new(open)).expect("the threads end after the session");
        }
    }

    fn cancel(&self, params: &Value) {
        if let Some(id) = params.get("id")
            && let Ok(id) = serde_json::from_value(id.clone())
        {
            self.client.cancel(&id);
        }
    }

    fn did_open(&mut self, params: Value) -> Result<(), ResponseError> {
        let params: DidOpenTextDocumentParams = decode(params)?;
        let document = params.text_document;
        let (root, path) = self.editor.workspaces.locate(document.uri.as_str())?;
        self.editor.documents.open(&root, path, document.text);
        Ok(())
    }

    fn did_change(&mut self, params: Value) -> Result<(), ResponseError> {
        let params: DidChangeTextDocumentParams = decode(params)?;
        let (root, path) = self.editor.workspaces.locate(params.text_document.uri.as_str())?;
        self.editor.documents.change(
            &root,
            path,
            params.content_changes,
            self.editor.features.encoding,
        );
        Ok(())
    }

    fn did_close(&mut self, params: Value) -> Result<(), ResponseError> {
        let params: DidCloseTextDocumentParams = decode(params)?;
        let (root, path) = self.editor.workspaces.locate(params.text_document.uri.as_str())?;
        self.editor.documents.close(&root, path);
        Ok(())
    }

    fn did_change_folders(&mut self, params: Value) -> Result<(), ResponseError> {
        let event = decode::<DidChangeWorkspaceFoldersParams>(params)?.event;
        let uris = |folders: &[lsp_types::WorkspaceFolder]| -> Vec<String> {
            folders.iter().map(|folder| folder.uri.as_str().to_owned()).collect()
        };
        self.editor.workspaces.change(&uris(&event.added), &uris(&event.removed));
        self.open_trees();
        Ok(())
    }
}
