//! Searches write only large changes, after their answer, and never wait for other writers.

use std::{collections::BTreeMap, fs, path::Path, process::Stdio};

use crate::workspace::{Ran, Workspace};

/// Number of changed documents that leads to a commit.
const MANY: usize = 201;

/// Every file below a directory, with its bytes.
fn bytes(folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            bytes(&path, files);
        } else {
            files.insert(path.display().to_string(), fs::read(&path).expect("ours"));
        }
    }
}

fn cache(workspace: &Workspace) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    bytes(&workspace.cache(), &mut files);
    files
}

fn indexed() -> Workspace {
    let workspace = Workspace::with(&[
        ("src/refund.rs", "pub fn refund() {\n    remunerate();\n}\n"),
        ("docs/guide.md", "# Guide\n\nRefunds are paid by the ledger.\n"),
    ]);
    assert_eq!(workspace.run(&["index"]).code, Some(0));
    workspace
}

fn write_many(workspace: &Workspace, text: &str) {
    for number in 0..MANY {
        workspace.write(&format!("src/many/part{number}.rs"), text);
    }
}

fn assert_total(ran: &Ran, total: u64) {
    let receipt = &ran.json()["receipt"];
    assert_eq!(
        (receipt["total"].as_u64(), receipt["fresh"].as_str()),
        (Some(total), Some("verified"))
    );
}

#[test]
fn a_single_edit_is_found_without_writing() {
    let workspace = indexed();
    let before = cache(&workspace);
    workspace.write("src/refund.rs", "pub fn chargeback() {}\n");
    workspace.write("src/new.rs", "pub fn settle() {}\n");
    let commands: [&[&str]; 5] = [
        &["chargeback", "--json"],
        &["symbol", "settle", "--json"],
        &["research", "callers of settle"],
        &["related", "src/new.rs", "--json"],
        &["context", "settle a chargeback"],
    ];
    for command in commands {
        let ran = workspace.run(command);
        assert!(matches!(ran.code, Some(0 | 1)), "{command:?}: {ran:?}");
    }
    assert_eq!(workspace.run(&["chargeback", "--json"]).paths(), ["src/refund.rs"]);
    assert_eq!(workspace.run(&["remunerate", "--json"]).code, Some(1));
    assert_eq!(cache(&workspace), before);
}

#[test]
fn many_edits_are_found_and_written_afterwards() {
    let workspace = indexed();
    let before = cache(&workspace);
    write_many(&workspace, "pub fn manifold() {}\n");
    assert_total(&workspace.run(&["manifold", "--json", "--no-write"]), 201);
    assert_eq!(cache(&workspace), before, "it was not to write");
    assert_total(&workspace.run(&["manifold", "--json"]), 201);
    let written = cache(&workspace);
    assert_ne!(written, before);
    assert_total(&workspace.run(&["manifold", "--json"]), 201);
    assert_eq!(cache(&workspace), written, "nothing changed since");
    assert_eq!(workspace.run(&["doctor"]).code, Some(0));
}

#[test]
fn concurrent_processes_agree_and_share_one_index() {
    let workspace = indexed();
    for (round, name) in ["manifold", "gasket", "camshaft"].into_iter().enumerate() {
        write_many(&workspace, &format!("pub fn {name}() {{ turn({round}); }}\n"));
        let command = || {
            let mut command = workspace.command(&[name, "--json"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
        };
        let running: Vec<_> = (0..4).map(|_| command()).collect();
        for child in running {
            let ran = Ran::new(&child.wait_with_output().expect("it ends"));
            assert!(ran.code == Some(0) && !ran.stderr.contains("could not"), "{ran:?}");
            assert_total(&ran, 201);
        }
    }
    assert_eq!(workspace.run(&["manifold", "--json"]).code, Some(1));
    assert_eq!(workspace.run(&["doctor"]).code, Some(0));
}
