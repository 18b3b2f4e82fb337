//! Tests of judging natural questions.

use std::fs;

use super::*;
use crate::{EvalError, Per, Trees};

fn collection(folder: &tempfile::TempDir, rows: &[&str]) -> Collection {
    let path = folder.path().join("questions.jsonl");
    fs::write(&path, rows.join("\n")).expect("written");
    Collection::load(&path).expect("a collection")
}

fn question(answers: &str) -> Collection {
    let folder = tempfile::tempdir().expect("a folder");
    let row = format!(r#"{{"id":"q","repo":"r","type":"how","query":"a","answers":[{answers}]}}"#);
    collection(&folder, &[&row])
}

fn ranked(id: &str, path: &str, lines: Option<(u32, u32)>, shown: Option<(u32, u32)>) -> Ranked {
    Ranked {
        path: path.to_owned(),
        id: id.to_owned(),
        start_line: lines.map(|lines| lines.0),
        end_line: lines.map(|lines| lines.1),
        shown,
        ..Ranked::default()
    }
}

fn run_of(id: &str, results: Vec<Ranked>, is_weak: bool) -> Run {
    let mut run = Run::default();
    run.insert(Answer { id: id.to_owned(), results, is_weak, ..Answer::default() });
    run
}

#[test]
fn documents_and_shown_lines_are_judged_separately() {
    let span = r#"{"path":"a.rs","start":10,"end":20,"grade":2}"#;
    let whole = r#"{"path":"a.rs"}"#;
    let helps = r#"{"path":"b.rs","start":1,"end":9,"grade":1},{"path":"c.rs"}"#;
    let commit = r#"{"commit":"0123456789ab","grade":2}"#;
    let ticket = r#"{"path":"t.json","start":1,"end":2,"ticket":"7","grade":2}"#;
    let a = |lines, shown| ranked("code:a.rs#f", "a.rs", lines, shown);
    let git = ranked("git:0123456789abcdef", "", None, None);
    let store = |id: &str| ranked(id, "t.json", Some((1, 2)), Some((1, 2)));
    for (answers, result, document, lines) in [
        (span, a(Some((1, 30)), Some((20, 31))), true, true),
        (span, a(Some((1, 30)), Some((21, 30))), true, false),
        (span, a(Some((1, 30)), Some((1, 9))), true, false),
        (span, a(Some((1, 30)), None), true, true),
        (span, a(Some((21, 30)), None), true, false),
        (span, a(None, None), true, false),
        (whole, a(None, None), true, true),
        (whole, a(Some((1, 2)), Some((1, 2))), true, true),
        (helps, ranked("code:b.rs#f", "b.rs", Some((1, 9)), None), false, false),
        (commit, git.clone(), true, true),
        (span, git, false, false),
        (ticket, store("tickets:t.json#7"), true, true),
        (ticket, store("tickets:t.json#8"), false, false),
    ] {
        let collection = question(answers);
        let rows = judge_questions(&collection, &run_of("q", vec![result.clone()], false));
        let found = (rows[0].document_rank, rows[0].lines_rank);
        let rank = |is_right: bool| is_right.then_some(1);
        assert_eq!(found, (rank(document), rank(lines)), "{answers} {result:?}");
    }
}

#[test]
fn only_the_first_ten_results_count() {
    let collection = question(r#"{"path":"a.rs"}"#);
    for (position, expected) in [(0, Some(1)), (9, Some(10)), (10, None)] {
        let mut results = vec![ranked("code:b.rs", "b.rs", None, None); 20];
        results[position] = ranked("code:a.rs", "a.rs", None, None);
        let rows = judge_questions(&collection, &run_of("q", results, false));
        assert_eq!(rows[0].document_rank, expected, "{position}");
    }
}

#[test]
fn absences_are_reported_by_empty_or_weak_answers() {
    let collection = question(r#"{"path":"a.rs"}"#);
    let hit = || vec![ranked("code:a.rs", "a.rs", None, None)];
    for (results, is_weak, expected) in
        [(hit(), false, false), (hit(), true, true), (Vec::new(), false, true)]
    {
        let rows = judge_questions(&collection, &run_of("q", results, is_weak));
        assert_eq!(rows[0].reports_absence, expected, "{is_weak}");
    }
}

fn row(
    id: &str,
    repository: &str,
    ranks: [Option<usize>; 2],
    reports_absence: bool,
) -> QuestionRow {
    QuestionRow {
        id: id.to_owned(),
        repository: repository.to_owned(),
        question_type: if id.starts_with('n') { "none" } else { "how" }.to_owned(),
        is_answerable: !id.starts_with('n'),
        document_rank: ranks[0],
        lines_rank: ranks[1],
        reports_absence,
    }
}

fn rows() -> Vec<QuestionRow> {
    vec![
        row("q1", "a", [Some(1), Some(2)], false),
        row("q2", "a", [Some(4), None], true),
        row("q3", "b", [None, None], false),
        row("q4", "b", [Some(1), Some(1)], false),
        row("n1", "b", [None, None], true),
        row("n2", "b", [None, None], false),
    ]
}

#[test]
fn each_question_counts_the_same() {
    let figures = QuestionFigures::of(&rows());
    for (measure, expected) in [
        ("D@1", 0.5),
        ("D@3", 0.5),
        ("D-MRR", 0.5625),
        ("L@1", 0.25),
        ("L@3", 0.5),
        ("L-MRR", 0.375),
        ("recognised", 0.5),
        ("not-flagged", 0.75),
    ] {
        let value = figures.value(measure).expect(measure);
        assert!((value - expected).abs() < 1e-12, "{measure} {value}");
        assert!(QUESTION_MEASURES.contains(&measure));
        assert_eq!(QuestionFigures::default().value(measure), None, "{measure}");
    }
    assert_eq!(figures.value("nDCG@10"), None);
}

#[test]
fn the_table_has_a_block_for_each_grouping() {
    let mut text = Vec::new();
    let per = [Per::Category, Per::Repository];
    write_question_report("small", &rows(), &per, &mut text).expect("written");
    let expected = "\
small: 6 questions
                   n    D@1    D@3  D-MRR    L@1    L@3  L-MRR recognised flagged
  all questions    4  0.500  0.500  0.562  0.250  0.500  0.375        1/2     1/4
type
  how              4  0.500  0.500  0.562  0.250  0.500  0.375        0/0     1/4
  none             0      -      -      -      -      -      -        1/2     0/0
repository
  a                2  0.500  0.500  0.625  0.000  0.500  0.250        0/0     1/2
  b                2  0.500  0.500  0.500  0.500  0.500  0.500        1/2     0/2
";
    assert_eq!(String::from_utf8_lossy(&text), expected);
}

#[test]
fn the_json_form_has_the_figures_and_every_question() {
    let mut text = Vec::new();
    write_question_json("small", &rows(), &mut text).expect("written");
    let json: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    assert_eq!(json["all"]["answerable"], 4);
    assert_eq!(json["all"]["documents"], serde_json::json!([0.5, 0.5, 0.5625]));
    assert_eq!(json["types"][1]["name"], "none");
    assert_eq!(json["repositories"][1]["recognised"], 1);
    assert_eq!(json["questions"][1]["documentRank"], 4);
    assert_eq!(json["questions"][1]["linesRank"], serde_json::Value::Null);
}

#[test]
fn anchors_are_resolved_to_lines() {
    let trees = tempfile::tempdir().expect("a folder");
    fs::create_dir(trees.path().join("r")).expect("made");
    fs::write(trees.path().join("r/a.rs"), "one\ntwo two\nthree\ntwo\n").expect("written");
    let trees = Trees { folder: Some(trees.path().to_owned()), ..Trees::default() };
    let check = |answer: &str, expected: Result<(u32, u32), usize>| {
        let mut collection = question(answer);
        let resolved = resolve_anchors(&mut collection, &trees);
        let lines = match resolved {
            Ok(()) => Ok(collection.queries[0].spans[0].target.lines.expect("lines")),
            Err(EvalError::Anchor { found, .. }) => Err(found),
            Err(other) => panic!("{answer}: {other}"),
        };
        assert_eq!(lines, expected, "{answer}");
    };
    check(r#"{"path":"a.rs","anchor":"three"}"#, Ok((3, 3)));
    check(r#"{"path":"a.rs","anchor":"two two","lines":3}"#, Ok((2, 4)));
    check(r#"{"path":"a.rs","anchor":"two"}"#, Err(2));
    check(r#"{"path":"a.rs","anchor":"four"}"#, Err(0));
    check(r#"{"path":"a.rs","start":4}"#, Ok((4, 4)));
    let mut missing = question(r#"{"path":"b.rs","anchor":"one"}"#);
    let error = resolve_anchors(&mut missing, &trees).expect_err("missing").to_string();
    assert!(error.contains("b.rs"), "{error}");
    assert!(resolve_anchors(&mut question(r#"{"path":"b.rs"}"#), &Trees::default()).is_ok());
}
