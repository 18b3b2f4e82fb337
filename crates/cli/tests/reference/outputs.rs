//! The real JSON output of every command, on the shop of the guide.

use std::{fs, io::Write as _, path::Path, process::Stdio};

use serde_json::{Value, json};

use crate::workspace::{Ran, Workspace};

/// Commands whose output is one value: the name of the schema, and the words after `lore`.
const OBJECTS: &[(&str, &[&str])] = &[
    ("search", &["search", "refund timeout", "--json"]),
    ("search", &["search", "refund", "--in", "specs", "--json", "--follow", "code", "--hops", "1"]),
    (
        "search",
        &["search", "refund", "--json", "--explain", "--follow-ups", "--expand", "--limit", "2"],
    ),
    ("search", &["search", "chargeback qwertyuiop", "--json", "--lang", "rust"]),
    ("search", &["search", "refund", "--json", "--budget", "900"]),
    ("search", &["search", "--regex", "retry_\\w+", "--json"]),
    ("search", &["search", "--from-failure=../failure.log", "--json"]),
    ("search-list", &["-e", "retry a refund", "-e", "mask a card", "--json"]),
    ("symbols", &["symbol", "retry_refund", "--json"]),
    ("symbols", &["symbol", "retry_refnd", "--json"]),
    ("symbols", &["file", "refund", "--json"]),
    ("expand", &["expand", "retry_refund", "--json"]),
    ("expand", &["expand", "retry_refund", "--callers", "--json"]),
    ("expand", &["expand", "src/refund.rs:40", "--history", "--json"]),
    ("why", &["why", "src/refund.rs:40", "--json"]),
    ("tried", &["tried", "refund", "--json"]),
    ("review", &["review", "--json"]),
    ("review", &["review", "HEAD~1..HEAD", "--json"]),
    ("research", &["research", "callers of retry_refund", "--json"]),
    ("research", &["research", "callers of nothing_like_this", "--json"]),
    ("context", &["context", "refunds are paid twice", "--json"]),
    ("context", &["context", "PAY-001", "--json", "--budget", "600"]),
    ("context", &["context", "qwertyuiop", "--json"]),
    ("classify", &["classify", "why does the test fail", "--json"]),
    ("classify-list", &["classify", "-", "--json"]),
    ("policy", &["policy", "--json"]),
    ("related", &["related", "src/refund.rs:40", "--json"]),
    ("exists", &["exists", "retry a refund", "--json"]),
    ("exists", &["exists", "-", "--code", "--json"]),
    ("spec", &["spec", "refund", "--json"]),
    ("spec-followed", &["spec", "refund", "--follow", "code", "--json"]),
    ("suggest", &["suggest", "refu", "--json"]),
    ("owners", &["owners", "src/refund.rs", "--json"]),
    ("drift", &["drift", "--json"]),
    ("index-estimate", &["index", "--dry-run", "--json"]),
    ("index", &["index", "--json"]),
    ("index", &["index", "--export", "../index.lore", "--json"]),
    ("index", &["index", "--import", "../index.lore", "--rebuild", "--json"]),
    ("index-import", &["index", "--import", "../index.lore", "--dry-run", "--json"]),
    ("index-workspace", &["index", "-W", "all", "--json"]),
    ("workspace-list", &["workspace", "list", "--json"]),
    ("index-sage", &["index", "--sage", "--json"]),
    ("status", &["status", "--json"]),
    ("status", &["sources", "--json"]),
    ("doctor", &["doctor", "--json"]),
    ("clean", &["clean", "--all", "--dry-run", "--json"]),
    ("history", &["history", "--json"]),
    ("config", &["config", "--json"]),
    ("model-list", &["model", "list", "--json"]),
    ("model-use", &["model", "use", "off", "--json"]),
    ("model-verify", &["model", "verify", "embedded", "--json"]),
    ("eval", &["eval", "../questions.jsonl", "--root", ".", "--json"]),
];

