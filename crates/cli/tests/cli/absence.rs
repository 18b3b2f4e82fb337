//! An empty answer reports its reasons, and substitutes nothing.

use std::fs;

use serde_json::{Value, json};

use crate::workspace::{Ran, Workspace};

fn nothing(workspace: &Workspace, arguments: &[&str]) -> (Ran, Value) {
    let human = workspace.run(arguments);
    assert_eq!(human.code, Some(1), "{human:?}");
    let ran = workspace.run(&[arguments, &["--json"]].concat());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let json = ran.json();
    assert_eq!(json["results"], json!([]), "{ran:?}");
    (human, json["absence"].clone())
}

#[test]
fn each_filter_reports_how_many_documents_it_removes() {
    let workspace = Workspace::with(&[
        ("src/a.rs", "pub fn refund() {}\n"),
        ("src/b.rs", "pub fn refund_all() {}\n"),
        ("lib/c.py", "def refund():\n    pass\n"),
        ("docs/guide.md", "# Guide\n\nHow to refund.\n"),
        ("docs/other.md", "# Other\n\nNothing here.\n"),
    ]);
    // Two code files are not Python, and one is outside `src`.
    let arguments = ["refund", "--in", "code", "--lang", "python", "--path", "src/**"];
    assert_eq!(workspace.run(&["refund", "--json"]).paths().len(), 4);
    let (human, absence) = nothing(&workspace, &arguments);
    assert_eq!(
        absence["filters"],
        json!([
            { "filter": "in", "values": ["code"], "removed": 1 },
            { "filter": "path", "values": ["src/**"], "removed": 1 },
            { "filter": "lang", "values": ["python"], "removed": 2 },
        ])
    );
    assert_eq!(absence["unknownWords"], json!([]));
    assert_eq!(absence["elsewhere"], Value::Null, "every word is known");
    assert!(
        human.stderr.contains(
            "`--in code` removed 1, `--path src/**` removed 1, `--lang python` removed 2"
        ),
        "{human:?}"
    );
    // A word that only occurs in another source is unknown here, and that source is named.
    let (_, absence) = nothing(&workspace, &["nothing", "--in", "code"]);
    assert_eq!(absence["unknownWords"], json!(["nothing"]));
    assert_eq!(absence["filters"], json!([{ "filter": "in", "values": ["code"], "removed": 1 }]));
}

#[test]
fn conditions_of_every_kind_act_as_filters() {
    let ticket = |name: &str, status: &str| {
        format!("---\nid: {name}\ntitle: Refund {name}\nstatus: {status}\n---\n\nA refund.\n")
    };
    let workspace = Workspace::with(&[
        ("backlog/tasks/task-1 - a.md", &ticket("task-1", "To Do")),
        ("backlog/tasks/task-2 - b.md", &ticket("task-2", "Done")),
        ("src/a.rs", "/// Pays a refund back.\npub fn pay() {}\n"),
    ]);
    let removed = |arguments: &[&str]| {
        let (_, absence) = nothing(&workspace, arguments);
        let filters = absence["filters"].as_array().expect("an array").clone();
        let lines = filters.iter().map(|filter| {
            format!("{} {} {}", filter["filter"], filter["values"], filter["removed"])
                .replace('"', "")
        });
        lines.collect::<Vec<_>>()
    };
    assert_eq!(workspace.run(&["refund", "--json"]).paths().len(), 3);
    assert_eq!(
        removed(&["refund", "--status", "Done", "--lang", "rust"]),
        ["lang [rust] 2", "status [done] 2"]
    );
    assert_eq!(removed(&["refund", "--since", "2999-01-01"]), ["since [2999-01-01T00:00:00Z] 3"]);
    assert_eq!(removed(&["refund", "--min-score", "1"]), ["min-score [1] 3"]);
    assert_eq!(removed(&["refund \"pays twice\""]), ["query [refund \\pays twice\\] 3"]);
    let (human, _) = nothing(&workspace, &["refund \"pays twice\""]);
    assert!(human.stderr.contains("the conditions of the query removed 3"), "{human:?}");
}

