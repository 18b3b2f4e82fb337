//! Times the requests of an editor on a generated tree: `cargo xtask editors --files N`.

use std::{
    fmt::Write as _,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

/// Number of files of a directory.
const PER_FOLDER: usize = 100;

/// Number of files that call the shared function.
const SHARED_CALLS: usize = 50;

/// Number of timed requests of each kind, each at another file.
const REPEATS: usize = 40;

/// Number of timed requests of each kind after a pause, when no recent state of the tree can be used.
const PAUSED: usize = 9;

/// The pause: longer than a server uses a state of the tree.
const PAUSE: Duration = Duration::from_millis(1_100);

/// Maximum of the median of a request.
const MAX_MEDIAN: Duration = Duration::from_millis(50);

/// Generates the tree, times every request, and fails if a median is too large.
pub(super) fn run(root: &Path, files: usize) -> Result<()> {
    let lore = super::super::program(root)?;
    let folder = std::env::temp_dir().join(format!("lore-latency-{}", std::process::id()));
    let tree = folder.join("tree");
    generate(&tree, files)?;
    let measured = measure(&lore, &folder, &tree, files);
    std::fs::remove_dir_all(&folder).ok();
    measured
}

/// Writes files that call each other in a chain, in four languages, and one function for many callers.
fn generate(tree: &Path, files: usize) -> Result<()> {
    for number in 0..files {
        let path = tree.join(path_of(number));
        std::fs::create_dir_all(path.parent().context("a file has a folder")?)?;
        std::fs::write(path, text_of(number))?;
    }
    std::fs::write(tree.join("shared.py"), "def shared(value):\n    return value\n")?;
    let git = |words: &[&str]| -> Result<()> {
        let names = ["-c", "user.name=Tests", "-c", "user.email=tests@example.org"];
        let status = Command::new("git").arg("-C").arg(tree).args(names).args(words).status()?;
        if !status.success() {
            bail!("git {words:?} failed");
        }
        Ok(())
    };
    git(&["init", "--quiet"])?;
    git(&["add", "--all"])?;
    git(&["commit", "--quiet", "--message", "steps: add all\n\nThey are needed for timing."])
}

fn path_of(number: usize) -> PathBuf {
    let extension = ["py", "rs", "ts", "go"][number % 4];
    PathBuf::from(format!("pkg{}/step{number}.{extension}", number / PER_FOLDER))
}

/// The name of the function of a file. The previous file in the same language defines the one it calls.
fn name_of(number: usize) -> String {
    format!("run_step{number}")
}

fn text_of(number: usize) -> String {
    let (name, other) = (name_of(number), name_of(number.saturating_sub(4)));
    let earlier = number.saturating_sub(4);
    let folder = earlier / PER_FOLDER;
    let is_sharing = number.is_multiple_of(4) && number / 4 < SHARED_CALLS;
    let mut text = match number % 4 {
        0 => {
            let (import, call) =
                if is_sharing { ("from shared import shared\n", "shared") } else { ("", "") };
            format!(
                "{import}from pkg{folder}.step{earlier} import {other}\n\n\ndef {name}(value):\n    \
                 \"\"\"Runs step {number}.\"\"\"\n    total = {call}({other}(value + 1))\n    return \
                 total\n"
            )
        }
        1 => format!(
            "use crate::pkg{folder}::step{earlier}::{other};\n\n/// Runs step {number}.\npub fn \
             {name}(value: u64) -> u64 {{\n    {other}(value + 1)\n}}\n"
        ),
        2 => format!(
            "import {{ {other} }} from \"../pkg{folder}/step{earlier}\";\n\n/** Runs step {number}. \
             */\nexport function {name}(value: number): number {{\n  return {other}(value + 1);\n}}\n"
        ),
        _ => format!(
            "package pkg{}\n\n// {name} runs step {number}.\nfunc {name}(value int) int {{\n\treturn \
             {other}(value + 1)\n}}\n",
            number / PER_FOLDER
        ),
    };
    // Further definitions, so that a file has the size of a real one.
    for part in 0..12 {
        let helper = format!("helper{number}_{part}");
        let added = match number % 4 {
            0 => {
                write!(text, "\n\ndef {helper}(items):\n    count = len(items)\n    return count\n")
            }
            1 => write!(text, "\nfn {helper}(items: &[u8]) -> usize {{\n    items.len()\n}}\n"),
            2 => write!(
                text,
                "\nfunction {helper}(items: number[]): number {{\n  return items.length;\n}}\n"
            ),
            _ => write!(text, "\nfunc {helper}(items []int) int {{\n\treturn len(items)\n}}\n"),
        };
        added.expect("a string accepts every text");
    }
    text
}

/// Times each kind of request and prints a table.
fn measure(lore: &Path, folder: &Path, tree: &Path, files: usize) -> Result<()> {
    let mut server = Server::start(lore, folder, tree)?;
    let started = Instant::now();
    server.request("workspace/symbol", &json!({"query": name_of(1)}))?;
    println!("{files} files; the first answer, with the index, after {:.1?}", started.elapsed());
    // Open files are parsed as the editor has them.
    for number in 0..4 {
        server.open(number)?;
    }
    println!(
        "| request | median, one after the other | slowest | median, after a pause | slowest |"
    );
    println!("|---|---|---|---|---|");
    let mut slow = Vec::new();
    for request in requests() {
        let (median, slowest) = server.times(&request, files, REPEATS, Duration::ZERO)?;
        let (alone, slowest_alone) = server.times(&request, files, PAUSED, PAUSE)?;
        println!(
            "| {} | {median:.1?} | {slowest:.1?} | {alone:.1?} | {slowest_alone:.1?} |",
            request.0
        );
        if MAX_MEDIAN < median.max(alone) {
            slow.push(request.0);
        }
    }
    server.child.kill().ok();
    server.child.wait().ok();
    if !slow.is_empty() {
        bail!("slower than {MAX_MEDIAN:?}: {}", slow.join(", "));
    }
    Ok(())
}

type Parameters = fn(&Server, usize) -> Value;

/// Title, method and parameters of a kind of request.
type Kind = (&'static str, &'static str, Parameters);

/// The kinds of requests.
fn requests() -> Vec<Kind> {
    let at: Parameters = Server::at_call;
    vec![
        ("definition", "textDocument/definition", at),
        ("references", "textDocument/references", |server, number| {
            let mut parameters = server.at_call(number);
            parameters["context"] = json!({"includeDeclaration": true});
            parameters
        }),
        ("references, 50 files", "textDocument/references", |server, _| {
            json!({
                "textDocument": {"uri": format!("file://{}/shared.py", server.tree.display())},
                "position": {"line": 0, "character": 5},
                "context": {"includeDeclaration": true},
            })
        }),
        ("hover", "textDocument/hover", at),
        ("call hierarchy: prepare", "textDocument/prepareCallHierarchy", at),
        ("call hierarchy: incoming", "callHierarchy/incomingCalls", Server::item),
        ("call hierarchy: outgoing", "callHierarchy/outgoingCalls", Server::item),
        (
            "document symbols",
            "textDocument/documentSymbol",
            |server, number| json!({"textDocument": {"uri": server.uri(number)}}),
        ),
        ("workspace symbols", "workspace/symbol", |_, number| json!({"query": name_of(number)})),
        (
            "workspace symbols, by prefix",
            "workspace/symbol",
            |_, number| json!({"query": format!("helper{}", number % 100)}),
        ),
        (
            "question",
            "workspace/executeCommand",
            |_, number| json!({"command": "lorehound.ask", "arguments": [format!("where is step {number} run")]}),
        ),
    ]
}

/// A running `lore lsp`.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    tree: PathBuf,
    last: u64,
}

