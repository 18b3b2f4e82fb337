//! The bounds of the HTTP server: connections, bodies, sessions and memory, under attack by other
//! programs of the machine.

use std::{
    fs,
    io::{ErrorKind, Read as _, Write as _},
    net::TcpStream,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    client::Client,
    http::{Served, TOKEN, hello},
    workspace::Workspace,
};

/// Maximum time for an answer to an honest client during an attack.
const MAX_ANSWER_TIME: Duration = Duration::from_secs(5);

fn start(arguments: &[&str]) -> (Workspace, Served) {
    let workspace = Workspace::with(&[("a.md", "# wombat\n")]);
    let served = Served::start_with(&workspace, Some(TOKEN), arguments);
    (workspace, served)
}

fn connect(served: &Served) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", served.port)).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time");
    stream
}

/// The head of a request with the token.
fn authorized(served: &Served) -> String {
    served.head(&format!("Authorization: Bearer {TOKEN}\r\n"))
}

/// True if the server has closed the connection. Reads nothing that is still to come.
fn is_closed(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).expect("a mode");
    let read = stream.read(&mut [0; 1024]);
    stream.set_nonblocking(false).expect("a mode");
    match read {
        Ok(count) => count == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    }
}

/// Asserts that honest clients are answered in time.
fn assert_answers(served: &Served, count: usize) {
    for _ in 0..count {
        let started = Instant::now();
        assert_eq!(served.message("", &hello()).0, 200);
        assert!(started.elapsed() < MAX_ANSWER_TIME, "{:?}", started.elapsed());
    }
}

/// Starts a session, and returns its id.
fn session(served: &Served, hello: &Value) -> String {
    let (status, head, _) = served.message("", hello);
    assert_eq!(status, 200, "{head}");
    let id = |line: &str| line.to_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned);
    head.lines().find_map(id).expect("a session")
}

/// Status of a request in a session.
fn ping(served: &Served, session: &str) -> u16 {
    let more = format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n");
    served.message(&more, &json!({"jsonrpc": "2.0", "id": 2, "method": "ping"})).0
}

/// Memory of the server that is no file, in bytes.
#[cfg(target_os = "linux")]
fn memory(served: &Served) -> u64 {
    let status = format!("/proc/{}/status", served.process());
    let status = fs::read_to_string(status).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("a size");
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kilobytes * 1024
}

#[cfg(target_os = "linux")]
fn descriptors(served: &Served) -> usize {
    fs::read_dir(format!("/proc/{}/fd", served.process())).expect("it runs").count()
}

#[test]
fn idle_connections_without_the_token_stop_no_answer() {
    let (_workspace, served) = start(&[]);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut idle: Vec<TcpStream> = (0..50).map(|_| connect(&served)).collect();
                while !is_over.load(Ordering::Relaxed) {
                    for stream in &mut idle {
                        if is_closed(stream) {
                            *stream = connect(&served);
                        }
                    }
                    thread::sleep(Duration::from_millis(1));
                }
            });
        }
        thread::sleep(Duration::from_millis(200));
        assert_answers(&served, 20);
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn the_oldest_idle_connection_with_the_token_goes_first() {
    let (_workspace, served) = start(&[]);
    let request = format!("{}Content-Length: 2\r\n\r\n{{}}", authorized(&served));
    let open = || {
        let mut stream = connect(&served);
        stream.write_all(request.as_bytes()).expect("it reads");
        assert_ne!(stream.read(&mut [0; 1024]).expect("an answer"), 0);
        stream
    };
    let mut idle: Vec<TcpStream> = (0..65).map(|_| open()).collect();
    let deadline = Instant::now() + MAX_ANSWER_TIME;
    while !is_closed(&mut idle[0]) {
        assert!(Instant::now() < deadline, "the oldest one stays open");
        thread::sleep(Duration::from_millis(5));
    }
    assert!(!is_closed(&mut idle[1]));
    assert_answers(&served, 5);
}

#[test]
fn unfinished_bodies_stop_no_answer() {
    let (_workspace, served) = start(&[]);
    let unfinished = format!("{}Content-Length: 100\r\n\r\n{{", authorized(&served));
    let _open: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = connect(&served);
            stream.write_all(unfinished.as_bytes()).expect("it reads");
            stream
        })
        .collect();
    assert_answers(&served, 20);
}

