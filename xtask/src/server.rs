//! Runs a server, and a minimal client for it.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
        mpsc::{Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

/// Time after which an answer counts as lost.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// Requests without an answer, by id; `None` after the end of the server's output.
type Waiting = Arc<Mutex<Option<BTreeMap<u64, Sender<Value>>>>>;

/// A server and the client's end of its pipes. Several threads can send requests at the same time.
pub(crate) struct Server {
    child: Child,
    /// `None` after the end of the session.
    input: Mutex<Option<ChildStdin>>,
    waiting: Waiting,
    last: AtomicU64,
    /// Time after which an answer counts as lost.
    timeout: Duration,
}

impl Server {
    /// Starts a server, and waits until it finds `wombat1`, which the tree must contain.
    pub(crate) fn start(program: &Path, tree: &Path, cache: &Path) -> Result<Server> {
        let mut command = Command::new(program);
        command.args(["mcp", "--no-dedup", "-C"]).arg(tree).arg("--cache-dir").arg(cache);
        command.current_dir(tree);
        let server = Server::connect(&mut command, ANSWER_TIMEOUT)?;
        let started = Instant::now();
        while server.call("search", &json!({"query": "wombat1"})).is_err() {
            if ANSWER_TIMEOUT < started.elapsed() {
                bail!("the index was never ready");
            }
        }
        Ok(server)
    }

    /// Starts a server by a command, and begins a session.
    pub(crate) fn connect(command: &mut Command, timeout: Duration) -> Result<Server> {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().with_context(|| {
                format!("could not start `{}`", command.get_program().display())
            })?;
        let input = Mutex::new(Some(child.stdin.take().context("a pipe")?));
        let output = BufReader::new(child.stdout.take().context("a pipe")?);
        let waiting: Waiting = Arc::new(Mutex::new(Some(BTreeMap::new())));
        let answers = Arc::clone(&waiting);
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                // A line that is not a message ends the reading, and the answer is lost.
                let Ok(message) = serde_json::from_str::<Value>(&line) else { break };
                let Some(id) = message["id"].as_u64() else { continue };
                let mut answers = answers.lock().expect("no thread panics while it has the lock");
                if let Some(sender) = answers.as_mut().and_then(|answers| answers.remove(&id)) {
                    // The request may have timed out.
                    let _ = sender.send(message);
                }
            }
            *answers.lock().expect("no thread panics while it has the lock") = None;
        });
        let server = Server { child, input, waiting, last: AtomicU64::new(0), timeout };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "soak", "version": "1"},
        });
        server.request("initialize", &hello)?;
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    fn send(&self, message: &Value) -> Result<()> {
        let mut line = message.to_string();
        line.push('\n');
        let mut input = self.input.lock().expect("no thread panics while it has the lock");
        let input = input.as_mut().context("the session has ended")?;
        input.write_all(line.as_bytes())?;
        Ok(input.flush()?)
    }

    fn request(&self, method: &str, parameters: &Value) -> Result<Value> {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, answer) = channel();
        self.waiting
            .lock()
            .expect("no thread panics while it has the lock")
            .as_mut()
            .context("the server has ended")?
            .insert(id, sender);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}))?;
        let mut message = answer.recv_timeout(self.timeout).context("an answer was lost")?;
        Ok(message["result"].take())
    }

    /// Calls a tool, and fails if the tool fails.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Result<Value> {
        let result = self.request("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        if result["isError"] != false {
            bail!("{arguments}: {result}");
        }
        Ok(result)
    }

    /// Process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Closes the server's input, after which it must exit.
    pub(crate) fn end(mut self) -> Result<()> {
        *self.input.lock().expect("no thread panics while it has the lock") = None;
        let deadline = Instant::now() + self.timeout;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait()? {
                if status.success() {
                    return Ok(());
                }
                bail!("the server {} ended with {status}", self.id());
            }
            thread::sleep(Duration::from_millis(20));
        }
        bail!("a server did not end after its input did")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has usually ended. A run that failed leaves no server behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