impl Server {
    fn start(lore: &Path, folder: &Path, tree: &Path) -> Result<Server> {
        let mut child = Command::new(lore)
            .arg("lsp")
            .current_dir(tree)
            .env("LOREHOUND_CACHE_DIR", folder.join("cache"))
            .env("LOREHOUND_CONFIG", "")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("could not start `lore lsp`")?;
        let input = child.stdin.take().context("no pipe")?;
        let output = BufReader::new(child.stdout.take().context("no pipe")?);
        let tree = std::fs::canonicalize(tree)?;
        let mut server = Server { child, input, output, tree, last: 0 };
        let root = format!("file://{}", server.tree.display());
        server.request("initialize", &json!({"rootUri": root, "capabilities": {}}))?;
        server.notify("initialized", &json!({}))?;
        Ok(server)
    }

    /// Times requests of a kind, each at another file, and returns the median and the maximum.
    fn times(
        &mut self,
        (title, method, parameters): &Kind,
        files: usize,
        count: usize,
        pause: Duration,
    ) -> Result<(Duration, Duration)> {
        let mut times = Vec::with_capacity(count);
        // The first one warms up.
        for repeat in 0..=count {
            let number = 8 + repeat * (files / (REPEATS + 2)).max(1);
            let parameters = parameters(self, number);
            std::thread::sleep(pause);
            let started = Instant::now();
            let result = self.request(method, &parameters)?;
            if repeat > 0 {
                times.push(started.elapsed());
            }
            if result.is_null() {
                bail!("{title}: no answer for {parameters}");
            }
        }
        times.sort_unstable();
        Ok((times[times.len() / 2], times[times.len() - 1]))
    }

