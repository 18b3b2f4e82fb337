//! Tests of reading dumps: defaults of older ones, and files that are no dumps.

use std::fs;

use super::*;

fn load(text: &str) -> Result<Option<Vec<QuerySignals>>, EvalError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("dump.jsonl");
    fs::write(&path, text).expect("written");
    QuerySignals::load(&path)
}

/// A query of a dump with only the fields of the first version.
fn old(candidates: &[(&str, u8, f32)], targets: usize) -> QuerySignals {
    let candidates: Vec<String> = candidates
        .iter()
        .map(|(path, relevant, score)| {
            format!(
                r#"{{"path":"{path}","id":"{path}","relevant":{relevant},"score":{score},"signals":{{}}}}"#
            )
        })
        .collect();
    let text = format!(
        r#"{{"id":"q","repo":"r","query":"a","category":"","targets":{targets},"candidates":[{}]}}"#,
        candidates.join(",")
    );
    load(&text).expect("a dump").expect("a dump").remove(0)
}

#[test]
fn a_candidate_above_a_better_score_is_exact() {
    let exact = |scores: &[f32]| -> Vec<bool> {
        let candidates: Vec<_> = scores.iter().map(|score| ("a", 0, *score)).collect();
        let query = old(&candidates, 1);
        query.candidates.iter().map(|candidate| candidate.exact.expect("it is filled in")).collect()
    };
    assert_eq!(exact(&[3.0, 2.0, 1.0]), [false; 3]);
    assert_eq!(exact(&[1.0, 3.0, 2.0]), [true, false, false]);
    // Both precede the third, regardless of their own order.
    assert_eq!(exact(&[5.0, 1.0, 3.0, 2.0]), [true, true, false, false]);
    assert_eq!(exact(&[2.0, 2.00005, 1.0]), [false; 3], "that is rounding");
    assert_eq!(exact(&[]), [false; 0]);
}

#[test]
fn each_right_path_is_a_target() {
    let rows = [("b", 1, 3.0), ("a", 1, 2.0), ("c", 0, 1.5), ("b", 1, 1.0)];
    let covers = |query: &QuerySignals| -> Vec<Vec<usize>> {
        query.candidates.iter().map(|candidate| candidate.covers.clone()).collect()
    };
    let query = old(&rows, 3);
    assert_eq!(covers(&query), [vec![1], vec![0], vec![], vec![1]]);
    assert_eq!(query.targets, 3, "one is not among the candidates");
    // A second part of one file is not another target.
    assert_eq!(old(&rows, 1).targets, 2);
}

#[test]
fn dumps_survive_writing_and_reading() {
    let candidate = CandidateSignals {
        path: "a.md".to_owned(),
        source: "docs".to_owned(),
        relevant: 1,
        covers: vec![1],
        exact: Some(true),
        score: 1.25,
        fixed: -0.5,
        signals: [("title".to_owned(), 0.1)].into_iter().collect(),
        ..CandidateSignals::default()
    };
    let of_docs = [("title".to_owned(), 0.06)].into_iter().collect();
    let query = QuerySignals {
        id: "q".to_owned(),
        repository: "r".to_owned(),
        targets: 2,
        factors: [("docs".to_owned(), of_docs)].into_iter().collect(),
        curves: [("docs".to_owned(), Curve { steepness: 1.64, middle: 1.93, most: 1.0 })]
            .into_iter()
            .collect(),
        candidates: vec![candidate],
        ..QuerySignals::default()
    };
    let text = serde_json::to_string(&query).expect("JSON");
    assert_eq!(load(&text).expect("a dump"), Some(vec![query]));
}

#[test]
fn other_files_are_no_dumps() {
    for text in ["", "\n", "{}", "[]", "no JSON", r#"{"id": "q", "query": "a", "relevant": []}"#] {
        assert!(load(text).expect("no error").is_none(), "{text}");
    }
    assert!(QuerySignals::load(Path::new("/no/such/file")).expect("no error").is_none());
    let broken = load("{\"candidates\": []}\n");
    assert!(matches!(broken, Err(EvalError::Malformed { line: 1, .. })), "{broken:?}");
}

/// The message about a damaged dump, and its line.
fn damage(text: &str) -> (usize, String) {
    match load(text) {
        Err(EvalError::Malformed { line, reason, .. }) => (line, reason),
        other => panic!("{other:?} from {text}"),
    }
}

#[test]
fn invalid_numbers_are_refused_with_their_line() {
    let good = r#"{"id":"a","repo":"r","targets":1,"candidates":[]}"#;
    let candidate = r#""path":"p","relevant":1,"score":1"#;
    let with = |targets: &str, candidates: &str, more: &str| {
        format!(
            "{good}\n\n{}",
            format_args!(
                r#"{{"id":"b","repo":"r","targets":{targets},{more}"candidates":[{candidates}]}}"#
            )
        )
    };
    let cases = [
        (with("9000000000000000000", "", ""), "targets"),
        (with("9000000000", "", ""), "targets"),
        (with("10001", "", ""), "targets"),
        (
            with("2", &format!(r#"{{{candidate},"signals":{{}},"covers":[0,2]}}"#), ""),
            "covers target 2",
        ),
        (
            with("0", &format!(r#"{{{candidate},"signals":{{}},"covers":[0]}}"#), ""),
            "covers target 0",
        ),
        (with("1", &format!(r#"{{{candidate},"signals":{{"title":1e300}}}}"#), ""), "out of range"),
        (with("1", "", r#""factors":{"docs":{"title":1e300}},"#), "out of range"),
        (
            with("1", "", r#""curves":{"docs":{"steepness":0,"middle":2,"most":1}},"#),
            "curve of `docs`",
        ),
        (
            with("1", "", r#""curves":{"git":{"steepness":1,"middle":2,"most":1.5}},"#),
            "curve of `git`",
        ),
    ];
    for (text, expected) in cases {
        let (line, reason) = damage(&text);
        assert_eq!(line, 3, "{text}");
        assert!(reason.contains(expected), "{reason:?} of {text}");
    }
    assert_eq!(load(&with("10000", "", "")).expect("a dump").expect("a dump").len(), 2);
}

#[test]
fn a_dump_with_a_damaged_first_line_is_still_a_dump() {
    let good = r#"{"id":"a","repo":"r","targets":1,"candidates":[]}"#;
    for first in [
        // Cut off, before and after the decisive word.
        r#"{"id":"a","repo"#,
        r#"{"id":"a","repo":"r","targets":1,"candidates":[{"path"#,
        r#"{"id":"a","repo":"r","targets":NaN,"candidates":[]}"#,
    ] {
        let (line, reason) = damage(&format!("{first}\n{good}\n"));
        assert_eq!(line, 1, "{first}");
        assert!(reason.contains(" at column ") && !reason.contains("line"), "{reason}");
    }
    // A file that is no dump is an error only where a dump is required.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("dump.jsonl");
    for text in ["", "\n \n", "{}", "no JSON"] {
        fs::write(&path, text).expect("written");
        let error = QuerySignals::load_dump(&path);
        assert!(matches!(error, Err(EvalError::Malformed { line: 1, .. })), "{error:?}");
    }
}
