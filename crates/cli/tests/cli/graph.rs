//! Commands about definitions and the graph: answers and exit codes.

use serde_json::Value;

use crate::workspace::Workspace;

fn small() -> Workspace {
    Workspace::with(&[
        (
            "src/lib.rs",
            "pub mod disk;\n\n/// Keeps rows.\npub trait Store {\n    fn save(&self);\n}\n\n\
             pub fn run(store: &disk::Disk) {\n    disk::save_all(store);\n    disk::save_all(store);\n}\n",
        ),
        (
            "src/disk.rs",
            "use crate::Store;\n\npub struct Disk;\n\nimpl Store for Disk {\n    fn save(&self) {}\n}\n\n\
             pub fn save_all(disk: &Disk) {\n    flush();\n    let _ = disk;\n}\n\nfn flush() {}\n",
        ),
    ])
}

fn names(json: &Value) -> Vec<&str> {
    let results = json["results"].as_array().expect("an array");
    results.iter().filter_map(|hit| hit["name"].as_str()).collect()
}

fn keys(json: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> =
        json.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn definitions_are_found_by_name_and_file() {
    let workspace = small();
    let ran = workspace.run(&["symbol", "save_all", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let json = ran.json();
    assert_eq!(json["schema"], 1);
    assert_eq!(names(&json)[0], "save_all");
    let hit = &json["results"][0];
    assert_eq!((&hit["path"], &hit["line"]), (&"src/disk.rs".into(), &9.into()));
    assert_eq!(hit["matched"], "exact");
    assert_eq!(
        keys(hit),
        [
            "breadcrumb",
            "category",
            "conformances",
            "container",
            "docComment",
            "endLine",
            "id",
            "kind",
            "language",
            "line",
            "matched",
            "name",
            "path",
            "signature",
            "startLine",
            "visibility",
        ]
    );

    let ran = workspace.run(&["file", "disk", "--json"]);
    let json = ran.json();
    assert!(names(&json).contains(&"flush"), "{ran:?}");
    assert!(ran.paths().iter().all(|path| path == "src/disk.rs"), "{ran:?}");
    let ran = workspace.run(&["file", "disk", "--kind", "function", "--limit", "1", "--json"]);
    assert_eq!(names(&ran.json()), ["save_all"]);
    let ran = workspace.run(&["symbol", "Store", "--lang", "rs", "--path", "src/lib.rs"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("interface Store\n  src/lib.rs:4\n"), "{ran:?}");
}

#[test]
fn similar_names_alone_exit_one() {
    let workspace = small();
    let ran = workspace.run(&["symbol", "fluhs"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(!ran.stdout.contains("flush"), "{ran:?}");
    assert!(ran.stderr.contains("nothing found for `fluhs`"), "{ran:?}");
    assert!(ran.stderr.contains("near: `flush`"), "{ran:?}");
    let ran = workspace.run(&["symbol", "fluhs", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""), "{ran:?}");
    let json = ran.json();
    assert_eq!(json["results"][0]["matched"], "near");
    assert_eq!(json["absence"]["nearest"][0], "flush");
    let ran = workspace.run(&["file", "nowhere"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("nothing found for `nowhere`"), "{ran:?}");
    let ran = workspace.run(&["symbol", "save", "--lang", "cobol", "--kind", "methd"]);
    assert!(ran.stderr.contains("hint: `methd` is not a kind; did you mean `method`?"), "{ran:?}");
    assert!(ran.stderr.contains("hint: `cobol` is not a language of this tree"), "{ran:?}");
}

#[test]
fn edges_have_locations_and_certainties() {
    let workspace = small();
    let ran = workspace.run(&["research", "who", "calls", "save_all?", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let json = ran.json();
    assert_eq!(json["question"], "callers of save_all");
    assert_eq!(json["relation"], "callers");
    let edges = json["edges"].as_array().expect("an array");
    assert_eq!(edges.len(), 2, "{ran:?}");
    for (edge, line) in edges.iter().zip([9, 10]) {
        let from = edge["from"].as_u64().and_then(|at| usize::try_from(at).ok()).expect("a node");
        assert_eq!(json["nodes"][from]["name"], "run");
        assert_eq!(
            (&edge["line"], &edge["certainty"]),
            (&line.into(), &"import".into()),
            "{ran:?}"
        );
    }
    let ran = workspace.run(&["research", "callers of save_all"]);
    assert!(ran.stdout.contains("  run  src/lib.rs:9,10  [import]\n"), "{ran:?}");
    let ran = workspace.run(&["research", "path from run to flush"]);
    assert!(ran.stdout.contains("  → flush  src/disk.rs:14  [same-file]"), "{ran:?}");
    let ran = workspace.run(&["research", "what implements Store", "--format", "mermaid"]);
    assert!(ran.stdout.starts_with("graph LR\n"), "{ran:?}");
    assert!(ran.stdout.contains("-->|\"implements\"|"), "{ran:?}");
    let ran = workspace.run(&["research", "run", "--focus", "flow", "--format", "dot"]);
    assert!(ran.stdout.contains("[label=\"flush\\nsrc/disk.rs:14\"]"), "{ran:?}");
}

#[test]
fn a_question_without_an_answer_reports_the_reason() {
    let workspace = small();
    let ran = workspace.run(&["research", "callers of flsh"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("nothing in this tree defines `flsh`"), "{ran:?}");
    assert!(ran.stderr.contains("near: `flush`"), "{ran:?}");
    let ran = workspace.run(&["research", "callers of run", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""), "{ran:?}");
    assert_eq!(ran.json()["absence"]["reasons"][0], "no callers were found");
}

#[test]
fn hops_are_distinguished_from_hits() {
    let workspace = small();
    let ran = workspace.run(&["run", "--hops", "2", "--in", "code", "--json", "--limit", "50"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for hit in ran.json()["results"].as_array().expect("an array") {
        let is_hop = hit["hopDepth"].as_u64() > Some(0);
        assert_eq!(hit["isMultiHop"], is_hop, "{hit}");
        assert_eq!(hit["via"].is_string(), is_hop, "{hit}");
    }
}

#[test]
fn a_go_module_with_a_version_is_called_by_its_name() {
    let workspace = Workspace::with(&[
        ("go.mod", "module example.com/shop/core/v2\n"),
        ("pay.go", "package core\n\nfunc Charge(cents int) error {\n\treturn nil\n}\n"),
        (
            "web/web.go",
            "package web\n\nimport \"example.com/shop/core/v2\"\n\nfunc Buy() error {\n\treturn core.Charge(5)\n}\n",
        ),
    ]);
    let ran = workspace.run(&["research", "callers of Charge", "--format", "agent"]);
    assert!(ran.stdout.contains("web/web.go:6 Buy | return core.Charge(5)"), "{ran:?}");
}

#[test]
fn extension_functions_have_callers() {
    let workspace = Workspace::with(&[
        ("shop/Orders.kt", "package shop\n\nfun Order.isPaid(): Boolean = true\n"),
        (
            "web/Page.kt",
            "package web\n\nimport shop.isPaid\n\nclass Page {\n  fun show(order: Order) {\n    print(order.isPaid())\n  }\n  fun load() {\n    val late = read().first()\n    if (open && late.isPaid()) {\n      print(1)\n    }\n  }\n}\n",
        ),
    ]);
    let json = workspace.run(&["research", "callers of isPaid", "--json"]).json();
    let edges = json["edges"].as_array().expect("edges");
    let found: Vec<(u64, &str)> = edges
        .iter()
        .map(|edge| {
            (edge["line"].as_u64().unwrap_or(0), edge["certainty"].as_str().unwrap_or_default())
        })
        .collect();
    assert_eq!(found, [(11, "import"), (7, "unique-name")]);
}

#[test]
fn callers_are_found_through_the_results_of_calls() {
    let workspace = Workspace::with(&[
        (
            "src/lib.rs",
            "pub mod gauge;\n\npub struct Dial;\n\nimpl Dial {\n    pub fn turn_up(&self) {}\n}\n",
        ),
        (
            "src/gauge.rs",
            "pub struct Gauge;\n\nimpl Gauge {\n    pub fn new() -> Self {\n        Gauge\n    }\n\n\
             \x20   pub fn open(path: &str) -> Result<Gauge, String> {\n        Err(path.to_owned())\n    }\n\n\
             \x20   pub fn turn_up(&self) {}\n}\n",
        ),
        (
            "src/use.rs",
            "use std::sync::Arc;\nuse crate::gauge::Gauge;\n\n\
             fn shared() {\n    let gauge = Arc::new(Gauge::new());\n    gauge.turn_up();\n}\n\n\
             fn chained() {\n    Gauge::new().turn_up();\n}\n\n\
             fn opened() -> Result<(), String> {\n    let gauge = Gauge::open(\"a(\")?;\n    gauge.turn_up();\n    Ok(())\n}\n\n\
             fn other() {\n    Vec::<u8>::new().turn_up();\n}\n",
        ),
        (
            "go/head/head.go",
            "package head\n\ntype Head struct{}\n\nfunc (h *Head) Cut() {}\n\n\
             func OpenHead(path string) (*Head, error) { return nil, nil }\n\nvar Default = &Head{}\n",
        ),
        (
            "go/main.go",
            "package main\n\nimport \"example.org/go/head\"\n\n\
             func opened() {\n\th, _ := head.OpenHead(\"a\")\n\th.Cut()\n}\n\n\
             func global() {\n\thead.Default.Cut()\n}\n",
        ),
    ]);
    let callers = |name: &str| {
        let json = workspace.run(&["research", "callers of", name, "--json"]).json();
        let edges = json["edges"].as_array().expect("edges").iter();
        let mut callers: Vec<String> = edges
            .map(|edge| {
                let from = usize::try_from(edge["from"].as_u64().expect("a node")).expect("small");
                let name = json["nodes"][from]["name"].as_str().expect("a name");
                format!("{name} {}", edge["certainty"].as_str().expect("a certainty"))
            })
            .collect();
        callers.sort_unstable();
        callers
    };
    assert_eq!(callers("Gauge.turn_up"), ["chained import", "opened import", "shared import"]);
    assert_eq!(callers("Head.Cut"), ["global unique-name", "opened import"]);
}

#[test]
fn what_depends_on_a_type_are_its_uses() {
    let workspace = small();
    let json = workspace.run(&["research", "what depends on Disk", "--json"]).json();
    let edges = json["edges"].as_array().expect("edges");
    assert!(edges.iter().any(|edge| edge["kind"] == "uses"), "{json}");
}

/// Two packages of Go with types of the same name.
fn packages() -> Workspace {
    Workspace::with(&[
        ("go.mod", "module example.org/shop\n"),
        (
            "store/store.go",
            "package store\n\ntype Row struct{}\n\n// Store keeps rows.\ntype Store interface {\n\tSave(r *Row) error\n\
             \tClose() error\n}\n\ntype Cached struct {\n\tStore\n}\n",
        ),
        (
            "disk/disk.go",
            "package disk\n\nimport \"example.org/shop/store\"\n\ntype Disk struct{}\n\n\
             func (d *Disk) Save(row *store.Row) error { return nil }\n\nfunc (d *Disk) Close() error { return nil }\n\n\
             type Tape struct{}\n\nfunc (t Tape) Save(row string) error { return nil }\n\nfunc (t Tape) Close() error { return nil }\n",
        ),
        (
            "shelf/store.go",
            "package shelf\n\n// Store is where things stand.\ntype Store struct{}\n\nfunc (s *Store) Stand() {}\n",
        ),
    ])
}

#[test]
fn implementations_of_go_are_compared_by_types() {
    let workspace = packages();
    for (question, subject) in [
        ("implementations of Store", "satisfies Store of store/store.go:6"),
        ("implementations of store.Store", "satisfies"),
    ] {
        let ran = workspace.run(&["research", question]);
        assert!(ran.stdout.contains("Disk  disk/disk.go:5  [import]  satisfies"), "{ran:?}");
        assert!(ran.stdout.contains(subject), "{ran:?}");
        // It embeds the interface: one edge.
        assert_eq!(ran.stdout.matches("Cached  store/store.go").count(), 1, "{ran:?}");
        assert!(!ran.stdout.contains("Tape"), "{ran:?}");
        assert!(ran.stdout.contains("2 edges"), "{ran:?}");
    }
    let ran = workspace.run(&["symbol", "shelf.Store"]);
    assert!(ran.stdout.contains("shelf/store.go:4"), "{ran:?}");
    assert!(!ran.stdout.contains("store/store.go:6"), "{ran:?}");
}

#[test]
fn guesses_are_counted() {
    let types = ["Disk", "Tape", "Cloud", "Paper"];
    let methods = types.map(|name| format!("class {name}:\n    def save(self):\n        pass\n\n"));
    let workspace = Workspace::with(&[
        ("store.py", methods.concat().as_str()),
        (
            "sure.py",
            "from store import Disk\n\n\ndef keep():\n    disk = Disk()\n    disk.save()\n",
        ),
        ("guess.py", "def drop(thing):\n    thing.save()\n\n\ndef start():\n    drop(1)\n"),
    ]);
    // The question is about all definitions of the name.
    let ran = workspace.run(&["research", "callers of save", "--depth", "1"]);
    assert!(ran.stdout.contains("drop  guess.py:2  [name, 1 of 4]"), "{ran:?}");
    let ran = workspace.run(&["research", "callers of Disk.save", "--depth", "1"]);
    assert!(ran.stdout.contains("keep  sure.py:6  [import]"), "{ran:?}");
    assert!(!ran.stdout.contains("guess.py"), "{ran:?}");
    assert!(ran.stdout.contains("1 edge · 1 guess by name not shown (`--guesses`)"), "{ran:?}");
    let ran = workspace.run(&["research", "callers of Disk.save", "--format", "agent"]);
    assert!(ran.stdout.contains("note: 1 more use of the name may mean"), "{ran:?}");
    let ran = workspace.run(&["research", "callers of Disk.save", "--guesses", "--depth", "1"]);
    assert!(ran.stdout.contains("drop  guess.py:2  [name, 1 of 4]"), "{ran:?}");
    // Without a sure edge, the guesses are the answer.
    let ran = workspace.run(&["research", "callers of Tape.save", "--json"]);
    let json = ran.json();
    assert_eq!((&json["guesses"], json["edges"].as_array().map(Vec::len)), (&0.into(), Some(1)));

    let path = ["research", "path from start to Tape.save"];
    let ran = workspace.run(&path);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("calls by name alone were not followed"), "{ran:?}");
}

#[test]
fn anonymous_classes_and_lambdas_are_implementations() {
    let workspace = Workspace::with(&[
        (
            "src/Opener.java",
            "package shop;\n\npublic interface Opener {\n    int open(int key);\n}\n",
        ),
        (
            "src/Desk.java",
            "package shop;\n\nclass Desk {\n    static final Opener FIRST = new Opener() {\n        public int open(int key) { return key; }\n    };\n\n\
             \x20   Opener second() {\n        return key -> key + 1;\n    }\n}\n",
        ),
        (
            "src/Door.java",
            "package shop;\n\nclass Door implements Opener {\n    public int open(int key) { return 0; }\n}\n",
        ),
    ]);
    let ran = workspace.run(&["research", "implementations of Opener"]);
    for line in [
        "  Desk.FIRST  src/Desk.java:4  [import]  implements\n",
        "  Desk.second  src/Desk.java:8  [import]  implements\n",
        "  Door  src/Door.java:3  [import]  implements\n",
    ] {
        assert!(ran.stdout.contains(line), "{ran:?}");
    }
    assert!(ran.stdout.contains("3 edges"), "{ran:?}");
    let ran = workspace.run(&["research", "references to Opener", "--json"]);
    let json = ran.json();
    let edges = json["edges"].as_array().expect("an array");
    assert!(edges.iter().all(|edge| edge["count"] == 1), "{ran:?}");
}

#[test]
fn an_overloaded_function_of_typescript_is_one_definition() {
    let workspace = Workspace::with(&[(
        "src/shop.ts",
        "export function open(key: string): void;\n/** With a number. */\nexport function open(key: number): void;\n\
         export function open(key: any): void {\n    shut();\n}\n\nfunction shut(): void {}\n\n\
         export function main(): void {\n    open(1);\n}\n",
    )]);
    let ran = workspace.run(&["symbol", "open", "--json"]);
    let json = ran.json();
    assert_eq!(names(&json), ["open"]);
    let hit = &json["results"][0];
    assert_eq!((&hit["startLine"], &hit["endLine"]), (&1.into(), &6.into()));
    assert_eq!(hit["signature"], "export function open(key: string): void");
    let ran = workspace.run(&["research", "callees of main"]);
    assert!(ran.stdout.contains("1 edge ·"), "{ran:?}");
    let ran = workspace.run(&["research", "callers of shut"]);
    assert!(ran.stdout.contains("open  src/shop.ts:5"), "{ran:?}");
}

#[test]
fn a_member_of_an_extended_type_from_outside_is_no_namesake() {
    let workspace = Workspace::with(&[(
        "Sources/Store.swift",
        "extension DispatchQueue {\n    static func shared() -> DispatchQueue { fatalError() }\n}\n\n\
         final class Store {\n    private let queue: DispatchQueue\n    func async(_ block: () -> Void) {\n\
         \x20       queue.async { block() }\n    }\n}\n\n\
         func run(store: Store) {\n    store.async { }\n}\n",
    )]);
    let ran = workspace.run(&["research", "callers of Store.async", "--guesses"]);
    assert!(ran.stdout.contains("run  Sources/Store.swift:13"), "{ran:?}");
    assert!(ran.stdout.contains("1 edge ·"), "{ran:?}");
}
