//! Searches over several repositories, as users and programs see them.

use std::{fs, path::PathBuf};

use serde_json::Value;

use crate::workspace::{Ran, Workspace};

/// A folder with the tree of the test, `tree`, and further repositories beside it.
struct Several {
    workspace: Workspace,
}

impl Several {
    fn new() -> Several {
        let workspace = Workspace::with(&[
            (
                "src/refund.rs",
                "/// Retries a refund with the same key.\npub fn retry_refund() {}\n",
            ),
            ("docs/refunds.md", "# Refunds\n\nA refund is retried three times.\n"),
        ]);
        let several = Several { workspace };
        several.write(
            "bank/src/ledger.py",
            "def book_refund(amount):\n    \"\"\"Books a refund in the ledger.\"\"\"\n",
        );
        several.write("bank/src/interest.py", "def accrue_interest(days):\n    return days\n");
        several.write(
            "libs/money/money.go",
            "package money\n\n// Amount is a refund or a payment in cents.\ntype Amount int\n",
        );
        for name in ["bank", "libs/money"] {
            let folder = several.beside(name);
            Workspace::git_in(&folder, "2026-01-02T00:00:00", &["init", "--quiet"]);
            Workspace::git_in(&folder, "2026-01-02T00:00:00", &["add", "."]);
            let commit = ["commit", "--quiet", "-m", "Book refunds"];
            Workspace::git_in(&folder, "2026-01-02T00:00:00", &commit);
        }
        several
    }

