//! The server over HTTP: sessions, tokens, origins and rejected requests.

use std::{
    fs,
    io::{BufRead as _, BufReader, Lines, Read as _, Write as _},
    net::TcpStream,
    process::{Child, ChildStderr, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

use crate::workspace::Workspace;

pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A running HTTP server.
pub(crate) struct Served {
    child: Child,
    pub(crate) port: u16,
    /// The first lines on standard error.
    first_lines: Vec<String>,
}

impl Served {
    pub(crate) fn start(workspace: &Workspace, token: Option<&str>) -> Served {
        Served::start_with(workspace, token, &[])
    }

    /// Starts a server with further arguments.
    pub(crate) fn start_with(
        workspace: &Workspace,
        token: Option<&str>,
        arguments: &[&str],
    ) -> Served {
        Served::start_with_messages(workspace, token, arguments).0
    }

    /// The same; also returns the further lines on standard error.
    pub(crate) fn start_with_messages(
        workspace: &Workspace,
        token: Option<&str>,
        arguments: &[&str],
    ) -> (Served, Lines<BufReader<ChildStderr>>) {
        Served::spawn(workspace, token, arguments, None)
    }

    /// Starts a server with further arguments and settings of its own.
    pub(crate) fn start_with_settings(
        workspace: &Workspace,
        token: &str,
        arguments: &[&str],
        settings: &str,
    ) -> Served {
        Served::spawn(workspace, Some(token), arguments, Some(settings)).0
    }

    fn spawn(
        workspace: &Workspace,
        token: Option<&str>,
        arguments: &[&str],
        settings: Option<&str>,
    ) -> (Served, Lines<BufReader<ChildStderr>>) {
        let mut command =
            workspace.command(&[&["serve", "--mcp", "--port", "0"], arguments].concat());
        if let Some(settings) = settings {
            command.env("LOREHOUND_CONFIG", settings);
        }
        // Batches of traces are sent at once.
        command.env("OTEL_BSP_SCHEDULE_DELAY", "50");
        if let Some(token) = token {
            command.env("LOREHOUND_TOKEN", token);
        }
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let mut first_lines = Vec::new();
        for _ in 0..if token.is_some() { 1 } else { 2 } {
            first_lines.push(lines.next().expect("a line").expect("it is Unicode"));
        }
        let port = first_lines[0].rsplit_once(':').and_then(|(_, rest)| rest.strip_suffix("/mcp"));
        let port = port.and_then(|port| port.parse().ok()).expect("the address has a port");
        // The address of the page.
        if !arguments.contains(&"--no-page") {
            lines.next().expect("a line").expect("it is Unicode");
        }
        (Served { child, port, first_lines }, lines)
    }

    /// Sends a request, and returns the status, the headers and the body.
    pub(crate) fn request(&self, head: &str, body: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time");
        let length = body.len();
        // A server may answer and close before it has read a body that is too large.
        let _ = write!(stream, "{head}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}");
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap_or(0), head.to_owned(), body.to_owned())
    }

    /// Requests an address with the token, and returns the status, the headers and the body.
    pub(crate) fn get(&self, path: &str) -> (u16, String, String) {
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {TOKEN}\r\n",
            self.port
        );
        self.request(&head, "")
    }

    /// Starts a session, and returns the headers of its requests.
    pub(crate) fn session(&self) -> String {
        let (status, head, _) = self.message("", &hello());
        assert_eq!(status, 200, "{head}");
        let session = head.lines().find_map(|line| {
            line.to_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned)
        });
        let session = session.expect("a session");
        let more = format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n");
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.message(&more, &initialized).0, 202);
        more
    }

    /// Calls a tool until its index is ready, and returns the result and the number of calls.
    pub(crate) fn call(&self, more: &str, tool: &str, arguments: &Value) -> (Value, u64) {
        let mut result = Value::Null;
        for id in 2..60 {
            let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params":
                {"name": tool, "arguments": arguments}});
            result = self.message(more, &call).2["result"].clone();
            if result["isError"] == false {
                return (result, id - 1);
            }
        }
        panic!("no answer: {result}");
    }

    /// The process ID of the server.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn head(&self, more: &str) -> String {
        format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{more}",
            self.port
        )
    }

    /// Sends a message with the token, and returns the message in the response, an event or JSON.
    pub(crate) fn message(&self, more: &str, message: &Value) -> (u16, String, Value) {
        let head = self.head(&format!("Authorization: Bearer {TOKEN}\r\n{more}"));
        let (status, head, body) = self.request(&head, &message.to_string());
        let data = body.lines().find_map(|line| {
            let json = line.strip_prefix("data:").unwrap_or(line).trim();
            serde_json::from_str::<Value>(json).ok().filter(Value::is_object)
        });
        (status, head, data.unwrap_or_default())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The first message of a session.
pub(crate) fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    }})
}