#[test]
fn an_unfinished_request_times_out() {
    let (_workspace, served) = start(&["--max-request-ms", "300"]);
    for (sent, expected) in [
        (format!("{}Content-Length: 100\r\n\r\n{{", authorized(&served)), "HTTP/1.1 408 "),
        (authorized(&served), ""),
        (String::new(), ""),
    ] {
        let started = Instant::now();
        let mut stream = connect(&served);
        stream.write_all(sent.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it closes the connection");
        assert!(answer.starts_with(expected), "{sent}: {answer}");
        assert!(started.elapsed() < MAX_ANSWER_TIME, "{:?}", started.elapsed());
    }
}

#[test]
fn a_length_above_the_maximum_is_refused_at_once() {
    let (_workspace, served) = start(&[]);
    for length in ["1048577", "10000000000"] {
        let mut stream = connect(&served);
        let head = format!("{}Content-Length: {length}\r\n\r\n", authorized(&served));
        stream.write_all(head.as_bytes()).expect("it reads");
        let mut answer = String::new();
        let started = Instant::now();
        stream.read_to_string(&mut answer).expect("it closes the connection");
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        assert!(started.elapsed() < MAX_ANSWER_TIME, "{:?}", started.elapsed());
    }
    // A body in pieces, without a length.
    let mut stream = connect(&served);
    let head = format!("{}Transfer-Encoding: chunked\r\n\r\n", authorized(&served));
    stream.write_all(head.as_bytes()).expect("it reads");
    let piece = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    let sent = (0..1000).take_while(|_| stream.write_all(piece.as_bytes()).is_ok()).count();
    assert!(sent < 1000, "the server reads it all");
}

#[test]
fn the_oldest_idle_session_goes_first() {
    let (_workspace, served) = start(&[]);
    let first = session(&served, &hello());
    let second = session(&served, &hello());
    for _ in 0..126 {
        session(&served, &hello());
    }
    assert_eq!(ping(&served, &first), 200, "128 sessions are kept");
    let last = session(&served, &hello());
    assert_eq!(ping(&served, &second), 404, "it was used least recently");
    assert_eq!(ping(&served, &first), 200);
    assert_eq!(ping(&served, &last), 200);
}

#[cfg(target_os = "linux")]
#[test]
fn sessions_take_little_memory_whatever_their_clients_send() {
    let (_workspace, served) = start(&[]);
    let mut large = hello();
    large["params"]["clientInfo"]["name"] = Value::from("x".repeat(1_000_000));
    let fill = || {
        for _ in 0..128 {
            session(&served, &large);
        }
    };
    fill();
    let filled = memory(&served);
    assert!(filled < 64 << 20, "{filled}");
    fill();
    let more = memory(&served).saturating_sub(filled);
    // A name that is kept whole would add 128 MB; an allocator keeps some MB.
    assert!(more < 16 << 20, "{more}");
    let mut large = hello();
    large["params"]["capabilities"] = json!({"experimental": {"x": {"y": "z".repeat(500_000)}}});
    assert_eq!(served.message("", &large).0, 413);
}

#[cfg(target_os = "linux")]
#[test]
fn requests_leave_no_memory_and_no_descriptor() {
    let count = if std::env::var_os("LORE_TEST_FULL").is_some() { 20_000 } else { 1_000 };
    let (_workspace, served) = start(&[]);
    let session = session(&served, &hello());
    let body = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).to_string();
    let more = format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n");
    let head = format!("{}{more}", authorized(&served));
    let send = |count: usize| {
        for _ in 0..count {
            assert_eq!(served.request(&head, &body).0, 200);
        }
        // Complete answers are kept for a second.
        thread::sleep(Duration::from_millis(1_100));
        assert_eq!(ping(&served, &session), 200);
    };
    send(count);
    let (bytes, open) = (memory(&served), descriptors(&served));
    send(count);
    let more = memory(&served).saturating_sub(bytes);
    assert!(more < 5 << 20, "{more}");
    assert!(descriptors(&served) <= open + 1, "{} > {open}", descriptors(&served));
}

#[cfg(target_os = "linux")]
#[test]
fn another_address_of_this_machine_is_its_own_host() {
    let (_workspace, served) = start(&["--host", "127.0.0.2"]);
    let host = format!("127.0.0.2:{}", served.port);
    let mut stream = TcpStream::connect(&host).expect("it listens");
    let head = authorized(&served).replace("Host: 127.0.0.1", "Host: 127.0.0.2");
    let body = hello().to_string();
    write!(
        stream,
        "{head}Origin: http://{host}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[test]
fn a_root_above_the_home_folder_is_not_read() {
    let workspace = Workspace::with(&[("a.md", "# wombat\n")]);
    let above = workspace.tree().with_file_name("users");
    let home = above.join("ada");
    let project = home.join("project");
    fs::create_dir_all(&project).expect("a new folder");
    fs::write(home.join("private.md"), "# quokka\n").expect("a new file");
    fs::write(project.join("a.md"), "# quokka\n").expect("a new file");
    for (root, expected) in [(&above, 0), (&home, 0), (&project, 1)] {
        let mut client = Client::start_with(&workspace, &[], &[("HOME", home.as_os_str())]);
        client.roots = vec![json!({"uri": format!("file://{}", root.display())})];
        client.hello(&json!({"roots": {}}));
        let found = client.object("search", &json!({"query": "quokka"}));
        assert_eq!(found["total"], expected, "{}: {found}", root.display());
    }
}
