//! The HTTP server under attack: whatever other programs send, an honest client is answered, and
//! memory and descriptors stay bounded.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Stdio},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::{
    Attack, children,
    rounds::{Round, repeat},
    trees,
};
use crate::{environment::set_environment, random::Random};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Threads that attack with and without the token.
const ATTACKERS: usize = 4;

/// Duration of the attacks of a round.
const ROUND: Duration = Duration::from_secs(8);

/// Maximum time for an honest answer.
const MAX_ANSWER_TIME: Duration = Duration::from_secs(10);

/// Part of the answer before the first index, and maximum time until that index.
const NOT_READY: &str = "the index is not ready yet";
const MAX_FIRST_INDEX: Duration = Duration::from_secs(30);

/// Maximum memory and number of descriptors of the server.
const MAX_MEMORY: u64 = 512 << 20;
const MAX_DESCRIPTORS: usize = 400;

/// Bodies that are nearly messages.
const BODIES: &[&str] = &[
    "",
    "{}",
    "[]",
    "null",
    "{\"jsonrpc\":\"2.0\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"x\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/list\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":1e999,\"method\":\"tools/list\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"search\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"search\",\"arguments\":{\"query\":\"cargo\",\"root\":\"/\"}}}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"lore://file/../../etc/passwd\"}}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}",
];

/// Runs rounds until the time is over.
pub(super) fn run(attack: &Attack) -> Result<String> {
    repeat(attack, |round| {
        let [tree, cache] = ["tree", "cache"].map(|name| round.folder(name));
        let (tree, cache) = (tree?, cache?);
        trees::fill(&mut round.random, &tree)?;
        trees::write(&tree.join("cargo.md"), "# Cargo\n\nA cargo of anchors.\n")?;
        let served = Served::start(attack, &tree, &cache, &round.folder)?;
        let outcome = attack_server(round, &served);
        let log = fs::read_to_string(round.folder.join("err")).unwrap_or_default();
        outcome?;
        if log.contains("internal error") || log.contains("panicked") {
            bail!("the server wrote: {log}");
        }
        Ok(())
    })
}

fn attack_server(round: &mut Round<'_>, served: &Served) -> Result<()> {
    let is_over = AtomicBool::new(false);
    let sent = AtomicU64::new(0);
    let seeds: Vec<u64> = (0..ATTACKERS).map(|_| round.random.next()).collect();
    let outcome = thread::scope(|scope| {
        for seed in seeds {
            let (is_over, sent) = (&is_over, &sent);
            scope.spawn(move || attack_until(served.port, seed, is_over, sent));
        }
        let outcome = be_honest(served);
        is_over.store(true, Ordering::Relaxed);
        outcome
    });
    round.step(format!("{} attacks of a round", sent.load(Ordering::Relaxed)));
    round.steps += sent.load(Ordering::Relaxed);
    outcome
}

/// Asks honestly for the duration of a round.
fn be_honest(served: &Served) -> Result<()> {
    let started = Instant::now();
    let mut answers = 0;
    while answers == 0 || started.elapsed() < ROUND {
        let asked = Instant::now();
        let text = served.search()?;
        // The first index needs some time on a busy machine, and the answer says so.
        if answers == 0 && text.contains(NOT_READY) && asked.elapsed() < MAX_ANSWER_TIME {
            if MAX_FIRST_INDEX < started.elapsed() {
                bail!("no first index after {:?}: {text}", started.elapsed());
            }
            continue;
        }
        if !text.contains("cargo.md") {
            bail!("honest answer {answers}: {text}");
        }
        if MAX_ANSWER_TIME < asked.elapsed() {
            bail!("honest answer {answers} took {:?}", asked.elapsed());
        }
        answers += 1;
        let memory = children::memory_of_family(served.child.id());
        let descriptors = fs::read_dir(format!("/proc/{}/fd", served.child.id()));
        let descriptors = descriptors.map_or(0, Iterator::count);
        if MAX_MEMORY < memory || MAX_DESCRIPTORS < descriptors {
            bail!("{} MB of memory, {descriptors} descriptors", memory >> 20);
        }
    }
    Ok(())
}

/// Attacks until the round is over.
fn attack_until(port: u16, seed: u64, is_over: &AtomicBool, sent: &AtomicU64) {
    let mut random = Random::new(seed);
    let mut open: Vec<TcpStream> = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        // A full backlog is no failure of the attack.
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { continue };
        let _ = stream.set_write_timeout(Some(Duration::from_secs(1)));
        let _ = stream.set_read_timeout(Some(Duration::from_millis(20)));
        let bytes = request(&mut random, port);
        let _ = stream.write_all(&bytes);
        sent.fetch_add(1, Ordering::Relaxed);
        if random.one_in(3) {
            let _ = stream.read(&mut [0; 4096]);
        }
        // Connections stay open and idle.
        open.push(stream);
        if open.len() == 100 {
            let at = random.below(open.len());
            open.swap_remove(at);
        }
    }
}

