//! Traces of the HTTP server, with a collector of the test.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    http::{Served, TOKEN},
    workspace::Workspace,
};

/// Time limit of a test for what the server does in the background.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Reads a request: its first line with its headers, and its body.
fn read(stream: &TcpStream) -> Option<(String, Vec<u8>)> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
    let mut body = vec![0; length.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    Some((head, body))
}

/// Starts a collector that accepts all traces. Returns its URL, and its requests.
fn collector() -> (String, Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (sender, requests) = channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            while let Some(request) = read(&stream) {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                if sender.send(request).is_err() {
                    return;
                }
            }
        }
    });
    (url, requests)
}

/// Returns true if bytes contain a text.
fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn a_collector_receives_a_span_for_each_request_and_its_stages() {
    let workspace = Workspace::shop();
    let (url, requests) = collector();
    let served = Served::start_with(&workspace, Some(TOKEN), &["--otlp", &url]);
    let more = served.session();
    served.call(&more, "search", &json!({"query": "retry a zanzibar refund"}));
    assert_eq!(served.get("/search?q=zanzibar").0, 200);
    let mut received = Vec::new();
    let ends = ["tools/call search", "GET /search"];
    while !ends.iter().all(|name| contains(&received, name)) {
        let (head, body) = requests.recv_timeout(MAX_WAIT).expect("a request with traces");
        assert!(head.starts_with("post /v1/traces http/1.1"), "{head}");
        assert!(head.contains("content-type: application/x-protobuf"), "{head}");
        received.extend(body);
    }
    let expected =
        ["service.name", "lorehound", "index.wait", "query", "render", "gen_ai.tool.name"];
    for text in expected {
        assert!(contains(&received, text), "{text}");
    }
    for secret in ["zanzibar", "refund", TOKEN] {
        assert!(!contains(&received, secret), "{secret}");
    }
    let metrics = served.get("/metrics").2;
    assert!(metrics.contains("lorehound_trace_exports_total{outcome=\"ok\"}"), "{metrics}");
}

#[test]
fn a_collector_that_never_answers_delays_no_request() {
    let workspace = Workspace::shop();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (accepted, connections) = channel();
    thread::spawn(move || {
        listener.incoming().for_each(|stream| {
            let _ = accepted.send(stream);
        });
    });
    let served = Served::start_with(&workspace, Some(TOKEN), &["--otlp", &url]);
    let more = served.session();
    served.call(&more, "search", &json!({"query": "retry a refund"}));
    // The first batch waits for an answer from now on.
    let waiting = connections.recv_timeout(MAX_WAIT).expect("a connection");
    let started = Instant::now();
    for _ in 0..20 {
        assert_eq!(served.get("/help").0, 200);
    }
    // The time limit of one batch is ten seconds.
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    drop(waiting);
}

#[test]
fn an_invalid_collector_is_rejected_at_startup() {
    let workspace = Workspace::shop();
    for (url, expected) in [
        ("ftp://localhost", "neither with"),
        ("http://ada:secret@localhost:4318", "a user name or password"),
    ] {
        let ran = workspace.run(&["serve", "--otlp", url]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
        assert!(ran.stderr.contains(expected) && !ran.stderr.contains("secret"), "{ran:?}");
    }
}