    fn uri(&self, number: usize) -> String {
        format!("file://{}/{}", self.tree.display(), path_of(number).display())
    }

    /// The position of the call in a file.
    fn at_call(&self, number: usize) -> Value {
        let text = text_of(number);
        let call = format!("{}(", name_of(number.saturating_sub(4)));
        let at = text.rfind(&call).unwrap_or_default();
        let before = &text[..at];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        json!({
            "textDocument": {"uri": self.uri(number)},
            "position": {"line": before.matches('\n').count(), "character": at - start + 1},
        })
    }

    /// The function of a file as an item of the call hierarchy.
    fn item(&self, number: usize) -> Value {
        let text = text_of(number);
        let name = name_of(number);
        let at = text.find(&format!("{name}(")).unwrap_or_default();
        let before = &text[..at];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let position = json!({"line": before.matches('\n').count(), "character": at - start});
        let range = json!({"start": position, "end": position});
        json!({"item": {"name": name, "kind": 12, "uri": self.uri(number), "range": range,
            "selectionRange": range}})
    }

    fn open(&mut self, number: usize) -> Result<()> {
        let document = json!({"uri": self.uri(number), "languageId": "", "version": 1,
            "text": text_of(number)});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}))
    }

    fn notify(&mut self, method: &str, parameters: &Value) -> Result<()> {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}))
    }

    fn write(&mut self, message: &Value) -> Result<()> {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        Ok(self.input.flush()?)
    }

    /// Sends a request, and returns its result.
    fn request(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        self.last += 1;
        let id = self.last;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}))?;
        loop {
            let mut length = 0;
            loop {
                let mut line = String::new();
                if self.output.read_line(&mut line)? == 0 {
                    bail!("`lore lsp` ended");
                }
                match line.trim().split_once(": ") {
                    Some((_, bytes)) => length = bytes.parse()?,
                    None => break,
                }
            }
            let mut body = vec![0; length];
            self.output.read_exact(&mut body)?;
            let answer: Value = serde_json::from_slice(&body)?;
            if answer["id"] == id {
                if !answer["error"].is_null() {
                    bail!("{method}: {}", answer["error"]);
                }
                return Ok(answer["result"].clone());
            }
        }
    }
}
