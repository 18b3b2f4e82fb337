//! `lore owners` and `--follow code`: links between specs and code.

use serde_json::{Value, json};

use crate::workspace::Workspace;

fn workspace() -> Workspace {
    Workspace::with(&[
        (
            "src/oven.rs",
            "pub struct Oven;\n\nimpl Oven {\n    /// Warms up.\n    pub fn heat(&self) {}\n}\n",
        ),
        ("src/deep/bread.rs", "pub fn bake() {}\n"),
        (
            ".spec/oven/spec.md",
            "---\ntitle: Oven\ndesc: Heat.\ncode:\n  - src/oven.rs#Oven.heat\n  - src/oven.rs#cool\n\
             related:\n  - src/deep\n---\n# Oven\n\nWarm before use.\n",
        ),
        (
            ".spec/bread/spec.md",
            "---\ntitle: Bread\ndesc: Loaves.\ncode:\n  - src/*.rs\n  - ../secret\n---\n# Bread\n\nEaten warm.\n",
        ),
        (".spec/deep/spec.md", "---\ntitle: Deep\ncode:\n  - src/deep/\n---\n# Deep\n\nBelow.\n"),
    ])
}

fn owners(json: &Value, list: &str) -> Vec<(String, String)> {
    let text = |owner: &Value, key: &str| owner[key].as_str().unwrap_or("?").to_owned();
    let owners = json[list].as_array().expect("an array").iter();
    owners.map(|owner| (text(owner, "id"), text(owner, "claim"))).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(id, claim)| ((*id).to_owned(), (*claim).to_owned())).collect()
}

#[test]
fn a_file_is_governed_by_path_directory_and_pattern() {
    let workspace = workspace();
    let ask = |path: &str| workspace.run(&["owners", path, "--json"]).json();
    let oven = ask("src/oven.rs");
    assert_eq!(
        owners(&oven, "governing"),
        pairs(&[("oven", "src/oven.rs"), ("bread", "src/*.rs")])
    );
    assert_eq!(oven["governing"][0]["selectors"], json!(["Oven.heat", "cool"]));
    assert_eq!(oven["governing"][1]["selectors"], json!([]));
    let bread = ask("./src/deep/bread.rs");
    // A `*` crosses directories, as in the system that such lists come from.
    assert_eq!(owners(&bread, "governing"), pairs(&[("deep", "src/deep"), ("bread", "src/*.rs")]));
    assert_eq!(owners(&bread, "related"), pairs(&[("oven", "src/deep")]));
    // A part is governed by specs that name it and by those that name the whole file.
    assert_eq!(owners(&ask("src/oven.rs#Oven.heat"), "governing").len(), 2);
    assert_eq!(
        owners(&ask("src/oven.rs#Oven.other"), "governing"),
        pairs(&[("bread", "src/*.rs")])
    );
}

#[test]
fn a_folder_is_governed_by_specs_of_its_content() {
    let workspace = workspace();
    let ask = |path: &str| workspace.run(&["owners", path, "--json"]).json();
    let folder = ask("src/");
    assert_eq!(
        owners(&folder, "governing"),
        pairs(&[("oven", "src/oven.rs"), ("deep", "src/deep"), ("bread", "src/*.rs")])
    );
    assert_eq!(owners(&folder, "related"), pairs(&[("oven", "src/deep")]));
    assert_eq!(owners(&ask("src/deep"), "governing")[0], ("deep".into(), "src/deep".into()));
    let ran = workspace.run(&["owners", "src"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
}

#[test]
fn a_folder_is_looked_up_in_the_revision() {
    let workspace = workspace();
    let day = "2025-01-01T10:00:00Z";
    workspace.git(day, &["init", "--quiet"]);
    workspace.git(day, &["add", "."]);
    workspace.git(day, &["commit", "--quiet", "-m", "Build the oven"]);
    std::fs::remove_dir_all(workspace.tree().join("src")).expect("the tree is ours");
    let missing = workspace.run(&["owners", "src"]).stderr;
    assert!(missing.contains("there is no file `src` in this tree"), "{missing}");
    let ran = workspace.run(&["owners", "src", "--at", "HEAD"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
}

#[test]
fn paths_outside_the_tree_are_rejected() {
    let workspace = workspace();
    std::fs::create_dir(workspace.tree().join(".git")).expect("the tree is ours");
    let below = |path: &str| {
        let mut command = workspace.command(&["owners", path, "--json"]);
        let output = command.current_dir(workspace.tree().join("src")).output();
        let output = output.expect("the program starts");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    for path in ["oven.rs", "src/oven.rs"] {
        assert!(below(path).1.contains("\"path\": \"src/oven.rs\""), "{path}: {:?}", below(path));
    }
    let absolute = workspace.tree().join("src/oven.rs");
    assert_eq!(below(&absolute.to_string_lossy()).0, Some(0));
    for path in ["../../x", "/etc/passwd", "", "#heat", "."] {
        assert_eq!(workspace.run(&["owners", path]).code, Some(2), "{path}");
    }
    let gone = workspace.run(&["owners", "gone.py"]);
    assert_eq!(gone.code, Some(1), "{gone:?}");
    assert!(gone.stderr.contains("there is no file `gone.py`"), "{gone:?}");
    assert!(gone.stderr.contains("none of 3 specs names `gone.py`"), "{gone:?}");
    assert!(!workspace.cache().exists(), "no index is kept");
}

#[test]
fn a_spec_is_linked_to_its_code() {
    let workspace = workspace();
    let links = |list: &Value| {
        let links = list.as_array().expect("an array").iter();
        links
            .map(|link| {
                let id = link["id"].as_str().unwrap_or("?");
                format!("{id} {} {} {}", link["startLine"], link["endLine"], link["found"])
            })
            .collect::<Vec<_>>()
    };
    let expected = ["code:src/oven.rs#Oven.heat 4 5 true", "code:src/oven.rs#cool null null false"];
    let spec = workspace.run(&["spec", "oven", "--follow", "code", "--json"]).json();
    assert_eq!(links(&spec[0]["code"]), expected);
    let search = workspace
        .run(&["search", "oven heat", "--in", "specs", "--follow", "code", "--json"])
        .json();
    assert_eq!(links(&search["results"][0]["links"]), expected);
    let bread = workspace.run(&["spec", "loaves", "--follow", "code", "--json"]).json();
    assert_eq!(
        links(&bread[0]["code"]),
        ["code:src/*.rs null null true", "code:../secret null null false"]
    );
    let human = workspace.run(&["spec", "oven", "--follow", "code"]);
    assert!(human.stdout.contains("    governs src/oven.rs:4-5 (Oven.heat)\n"), "{human:?}");
    let plain = workspace.run(&["search", "oven heat", "--in", "specs", "--json"]).json();
    assert_eq!(plain["results"][0]["links"], json!([]));
    let refused = workspace.run(&["search", "oven", "--as", "spex", "--follow", "code"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
}
