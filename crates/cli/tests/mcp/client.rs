//! A client that starts a server and exchanges raw JSON-RPC with it over pipes.

use std::{
    ffi::OsStr,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::workspace::Workspace;

/// Maximum time to wait for an answer.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// A server and this end of its pipes.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last: u64,
    /// Received notifications and requests.
    pub(crate) received: Vec<Value>,
    /// The roots that the client returns for `roots/list`.
    pub(crate) roots: Vec<Value>,
    /// The index was ready at least once.
    is_ready: bool,
}

impl Client {
    /// Starts a server in the tree.
    pub(crate) fn start(workspace: &Workspace, arguments: &[&str]) -> Client {
        Client::start_with(workspace, arguments, &[])
    }

    /// Starts a server with further variables of its environment.
    pub(crate) fn start_with(
        workspace: &Workspace,
        arguments: &[&str],
        variables: &[(&str, &OsStr)],
    ) -> Client {
        let mut command = workspace.command(&[&["mcp"], arguments].concat());
        let mut child = command
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.lines() {
                let line = line.expect("standard output is Unicode");
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        Client {
            child,
            input,
            lines,
            last: 0,
            received: Vec::new(),
            roots: Vec::new(),
            is_ready: false,
        }
    }

    /// Starts a server and performs the handshake.
    pub(crate) fn greet(workspace: &Workspace, arguments: &[&str]) -> Client {
        let mut client = Client::start(workspace, arguments);
        client.hello(&json!({}));
        client
    }

    /// Performs the handshake with these capabilities.
    pub(crate) fn hello(&mut self, capabilities: &Value) -> Value {
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": {"name": "tests", "version": "1"},
        });
        let answer = self.request("initialize", &hello);
        self.notify("notifications/initialized", &json!({}));
        answer["result"].clone()
    }

    /// Sends a line without changes.
    pub(crate) fn line(&mut self, line: &[u8]) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(line).expect("the server reads");
        input.write_all(b"\n").expect("the server reads");
        input.flush().expect("the server reads");
    }

    pub(crate) fn notify(&mut self, method: &str, parameters: &Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": parameters});
        self.line(message.to_string().as_bytes());
    }

    /// Sends a request, and returns its number.
    pub(crate) fn send(&mut self, method: &str, parameters: &Value) -> u64 {
        self.last += 1;
        let message =
            json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": parameters});
        self.line(message.to_string().as_bytes());
        self.last
    }

    /// The next message, or nothing after this time. Every line on standard output must be a message.
    pub(crate) fn next(&mut self, within: Duration) -> Option<Value> {
        match self.lines.recv_timeout(within) {
            Ok(line) => {
                let message: Value = serde_json::from_str(&line)
                    .unwrap_or_else(|error| panic!("invalid message: {error}: {line}"));
                assert_eq!(message["jsonrpc"], "2.0", "{line}");
                Some(message)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// The answer to the request of this number.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        let position = self.received.iter().position(|message| is_answer(message, id));
        if let Some(position) = position {
            return self.received.remove(position);
        }
        let deadline = Instant::now() + MAX_WAIT;
        loop {
            let remaining = deadline.saturating_duration_since(Instant::now());
            let message = self.next(remaining).expect("an answer comes");
            if is_answer(&message, id) {
                return message;
            }
            if message["method"] == "roots/list" {
                let result = json!({"roots": self.roots});
                let response = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
                self.line(response.to_string().as_bytes());
            }
            self.received.push(message);
        }
    }

    pub(crate) fn request(&mut self, method: &str, parameters: &Value) -> Value {
        let id = self.send(method, parameters);
        self.answer(id)
    }

    /// Calls a tool once the index is ready: until then, a search lists the files itself.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let deadline = Instant::now() + MAX_WAIT;
        while !self.is_ready && Instant::now() < deadline {
            let status = self.request("resources/read", &json!({"uri": "lore://status"}));
            let text = status["result"]["contents"][0]["text"].as_str().unwrap_or_default();
            self.is_ready = !text.contains(": indexing, ");
        }
        loop {
            let parameters = json!({"name": tool, "arguments": arguments});
            let answer = self.request("tools/call", &parameters);
            let result = &answer["result"];
            assert!(result.is_object(), "{tool}: {answer}");
            let is_early = result["isError"] == true && text(result).contains("not ready");
            if !is_early || deadline < Instant::now() {
                return result.clone();
            }
        }
    }

    /// Calls a tool that must succeed, and returns its structured content.
    pub(crate) fn object(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
        result["structuredContent"].clone()
    }

    /// Calls a tool that must reject the call, and returns its message.
    pub(crate) fn rejection(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        text(&result).to_owned()
    }

    /// The names of the tools.
    pub(crate) fn tools(&mut self) -> Vec<String> {
        let listed = self.request("tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().expect("tools").clone();
        tools.iter().filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect()
    }

    /// The process ID of the server.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
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
                while let Some(message) = self.next(Duration::from_millis(100)) {
                    self.received.push(message);
                }
                return (status.code(), stderr);
            }
            assert!(Instant::now() < deadline, "the server does not exit");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Most servers have already exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn is_answer(message: &Value, id: u64) -> bool {
    message["id"] == id && message["method"].is_null()
}

/// The text of a result.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}
