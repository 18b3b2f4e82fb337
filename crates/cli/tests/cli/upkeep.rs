//! Following a tree, resource limits, and deleting unneeded indexes.
//!
//! No test depends on timing: each waits for the expected event, up to a limit that only a failure
//! reaches.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::workspace::{Ran, Workspace};

/// Maximum time to wait for an event.
const BOUND: Duration = Duration::from_mins(1);

/// A process that runs while the test changes its tree. It is killed at the end of the test.
struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Running {
    fn start(workspace: &Workspace, arguments: &[&str]) -> Running {
        let mut child = workspace
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let (sender, lines) = channel();
        let output = child.stdout.take().expect("it is piped");
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Running { child, lines }
    }

    fn line(&self) -> Value {
        let line = self.lines.recv_timeout(BOUND).expect("a line comes in time");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("no JSON: {error}: {line}"))
    }

    fn send(&mut self, message: &Value) {
        let input = self.child.stdin.as_mut().expect("it is piped");
        writeln!(input, "{message}").expect("the program listens");
    }

    /// The exit code, after the process has exited.
    fn end(&mut self) -> Option<i32> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status.code();
            }
            assert!(started.elapsed() < BOUND, "the program keeps running");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// A server that has answered a query.
    fn server(workspace: &Workspace) -> Running {
        let mut server = Running::start(workspace, &["mcp"]);
        server.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}));
        assert_eq!(server.line()["id"], 1);
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        // The first query may be answered before the index is ready.
        for id in 2.. {
            server.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params":
                {"name": "search", "arguments": {"query": "refund"}}}));
            while server.line()["id"] != id {}
            if pending(workspace) == 0 || id > 1_000 {
                break;
            }
        }
        server
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Number of units that differ from the index, without writing it.
fn pending(workspace: &Workspace) -> u64 {
    let status = workspace.run(&["status", "--json"]).json();
    let sources = status["sources"].as_object().expect("sources").values();
    sources.map(|source| source["pending"].as_u64().expect("a number")).sum()
}

