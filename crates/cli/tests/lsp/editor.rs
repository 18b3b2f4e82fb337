//! A client that starts a server and exchanges messages of the Language Server Protocol with it.

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Read as _, Write as _},
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::workspace::Workspace;

/// Maximum time to wait for an answer.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// A server and this end of its pipes.
pub(crate) struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    last: i64,
    received: Vec<Value>,
    root: String,
}

impl Editor {
    /// Starts a server in the tree. Sends nothing.
    pub(crate) fn start(workspace: &Workspace, arguments: &[&str]) -> Editor {
        let mut child = workspace
            .command(&[&["lsp"], arguments].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, messages) = channel();
        thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        let root = uri(workspace.tree().to_str().expect("a path in Unicode"));
        Editor { child, input, messages, last: 0, received: Vec::new(), root }
    }

    /// Starts a server and performs the handshake, with nested symbols and Markdown.
    pub(crate) fn open(workspace: &Workspace) -> Editor {
        let mut editor = Editor::start(workspace, &[]);
        editor.hello(&json!({}), &json!({}));
        editor
    }

    /// Performs the handshake with further parameters and capabilities.
    pub(crate) fn hello(&mut self, parameters: &Value, capabilities: &Value) -> Value {
        let mut all = json!({
            "processId": null,
            "rootUri": self.root,
            "capabilities": {
                "textDocument": {
                    "hover": {"contentFormat": ["markdown"]},
                    "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
                },
            },
        });
        for (name, value) in parameters.as_object().expect("an object") {
            all[name] = value.clone();
        }
        for (name, value) in capabilities.as_object().expect("an object") {
            all["capabilities"][name] = value.clone();
        }
        let answer = self.request("initialize", &all);
        self.notify("initialized", &json!({}));
        answer["capabilities"].clone()
    }

    /// The address of a file of the tree.
    pub(crate) fn uri(&self, path: &str) -> String {
        format!("{}/{}", self.root, &uri(path)["file://".len()..])
    }

    /// Sends bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(bytes).expect("the server reads");
        input.flush().expect("the server reads");
    }

    /// Sends a message.
    pub(crate) fn message(&mut self, message: &Value) {
        let text = message.to_string();
        self.bytes(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, parameters: &Value) {
        self.message(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
    }

    /// Sends a request, and returns its number.
    pub(crate) fn send(&mut self, method: &str, parameters: &Value) -> i64 {
        self.last += 1;
        let id = self.last;
        self.message(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        id
    }

    /// The next message from the server.
    pub(crate) fn next(&mut self) -> Value {
        self.messages.recv_timeout(MAX_WAIT).expect("a message comes")
    }

    /// The answer to the request of this number.
    pub(crate) fn answer(&mut self, id: i64) -> Value {
        let known = self.received.iter().position(|message| message["id"] == id);
        if let Some(position) = known {
            return self.received.remove(position);
        }
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
            self.received.push(message);
        }
    }

    /// Sends a request that must succeed, and returns its result.
    pub(crate) fn request(&mut self, method: &str, parameters: &Value) -> Value {
        let id = self.send(method, parameters);
        let answer = self.answer(id);
        assert!(answer.get("result").is_some(), "{method} {parameters}: {answer}");
        answer["result"].clone()
    }

    /// Sends a request that must fail, and returns the code of the error.
    pub(crate) fn rejection(&mut self, method: &str, parameters: &Value) -> i64 {
        let id = self.send(method, parameters);
        let answer = self.answer(id);
        answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{method}: {answer}"))
    }

    /// Opens a file with this text.
    pub(crate) fn did_open(&mut self, path: &str, text: &str) {
        let document = json!({"uri": self.uri(path), "languageId": "", "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
    }

    /// Changes an open file.
    pub(crate) fn did_change(&mut self, path: &str, changes: &Value) {
        let document = json!({"uri": self.uri(path), "version": 2});
        let parameters = json!({"textDocument": document, "contentChanges": changes});
        self.notify("textDocument/didChange", &parameters);
    }

    /// The parameters for a position. `mark` is a part of `text` in which `^` is before the position.
    pub(crate) fn at(&self, path: &str, text: &str, mark: &str) -> Value {
        let (line, character) = position(text, mark);
        json!({
            "textDocument": {"uri": self.uri(path)},
            "position": {"line": line, "character": character},
        })
    }

    /// Locations as `path:line:column-column`, all from 0, in units of the protocol.
    pub(crate) fn places(&self, result: &Value) -> Vec<String> {
        let locations = result.as_array().cloned().unwrap_or_default();
        locations.iter().map(|location| self.place(location)).collect()
    }

    /// One location, in the same form.
    pub(crate) fn place(&self, location: &Value) -> String {
        let uri = location["uri"].as_str().expect("an address");
        let path = uri.strip_prefix(&format!("{}/", self.root)).unwrap_or(uri);
        format!("{path}:{}", range(&location["range"]))
    }

    /// Closes the session as the protocol requires, and returns the exit code and standard error.
    pub(crate) fn shut_down(mut self) -> (Option<i32>, String) {
        self.request("shutdown", &Value::Null);
        self.notify("exit", &Value::Null);
        self.wait()
    }

    /// Closes the server's input, and returns its exit code and standard error.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        self.input = None;
        self.wait()
    }

    /// Waits until the server has exited.
    pub(crate) fn wait(mut self) -> (Option<i32>, String) {
        let deadline = Instant::now() + MAX_WAIT;
        loop {
            if let Some(status) = self.child.try_wait().expect("it is a child") {
                let mut stderr = String::new();
                let mut pipe = self.child.stderr.take().expect("a pipe");
                pipe.read_to_string(&mut stderr).expect("standard error is Unicode");
                return (status.code(), stderr);
            }
            assert!(Instant::now() < deadline, "the server does not exit");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // Most servers have already exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Line and column, from 0 and in UTF-16 units, of a mark in a text.
pub(crate) fn position(text: &str, mark: &str) -> (usize, usize) {
    let (before, after) = mark.split_once('^').expect("a mark with `^`");
    let plain = format!("{before}{after}");
    let at = text.find(&plain).unwrap_or_else(|| panic!("{plain} is not in {text}")) + before.len();
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    (text[..at].matches('\n').count(), text[start..at].encode_utf16().count())
}

/// A range in one line as `line:column-column`, and one of several lines as `line:column-line:column`.
pub(crate) fn range(range: &Value) -> String {
    let (start, end) = (&range["start"], &range["end"]);
    if start["line"] == end["line"] {
        return format!("{}:{}-{}", start["line"], start["character"], end["character"]);
    }
    format!("{}:{}-{}:{}", start["line"], start["character"], end["line"], end["character"])
}

/// The address of a path.
fn uri(path: &str) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            write!(uri, "%{byte:02X}").expect("a string accepts every text");
        }
    }
    uri
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().split_once(": ") {
            Some(("Content-Length", bytes)) => length = bytes.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
