//! Every example of the guide and of the README runs as it is printed there.

use std::{env, path::Path};

use crate::workspace::{ENVIRONMENT, PROGRAM, Workspace};

/// A project's servers, before lore is among them.
const APP_SERVERS: &str = r#"{
  "mcpServers": {
    "tickets": { "type": "http", "url": "https://tickets.example/mcp" }
  }
}
"#;

/// Settings with comments and commas that JSON does not have, and a mistake in line 4.
const APP_SETTINGS: &str = r#"{
  // as the team has agreed
  "tab_size": 4,
  "context_servers": [],
}
"#;

/// What a project may say, may say once it is trusted, and may never say.
const STRANGE_SETTINGS: &str = r#"[index]
commits = 100
threads = 1

[history]
enabled = true

[search]
rerank-cmd = ["./rank.sh"]
"#;

#[test]
fn examples_of_the_guide_are_true() {
    let workspace = Workspace::shop();
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let project = project.canonicalize().expect("the project is there");
    // The page on measuring asks queries that lie beside the tree, where they are not searched.
    let queries = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/queries.jsonl");
    std::fs::copy(queries, workspace.tree().join("../queries.jsonl")).expect("a fixture");
    // The page on agents changes files, of a tree and a home of its own.
    let beside = |path: &str| workspace.tree().with_file_name("app").join(path);
    std::fs::create_dir_all(beside(".zed")).expect("a folder");
    std::fs::write(beside(".mcp.json"), APP_SERVERS).expect("a file");
    std::fs::write(beside(".zed/settings.json"), APP_SETTINGS).expect("a file");
    // The page on trust has those of somebody else.
    let strange = workspace.tree().with_file_name("strange");
    std::fs::create_dir_all(&strange).expect("a folder");
    std::fs::write(strange.join("lorehound.toml"), STRANGE_SETTINGS).expect("a file");
    // The log of a test that failed lies beside the tree, too.
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/failure.log");
    std::fs::copy(log, workspace.tree().join("../failure.log")).expect("a fixture");
    // No other test of this binary looks at the current folder.
    env::set_current_dir(workspace.tree()).expect("the tree is there");
    let cases = trycmd::TestCases::new();
    cases.register_bin("lore", Path::new(PROGRAM));
    cases.env("LOREHOUND_CACHE_DIR", workspace.cache().to_string_lossy());
    cases.env("COLUMNS", "80");
    cases.env("HOME", workspace.tree().with_file_name("home").to_string_lossy());
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"] {
        cases.env(name, "");
    }
    for (name, value) in ENVIRONMENT {
        cases.env(*name, *value);
    }
    let cache = workspace.cache().to_string_lossy().into_owned();
    cases.insert_var("[CACHE]", cache).expect("a valid name");
    cases.case(project.join("docs/guide/*.md"));
    cases.case(project.join("README.md"));
    cases.run();
}
