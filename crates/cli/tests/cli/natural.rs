//! `lore eval` on natural questions: figures, gates, JSON, anchors, and use in a fit.

use std::{fs, process::Command};

use serde_json::Value;

use crate::workspace::{Ran, Workspace};

struct Measuring {
    workspace: Workspace,
    folder: tempfile::TempDir,
}

impl Measuring {
    /// A collection of two files over the shop. The question for the commit needs the history.
    fn start() -> Measuring {
        let workspace = Workspace::shop();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let log = Command::new("git")
            .args(["rev-parse", "HEAD~1"])
            .current_dir(workspace.tree())
            .output()
            .expect("git is there");
        let commit = String::from_utf8_lossy(&log.stdout)[..12].to_owned();
        let code = concat!(
            r#"{"id":"n1","repo":"shop","type":"where","query":"retry_refund","answers":["#,
            r#"{"path":"src/refund.rs","anchor":"fn retry_refund(","lines":9}]}"#,
            "\n",
            r#"{"id":"n2","repo":"shop","type":"none","query":"qwertyuiop","answers":[]}"#,
        );
        let history = format!(
            r#"{{"id":"n3","repo":"shop","type":"when","query":"one idempotency key for all attempts","answers":[{{"commit":"{commit}","grade":2}}]}}"#
        );
        let measuring = Measuring { workspace, folder };
        measuring.write("code.jsonl", code);
        measuring.write("history.jsonl", &history);
        measuring
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.folder.path().join("questions")).expect("a folder");
        fs::write(self.folder.path().join("questions").join(name), text).expect("written");
    }

    fn run(&self, more: &[&str]) -> Ran {
        let collection = self.folder.path().join("questions").display().to_string();
        let tree = self.workspace.tree().display().to_string();
        let mut arguments = vec!["eval"];
        arguments.extend(more);
        if more.first() != Some(&"fit") {
            arguments.extend(["--root", &tree]);
        }
        arguments.push(&collection);
        self.workspace.run(&arguments)
    }
}

#[test]
fn answers_are_judged_by_documents_and_lines() {
    let measuring = Measuring::start();
    let ran = measuring.run(&["--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(report["all"]["answerable"], 2);
    assert_eq!(report["all"]["recognised"], 1);
    assert_eq!(report["all"]["flagged"], 0);
    let question = |id: &str| {
        let questions = report["questions"].as_array().expect("a list");
        questions.iter().find(|question| question["id"] == id).expect("the question").clone()
    };
    assert_eq!(question("n1")["documentRank"], 1);
    assert_eq!(question("n1")["linesRank"], 1);
    assert_eq!(question("n2")["reportsAbsence"], true);
    // A commit has no lines: both ranks are the same.
    assert!(question("n3")["documentRank"].is_u64(), "{report}");
    assert_eq!(question("n3")["documentRank"], question("n3")["linesRank"]);

    let code_alone = measuring.run(&["--json", "--in", "code"]);
    let report: Value = serde_json::from_str(&code_alone.stdout).expect("JSON");
    assert_eq!(report["types"][2]["name"], "where");
    assert_eq!(report["types"][1]["documents"], serde_json::json!([0.0, 0.0, 0.0]));
}

#[test]
fn minimums_of_natural_questions_act_as_gates() {
    let measuring = Measuring::start();
    for (arguments, code, message) in [
        (["--min", "D@1=0.5"], 0, ""),
        (["--min", "recognised=1"], 0, ""),
        (["--min", "D-MRR=1.01"], 1, "below 1.01"),
        (["--min", "nDCG@10=0.5"], 2, "the measures are D@1"),
        (["--measure", "P@5"], 2, "`--measure` does not go with natural questions"),
        (["--expected", "x.csv"], 2, "`--expected` does not go with natural questions"),
    ] {
        let ran = measuring.run(&arguments);
        assert_eq!(ran.code, Some(code), "{arguments:?} {ran:?}");
        assert!(ran.stderr.contains(message), "{ran:?}");
    }
}

#[test]
fn a_written_run_has_the_same_figures() {
    let measuring = Measuring::start();
    let run = measuring.folder.path().join("run.jsonl").display().to_string();
    let written = measuring.run(&["--run-out", &run]);
    assert_eq!(written.code, Some(0), "{written:?}");
    assert!(written.stdout.contains("questions: 3 questions"), "{written:?}");
    assert_eq!(measuring.run(&["--run", &run]).stdout, written.stdout);
    let compared = measuring.run(&["--compare", &run]);
    assert!(compared.stdout.contains("0 better, 0 worse, 2 equal"), "{compared:?}");
}

#[test]
fn a_missing_anchor_is_an_error() {
    let measuring = Measuring::start();
    measuring.workspace.write("src/refund.rs", "pub fn refund() {}\n");
    let ran = measuring.run(&[]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("anchor `fn retry_refund(` of question `n1`: 0 lines"), "{ran:?}");
}

#[test]
fn weights_are_fitted_to_documents() {
    let measuring = Measuring::start();
    let tree = measuring.workspace.tree().display().to_string();
    let ran = measuring.run(&["fit", "--root", &tree, "--measure", "Success@1"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let row = ran.stdout.lines().find(|line| line.contains("questions")).expect("a row");
    assert_eq!(row.split_whitespace().nth(1), Some("2"), "{row}");
}

#[test]
fn json_is_only_for_natural_questions() {
    let measuring = Measuring::start();
    measuring.write("history.jsonl", r#"{"id":"q","query":"refund","relevant":["src/refund.rs"]}"#);
    let ran = measuring.run(&["--json"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("`--json` is only valid for natural questions"), "{ran:?}");
}
