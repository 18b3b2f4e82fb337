//! `lore bench` on the command line.

use std::{fs, path::Path};

use serde_json::Value;

use crate::workspace::{ENVIRONMENT, PROGRAM, Ran};

fn bench(folder: &Path, arguments: &[&str]) -> Ran {
    let output = std::process::Command::new(PROGRAM)
        .arg("bench")
        .args(arguments)
        .envs(ENVIRONMENT.iter().copied())
        .env("TMPDIR", folder)
        .env("LOREHOUND_CACHE_DIR", folder.join("unused-cache"))
        .env("HOME", folder)
        .output()
        .expect("the program starts");
    Ran::new(&output)
}

#[test]
fn a_generated_tree_is_measured_and_removed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ran = bench(folder.path(), &["--sizes", "1000", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let json = ran.json();
    let size = &json["sizes"][0];
    let number = |key: &str| size[key].as_u64().unwrap_or_else(|| panic!("no {key}: {json}"));
    // The generator writes about as many chunks as requested.
    assert!((700..1_500).contains(&number("chunks")), "{json}");
    assert!(number("files") > 50 && number("textBytes") >= 1_000_000, "{json}");
    assert!(number("indexBytes") > 100_000, "{json}");
    for mode in ["hybrid", "lexical", "semantic"] {
        let times = &size["answers"][mode];
        let (p50, p99) = (&times["p50Ms"], &times["p99Ms"]);
        assert!(p50.as_f64() > Some(0.0) && p99.as_f64() >= p50.as_f64(), "{json}");
    }
    // A single size has no growth.
    assert_eq!(json["growth"], Value::Null);
    let left = fs::read_dir(folder.path()).expect("the folder").count();
    assert_eq!(left, 0, "nothing is left");
}

#[test]
fn keep_rejects_an_existing_directory() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("mine.txt"), "keep me").expect("a file");
    let keep = folder.path().to_str().expect("a path in UTF-8");
    let ran = bench(folder.path(), &["--sizes", "1000", "--keep", keep]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("hint: name a folder that does not exist yet"), "{ran:?}");
    assert_eq!(fs::read_to_string(folder.path().join("mine.txt")).expect("still there"), "keep me");
}

/// An interrupt stops it at once and removes the directory.
#[cfg(unix)]
#[test]
fn an_interrupt_removes_the_directory() {
    use std::{
        process::{Command, Stdio},
        time::{Duration, Instant},
    };

    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut running = Command::new(PROGRAM)
        .args(["bench", "--sizes", "1000000"])
        .envs(ENVIRONMENT.iter().copied())
        .env("TMPDIR", folder.path())
        .env("HOME", folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let is_empty = || fs::read_dir(folder.path()).expect("the folder").next().is_none();
    let started = Instant::now();
    let waits = || started.elapsed() < Duration::from_mins(1);
    // Once there are files, the signal handler is installed.
    let tree = || {
        let mut entries = fs::read_dir(folder.path()).expect("the folder");
        entries.next().is_some_and(|entry| entry.expect("an entry").path().join("1000000").is_dir())
    };
    while !tree() && waits() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed = Command::new("kill").args(["-INT", &running.id().to_string()]).status();
    assert!(killed.expect("kill is there").success());
    let ended = running.wait().expect("it ends");
    assert_eq!(ended.code(), Some(130));
    assert!(is_empty(), "the folder is left");
}