/// Commands whose output is one value a line.
const LINES: &[(&str, &[&str])] = &[
    ("search-line", &["search", "refund", "--format", "jsonl"]),
    ("symbols-line", &["symbol", "retry_refund", "--format", "jsonl"]),
    ("symbols-line", &["file", "refund", "--format", "jsonl"]),
    ("expand-line", &["expand", "src/refund.rs:40", "--history", "--format", "jsonl"]),
    ("why-line", &["why", "src/refund.rs:40", "--format", "jsonl"]),
    ("tried-line", &["tried", "refund", "--format", "jsonl"]),
    ("review-line", &["review", "--format", "jsonl"]),
    ("research-line", &["research", "callers of retry_refund", "--format", "jsonl"]),
    ("context-line", &["context", "refunds are paid twice", "--format", "jsonl"]),
    ("search-line", &["related", "src/refund.rs:40", "--format", "jsonl"]),
    ("classify", &["classify", "-", "--format", "jsonl"]),
    ("eval-agents", &["eval", "../questions.jsonl", "--root", ".", "--agents", "--json"]),
];

/// Standard input of the commands that read it.
const INPUT: &str = "fn paid_twice() -> bool { false }\nwhy does the test fail\n";

/// Outputs of all commands, each with the name of its schema and the command.
pub(crate) fn outputs() -> Vec<(&'static str, String, Value)> {
    let workspace = Workspace::shop();
    prepare(&workspace);
    let mut outputs = Vec::new();
    for (name, words) in OBJECTS {
        let ran = run(&workspace, words, INPUT);
        outputs.push((*name, words.join(" "), ran.json()));
    }
    for (name, words) in LINES {
        let ran = run(&workspace, words, INPUT);
        let parsed = ran.stdout.lines().map(serde_json::from_str);
        let values: Vec<Value> =
            parsed.collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{error}: {ran:?}"));
        assert!(!values.is_empty(), "{ran:?}");
        outputs.extend(values.into_iter().map(|value| (*name, words.join(" "), value)));
    }
    let ran = run(&workspace, &["index", "--rebuild", "--progress", "json"], "");
    let progress = ran.stderr.lines().filter(|line| line.starts_with('{'));
    outputs.extend(progress.map(|line| {
        let value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        ("index-progress", "index --progress json".to_owned(), value)
    }));
    let baseline = workspace.tree().with_file_name("baseline.json");
    run(&workspace, &["drift", "--write-baseline", &baseline.display().to_string()], "");
    outputs.push(("drift-baseline", "drift --write-baseline".to_owned(), read(&baseline)));
    if cfg!(unix) {
        // The program keeps its input, and its output adds nothing.
        let input = workspace.tree().with_file_name("input.json");
        let program = format!("sh -c 'cat > {}; echo {{}}'", input.display());
        run(&workspace, &["search", "refund timeout", "--expand-cmd", &program], "");
        outputs.push(("expand-cmd", "search --expand-cmd".to_owned(), read(&input)));
    }
    outputs.extend(over_mcp(&workspace));
    let root = workspace.tree().parent().expect("a folder").to_path_buf();
    for (_, _, value) in &mut outputs {
        normalise(value, &root);
    }
    outputs
}

/// Adds what some commands need: a change, settings, a workspace, an earlier search, a log and
/// questions.
fn prepare(workspace: &Workspace) {
    let beside = |name: &str| workspace.tree().with_file_name(name);
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/failure.log");
    fs::copy(log, beside("failure.log")).expect("a fixture");
    let questions = concat!(
        r#"{"id":"n1","repo":"shop","type":"where","query":"retry_refund","answers":["#,
        r#"{"path":"src/refund.rs","anchor":"fn retry_refund(","lines":9}]}"#,
        "\n",
        r#"{"id":"n2","repo":"shop","type":"none","query":"qwertyuiop","answers":[]}"#,
        "\n",
    );
    fs::write(beside("questions.jsonl"), questions).expect("a file");
    fs::write(beside("lorehound.toml"), "[context.policy.debug]\nmax_symbols = 3\n")
        .expect("a file");
    run(workspace, &["workspace", "add", "-W", "all", "."], "");
    // A reverted change, and one that is not committed.
    workspace.git("2025-02-01T08:00:00Z", &["revert", "--no-edit", "HEAD"]);
    workspace.git("2025-02-02T08:00:00Z", &["revert", "--no-edit", "HEAD"]);
    let path = workspace.tree().join("src/refund.rs");
    let mut kept = fs::read_to_string(&path).expect("a file");
    kept.push_str("\n/// Added by the test.\npub fn retry_again() {}\n");
    fs::write(&path, kept).expect("a file");
    run(workspace, &["search", "refund", "--history"], "");
}