/// Random bytes, a request with random parts, or a part of one.
fn request(random: &mut Random, port: u16) -> Vec<u8> {
    if random.one_in(5) {
        return (0..random.below(5_000)).map(|_| random.next().to_le_bytes()[0]).collect();
    }
    if random.one_in(5) {
        return Vec::new();
    }
    let method = *random.pick(&["POST", "POST", "POST", "GET", "DELETE", "PUT", "HEAD", "P\u{1}"]);
    let path = *random.pick(&["/mcp", "/mcp", "/mcp", "/", "*", "/mcp/../x", "http://evil/mcp"]);
    let hosts = [format!("127.0.0.1:{port}"), "evil.example".to_owned(), String::new()];
    let host = if random.one_in(6) { random.pick(&hosts) } else { &hosts[0] };
    let token = if random.one_in(2) { TOKEN } else { "wrong" };
    let body = match random.below(4) {
        0 => random.text("{}[]\":,0123456789abcdef\\u ", 300),
        1 => "[".repeat(1 << random.below(18)),
        2 => {
            let mut hello = hello();
            hello["params"]["clientInfo"]["name"] = Value::from("x".repeat(1 << random.below(20)));
            hello.to_string()
        }
        _ => (*random.pick(BODIES)).to_owned(),
    };
    let length = match random.below(6) {
        0 => "10000000000".to_owned(),
        1 => "-1".to_owned(),
        2 => (body.len() + 100).to_string(),
        _ => body.len().to_string(),
    };
    let more = *random.pick(&[
        "",
        "Mcp-Session-Id: none\r\n",
        "Last-Event-ID: 5/7\r\n",
        "Origin: https://evil.example\r\n",
        "Expect: 100-continue\r\n",
        "Transfer-Encoding: chunked\r\n",
        "MCP-Protocol-Version: 2026-07-28\r\n",
    ]);
    let text = format!(
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         {more}Content-Length: {length}\r\n\r\n{body}"
    );
    let mut bytes = text.into_bytes();
    if random.one_in(4) {
        let end = random.below(bytes.len());
        bytes.truncate(end);
    }
    bytes
}

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "attack", "version": "1"},
    }})
}

/// A running server.
struct Served {
    child: Child,
    port: u16,
}

impl Served {
    fn start(attack: &Attack, tree: &Path, cache: &Path, folder: &Path) -> Result<Served> {
        let err = folder.join("err");
        let mut command = children::limited(&attack.program, Duration::from_mins(10));
        set_environment(&mut command, cache);
        let mut child = command
            .args(["serve", "--mcp", "--port", "0", "-C"])
            .arg(tree)
            .current_dir(tree)
            .env("LOREHOUND_TOKEN", TOKEN)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&err)?)
            .spawn()
            .context("could not start `lore`")?;
        let deadline = Instant::now() + MAX_ANSWER_TIME;
        while Instant::now() < deadline {
            let text = fs::read_to_string(&err)?;
            let address = text.lines().find_map(|line| line.split_once("http://127.0.0.1:"));
            let port = address.and_then(|(_, rest)| rest.strip_suffix("/mcp")?.parse().ok());
            if let Some(port) = port {
                return Ok(Served { child, port });
            }
            thread::sleep(Duration::from_millis(20));
        }
        child.kill()?;
        child.wait()?;
        bail!("the server does not start: {}", fs::read_to_string(&err)?);
    }

    /// Starts a session, and returns its id.
    fn session(&self) -> Result<String> {
        let (head, body) = self.request("", &hello())?;
        let id = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("mcp-session-id").then(|| value.to_owned())
        });
        id.with_context(|| format!("no session: {head}\n{body}"))
    }

    /// Searches in a session of its own, and returns the body of the response.
    fn search(&self) -> Result<String> {
        let session = self.session().context("a session")?;
        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params":
            {"name": "search", "arguments": {"query": "cargo", "match": "literal"}}});
        self.message(&session, &call)
    }

    /// Sends a message in a session, and returns the body of the response.
    fn message(&self, session: &str, message: &Value) -> Result<String> {
        let more = format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n");
        Ok(self.request(&more, message)?.1)
    }

    fn request(&self, more: &str, message: &Value) -> Result<(String, String)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(MAX_ANSWER_TIME))?;
        let body = message.to_string();
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {TOKEN}\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             {more}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        )?;
        let mut lines = BufReader::new(stream);
        let mut head = String::new();
        while lines.read_line(&mut head)? > 2 {}
        let mut text = String::new();
        lines.read_to_string(&mut text)?;
        Ok((head, text))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
