//! Texts that end their parser, and the processes that parse.
//!
//! Each text is one that made an earlier version of `lore` end with it, or take gigabytes of memory.

use std::{
    fs,
    io::{Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use lore_syntax::bombs::{BombShape, bomb, parsed_languages};

use crate::{
    hostile::{assert_survived, innocent, run},
    workspace::{PROGRAM, Workspace},
};

/// Size of generated texts in bytes: the smallest that ended an earlier version had 9,000.
const GENERATED: usize = 12_000;

/// Time for anything that happens at once on an idle machine.
const SOON: Duration = Duration::from_mins(2);

/// Name, beginning and repeated part of each text, and its size in bytes.
const BOMBS: &[(&str, &str, &str, usize)] = &[
    ("bomb.c", "", "x=>y", 10_876),
    ("Bomb.java", "", "x=>y", 10_876),
    ("bomb.mm", "@class A;\n", "a=>", 100_000),
    ("bomb.rb", "x=", "<a>{x}", 100_000),
    ("bomb.cs", "", "a<", 100_000),
    ("bomb.ts", "", "a<b,", 100_000),
    ("bomb.cpp", "", "a <- ", 100_000),
    ("bomb.erl", "", "a => ", 100_000),
    ("bomb.py", "", "a: |\n", 100_000),
    ("bomb.sh", "", "a |> ", 100_000),
    ("bomb.R", "", "a=>", 100_000),
];

/// A text of a size: a beginning and a part that is repeated.
fn text(head: &str, unit: &str, size: usize) -> String {
    let mut text = head.to_owned();
    while text.len() < size {
        text.push_str(unit);
    }
    text
}

/// Paths and reasons of the files that ended their parser, and the number of pending changes.
fn status(workspace: &Workspace) -> (Vec<(String, String)>, u64) {
    let ran = run(workspace, &["status", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let code = &ran.json()["sources"]["code"];
    let files = code["unparsed"].as_array().expect("a list").iter().map(|file| {
        let word = |key: &str| file[key].as_str().expect("a word").to_owned();
        (word("path"), word("reason"))
    });
    (files.collect(), code["pending"].as_u64().expect("a number"))
}

#[test]
fn texts_that_end_their_parser_cost_no_other_file() {
    let workspace = innocent();
    for (name, head, unit, size) in BOMBS {
        workspace.write(&format!("bombs/{name}"), text(head, unit, *size));
    }
    assert_survived(&workspace, "bombs");
    let (files, pending) = status(&workspace);
    assert_eq!(pending, 0);
    assert!(files.iter().all(|(path, _)| path.starts_with("bombs/")), "{files:?}");
    assert!(files.iter().any(|(path, _)| path == "bombs/bomb.R"), "{files:?}");
    let shown = run(&workspace, &["status"]).stdout;
    assert!(shown.contains("unparsed: `bombs/bomb.R` "), "{shown}");
    // They are cut by lines, and searched.
    let ran = run(&workspace, &["--literal", "a=>a=>", "--format", "paths"]);
    assert!(ran.stdout.contains("bombs/bomb.R"), "{}", ran.stdout);
}

#[test]
fn a_file_that_was_parsed_in_part_is_named() {
    let workspace = innocent();
    workspace.write("broken.rs", "fn sound() {}\n\nfn broken( {{ ) -> } struct\n");
    run(&workspace, &["index"]);
    let ran = run(&workspace, &["status", "--json"]);
    assert_eq!(ran.json()["sources"]["code"]["partlyParsed"], serde_json::json!(["broken.rs"]));
    let shown = run(&workspace, &["status"]).stdout;
    assert!(shown.contains("parsed in part, names may be missing: `broken.rs`\n"), "{shown}");
    workspace.write("broken.rs", "fn sound() {}\n");
    run(&workspace, &["index"]);
    let shown = run(&workspace, &["status"]).stdout;
    assert!(!shown.contains("parsed in part"), "{shown}");
}

#[test]
fn generated_texts_in_every_language_cost_no_other_file() {
    let workspace = innocent();
    let mut count = 0;
    for (language, name) in parsed_languages() {
        for (seed, shape) in BombShape::ALL.iter().enumerate() {
            let sample = "fn refund(a: &str) -> u32 { a.len() }\n";
            let text = bomb(language, *shape, seed as u64, GENERATED, sample);
            workspace.write(&format!("{}/{}/{name}", language.name, shape.as_str()), text);
            count += 1;
        }
    }
    assert!(150 < count);
    assert_survived(&workspace, "generated texts");
    let json = run(&workspace, &["status", "--json"]).json();
    assert!(count < json["sources"]["code"]["documents"].as_u64().expect("a number"));
}

#[test]
fn saved_texts_cost_no_other_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bombs");
    let workspace = innocent();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let entry = entry.expect("the folder can be listed");
        let name = entry.file_name().into_string().expect("a plain name");
        workspace.write(&name, fs::read(entry.path()).expect("a text"));
    }
    assert_survived(&workspace, "saved texts");
}

#[test]
fn an_edit_that_ends_the_parser_is_remembered_until_the_next_one() {
    let workspace = innocent();
    assert_survived(&workspace, "the tree before");
    workspace.write("src/edited.R", text("refundable <- 1\n", "a=>", 100_000));
    let search = || run(&workspace, &["refundable", "--json", "--in", "code"]);
    assert_eq!(search().paths()[0], "src/edited.R");
    // The fault is in the index, so that no process parses the file again.
    let (files, pending) = status(&workspace);
    assert_eq!((files.len(), pending), (1, 0), "{files:?}");
    assert_eq!(files[0].0, "src/edited.R");
    assert_eq!(search().paths()[0], "src/edited.R");
    workspace.write("src/edited.R", "refundable <- function(x) x\n");
    let ran = run(&workspace, &["index"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(status(&workspace), (Vec::new(), 0));
    let json = run(&workspace, &["symbol", "refundable", "--json"]).json();
    assert_eq!(json["results"][0]["path"], "src/edited.R", "{json}");
}

/// A parser process with open pipes.
fn parser_process() -> Child {
    Command::new(PROGRAM)
        .args(["--parser-process", "2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// Waits for the end of a process; the code it ends with.
fn end(child: &mut Child) -> Option<i32> {
    let started = Instant::now();
    while started.elapsed() < SOON {
        if let Some(status) = child.try_wait().expect("it is ours") {
            return status.code();
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it is ours");
    panic!("it does not end");
}

#[test]
fn a_parser_process_ends_with_its_input() {
    let mut idle = parser_process();
    drop(idle.stdin.take());
    assert_eq!(end(&mut idle), Some(0));

    // One that is busy for seconds ends as well, without a response.
    let mut busy = parser_process();
    let text = text("", "a <- ", 100_000);
    let mut request = vec![1, 0, 0, 0, 3];
    request.extend(u32::try_from(text.len()).expect("it is short").to_le_bytes());
    request.extend(b"c++");
    request.extend(text.bytes());
    let mut input = busy.stdin.take().expect("a pipe");
    input.write_all(&request).expect("it reads");
    drop(input);
    end(&mut busy);
    let mut output = Vec::new();
    busy.stdout.take().expect("a pipe").read_to_end(&mut output).expect("a pipe");
    let version = &output[9..];
    assert!(version.starts_with(env!("CARGO_PKG_VERSION").as_bytes()), "{version:?}");
}

#[test]
fn a_parser_process_ends_on_invalid_input() {
    for input in [&b"invalid"[..], &[0xff; 64], &[1, 0, 0, 0, 1, 1, 0, 0, 0, 0xff, 0xff]] {
        let mut child = parser_process();
        // It may end before it has read everything.
        let _ = child.stdin.as_mut().expect("a pipe").write_all(input);
        drop(child.stdin.take());
        assert_eq!(end(&mut child), Some(0));
    }
}

#[cfg(target_os = "linux")]
mod linux {
    //! Tests that need the list of processes of Linux.

    use std::{
        fs,
        path::Path,
        process::Command,
        thread,
        time::{Duration, Instant},
    };

    use super::{SOON, innocent, status, text};
    use crate::{server::Server, workspace::PROGRAM};

    /// Ids of the parser processes of a process.
    fn parsers_of(id: u32) -> Vec<u32> {
        let threads = fs::read_dir(format!("/proc/{id}/task")).expect("it runs").flatten();
        let lists = threads
            .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
            .collect::<String>();
        let ids = lists.split_whitespace().filter_map(|word| word.parse().ok());
        ids.filter(|id: &u32| {
            let command = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&command).contains("--parser-process")
        })
        .collect()
    }

    /// Id of the server of a tree.
    fn server_of(tree: &Path) -> u32 {
        let tree = tree.to_string_lossy().into_owned();
        let processes = fs::read_dir("/proc").expect("the list of processes").flatten();
        let mut ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let is_server = |id: &u32| {
            let command = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            let words: Vec<&[u8]> = command.split(|byte| *byte == 0).collect();
            words.contains(&&b"mcp"[..]) && words.contains(&tree.as_bytes())
        };
        ids.find(is_server).expect("it runs")
    }

    fn wait_until(what: &str, holds: impl Fn() -> bool) {
        let started = Instant::now();
        while !holds() {
            assert!(started.elapsed() < SOON, "{what}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_server_starts_one_process_for_edits_and_replaces_it() {
        let workspace = innocent();
        workspace.write("notes.md", "# wombat1\n\nA page.\n");
        // Everything is in the index, so that the server has nothing to parse.
        assert_eq!(workspace.run(&["index"]).code, Some(0));
        let (tree, cache) = (workspace.tree(), workspace.cache());
        let server = Server::start(PROGRAM.as_ref(), &tree, &cache).expect("a server");
        let id = server_of(&tree);
        assert!(parsers_of(id).is_empty());
        let edit = |path: &str, text: &str| {
            workspace.write(path, text);
            let word = text.split(['(', ' ']).find(|word| word.starts_with("wombat"));
            let query = serde_json::json!({ "query": word.expect("a name") });
            let answer = server.call("search", &query).expect("an answer").to_string();
            assert!(answer.contains(path), "{answer}");
            parsers_of(id)
        };

        let first = edit("src/first.rs", "pub fn wombat2() {}\n");
        assert_eq!(first.len(), 1);
        // It stays between answers.
        assert_eq!(edit("src/second.rs", "pub fn wombat3() {}\n"), first);

        let killed = Command::new("kill").args(["-9", &first[0].to_string()]).status();
        assert!(killed.expect("it starts").success());
        let second = edit("src/third.rs", "pub fn wombat4() {}\n");
        assert!(second.len() == 1 && second != first, "{second:?}");

        edit("src/bomb.R", &text("wombat5 <- 1\n", "a=>", 100_000));
        let third = edit("src/fourth.rs", "pub fn wombat6() {}\n");
        assert!(third.len() == 1 && third != second, "{third:?}");

        server.end().expect("it ends");
        wait_until("its process ends with the server", || {
            !fs::exists(format!("/proc/{}", third[0])).expect("a readable folder")
        });
        // Only the text that ended its process is cut by lines.
        assert_eq!(workspace.run(&["index"]).code, Some(0));
        let (files, pending) = status(&workspace);
        assert_eq!((files.len(), pending), (1, 0), "{files:?}");
        assert_eq!(files[0].0, "src/bomb.R");
    }
}
