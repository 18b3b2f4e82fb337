//! `lore index`: its progress as lines of JSON, and its estimate.

use std::fs;

use serde_json::Value;

use crate::workspace::{Ran, Workspace};

/// The lines of progress of a run.
fn lines(ran: &Ran) -> Vec<Value> {
    let lines = ran.stderr.lines().filter(|line| line.starts_with('{'));
    lines.map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn number(line: &Value, key: &str) -> u64 {
    line[key].as_u64().unwrap_or_else(|| panic!("{key} in {line}"))
}

#[test]
fn totals_are_known_first_and_reached_at_the_end() {
    let workspace = Workspace::shop();
    let ran = workspace.run(&["index", "--progress", "json", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // Standard output has the result alone.
    assert!(ran.json()["sources"]["code"].is_object());
    let lines = lines(&ran);
    let phase = |line: &Value| line["phase"].as_str().unwrap_or_default().to_owned();
    assert_eq!(phase(&lines[0]), "list");
    let last = lines.last().expect("a line");
    assert_eq!(phase(last), "done");
    let read: Vec<&Value> = lines.iter().filter(|line| phase(line) == "read").collect();
    assert!(!read.is_empty(), "{lines:?}");
    for (key, total) in [("files", "filesTotal"), ("bytes", "bytesTotal")] {
        assert_eq!(number(last, key), number(last, total));
        let mut before = 0;
        for line in &read {
            let now = number(line, key);
            assert!(before <= now && now <= number(line, total), "{line}");
            before = now;
        }
    }
    let totals: Vec<u64> = lines.iter().map(|line| number(line, "bytesTotal")).collect();
    assert!(totals.is_sorted(), "{totals:?}");

    // Only what changed has to be read.
    workspace.write("src/new.rs", "pub fn added() {}\n");
    let ran = workspace.run(&["index", "--progress", "json"]);
    let lines = self::lines(&ran);
    let last = lines.last().expect("a line");
    assert_eq!((number(last, "files"), number(last, "filesTotal")), (1, 1));
    assert_eq!(number(last, "bytesTotal"), 18);
    let ran = workspace.run(&["index", "--progress", "none"]);
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_dry_run_writes_nothing() {
    let workspace = Workspace::shop();
    let ran = workspace.run(&["index", "--dry-run", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!workspace.cache().exists(), "{:?}", fs::read_dir(workspace.cache()));
    let estimate = ran.json();
    let total = &estimate["total"];
    assert_eq!(total["files"], total["filesToRead"]);
    assert_eq!(total["bytes"], total["bytesToRead"]);
    assert_eq!(estimate["expected"]["basis"], "model");

    let ran = workspace.run(&["index", "--json"]);
    let written: u64 = ["code", "docs", "patterns", "specs", "tickets"]
        .iter()
        .map(|name| ran.json()["sources"][name]["written"].as_u64().unwrap_or_default())
        .sum();
    assert_eq!(total["files"].as_u64(), estimate_units(&estimate));
    assert!(written > 0);
    let after = workspace.run(&["index", "--dry-run", "--json"]).json();
    assert_eq!(after["total"]["filesToRead"], 0, "{after}");
    assert_eq!(after["expected"]["diskBytes"], 0);
    let rebuilt = workspace.run(&["index", "--dry-run", "--rebuild", "--json"]).json();
    assert_eq!(rebuilt["total"]["filesToRead"], total["files"]);
}

/// Sum of the files of all sources.
fn estimate_units(estimate: &Value) -> Option<u64> {
    let sources = estimate["sources"].as_object()?;
    sources.values().map(|source| source["files"].as_u64()).sum()
}
