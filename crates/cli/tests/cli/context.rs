//! Intents of tasks, and context packages.

use std::{io::Write, process::Stdio};

use serde_json::{Value, json};

use crate::workspace::{Ran, Workspace};

/// A tree with everything that a package can contain, and two commits.
fn bakery() -> Workspace {
    let workspace = Workspace::with(&[
        (
            "src/oven.rs",
            "//! Ovens.\n\n/// What may go wrong while baking.\npub enum OvenError {\n    Cold,\n}\n\n\
             /// Something that becomes warm.\npub trait Heated {\n    /// Warms up.\n    fn heat(&mut self);\n}\n\n\
             /// Bakes bread. It has one door.\npub struct Oven {\n    degrees: u32,\n}\n\n\
             impl Heated for Oven {\n    fn heat(&mut self) {\n        self.degrees = limit_degrees(220);\n    }\n}\n\n\
             impl Oven {\n    /// Bakes one loaf in the oven.\n    pub fn bake_loaf(&self, grams: u32) -> Result<u32, OvenError> {\n        \
             if self.degrees < 180 {\n            return Err(OvenError::Cold);\n        }\n        Ok(grams * 9 / 10)\n    }\n}\n\n\
             /// Keeps the oven from burning.\npub fn limit_degrees(degrees: u32) -> u32 {\n    degrees.min(250)\n}\n",
        ),
        (
            "src/shop.rs",
            "use crate::oven::Oven;\n\n/// Sells a loaf that was baked.\npub fn sell_loaf(oven: &Oven) -> u32 {\n    \
             oven.bake_loaf(500).unwrap_or(0)\n}\n",
        ),
        (
            "tests/oven.rs",
            "#[test]\nfn a_cold_oven_bakes_no_loaf() {\n    let oven = oven();\n    assert!(oven.bake_loaf(1).is_err());\n}\n",
        ),
        (
            ".spec/oven/spec.md",
            "---\ntitle: Oven\ndesc: Heat for bread.\ncode:\n  - src/oven.rs\n---\n# Oven\n\nA loaf is never put into a cold oven.\n",
        ),
        (
            "docs/adr/0001-one-oven.md",
            "# 1. A cold oven is an error\n\n## Status\n\nAccepted\n\n## Decision\n\nWhen bake_loaf finds a cold oven, it fails with an error.\n",
        ),
        (
            ".sage/tickets/index.json",
            r#"{"tickets": [
              {"id": "OVEN-001", "title": "Oven loses heat", "state": "COMPLETED", "type": "bugfix"},
              {"id": "OVEN-002", "title": "Warn when a loaf is put into a cold oven", "state": "UNPROCESSED",
               "type": "bugfix", "priority": "P1", "description": "The oven bakes a loaf that stays raw.",
               "dependencies": ["OVEN-001", "OVEN-004"], "docs": {"spec": ".spec/oven/spec.md"},
               "targetFiles": [{"path": "src/shop.rs", "action": "modify"}]},
              {"id": "OVEN-003", "title": "Show the warning", "state": "UNPROCESSED", "dependencies": ["OVEN-002"]},
              {"id": "OVEN-004", "title": "Measure degrees", "state": "IN_PROGRESS"},
              {"id": "SHOP-001", "title": "Sell a loaf", "state": "COMPLETED"}
            ]}"#,
        ),
    ]);
    workspace.git("2025-01-01T10:00:00Z", &["init", "--quiet", "--initial-branch=main"]);
    workspace.git("2025-01-01T10:00:00Z", &["add", "."]);
    workspace.git("2025-01-01T10:00:00Z", &["commit", "--quiet", "-m", "Build the oven"]);
    workspace.write("src/shop.rs", "use crate::oven::Oven;\n\n/// Sells a loaf that was baked.\npub fn sell_loaf(oven: &Oven) -> u32 {\n    oven.bake_loaf(400).unwrap_or(0)\n}\n");
    let message = "shop: smaller loaves (#OVEN-002)\n\n500 g are too much.";
    workspace.git("2025-02-01T10:00:00Z", &["commit", "--quiet", "-a", "-m", message]);
    workspace
}

/// The names of the items of a section.
fn names(package: &Value, section: &str) -> Vec<String> {
    let sections = package["sections"].as_array().expect("an array");
    let found = sections.iter().find(|candidate| candidate["name"] == section);
    let items = found.and_then(|found| found["items"].as_array()).into_iter().flatten();
    items.map(|item| item["name"].as_str().unwrap_or("?").to_owned()).collect()
}