#[test]
fn a_session_over_http() {
    let workspace = Workspace::shop();
    let served = Served::start(&workspace, Some(TOKEN));
    let answer = served.message("", &hello()).2;
    assert_eq!(answer["result"]["serverInfo"]["name"], "lorehound");
    let more = served.session();
    let (found, _) = served.call(&more, "search", &json!({"query": "retry a refund"}));
    assert_eq!(found["structuredContent"]["hits"][0]["path"], "src/refund.rs", "{found}");
}

#[test]
fn requests_without_the_token_are_rejected() {
    let workspace = Workspace::shop();
    let served = Served::start(&workspace, Some(TOKEN));
    let body = hello().to_string();
    for more in [
        String::new(),
        "Authorization: Bearer wrong\r\n".to_owned(),
        format!("Authorization: Basic {TOKEN}\r\n"),
        format!("Authorization: Bearer {TOKEN}x\r\n"),
    ] {
        let (status, head, response) = served.request(&served.head(&more), &body);
        assert_eq!(status, 401, "{more}: {response}");
        assert!(head.to_lowercase().contains("www-authenticate: bearer"), "{head}");
        assert!(!response.contains(TOKEN));
    }
}

#[test]
fn other_hosts_origins_and_paths_are_rejected() {
    let workspace = Workspace::shop();
    let served = Served::start(&workspace, Some(TOKEN));
    let body = hello().to_string();
    let authorized = format!("Authorization: Bearer {TOKEN}\r\n");
    let origin = |origin: &str| served.head(&format!("{authorized}Origin: {origin}\r\n"));
    for page in ["https://evil.example", "null", "http://localhost:1"] {
        assert_eq!(served.request(&origin(page), &body).0, 403, "{page}");
    }
    let own = format!("http://127.0.0.1:{}", served.port);
    assert_eq!(served.request(&origin(&own), &body).0, 200);
    let other_host = served.head(&authorized).replace("Host: 127.0.0.1", "Host: evil.example");
    assert_eq!(served.request(&other_host, &body).0, 403);
    let path = served.head(&authorized).replace("/mcp HTTP", "/other HTTP");
    assert_eq!(served.request(&path, &body).0, 405, "the page only reads");
    let large = format!("{{\"a\": \"{}\"}}", "x".repeat(2 << 20));
    let status = served.request(&served.head(&authorized), &large).0;
    assert!(status == 413 || status == 0, "a large body: {status}");
    // The server still answers.
    assert_eq!(served.request(&served.head(&authorized), &body).0, 200);
}

#[test]
fn a_new_token_is_printed_on_standard_error() {
    let workspace = Workspace::shop();
    let served = Served::start(&workspace, None);
    let token = served.first_lines[1].rsplit_once(' ').expect("a token").1.to_owned();
    assert_eq!(token.len(), 64, "{:?}", served.first_lines);
    let head = served.head(&format!("Authorization: Bearer {token}\r\n"));
    assert_eq!(served.request(&head, &hello().to_string()).0, 200);
}

#[test]
fn unsafe_or_invalid_arguments_are_rejected_at_startup() {
    let workspace = Workspace::shop();
    let short = workspace.tree().join("../token");
    fs::write(&short, "short\n").expect("a new file");
    let short = short.display().to_string();
    for (arguments, expected) in [
        (&["serve", "--no-page"][..], "--mcp"),
        (&["serve", "-C", "no/such"], "no/such"),
        (&["serve", "--host", "0.0.0.0"], "other machines would reach it"),
        (&["serve", "--mcp", "--host", "0.0.0.0"], "other machines would reach it"),
        (&["serve", "--mcp", "--host", "example.org"], "could not understand the address"),
        (&["serve", "--mcp", "--token-file", "no/such"], "could not read the token from"),
        (&["serve", "--mcp", "--token-file", &short], "it can be guessed"),
    ] {
        let ran = workspace.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
        assert!(ran.stderr.contains(expected), "{ran:?}");
    }
}