fn run(workspace: &Workspace, words: &[&str], input: &str) -> Ran {
    let mut command = workspace.command(words);
    let settings = workspace.tree().with_file_name("lorehound.toml");
    command
        .env("LOREHOUND_CONFIG", settings)
        .env("TMPDIR", workspace.tree().parent().expect("a folder"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    // A command that reads nothing may have ended already.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let ran = Ran::new(&child.wait_with_output().expect("the program ends"));
    assert!(ran.code.is_some_and(|code| code <= 1), "{words:?}: {ran:?}");
    ran
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

/// The objects of the tools.
fn over_mcp(workspace: &Workspace) -> Vec<(&'static str, String, Value)> {
    let calls = [
        ("mcp-search", "search", json!({ "query": "refund timeout" })),
        ("mcp-search", "search", json!({ "query": "qwertyuiop" })),
        ("mcp-read", "read", json!({ "target": "src/refund.rs:40" })),
        ("mcp-trace", "trace", json!({ "target": "retry_refund" })),
        ("mcp-trace", "trace", json!({ "target": "src/refund.rs:40", "relation": "why" })),
        ("mcp-trace", "trace", json!({ "target": "src/refund.rs:40", "relation": "history" })),
        ("context", "context", json!({ "task": "refunds are paid twice" })),
    ];
    // The index exists, so that no call waits for it.
    run(workspace, &["index"], "");
    let mut input = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}})
    .to_string();
    input.push_str("\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    for (index, (_, tool, arguments)) in calls.iter().enumerate() {
        let call = json!({"jsonrpc": "2.0", "id": index + 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}});
        input.push_str(&call.to_string());
        input.push('\n');
    }
    let ran = run(workspace, &["mcp"], &input);
    let mut objects = Vec::new();
    for line in ran.stdout.lines() {
        let message: Value = serde_json::from_str(line).expect("JSON");
        let id = message["id"].as_u64().and_then(|id| usize::try_from(id).ok()).unwrap_or(0);
        let object = &message["result"]["structuredContent"];
        if let Some((name, tool, _)) = id.checked_sub(1).and_then(|at| calls.get(at))
            && object.is_object()
        {
            objects.push((*name, format!("mcp {tool}"), object.clone()));
        }
    }
    objects
}

/// Replaces paths and figures that differ between runs.
fn normalise(value: &mut Value, root: &Path) {
    const FIGURES: &[&str] = &[
        "elapsedMs",
        "medianMs",
        "slowestMs",
        "seconds",
        "passagesPerSecond",
        "generateSeconds",
        "indexSeconds",
        "p50Ms",
        "p99Ms",
        "indexMemoryBytes",
        "searchMemoryBytes",
        "used",
        "diskBytes",
        "sharedBytes",
        "indexBytes",
        "threads",
        "bytesPerSecond",
        "memoryBytes",
    ];
    const TIMES: &[&str] = &["lastTime", "lastUpdated"];
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                if FIGURES.contains(&key.as_str()) && value.is_u64() {
                    *value = json!(1);
                } else if FIGURES.contains(&key.as_str()) && value.is_f64() {
                    *value = json!(1.5);
                } else if TIMES.contains(&key.as_str()) {
                    *value = json!("2025-01-31T12:00:00Z");
                } else {
                    normalise(value, root);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| normalise(item, root)),
        Value::String(text) => *text = text.replace(&root.display().to_string(), "/root"),
        _ => {}
    }
}