/// An item of a section.
fn item<'a>(package: &'a Value, section: &str, name: &str) -> &'a Value {
    let sections = package["sections"].as_array().expect("an array").iter();
    let mut items = sections
        .filter(|candidate| candidate["name"] == section)
        .flat_map(|found| found["items"].as_array().into_iter().flatten());
    items
        .find(|item| item["name"] == name)
        .unwrap_or_else(|| panic!("no `{name}` in {section}: {package:#}"))
}

fn package(workspace: &Workspace, arguments: &[&str]) -> Value {
    let ran = workspace.run(&[&["context", "--json"], arguments].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.json()
}

fn with_input(workspace: &Workspace, arguments: &[&str], input: &str) -> Ran {
    let mut child = workspace
        .command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
    Ran::new(&child.wait_with_output().expect("it ends"))
}

#[test]
fn intents_are_printed_for_one_task_and_for_each_line() {
    let workspace = Workspace::empty();
    let fix = json!({ "query": "fix the crash", "intent": "debug", "confidence": 1.0, "triggers": ["fix", "crash"] });
    let ask = |arguments: &[&str]| workspace.run(&[&["classify"], arguments].concat());
    assert_eq!(ask(&["fix", "the crash", "--json"]).json(), fix);
    assert_eq!(ask(&["fix tests"]).stdout, "search  0.500  fix\n");
    assert_eq!(ask(&["", "--json"]).json()["confidence"], 0.0);
    assert_eq!(
        ask(&["find the failing test", "--min-confidence", "0.9", "--json"]).json()["intent"],
        "search"
    );
    assert_eq!(ask(&["fix", "--min-confidence", "1.5"]).code, Some(2));
    let lines = "fix the crash\n\nexplain how it works\n";
    let batch = with_input(&workspace, &["classify", "-", "--json"], lines).json();
    let intents: Vec<&str> = batch["results"]
        .as_array()
        .expect("an array")
        .iter()
        .filter_map(|row| row["intent"].as_str())
        .collect();
    assert_eq!(intents, ["debug", "search", "explain"]);
    let rows = with_input(&workspace, &["classify", "-", "--format", "jsonl"], lines).stdout;
    assert_eq!(rows.lines().count(), 3);
    assert_eq!(
        serde_json::from_str::<Value>(rows.lines().next().expect("a line")).expect("JSON"),
        fix
    );
    let toon = with_input(&workspace, &["classify", "-", "--format", "toon"], "fix it\n").stdout;
    assert!(toon.starts_with("schema: 1\nresults[1]:"), "{toon}");
}

#[test]
fn settings_override_policies() {
    let workspace = Workspace::empty();
    let rows = workspace.run(&["policy", "--json"]).json();
    assert_eq!(rows["policies"].as_array().map(Vec::len), Some(7));
    workspace.write(
        "lorehound.toml",
        "[context.policy.debug]\nmax_symbols = 3\nprefer_kinds = [\"function\"]\nbudget_fraction = 0.5\n",
    );
    let debug = workspace.run(&["policy", "debug", "--json"]).json()["policies"][0].clone();
    assert_eq!(debug["maxSymbols"], 3);
    assert_eq!(debug["preferKinds"], json!(["function"]));
    assert_eq!(debug["contextLevel"], 3, "unset keys keep their values");
    let origins = debug["origins"].as_array().expect("an array");
    assert_eq!(origins.len(), 3);
    assert_eq!(origins[2]["key"], "context.policy.debug.max_symbols");
    assert_eq!(origins[2]["origin"], "project");
    let text = workspace.run(&["policy", "debug"]).stdout;
    let row = text.lines().find(|line| line.contains("max_symbols")).expect("a row");
    assert!(row.contains('3') && row.ends_with("lorehound.toml:2"), "{row}");
    // An unknown intent has the policy of `search`.
    let unknown = workspace.run(&["policy", "bake"]);
    assert!(unknown.stdout.starts_with("search\n"), "{unknown:?}");
    assert!(unknown.stderr.contains("there is no intent `bake`"), "{unknown:?}");
    for (text, reason) in [
        ("[context.policy.bake]\nmax_symbols = 3\n", "there is no setting `context.policy.bake`"),
        (
            "[context.policy.debug]\nflavour = 3\n",
            "there is no setting `context.policy.debug.flavour`",
        ),
        ("[context.policy.debug]\ncontext_level = 4\n", "a whole number from 0 to 3"),
        ("[context.policy.debug]\nprefer_kinds = [\"field\"]\n", "class, const, function"),
    ] {
        workspace.write("lorehound.toml", text);
        let refused = workspace.run(&["policy"]);
        assert_eq!(refused.code, Some(2));
        assert!(refused.stderr.contains(reason), "{refused:?}");
    }
}

#[test]
fn a_search_ignores_the_intent() {
    let workspace = bakery();
    let search = |query: &str| {
        let mut json = workspace.run(&["search", "--json", "--no-write", query]).json();
        json["receipt"]["elapsedMs"] = Value::Null;
        json["receipt"]["root"] = Value::Null;
        json
    };
    workspace.run(&["index"]);
    let before = search("fix bake_loaf");
    assert_eq!(before["results"][0]["title"], "bake_loaf");
    workspace.write(
        "../policy.toml",
        "[context.policy.debug]\nmax_symbols = 1\nprefer_kinds = [\"const\"]\ncontext_level = 0\n",
    );
    let config = workspace.tree().join("../policy.toml");
    let mut command = workspace.command(&["search", "--json", "--no-write", "fix bake_loaf"]);
    let after = Ran::new(&command.env("LOREHOUND_CONFIG", config).output().expect("it runs"));
    let mut after = after.json();
    after["receipt"]["elapsedMs"] = Value::Null;
    after["receipt"]["root"] = Value::Null;
    assert_eq!(before, after);
}

#[test]
fn a_debug_package_contains_the_code_of_the_bug() {
    let workspace = bakery();
    let package = package(&workspace, &["fix the error when bake_loaf finds a cold oven"]);
    assert_eq!(package["intent"]["name"], "debug");
    assert_eq!(package["level"], 3);
    assert_eq!(names(&package, "symbols")[0], "Oven.bake_loaf");
    let bake = item(&package, "symbols", "Oven.bake_loaf");
    assert!(
        bake["text"].as_str().is_some_and(|text| text.contains("Ok(grams * 9 / 10)")),
        "{bake}"
    );
    assert!(
        bake["about"].as_str().is_some_and(|about| about.starts_with("last commit 2025-01-01 "))
    );
    assert!(names(&package, "symbols").contains(&"OvenError".to_owned()), "errors are near");
    let seller = item(&package, "related", "sell_loaf");
    assert_eq!(seller["relation"], "calls `Oven.bake_loaf` in line 5; uses `Oven` in line 4");
    let test = item(&package, "tests", "oven.rs");
    assert_eq!(test["relation"], "tests `src/oven.rs`");
    let spec = item(&package, "specs", "Oven");
    assert_eq!(spec["relation"], "governs `src/oven.rs`");
    assert!(
        names(&package, "decisions").iter().any(|name| name.contains("A cold oven")),
        "{package:#}"
    );
    assert!(names(&package, "commits").contains(&"Build the oven".to_owned()), "{package:#}");
}

#[test]
fn each_intent_has_its_own_package() {
    let workspace = bakery();
    let ask = |arguments: &[&str]| package(&workspace, arguments);
    // All references, also in tests.
    let refactor = ask(&["refactor bake_loaf"]);
    assert!(
        names(&refactor, "related").contains(&"a_cold_oven_bakes_no_loaf".to_owned()),
        "{refactor:#}"
    );
    // The definition of the type, without callers.
    let explain = ask(&["explain the Heated trait"]);
    let oven = item(&explain, "related", "Oven");
    assert_eq!(oven["relation"].as_str().map(|text| &text[..19]), Some("implements `Heated`"));
    assert!(!names(&explain, "related").contains(&"sell_loaf".to_owned()));
    // The tested module, and examples of tests.
    let test = ask(&["write tests for bake_loaf", "--file", "tests/oven.rs"]);
    assert!(names(&test, "symbols").contains(&"Oven.bake_loaf".to_owned()), "{test:#}");
    let module = test.to_string();
    assert!(module.contains("tested by `tests/oven.rs`"), "{test:#}");
    let pattern = item(&test, "tests", "a_cold_oven_bakes_no_loaf");
    assert!(pattern["text"].as_str().is_some_and(|text| text.contains("is_err")), "{pattern}");
    let implement = ask(&["implement a second door of the oven"]);
    assert!(names(&implement, "tree").contains(&"src/".to_owned()), "{implement:#}");
    assert!(names(&implement, "commits").is_empty());
    assert!(!names(&ask(&["review the oven"]), "commits").is_empty());
    let asked = ask(&["the oven", "--intent", "review"]);
    assert_eq!(
        (&asked["intent"]["name"], &asked["intent"]["origin"]),
        (&json!("review"), &json!("asked"))
    );
}

#[test]
fn the_documented_definition_of_an_ambiguous_name_comes_first() {
    let workspace = Workspace::with(&[
        ("src/a_mock.rs", "pub struct BreadOven;\n"),
        ("src/oven.rs", "/// Bakes bread.\npub struct BreadOven {\n    degrees: u32,\n}\n"),
    ]);
    let found = package(&workspace, &["explain BreadOven"]);
    let symbols = found["sections"].as_array().expect("an array").iter();
    let symbols = symbols.filter(|section| section["name"] == "symbols");
    let paths: Vec<&str> = symbols
        .flat_map(|section| section["items"].as_array().into_iter().flatten())
        .filter_map(|item| item["path"].as_str())
        .collect();
    assert_eq!(paths, ["src/oven.rs", "src/a_mock.rs"], "{found:#}");
}

#[test]
fn each_level_adds_detail() {
    let workspace = bakery();
    let text = |level: &str| {
        let package = package(&workspace, &["bake_loaf of the oven", "--level", level]);
        if level == "0" {
            assert_eq!(names(&package, "symbols"), [] as [&str; 0]);
            assert!(names(&package, "tree").contains(&"docs/adr/".to_owned()), "{package:#}");
            return Value::Null;
        }
        item(&package, "symbols", "Oven.bake_loaf")["text"].clone()
    };
    text("0");
    assert_eq!(text("1"), Value::Null);
    assert_eq!(
        text("2"),
        "Bakes one loaf in the oven.\n\npub fn bake_loaf(&self, grams: u32) -> Result<u32, OvenError>"
    );
    assert!(text("3").as_str().is_some_and(|text| text.contains("OvenError::Cold")));
    assert_eq!(workspace.run(&["context", "oven", "--level", "4"]).code, Some(2));
}

#[test]
fn a_ticket_package_contains_its_links() {
    let workspace = bakery();
    let package = package(&workspace, &["oven-002"]);
    assert_eq!(package["ticket"]["id"], "OVEN-002");
    assert_eq!(package["ticket"]["component"], "OVEN");
    assert_eq!(
        package["intent"],
        json!({ "name": "debug", "confidence": 1.0, "triggers": [], "origin": "ticket-type" })
    );
    assert_eq!(
        names(&package, "linked-tickets"),
        ["OVEN-004: Measure degrees", "OVEN-001: Oven loses heat", "OVEN-003: Show the warning"]
    );
    let waits = item(&package, "linked-tickets", "OVEN-004: Measure degrees");
    assert_eq!(waits["relation"], "blocks it, as it is not done");
    assert_eq!(item(&package, "specs", "Oven")["relation"], "named by the ticket");
    assert!(
        names(&package, "symbols").contains(&"sell_loaf".to_owned()),
        "its target file: {package:#}"
    );
    let commit = item(&package, "commits", "shop: smaller loaves (#OVEN-002)");
    assert_eq!(commit["relation"], "names the ticket");
    let similar = names(&package, "similar-tickets");
    assert!(!similar.iter().any(|name| name.starts_with("OVEN-00")), "{similar:?}");
    // A ticket named among other words is included.
    let words = workspace.run(&["context", "--json", "review what OVEN-003 requires"]).json();
    assert_eq!(
        (&words["ticket"]["id"], &words["intent"]["name"]),
        (&json!("OVEN-003"), &json!("review"))
    );
}

#[test]
fn a_ticket_package_contains_what_its_relatives_change() {
    let workspace = bakery();
    workspace.write("src/doors.rs", "pub const DOORS: &[&str] = &[\"oven\"];\n");
    workspace.git("2025-03-01T10:00:00Z", &["add", "."]);
    workspace.git("2025-03-01T10:00:00Z", &["commit", "-q", "-m", "List the doors (#OVEN-001)"]);
    workspace.write("src/doors.rs", "pub const DOORS: &[&str] = &[\"oven\", \"flap\"];\n");
    workspace.git("2025-03-02T10:00:00Z", &["commit", "-qam", "Add a flap (#OVEN-009)"]);
    workspace.write("src/till.rs", "pub fn ring() {}\n");
    workspace.git("2025-03-03T10:00:00Z", &["add", "."]);
    workspace.git("2025-03-03T10:00:00Z", &["commit", "-q", "-m", "Ring (#SHOP-001)"]);
    let package = package(&workspace, &["OVEN-002"]);
    assert_eq!(names(&package, "usual-files"), ["src/doors.rs"], "{package:#}");
    let doors = item(&package, "usual-files", "src/doors.rs");
    assert_eq!(doors["relation"], "changed by 2 of 3 commits of OVEN");
    let commit = item(&package, "commits", "List the doors (#OVEN-001)");
    assert_eq!(commit["relation"], "names the linked ticket OVEN-001");
}

#[test]
fn an_empty_package_exits_one_with_reasons() {
    let workspace = bakery();
    let unknown = workspace.run(&["context", "OVEN-009"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (Some(1), ""));
    assert!(unknown.stderr.contains("there is no ticket `OVEN-009`"), "{unknown:?}");
    assert!(unknown.stderr.contains("`OVEN-001`"), "{unknown:?}");
    let nothing = workspace.run(&["context", "xyzzy plugh", "--json"]);
    assert_eq!(nothing.code, Some(1));
    assert_eq!(nothing.json()["sections"], json!([]));
    assert!(!nothing.json()["absence"]["reasons"].as_array().expect("an array").is_empty());
    let empty = workspace.run(&["context", " "]);
    assert_eq!(empty.code, Some(2));
    assert!(empty.stderr.contains("the task is empty"), "{empty:?}");
    assert!(empty.stderr.contains("`lore context \"fix the retry\"`"), "{empty:?}");
    let bare = Workspace::with(&[("src/oven.rs", "/// See OVEN-009.\npub fn oven() {}\n")]);
    let words = bare.run(&["context", "OVEN-009"]);
    assert_eq!(words.code, Some(0), "{words:?}");
    assert!(words.stderr.contains("no tickets: `OVEN-009` is read as words"), "{words:?}");
    assert_eq!(workspace.run(&["context", "oven", "--file", "nowhere.rs"]).code, Some(2));
}

#[test]
fn a_package_fits_the_budget_and_names_a_command_for_the_rest() {
    let workspace = bakery();
    for format in ["markdown", "json", "toon"] {
        for task in ["OVEN-002", "refactor bake_loaf of the oven"] {
            for budget in ["150", "200", "300", "500", "1000", "4000"] {
                let ran = workspace.run(&["context", task, "-b", budget, "--format", format, "-v"]);
                assert_eq!(ran.code, Some(0), "{ran:?}");
                let limit: usize = budget.parse().expect("a number");
                let counted = bpe_openai::o200k_base().count(&ran.stdout);
                assert!(counted <= limit, "{counted} of {limit}: {ran:?}");
                assert!(ran.stderr.contains(&format!("{counted} o200k tokens")), "{ran:?}");
                let again = workspace.run(&["context", task, "-b", budget, "--format", format]);
                assert_eq!(ran.stdout, again.stdout, "the same each time");
            }
        }
    }
    // The suggested command shows everything.
    let small = workspace.run(&["context", "refactor bake_loaf", "-b", "300"]).stdout;
    let command =
        small.lines().find_map(|line| line.strip_prefix("all of it: ")).expect("a command");
    let words = command.trim_matches('`').strip_prefix("lore ").expect("this program");
    let budget = words.rsplit(' ').next().expect("a budget");
    assert!(words.starts_with("context 'refactor bake_loaf' --budget "), "{words}");
    let all = workspace.run(&["context", "refactor bake_loaf", "--budget", budget]).stdout;
    assert!(all.contains("nothing omitted"), "{all}");
    let none = workspace.run(&["context", "refactor bake_loaf", "-b", "10"]);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("hint: raise the budget"), "{none:?}");
}

#[test]
fn out_replaces_only_packages() {
    let workspace = bakery();
    let path = workspace.tree().join("../package.md");
    let out = path.to_str().expect("Unicode");
    let ran = workspace.run(&["context", "the oven", "--out", out]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{ran:?}");
    assert!(
        std::fs::read_to_string(&path)
            .expect("it is there")
            .starts_with("# the oven\n\nintent: search")
    );
    assert_eq!(workspace.run(&["context", "fix the oven", "--out", out]).code, Some(0));
    workspace.write("../package.md", "mine\n");
    let refused = workspace.run(&["context", "the oven", "--out", out]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("--force"), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&path).expect("it is there"), "mine\n");
    assert_eq!(workspace.run(&["context", "the oven", "--out", out, "--force"]).code, Some(0));
}