/// Waits until another process has updated the index.
fn caught_up(workspace: &Workspace) {
    let started = Instant::now();
    while pending(workspace) > 0 {
        assert!(started.elapsed() < BOUND, "the index is not brought up to date");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Paths found by a search that writes nothing.
fn found(workspace: &Workspace, query: &str) -> Vec<String> {
    workspace.run(&["search", "--no-write", "--mode", "lexical", "--json", query]).paths()
}

#[test]
fn changes_are_indexed_before_the_next_search() {
    let workspace = Workspace::shop();
    let mut watch = Running::start(&workspace, &["index", "--watch", "--json"]);
    assert!(watch.line()["sources"]["code"]["written"].as_u64() > Some(0));
    caught_up(&workspace);

    let update = |action: &dyn Fn()| {
        action();
        caught_up(&workspace);
    };
    update(&|| workspace.write("src/refund.rs", "pub fn zweifach() {}\n"));
    assert_eq!(found(&workspace, "zweifach"), ["src/refund.rs"]);
    update(&|| {
        let tree = workspace.tree();
        fs::rename(tree.join("src/refund.rs"), tree.join("src/repaid.rs")).unwrap();
    });
    assert_eq!(found(&workspace, "zweifach"), ["src/repaid.rs"]);
    update(&|| fs::remove_file(workspace.tree().join("src/repaid.rs")).unwrap());
    // Every update is reported; the last one had nothing to write.
    loop {
        let of_code = watch.line()["sources"]["code"].take();
        if of_code["written"] == 0 && of_code["deleted"] == 1 {
            break;
        }
    }
    assert!(found(&workspace, "zweifach").is_empty());
    // A directory in a new directory, and then a file in it: each may be a separate event.
    update(&|| workspace.write("fresh/deeper/still/new.rs", "pub fn dreifach() {}\n"));
    assert_eq!(found(&workspace, "dreifach"), ["fresh/deeper/still/new.rs"]);
    update(&|| workspace.write("fresh/deeper/still/newer.rs", "pub fn vierfach() {}\n"));
    assert_eq!(found(&workspace, "vierfach"), ["fresh/deeper/still/newer.rs"]);
    update(&|| {
        workspace.git("2025-02-01T00:00:00Z", &["checkout", "--quiet", "-b", "side"]);
        workspace.git("2025-02-01T00:00:00Z", &["add", "."]);
        workspace.git("2025-02-01T00:00:00Z", &["commit", "--quiet", "-m", "fuenffach"]);
    });
    caught_up(&workspace);
    // A commit has no path.
    let ran = workspace.run(&["search", "--no-write", "--mode", "lexical", "--json", "fuenffach"]);
    assert_eq!(ran.json()["receipt"]["total"], 1, "{ran:?}");
    workspace.git("2025-02-01T00:00:00Z", &["checkout", "--quiet", "main"]);
    caught_up(&workspace);
    assert!(found(&workspace, "dreifach").is_empty());

    #[cfg(unix)]
    {
        let pid = watch.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().expect("kill is there");
        assert!(sent.success());
        assert_eq!(watch.end(), Some(0));
    }
}

#[test]
fn a_server_updates_the_index_without_queries_and_ends_with_its_client() {
    let workspace = Workspace::shop();
    let mut server = Running::server(&workspace);
    workspace.write("src/refund.rs", "pub fn zweifach() {}\n");
    caught_up(&workspace);
    assert_eq!(found(&workspace, "zweifach"), ["src/refund.rs"]);
    drop(server.child.stdin.take());
    assert_eq!(server.end(), Some(0));
}

#[test]
fn a_tree_with_a_read_only_index_is_not_followed() {
    let workspace = Workspace::shop();
    let ran = workspace.run(&["index", "--watch", "--no-write"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("could not follow the tree"), "{ran:?}");
    assert!(!workspace.cache().exists());
}

#[cfg(target_os = "linux")]
mod measured {
    //! Resource use of a running process, as reported by the kernel.

    use super::*;

    /// Measured idle time in seconds; `LORE_IDLE_SECONDS` overrides it.
    fn seconds() -> u64 {
        let typed = std::env::var("LORE_IDLE_SECONDS").ok();
        typed.map_or(10, |typed| typed.parse().expect("a number of seconds"))
    }

    /// Processor time in ticks of 10 ms, and bytes written.
    fn used(child: &Child) -> (u64, u64) {
        let folder = PathBuf::from(format!("/proc/{}", child.id()));
        let stat = fs::read_to_string(folder.join("stat")).expect("the program runs");
        // The name in brackets may contain any character; only numbers follow it.
        let (_, rest) = stat.rsplit_once(") ").expect("a name in brackets");
        let numbers: Vec<&str> = rest.split(' ').collect();
        let ticks = [11, 12].map(|at: usize| numbers[at].parse::<u64>().expect("ticks"));
        let io = fs::read_to_string(folder.join("io")).expect("the program is ours");
        let written = io.lines().find_map(|line| line.strip_prefix("wchar: "));
        (ticks.iter().sum(), written.expect("wchar").parse().expect("bytes"))
    }

    /// Checks that nothing is written, and that less than a thousandth of a processor is used.
    fn idles(running: &Running) {
        let mut ticks = Vec::new();
        let mut before = used(&running.child);
        // Remaining work may end first: for example, threads wait ten seconds for more calls. Endless
        // work shows in every interval.
        for _ in 0..4 {
            thread::sleep(Duration::from_secs(seconds()));
            let after = used(&running.child);
            // There are 100 ticks per second, so a thousandth is one tick in ten seconds.
            if after.1 == before.1 && after.0 - before.0 <= (seconds() / 10).max(1) {
                return;
            }
            ticks.push((after.0 - before.0, after.1 - before.1));
            before = after;
        }
        panic!("ticks and bytes while nothing changes: {ticks:?}");
    }

    #[test]
    fn watch_is_idle_without_changes() {
        let workspace = Workspace::shop();
        let watch = Running::start(&workspace, &["index", "--watch", "--json"]);
        watch.line();
        caught_up(&workspace);
        idles(&watch);
        // Changes in ignored directories do not wake the process either.
        workspace.write("target/debug/out.txt", "0");
        workspace.write(".git/index.lock", "0");
        idles(&watch);
    }

    #[test]
    fn a_server_is_idle_without_queries() {
        let workspace = Workspace::shop();
        let server = Running::server(&workspace);
        idles(&server);
    }

    /// Peak memory of a run in megabytes: resident, and without mapped files.
    fn peak(workspace: &Workspace, arguments: &[&str]) -> (f64, f64) {
        let mut child = workspace
            .command(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let (mut all, mut own) = (0.0_f64, 0.0_f64);
        while child.try_wait().expect("it can be waited for").is_none() {
            let status = fs::read_to_string(format!("/proc/{}/status", child.id()));
            let figure = |name: &str| {
                let line =
                    status.as_ref().ok()?.lines().find_map(|line| line.strip_prefix(name))?;
                line.split_whitespace().next()?.parse::<f64>().ok()
            };
            all = all.max(figure("VmHWM:").unwrap_or(0.0) / 1024.0);
            own = own.max(figure("RssAnon:").unwrap_or(0.0) / 1024.0);
            thread::sleep(Duration::from_millis(2));
        }
        (all, own)
    }

    #[test]
    fn memory_stays_within_the_limit() {
        let workspace = generated(400);
        let (all, _) = peak(&workspace, &["index"]);
        let index = bytes_below(&workspace.cache()) as f64 / 1_048_576.0;
        assert!(all < 150.0 + 1.5 * index, "{all:.0} MB for an index of {index:.1} MB");
        let (_, own) = peak(&workspace, &["search", "wheel of part seven"]);
        assert!(own < 60.0, "{own:.0} MB");
    }
}

/// A tree with this number of files of about 10 kB.
fn generated(files: usize) -> Workspace {
    let workspace = Workspace::empty();
    for file in 0..files {
        let function = |number: usize| {
            format!(
                "/// Turns wheel {number} of part {file}.\npub fn wheel_{file}_{number}(turn: u32) -> \
                 u32 {{\n    turn * {number} + {file}\n}}\n\n"
            )
        };
        let text: String = (0..80).map(function).collect();
        workspace.write(&format!("src/part_{}/file_{file}.rs", file % 20), text);
    }
    workspace
}

fn bytes_below(folder: &Path) -> u64 {
    let Ok(listing) = fs::read_dir(folder) else { return 0 };
    let entries = listing.map(|entry| entry.expect("the cache can be listed"));
    entries
        .map(|entry| match entry.metadata().expect("a file that stays") {
            metadata if metadata.is_dir() => bytes_below(&entry.path()),
            metadata => metadata.len(),
        })
        .sum()
}

fn with_limit(workspace: &Workspace, variable: &str, limit: &str, arguments: &[&str]) -> Ran {
    let mut command = workspace.command(arguments);
    Ran::new(&command.env(variable, limit).output().expect("the program starts"))
}

/// Notes of about 10 kB each with a small vocabulary, and one unique word in each.
fn notes(count: usize) -> Workspace {
    const WORDS: &[&str] = &[
        "harbour", "keeps", "ships", "that", "wait", "for", "tide", "and", "wind", "while",
        "crews", "mend", "sails", "count", "barrels", "write", "letters", "home", "watch", "gulls",
        "argue", "about", "weather", "repair", "ropes", "sing", "songs", "trade", "stories",
        "cook", "fish", "sleep", "badly", "dream", "of", "islands", "measure", "depth", "mark",
        "charts", "light", "lamps", "ring", "bells", "greet", "pilots",
    ];
    let workspace = Workspace::empty();
    for note in 0..count {
        let mut state = note * 7919 + 1;
        let mut word = || {
            state = (state * 1_103_515_245 + 12_345) % (1 << 31);
            format!("{}{}", WORDS[(state >> 8) % WORDS.len()], (state >> 16) % 9)
        };
        let mut text = format!("# Note number{note}\n");
        for _ in 0..12 {
            let words: Vec<String> = (0..130).map(|_| word()).collect();
            for part in ["\n", &words.join(" "), "\n"] {
                text.push_str(part);
            }
        }
        workspace.write(&format!("docs/note_{note}.md"), text);
    }
    workspace
}

#[test]
fn an_index_over_the_disk_limit_is_reduced_step_by_step() {
    // 1 MB of text: at most 0.55 of it for words, 0.35 for vectors.
    let workspace = notes(100);
    let text = bytes_below(&workspace.tree());
    let disk = "LOREHOUND_LIMITS_DISK";
    let none = (text / 4).to_string();
    let ran = with_limit(&workspace, disk, &none, &["index"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("limits.disk"), "{ran:?}");
    assert!(bytes_below(&workspace.cache()) < text / 4);
    let ran = with_limit(&workspace, disk, &none, &["search", "--json", "number7"]);
    assert_eq!(ran.paths().first().map(String::as_str), Some("docs/note_7.md"));
    assert!(ran.stderr.contains("keeps the index in memory"), "{ran:?}");

    let words = text / 100 * 57;
    let ran = with_limit(&workspace, disk, &words.to_string(), &["index"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("embedding `docs` was skipped"), "{ran:?}");
    let status = with_limit(&workspace, disk, &words.to_string(), &["status", "--json"]).json();
    let docs = &status["sources"]["docs"];
    assert_eq!(docs["documents"], 100, "{status}");
    assert!(docs["embedded"].as_u64() < Some(100), "{status}");
    let used = status["limits"]["limits.disk"]["used"].as_u64().expect("a number");
    assert!(used <= words, "{status}");

    // With more room, the missing parts are added.
    let ran = workspace.run(&["index"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(workspace.run(&["status", "--json"]).json()["sources"]["docs"]["embedded"], 100);
}

#[test]
fn limits_are_shown_with_their_origin() {
    let workspace = Workspace::shop();
    let ran = with_limit(&workspace, "LOREHOUND_LIMITS_MEMORY", "1MB", &["status"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("64MB or more"), "{ran:?}");
    let ran = with_limit(&workspace, "LOREHOUND_LIMITS_MEMORY", "96 MB", &["status", "--json"]);
    let limit = &ran.json()["limits"]["limits.memory"];
    assert_eq!(limit["value"], "96MB");
    assert_eq!(limit["origin"], "environment LOREHOUND_LIMITS_MEMORY");
    workspace.write("lorehound.toml", "[limits]\nmemory = \"none\"\n");
    let ran = workspace.run(&["status", "--json"]);
    assert_eq!(ran.json()["limits"]["limits.memory"]["value"], "1.5GB", "{ran:?}");
    assert!(ran.stderr.contains("ignored the setting `limits.memory`"), "{ran:?}");
    // The number of hits is reduced to fit the memory limit, and the answer reports it.
    let ran = with_limit(
        &workspace,
        "LOREHOUND_LIMITS_MEMORY",
        "64MB",
        &["search", "--limit", "100000", "refund"],
    );
    assert!(ran.stderr.contains("hits are ranked instead of 100000"), "{ran:?}");
}

/// A second tree next to the workspace, with an index.
fn second(workspace: &Workspace) -> PathBuf {
    let tree = workspace.tree().with_file_name("second");
    fs::create_dir_all(&tree).expect("a new folder");
    fs::write(tree.join("a.rs"), "pub fn sechsfach() {}\n").expect("a new file");
    let ran = workspace.run(&["index", "-C", tree.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    tree
}

#[test]
fn clean_lists_indexes_first_and_deletes_nothing_else() {
    let workspace = Workspace::shop();
    assert_eq!(workspace.run(&["index"]).code, Some(0));
    let gone = second(&workspace);
    fs::write(workspace.cache().join("notes.md"), "mine").unwrap();
    fs::create_dir_all(workspace.cache().join("photos-0123")).unwrap();

    let ran = workspace.run(&["clean"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("nothing to delete"), "{ran:?}");
    fs::remove_dir_all(&gone).unwrap();
    let ran = workspace.run(&["clean"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stdout.contains("its tree is gone"), "{ran:?}");
    assert!(ran.stderr.contains("there is no terminal for a confirmation"), "{ran:?}");
    let shown = workspace.run(&["clean", "--json"]).json();
    let indexes = shown["indexes"].as_array().unwrap();
    assert_eq!(indexes.len(), 1, "{shown}");
    assert_eq!(indexes[0]["tree"], gone.to_str().unwrap());
    let folder = PathBuf::from(indexes[0]["path"].as_str().unwrap());
    assert!(folder.join("code").exists());
    let ran = workspace.run(&["clean", "--yes"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!folder.exists());
    assert!(!folder.parent().unwrap().exists());
    // The other index is unchanged: a search finds nothing to update.
    assert_eq!(pending(&workspace), 0);

    let named = workspace.tree();
    let ran = workspace.run(&["clean", "--yes", named.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(pending(&workspace) > 0);
    let ran = workspace.run(&["clean", "--yes", named.to_str().unwrap()]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(workspace.cache().join("notes.md").exists());
    assert!(workspace.cache().join("photos-0123").exists());
    // An index is a cache.
    assert!(!workspace.run(&["search", "--json", "refund"]).paths().is_empty());
}

#[test]
fn the_least_recently_used_index_is_removed_first() {
    let workspace = Workspace::shop();
    let bytes = |arguments: &[&str]| {
        assert_eq!(workspace.run(&["index"]).code, Some(0));
        workspace.run(arguments).json()["bytes"].as_u64().unwrap()
    };
    let own = bytes(&["clean", "--all", "--yes", "--json"]);
    let other = second(&workspace);
    let both = bytes(&["clean", "--all", "--json"]);
    assert!(own < both);
    // Both together exceed the limit. The index that was searched last is kept.
    let limit = (own + (both - own) / 2).to_string();
    let over = with_limit(&workspace, "LOREHOUND_LIMITS_DISK", &limit, &["clean", "--json"]).json();
    assert_eq!(over["indexes"].as_array().unwrap().len(), 1, "{over}");
    assert_eq!(over["indexes"][0]["tree"], other.to_str().unwrap());
    let named = workspace.tree();
    assert_eq!(workspace.run(&["clean", "--yes", named.to_str().unwrap()]).code, Some(0));
    // An index that is being written takes precedence.
    let ran = with_limit(&workspace, "LOREHOUND_LIMITS_DISK", &limit, &["index"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let after = workspace.run(&["clean", "--all", "--json"]).json();
    let trees: Vec<&str> = after["indexes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|index| index["tree"].as_str())
        .collect();
    assert_eq!(trees, [workspace.tree().to_str().unwrap()], "{ran:?}");
    // The tree itself is not touched: the next search rebuilds its index.
    let ran = workspace.run(&["search", "-C", other.to_str().unwrap(), "--json", "sechsfach"]);
    assert_eq!(ran.paths(), ["a.rs"]);
}
