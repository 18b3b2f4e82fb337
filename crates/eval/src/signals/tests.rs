//! Dumps as they are read: what older ones do not say, and what is no dump.

use std::fs;

use super::*;

fn load(text: &str) -> Result<Option<Vec<QuerySignals>>, EvalError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("dump.jsonl");
    fs::write(&path, text).expect("written");
    QuerySignals::load(&path)
}

/// A query of a dump that says only what the first ones did.
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
fn what_stands_above_a_better_score_holds_the_question() {
    let exact = |scores: &[f32]| -> Vec<bool> {
        let candidates: Vec<_> = scores.iter().map(|score| ("a", 0, *score)).collect();
        let query = old(&candidates, 1);
        query.candidates.iter().map(|one| one.exact.expect("it is filled in")).collect()
    };
    assert_eq!(exact(&[3.0, 2.0, 1.0]), [false; 3]);
    assert_eq!(exact(&[1.0, 3.0, 2.0]), [true, false, false]);
    // Both are above the third, whatever their own order.
    assert_eq!(exact(&[5.0, 1.0, 3.0, 2.0]), [true, true, false, false]);
    assert_eq!(exact(&[2.0, 2.00005, 1.0]), [false; 3], "that is rounding");
    assert_eq!(exact(&[]), [false; 0]);
}

#[test]
fn each_right_path_is_a_target() {
    let rows = [("b", 1, 3.0), ("a", 1, 2.0), ("c", 0, 1.5), ("b", 1, 1.0)];
    let covers = |query: &QuerySignals| -> Vec<Vec<usize>> {
        query.candidates.iter().map(|one| one.covers.clone()).collect()
    };
    let query = old(&rows, 3);
    assert_eq!(covers(&query), [vec![1], vec![0], vec![], vec![1]]);
    assert_eq!(query.targets, 3, "one is not among the candidates");
    // Of two parts of one file, one is no target less.
    assert_eq!(old(&rows, 1).targets, 2);
}

#[test]
fn what_is_written_is_read() {
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