    fn beside(&self, path: &str) -> PathBuf {
        self.workspace.tree().parent().expect("a folder").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.beside(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Runs with a settings folder of its own.
    fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = self.workspace.command(arguments);
        command.env("LOREHOUND_CONFIG", self.beside("config/lorehound.toml"));
        Ran::new(&command.output().expect("the program runs"))
    }

    fn add_all(&self) {
        let ran = self.run(&["workspace", "add", "-W", "work", ".", "../bank", "../libs/money"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }

    fn search(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[&["search", "--json"], arguments].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.json()
    }
}

fn paths(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().expect("results");
    results.iter().filter_map(|hit| hit["path"].as_str()).collect()
}

#[test]
fn one_list_has_the_hits_of_all_repositories() {
    let several = Several::new();
    several.add_all();
    let answer = several.search(&["-W", "work", "refund", "--in", "code,docs"]);
    let found = paths(&answer);
    let tree = several.workspace.tree();
    let own = tree.file_name().expect("a name").to_string_lossy().into_owned();
    for path in [&*format!("{own}/src/refund.rs"), "bank/src/ledger.py", "libs/money/money.go"] {
        assert!(found.contains(&path), "{path} in {found:?}");
    }
    let results = answer["results"].as_array().expect("results");
    let scores: Vec<f64> = results.iter().filter_map(|hit| hit["score"].as_f64()).collect();
    assert!(scores.is_sorted_by(|left, right| left >= right), "{scores:?}");
    for (at, hit) in results.iter().enumerate() {
        assert_eq!(hit["rank"], at + 1);
        let (path, repository) =
            (hit["path"].as_str().unwrap(), hit["repository"].as_str().unwrap());
        assert!(path.starts_with(&format!("{repository}/")), "{hit}");
        assert!(hit["id"].as_str().unwrap().contains(path), "{hit}");
        // A path names a file from the root of the answer.
        let root = PathBuf::from(answer["receipt"]["root"].as_str().unwrap());
        assert!(root.join(path).is_file(), "{path}");
    }
    let repositories = answer["receipt"]["repositories"].as_array().expect("repositories");
    let documents: u64 = repositories.iter().filter_map(|it| it["documents"].as_u64()).sum();
    assert_eq!((repositories.len(), documents), (3, 5));
    assert_eq!(repositories[1]["name"], "bank");
    assert!(repositories[1]["tree"].is_string());
    assert_eq!(answer["receipt"]["fresh"], "verified");
    assert_eq!(answer["receipt"]["exhaustive"], true);
}

#[test]
fn hits_are_those_of_each_repository_with_the_same_lines() {
    let several = Several::new();
    several.add_all();
    let all = several.search(&["-W", "work", "who books a refund", "--in", "code"]);
    let alone = several.search(&["-C", "../bank", "who books a refund", "--in", "code"]);
    let of_bank = |hit: &&Value| hit["repository"] == "bank";
    let hit = all["results"].as_array().unwrap().iter().find(of_bank).expect("a hit in bank");
    let first = &alone["results"][0];
    for key in ["snippet", "startLine", "endLine", "title", "kind", "score"] {
        assert_eq!(hit[key], first[key], "{key}");
    }
}

#[test]
fn an_edit_in_any_repository_shows_in_the_next_answer() {
    let several = Several::new();
    several.add_all();
    several.search(&["-W", "work", "refund"]);
    several.write("libs/money/rounding.go", "package money\n\nfunc bankersRounding() {}\n");
    let answer = several.search(&["-W", "work", "bankersRounding"]);
    assert_eq!(paths(&answer), ["libs/money/rounding.go"]);
    fs::remove_file(several.beside("libs/money/rounding.go")).expect("removed");
    let ran = several.run(&["-W", "work", "\"bankersRounding\""]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
}

#[test]
fn a_word_that_one_repository_has_is_no_misspelling_in_another() {
    let several = Several::new();
    several.write("libs/money/refunds.go", "package money\n\nfunc refunda() {}\n");
    several.add_all();
    let answer = several.search(&["-W", "work", "refunda", "--in", "code"]);
    assert_eq!(answer["receipt"]["corrected"], serde_json::json!([]));
    assert_eq!(paths(&answer)[0], "libs/money/refunds.go");
    // A word that none has is corrected.
    let answer = several.search(&["-W", "work", "accrue_interezt", "--in", "code"]);
    assert_eq!(paths(&answer)[0], "bank/src/interest.py");
    assert_eq!(answer["receipt"]["corrected"][0]["typed"], "accrue_interezt");
}

#[test]
fn patterns_and_filters_hold_in_each_repository() {
    let several = Several::new();
    several.add_all();
    let answer = several.search(&["-W", "work", "--literal", "refund", "--path", "src/**"]);
    let mut found = paths(&answer);
    found.sort_unstable();
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0], "bank/src/ledger.py");
    let answer = several.search(&["-W", "work", "--repo", "mon*", "refund"]);
    assert!(paths(&answer).iter().all(|path| path.starts_with("libs/money/")));
    assert_eq!(answer["receipt"]["repositories"].as_array().unwrap().len(), 1);
    let ran = several.run(&["-W", "work", "--repo", "nothing*", "refund"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("no repository matches `nothing*`"), "{ran:?}");
    let ran = several.run(&["--repo", "x", "refund"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let ran = several.run(&["-W", "work", "refund", "--at", "HEAD"]);
    assert!(ran.stderr.contains("`--at` works in one repository"), "{ran:?}");
}

#[test]
fn a_file_of_two_repositories_is_one_hit() {
    let several = Several::new();
    let ran = several.run(&["workspace", "add", "-W", "work", ".", "src", "docs"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let answer = several.search(&["-W", "work", "refund", "--in", "code,docs"]);
    let mut found = paths(&answer);
    found.sort_unstable();
    assert_eq!(found, ["docs/refunds.md", "src/refund.rs"]);
    let own = |hit: &Value| format!("{}/", hit["repository"].as_str().unwrap());
    let results = answer["results"].as_array().unwrap();
    assert!(results.iter().all(|hit| hit["path"].as_str().unwrap().starts_with(&own(hit))));
}

/// The places of the edges of an answer: path of the caller, and line.
fn callers(several: &Several, name: &str) -> Vec<String> {
    let question = format!("callers of {name}");
    let ran = several.run(&["research", "-W", "work", "--json", &question]);
    assert_eq!(ran.code, Some(0), "{name}: {ran:?}");
    let answer = ran.json();
    let edges = answer["edges"].as_array().expect("edges");
    let nodes = answer["nodes"].as_array().expect("nodes");
    let mut places: Vec<String> = edges
        .iter()
        .map(|edge| {
            let from = edge["from"].as_u64().and_then(|from| usize::try_from(from).ok());
            let from = &nodes[from.expect("a position")];
            format!("{}:{}", from["path"].as_str().expect("a path"), edge["line"])
        })
        .collect();
    places.sort();
    places
}

#[test]
fn callers_in_other_repositories_import_the_package() {
    let several = Several::new();
    several.write("bank/pyproject.toml", "[project]\nname = \"bank\"\n");
    several.write("libs/money/go.mod", "module example.com/money\n");
    several.write(
        "libs/money/round.go",
        "package money\n\nfunc RoundUp(cents int) int { return cents }\n",
    );
    several.write("core/Cargo.toml", "[package]\nname = \"money-core\"\n");
    several.write(
        "core/src/lib.rs",
        "pub fn split(cents: u64) -> u64 { cents }\npub struct Purse;\nimpl Purse {\n    pub fn open() -> Purse { Purse }\n}\n",
    );
    several.write("web/package.json", "{\"name\": \"web-router\"}");
    several.write("web/src/index.js", "export function compilePath(path) { return path; }\n");
    let uses: [(&str, &str); 7] = [
        ("app/a.py", "from bank.src.ledger import book_refund\n\ndef pay():\n    book_refund(1)\n"),
        ("app/b.py", "def book_refund(x):\n    return x\n\ndef own():\n    book_refund(2)\n"),
        ("app/c.py", "def unknown(book):\n    book_refund(3)\n"),
        (
            "app/d.go",
            "package app\n\nimport \"example.com/money\"\n\nfunc pay() int { return money.RoundUp(3) }\n",
        ),
        (
            "app/e.rs",
            "use money_core::{Purse, split};\nfn a() { split(1); }\nfn b() { Purse::open(); }\n",
        ),
        ("app/f.rs", "fn c() { money_core::split(2); }\nfn d() { other::split(2); }\n"),
        (
            "app/g.js",
            "import { compilePath } from \"web-router\";\n\nexport function route() { return compilePath(\"/\"); }\n",
        ),
    ];
    for (path, text) in uses {
        several.write(path, text);
    }
    let add = [
        "workspace",
        "add",
        "-W",
        "work",
        "../bank",
        "../libs/money",
        "../core",
        "../web",
        "../app",
    ];
    let ran = several.run(&add);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // `app` has a function of that name, too: its own caller, that of the imported one, and a call that
    // may mean its own by the name alone.
    let expected = ["app/a.py:4", "app/b.py:5", "app/c.py:2"];
    assert_eq!(callers(&several, "book_refund"), expected);
    assert_eq!(callers(&several, "RoundUp"), ["app/d.go:5"]);
    assert_eq!(callers(&several, "split"), ["app/e.rs:2", "app/f.rs:1"]);
    assert_eq!(callers(&several, "Purse.open"), ["app/e.rs:3"]);
    assert_eq!(callers(&several, "compilePath"), ["app/g.js:3"]);
    let ran = several.run(&["symbol", "-W", "work", "book_refund", "--format", "paths"]);
    assert_eq!(ran.stdout, "bank/src/ledger.py\napp/b.py\n");
}

#[test]
fn nothing_is_explained_for_all_repositories() {
    let several = Several::new();
    several.add_all();
    let ran = several.run(&["-W", "work", "zeppelin hangar", "--no-rewrite", "--mode", "lexical"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("`zeppelin`, `hangar`"), "{ran:?}");
}

#[test]
fn a_repository_that_is_gone_is_skipped_with_a_warning() {
    let several = Several::new();
    several.add_all();
    fs::remove_dir_all(several.beside("bank")).expect("removed");
    let ran = several.run(&["-W", "work", "refund", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("of the workspace `work` is skipped"), "{ran:?}");
    assert_eq!(ran.json()["receipt"]["repositories"].as_array().unwrap().len(), 2);
    assert_eq!(ran.json()["receipt"]["exhaustive"], false);
    let ran = several.run(&["workspace", "remove", "-W", "work", "../bank"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = several.run(&["workspace", "list", "--json"]);
    assert_eq!(ran.json()["workspaces"][0]["repositories"].as_array().unwrap().len(), 2);
    let ran = several.run(&["-W", "werk", "refund"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("there is no workspace `werk`; did you mean `work`?"), "{ran:?}");
}

#[test]
fn a_directory_of_repositories_has_a_workspace_file() {
    let several = Several::new();
    several.write(
        "lorehound.workspace.toml",
        "name = \"all\"\nrepositories = [\"bank\", \"libs/*\"]\n",
    );
    for name in [".", "all"] {
        let answer = several.search(&["-W", name, "refund", "--in", "code"]);
        let mut found = paths(&answer);
        found.sort_unstable();
        assert_eq!(found, ["bank/src/ledger.py", "libs/money/money.go"], "{name}");
    }
    several.write("lorehound.workspace.toml", "repositories = [\"../elsewhere\"]\n");
    let ran = several.run(&["-W", ".", "refund"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.stderr.contains("line 1: `../elsewhere` must be a path below this directory"),
        "{ran:?}"
    );
}

#[test]
fn all_indexes_are_built_ahead_of_time() {
    let several = Several::new();
    several.add_all();
    let ran = several.run(&["index", "-W", "work", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let report = ran.json();
    let repositories = report["repositories"].as_array().expect("repositories");
    assert_eq!(repositories.len(), 3);
    assert!(repositories.iter().all(|it| it["written"].as_u64() > Some(0)), "{report}");
    let ran = several.run(&["index", "-W", "work", "--json"]);
    let report = ran.json();
    assert!(report["repositories"].as_array().unwrap().iter().all(|it| it["written"] == 0));
    let ran = several.run(&["index", "-W", "work", "--watch"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}
