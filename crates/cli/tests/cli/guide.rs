//! Runs every example of the pages and the README, and compares it with the printed output. `pages.rs`
//! runs the blocks of the shell that have no output.

use std::{env, path::Path};

use crate::review;
use crate::workspace::{ENVIRONMENT, PROGRAM, Workspace};

/// The MCP servers of a project before `lore install`.
const APP_SERVERS: &str = r#"{
  "mcpServers": {
    "tickets": { "type": "http", "url": "https://tickets.example/mcp" }
  }
}
"#;

/// Settings with comments and trailing commas, and a mistake in line 4.
const APP_SETTINGS: &str = r#"{
  // as the team has agreed
  "tab_size": 4,
  "context_servers": [],
}
"#;

/// Settings that a project may set, may set once it is trusted, and may never set.
const STRANGE_SETTINGS: &str = r#"[index]
commits = 100
threads = 1

[history]
enabled = true

[search]
rerank-cmd = ["./rank.sh"]
"#;

#[test]
fn examples_of_the_guide_run_as_printed() {
    let workspace = Workspace::shop();
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let project = project.canonicalize().expect("the project is there");
    // The page on measuring uses queries outside the tree, so that they are not searched.
    let queries = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/queries.jsonl");
    std::fs::copy(queries, workspace.tree().join("../queries.jsonl")).expect("a fixture");
    // The page on agents changes files in its own tree and home directory.
    let beside = |path: &str| workspace.tree().with_file_name("app").join(path);
    std::fs::create_dir_all(beside(".zed")).expect("a folder");
    std::fs::write(beside(".mcp.json"), APP_SERVERS).expect("a file");
    std::fs::write(beside(".zed/settings.json"), APP_SETTINGS).expect("a file");
    // The page on trust uses the settings of another author.
    let strange = workspace.tree().with_file_name("strange");
    std::fs::create_dir_all(&strange).expect("a folder");
    std::fs::write(strange.join("lorehound.toml"), STRANGE_SETTINGS).expect("a file");
    bakery(&workspace.tree().with_file_name("bakery"));
    // The page on reviews has a change that is not committed.
    let depot = workspace.tree().with_file_name("depot");
    review::write_depot(&depot);
    std::fs::write(depot.join("src/store.py"), review::changed_store()).expect("a file");
    let desk = workspace.tree().with_file_name("desk");
    std::fs::create_dir(&desk).expect("a folder");
    let counter = "from depot.store import open_store\n\n\ndef serve():\n    return open_store(\"counter\", \"r\")\n";
    std::fs::write(desk.join("counter.py"), counter).expect("a file");
    // The page on workspaces has one for these and a third that uses a function of the second.
    std::fs::write(
        workspace.tree().with_file_name("lorehound.workspace.toml"),
        "repositories = [\"shop\", \"depot\", \"desk\"]\n",
    )
    .expect("a file");
    // The log of a failed test is also outside the tree.
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/failure.log");
    std::fs::copy(log, workspace.tree().join("../failure.log")).expect("a fixture");
    // No other test of this binary uses the current directory.
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
    cases.case(project.join("docs/*/*.md"));
    cases.case(project.join("README.md"));
    cases.run();
}

/// Creates the repository of the page on drift: its second commit renames and moves what the page
/// names.
fn bakery(tree: &Path) {
    let page = "# Bakery\n\nCall `save_order(order)`, or start the oven with `--heat-now`.\n\
                The recipes are in `src/recipes.rs`; see [the plan](plan.md).\n";
    let main = "pub fn save_order(order: u32) {}\n\npub fn run() {\n    flag(\"--heat-now\");\n}\n";
    let recipes = "pub fn bread() {}\npub fn cake() {}\n";
    let write = |path: &str, text: &str| {
        std::fs::create_dir_all(tree.join(path).parent().expect("a folder")).expect("a folder");
        std::fs::write(tree.join(path), text).expect("a file");
    };
    write("docs/guide.md", page);
    write("src/main.rs", main);
    write("src/recipes.rs", recipes);
    let commit = |date: &str, message: &str| {
        Workspace::git_in(tree, date, &["add", "-A"]);
        Workspace::git_in(tree, date, &["commit", "--quiet", "-m", message]);
    };
    Workspace::git_in(tree, "2025-02-03T08:00:00Z", &["init", "--quiet", "--initial-branch=main"]);
    commit("2025-02-03T08:00:00Z", "Open the bakery");
    write(
        "src/main.rs",
        &main.replace("save_order", "store_order").replace("--heat-now", "--preheat"),
    );
    write("src/menu/recipes.rs", recipes);
    std::fs::remove_file(tree.join("src/recipes.rs")).expect("a file");
    commit("2025-03-10T08:00:00Z", "Move the recipes to the menu");
}
