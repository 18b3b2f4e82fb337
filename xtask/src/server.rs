//! Runs a server, and a minimal client for it.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

/// Time after which an answer counts as lost.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// A server and the client's end of its pipes.
pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    answers: Receiver<Value>,
    last: u64,
}

impl Server {
    /// Starts a server, and waits until it finds `wombat1`, which the tree must contain.
    pub(crate) fn start(program: &Path, tree: &Path, cache: &Path) -> Result<Server> {
        let mut child = Command::new(program)
            .args(["mcp", "--no-dedup", "-C"])
            .arg(tree)
            .arg("--cache-dir")
            .arg(cache)
            .current_dir(tree)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("could not start `{}`", program.display()))?;
        let input = child.stdin.take().context("a pipe")?;
        let output = BufReader::new(child.stdout.take().context("a pipe")?);
        let (sender, answers) = channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                // A line that is not a message ends the reading, and the answer is lost.
                let Ok(message) = serde_json::from_str(&line) else { break };
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut server = Server { child, input, answers, last: 0 };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "soak", "version": "1"},
        });
        server.request("initialize", &hello)?;
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        let started = Instant::now();
        while server.call("search", &json!({"query": "wombat1"})).is_err() {
            if ANSWER_TIMEOUT < started.elapsed() {
                bail!("the index was never ready");
            }
        }
        Ok(server)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let mut line = message.to_string();
        line.push('\n');
        self.input.write_all(line.as_bytes())?;
        Ok(self.input.flush()?)
    }

    fn request(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}))?;
        let deadline = Instant::now() + ANSWER_TIMEOUT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut message = self.answers.recv_timeout(left).context("an answer was lost")?;
            if message["id"] == id {
                return Ok(message["result"].take());
            }
        }
    }

    /// Calls a tool, and fails if the tool fails.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let result = self.request("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        if result["isError"] != false {
            bail!("{arguments}: {result}");
        }
        Ok(result)
    }

    /// Closes the server's input, after which it must exit.
    pub(crate) fn end(mut self) -> Result<()> {
        drop(self.input);
        let deadline = Instant::now() + ANSWER_TIMEOUT;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait()? {
                if status.success() {
                    return Ok(());
                }
                bail!("a server ended with {status}");
            }
            thread::sleep(Duration::from_millis(20));
        }
        self.child.kill()?;
        bail!("a server did not end after its input did")
    }
}
