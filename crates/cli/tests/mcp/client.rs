//! A client that speaks raw JSON-RPC over the pipes of a server that it started.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::workspace::Workspace;

/// Time after which an answer will not come any more.
const LOST: Duration = Duration::from_mins(1);

/// A server and this end of its pipes.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last: u64,
    /// What came that nobody had asked for: notifications and requests.
    pub(crate) heard: Vec<Value>,
    /// The roots that are named when the server asks.
    pub(crate) roots: Vec<Value>,
    /// Whether the index was ready once.
    is_ready: bool,
}

impl Client {
    /// Starts a server in the tree.
    pub(crate) fn start(workspace: &Workspace, arguments: &[&str]) -> Client {
        let mut command = workspace.command(&[&["mcp"], arguments].concat());
        let mut child = command
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
            heard: Vec::new(),
            roots: Vec::new(),
            is_ready: false,
        }
    }

    /// Starts a server and says hello.
    pub(crate) fn greet(workspace: &Workspace, arguments: &[&str]) -> Client {
        let mut client = Client::start(workspace, arguments);
        client.hello(&json!({}));
        client
    }

    /// Says hello with these capabilities.
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

    /// Sends a line as it is.
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

    /// The next message within some time. Everything on standard output must be one.
    pub(crate) fn next(&mut self, within: Duration) -> Option<Value> {
        match self.lines.recv_timeout(within) {
            Ok(line) => {
                let message: Value = serde_json::from_str(&line)
                    .unwrap_or_else(|error| panic!("no message: {error}: {line}"));
                assert_eq!(message["jsonrpc"], "2.0", "{line}");
                Some(message)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// The answer to the request of this number.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        let known = self.heard.iter().position(|message| is_answer(message, id));
        if let Some(known) = known {
            return self.heard.remove(known);
        }
        let deadline = Instant::now() + LOST;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let message = self.next(left).expect("an answer comes");
            if is_answer(&message, id) {
                return message;
            }
            if message["method"] == "roots/list" {
                let result = json!({"roots": self.roots});
                let named = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
                self.line(named.to_string().as_bytes());
            }
            self.heard.push(message);
        }
    }

    pub(crate) fn request(&mut self, method: &str, parameters: &Value) -> Value {
        let id = self.send(method, parameters);
        self.answer(id)
    }

    /// Calls a tool once the index is ready: before, a search would look through the files.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let deadline = Instant::now() + LOST;
        while !self.is_ready && Instant::now() < deadline {
            let asked = json!({"name": "status", "arguments": {}});
            let status = self.request("tools/call", &asked)["result"].clone();
            self.is_ready = status["structuredContent"]["phase"] != "indexing";
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

    /// Calls a tool that answers.
    pub(crate) fn object(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
        result["structuredContent"].clone()
    }

    /// Calls a tool that refuses, and says why.
    pub(crate) fn refusal(&mut self, tool: &str, arguments: &Value) -> String {
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

    /// The process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Closes the server's input, and returns its exit code and standard error.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        self.input = None;
        self.wait()
    }

    /// Waits for the end.
    pub(crate) fn wait(mut self) -> (Option<i32>, String) {
        let deadline = Instant::now() + LOST;
        loop {
            if let Some(status) = self.child.try_wait().expect("it is a child") {
                let mut told = String::new();
                let mut pipe = self.child.stderr.take().expect("a pipe");
                pipe.read_to_string(&mut told).expect("standard error is Unicode");
                while let Some(message) = self.next(Duration::from_millis(100)) {
                    self.heard.push(message);
                }
                return (status.code(), told);
            }
            assert!(Instant::now() < deadline, "the server does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Most have ended.
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