#[test]
fn words_outside_the_index_are_reported() {
    let workspace = Workspace::shop();
    let day = "2025-02-01T08:00:00Z";
    workspace.write("src/old.rs", "//! Gone.\npub fn escheat() {}\n");
    workspace.git(day, &["add", "src/old.rs"]);
    workspace.git(day, &["commit", "--quiet", "-m", "Add it"]);
    workspace.git(day, &["checkout", "--quiet", "-b", "feature"]);
    workspace.write("src/new.rs", "pub fn garnishment() {}\n");
    workspace.git(day, &["add", "src/new.rs"]);
    workspace.git(day, &["commit", "--quiet", "-m", "Try"]);
    workspace.git(day, &["checkout", "--quiet", "main"]);
    workspace.git(day, &["rm", "--quiet", "src/old.rs"]);
    workspace.git(day, &["commit", "--quiet", "-m", "Remove it"]);
    workspace.write(".git/info/exclude", "build/\nvendor/\n");
    workspace.write("build/out.txt", "\nlevy\n");
    workspace.write("vendor/dep/lib.rs", "pub fn usury() {}\n");
    workspace.write("data.bin", b"\0\0 lien \0");

    let place = |query: &str| {
        let (human, absence) = nothing(&workspace, &[query]);
        let places = absence["elsewhere"]["places"].as_array().expect("an array").clone();
        assert_eq!(absence["elsewhere"]["complete"], json!(true));
        assert_eq!(absence["unknownWords"], json!([query]));
        let reasons = absence["reasons"].as_array().expect("an array");
        for reason in reasons.iter().filter_map(Value::as_str) {
            assert!(human.stderr.contains(reason), "{reason} in {human:?}");
        }
        let texts: Vec<String> = places
            .iter()
            .map(|place| {
                format!(
                    "{} {} {} {}",
                    place["whereabouts"], place["path"], place["line"], place["branch"]
                )
                .replace('"', "")
            })
            .collect();
        (texts.join("; "), reasons.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; "))
    };
    let (places, reasons) = place("levy");
    assert_eq!(places, "ignored build/out.txt 2 null");
    assert!(reasons.ends_with("`levy` is in the ignored file `build/out.txt` line 2"));
    let (places, reasons) = place("usury");
    assert_eq!(places, "ignored vendor/dep/lib.rs 1 null");
    assert!(reasons.contains("in the ignored, vendored file"), "{reasons}");
    let (places, reasons) = place("lien");
    assert_eq!(places, "binary data.bin null null");
    assert!(reasons.contains("`data.bin`, which is not text"), "{reasons}");
    let (places, _) = place("garnishment");
    assert_eq!(places, "branch src/new.rs 1 feature");
    workspace.git(day, &["branch", "--quiet", "-D", "feature"]);
    let (places, reasons) = place("escheat");
    assert_eq!(places, "deleted src/old.rs 2 null");
    assert!(reasons.contains("`escheat` was in `src/old.rs` line 2, which the commit `"));
    assert_eq!(place("garnishment").0, "");
}

#[test]
fn similar_titles_are_suggested_like_names() {
    let workspace = Workspace::with(&[
        ("src/a.rs", "pub fn settle() {}\n"),
        ("docs/guide.md", "# Chargebacks in the night\n\nText.\n"),
    ]);
    // In quotation marks, a word is searched as it is.
    let (human, absence) = nothing(&workspace, &["\"chargbacks\""]);
    assert_eq!(absence["nearest"], json!(["Chargebacks in the night"]));
    assert!(human.stderr.contains("near: `Chargebacks in the night`"), "{human:?}");
    assert!(human.stdout.starts_with("0 of 2 documents match"), "nothing is substituted");
    // Otherwise, the nearest word is searched, and the answer says so.
    let ran = workspace.run(&["chargbacks"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let notice = "showing results for `chargebacks`; search instead for `\"chargbacks\"`\n";
    assert!(ran.stdout.starts_with(notice), "{ran:?}");
    assert!(ran.stdout.contains("docs/guide.md:1"), "{ran:?}");
}

#[test]
fn nothing_outside_the_tree_is_read() {
    let workspace = Workspace::with(&[("src/a.rs", "pub fn settle() {}\n")]);
    let outside = workspace.tree().with_file_name("secret.txt");
    fs::write(&outside, "escheat\n").expect("the folder is ours");
    #[cfg(unix)]
    {
        workspace.write("build/here.txt", "nothing\n");
        std::os::unix::fs::symlink(&outside, workspace.tree().join("build/secret.txt"))
            .expect("a link");
        workspace.write(".ignore", "build/\n");
    }
    let (_, absence) = nothing(&workspace, &["escheat"]);
    assert_eq!(absence["elsewhere"]["places"], json!([]));
}

#[test]
fn a_question_about_something_else_is_answered_as_weak() {
    let mut files = vec![(
        "src/refund.rs".to_owned(),
        "/// Refunds a payment twice at most, after a delay.\npub fn refund_later() {}\n"
            .to_owned(),
    )];
    files.extend((0..8).map(|n| {
        (format!("docs/page{n}.md"), format!("# Page {n}\n\nHow cards of number {n} are stored.\n"))
    }));
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let workspace = Workspace::with(&files);
    let weak = workspace.run(&["render cards on quantum holograms", "--json"]);
    assert_eq!(weak.code, Some(0), "{weak:?}");
    let json = weak.json();
    assert_eq!(json["receipt"]["weak"], json!(true), "{weak:?}");
    assert_eq!(json["absence"]["unknownWords"], json!(["render", "quantum", "holograms"]));
    assert_eq!(json["results"].as_array().map(Vec::len), Some(3), "{weak:?}");
    let agent = workspace.run(&["render cards on quantum holograms", "--format", "agent"]);
    let first: Vec<&str> = agent.stdout.lines().take(2).collect();
    assert_eq!(
        first,
        [
            "unsure: if none of these fits, ask `cards on`",
            "nothing here mentions `render` or `quantum` or `holograms`; closest:",
        ],
        "{agent:?}"
    );
    let strict = workspace.run(&["render cards on quantum holograms", "--strict"]);
    assert_eq!(strict.code, Some(1), "{strict:?}");
    // A longer list is wanted whole.
    let listed = workspace.run(&["render cards on quantum holograms", "--limit", "60", "--json"]);
    assert_eq!(listed.json()["receipt"]["weak"], json!(false), "{listed:?}");
    // A question that the tree answers.
    let answered = workspace.run(&["how often is a payment refunded", "--strict", "--json"]);
    assert_eq!(answered.code, Some(0), "{answered:?}");
    assert_eq!(answered.json()["receipt"]["weak"], json!(false), "{answered:?}");
    assert_eq!(answered.json()["absence"], Value::Null, "{answered:?}");
}
