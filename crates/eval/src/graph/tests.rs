//! Tests of reading questions and judging answers.

use std::{fs, path::PathBuf};

use lore_engine::{Certainty, EdgeKind, GraphNode, Receipt};

use super::*;
use crate::Per;

const QUESTIONS: &str = concat!(
    r#"{"id": "q1", "repository": "r", "language": "python", "question": "callers of save", "#,
    r#""target": {"path": "a.py", "symbol": "Disk.save"}, "relation": "callers", "answers": ["#,
    r#"{"path": "a.py", "symbol": "Disk.close", "line": 9, "how": "same-file"}, "#,
    r#"{"path": "b.py", "symbol": "inner", "line": 4, "how": "import"}, "#,
    r#"{"path": "b.py", "symbol": null, "line": 7, "how": "member"}]}"#,
    "\n"
);

fn question(text: &str) -> GraphQuestion {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(FILE), text).expect("written");
    let questions = load_graph_questions(folder.path()).expect("read").expect("of this kind");
    questions.into_iter().next().expect("one question")
}

fn node(name: &str, path: &str) -> GraphNode {
    GraphNode {
        id: name.to_owned(),
        name: name.to_owned(),
        kind: if name == path { "file" } else { "method" },
        path: Some(path.to_owned()),
        line: Some(1),
        signature: None,
    }
}

fn response(edges: &[(&str, &str, u32, Certainty)]) -> ResearchResponse {
    let mut nodes = vec![node("Disk.save", "a.py")];
    let mut found = Vec::new();
    for (name, path, line, certainty) in edges {
        nodes.push(node(name, path));
        found.push(GraphEdge {
            from: nodes.len() - 1,
            to: 0,
            kind: EdgeKind::Calls,
            certainty: *certainty,
            line: Some(*line),
            depth: 1,
            count: 1,
        });
    }
    ResearchResponse {
        question: String::new(),
        subjects: vec![0],
        nodes,
        lines: vec![None; found.len()],
        edges: found,
        outside: 0,
        guesses: 0,
        unparsed: Vec::new(),
        partly_parsed: Vec::new(),
        is_cut: false,
        receipt: Receipt::new(PathBuf::new()),
        absence: None,
        warnings: Vec::new(),
    }
}

#[test]
fn other_collections_are_not_graph_questions() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("queries.jsonl");
    fs::write(&file, "{\"id\": \"q\", \"query\": \"x\"}\nnonsense\n").expect("written");
    assert_eq!(load_graph_questions(&file).expect("read"), None);
    assert_eq!(load_graph_questions(folder.path()).expect("read"), None);
    assert_eq!(load_graph_questions(&folder.path().join("none")).expect("read"), None);
    fs::write(&file, QUESTIONS.replace("\"callers\"", "\"siblings\"")).expect("written");
    let error = load_graph_questions(&file).expect_err("no relation").to_string();
    assert!(error.contains("line 1: there is no relation `siblings`"), "{error}");
}

#[test]
fn certain_edges_and_all_edges_are_judged_separately() {
    let question = question(QUESTIONS);
    assert_eq!(request(&question, 9).question.subject.as_deref(), Some("a.py#Disk.save"));
    let row = judge(
        &question,
        &response(&[
            ("Disk.close", "a.py", 9, Certainty::SameFile),
            // Only the engine includes the function around a nested one.
            ("outer.inner", "b.py", 4, Certainty::Import),
            ("outer.inner", "b.py", 4, Certainty::Import),
            ("Tape.close", "a.py", 9, Certainty::Import),
            ("b.py", "b.py", 7, Certainty::OneOf(2)),
            ("b.py", "b.py", 8, Certainty::UniqueName),
        ]),
    );
    assert_eq!(row.certain, GraphCounts { found: 3, right: 2, wanted: 2, covered: 2 });
    assert_eq!(row.all, GraphCounts { found: 5, right: 3, wanted: 3, covered: 3 });
    assert_eq!(row.wrong.len(), 1);
    assert_eq!(row.missing, []);
    assert_eq!(graph_measure(std::slice::from_ref(&row), "recall"), Some(1.0));
    assert_eq!(graph_measure(std::slice::from_ref(&row), "precision-all"), Some(0.6));
    assert_eq!(graph_measure(&[row], "MAP"), None);
    let nothing = judge(&question, &response(&[]));
    assert_eq!(nothing.certain.precision(), None);
    assert_eq!(nothing.certain.recall(), Some(0.0));
    assert_eq!(nothing.missing.len(), 3);
}

#[test]
fn declarations_may_start_a_little_earlier() {
    let answer = GraphPlace { path: "a.rs".into(), symbol: Some("Disk".into()), line: 10 };
    let found = |line| GraphPlace { line, ..answer.clone() };
    assert!(is_same(Relation::Implementations, &answer, &found(7)));
    assert!(!is_same(Relation::Implementations, &answer, &found(6)));
    assert!(!is_same(Relation::Callers, &answer, &found(9)));
}

#[test]
fn figures_are_aligned_in_columns() {
    let row =
        judge(&question(QUESTIONS), &response(&[("Disk.close", "a.py", 9, Certainty::Import)]));
    let mut out = Vec::new();
    write_graph_report("graph", std::slice::from_ref(&row), &[Per::Language], &mut out)
        .expect("a vector takes everything");
    write_graph_rows(&[row], &mut out).expect("a vector takes everything");
    assert_eq!(
        String::from_utf8(out).expect("text"),
        "\
graph: 1 question
                  certain precision   answers    recall |       all precision   answers    recall
  all questions       1/1    1.0000       1/2    0.5000 |       1/1    1.0000       1/3    0.3333
language
  python              1/1    1.0000       1/2    0.5000 |       1/1    1.0000       1/3    0.3333
question
  q1                  1/1    1.0000       1/2    0.5000 |       1/1    1.0000       1/3    0.3333
q1  callers of save
  missing  b.py:4  inner  [import]
  missing  b.py:7  (no definition)  [member]

"
    );
}
