//! Tests of writing and reading runs.

use super::*;
use crate::{Query, Target, judge, measures::Measure};

fn ranked(path: &str, lines: Option<(u32, u32)>) -> Ranked {
    Ranked {
        path: path.to_owned(),
        start_line: lines.map(|lines| lines.0),
        end_line: lines.map(|lines| lines.1),
        shown: None,
        id: format!("code:{path}"),
        score: 0.5,
        parts: Parts::new(),
    }
}

fn example() -> (Collection, Run) {
    let target = |name: &str, lines| Target { name: name.to_owned(), lines };
    let query = |id: &str, targets| Query {
        id: id.to_owned(),
        repository: "r".to_owned(),
        text: format!("text of {id}"),
        targets,
        ..Query::default()
    };
    let collection = Collection {
        queries: vec![
            query("q 1", vec![target("a b.rs", None), target("c.rs", Some((5, 9)))]),
            query("q2", vec![target("d.rs", None)]),
        ],
        ..Collection::default()
    };
    let answer = |query: &Query, results| Answer {
        id: query.id.clone(),
        repository: query.repository.clone(),
        query: query.text.clone(),
        results,
        milliseconds: Some(1.5),
        ..Answer::default()
    };
    let mut run = Run::default();
    run.insert(answer(
        &collection.queries[0],
        vec![
            ranked("c.rs", Some((1, 4))),
            ranked("x.rs", None),
            ranked("c.rs", Some((8, 8))),
            ranked("a b.rs", Some((1, 2))),
            ranked("a b.rs", Some((3, 4))),
        ],
    ));
    run.insert(answer(&collection.queries[1], Vec::new()));
    (collection, run)
}

#[test]
fn json_keeps_everything() {
    let (mut collection, mut run) = example();
    collection.queries[0].excluded = vec!["x.rs".to_owned()];
    let mut first = run.answer("q 1").expect("an answer").clone();
    first.results[2].parts = Parts::from([("path".to_owned(), -0.25), ("title".to_owned(), 0.1)]);
    run.insert(first.clone());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.jsonl");
    run.save(&path, &collection).expect("written");
    let read = Run::load(&path, &collection).expect("read");
    let answer = read.answer("q 1").expect("an answer");
    assert_eq!((&answer.results, answer.milliseconds), (&first.results, Some(1.5)));
    // The file contains the right results of the collection, ranked without `x.rs`.
    let right = |name: &str, lines, rank, parts: &Parts| RightResult {
        name: name.to_owned(),
        lines,
        rank,
        parts: parts.clone(),
    };
    let (none, parts) = (Parts::new(), &first.results[2].parts);
    let expected =
        vec![right("a b.rs", None, Some(3), &none), right("c.rs", Some((5, 9)), Some(2), parts)];
    assert_eq!(answer.right.as_ref(), Some(&expected));
    let second = read.answer("q2").expect("an answer");
    assert_eq!(second.right, Some(vec![right("d.rs", None, None, &none)]));
    // The same collection, as far as judging is concerned.
    assert_eq!(read.collection().queries, collection.queries);
}

#[test]
fn right_results_are_found_below_the_list() {
    let (collection, _) = example();
    let query = &collection.queries[0];
    let answer = |paths: &[&str]| Answer {
        results: paths.iter().map(|path| ranked(path, None)).collect(),
        ..Answer::default()
    };
    let check = |shown: &[&str], longer: Option<&[&str]>, expected: [Option<usize>; 2]| {
        let longer = longer.map(answer);
        let right = right_results(query, &answer(shown), longer.as_ref());
        let ranks: Vec<Option<usize>> = right.iter().map(|right| right.rank).collect();
        assert_eq!(ranks, expected, "{shown:?} {longer:?}");
    };
    check(&["x.rs", "c.rs"], None, [None, Some(2)]);
    check(&["x.rs", "c.rs"], Some(&["c.rs", "x.rs", "y.rs", "a b.rs"]), [Some(4), Some(2)]);
    // A listed rank is not one of the ranks below.
    check(&["x.rs", "y.rs"], Some(&["a b.rs", "x.rs", "y.rs"]), [Some(3), None]);
}

#[test]
fn the_trec_format_keeps_the_figures() {
    let (collection, run) = example();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lore.run");
    run.save(&path, &collection).expect("written");
    let text = fs::read_to_string(&path).expect("read");
    let documents: Vec<&str> = text.lines().filter_map(|line| line.split(' ').nth(2)).collect();
    assert_eq!(documents, ["c.rs~1", "x.rs~2", "c.rs#L5-L9", "a%20b.rs", "a%20b.rs~5"]);

    let measures =
        ["nDCG@10", "RR", "R@10"].map(|name| Measure::from_name(name).expect("a measure"));
    let again = Run::load(&path, &collection).expect("read");
    let rows = judge(&collection, &run, &measures).rows;
    assert_eq!(rows[0].rank, Some(3));
    assert_eq!(judge(&collection, &again, &measures).rows, rows);
}

#[test]
fn answers_are_matched_by_their_query() {
    let (collection, _) = example();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("other.jsonl");
    let lines = concat!(
        r#"{"repo":"r","query":"text of q2","results":[{"path":"d.rs","lines":"1-2"}]}"#,
        "\n",
        r#"{"repo":"r","query":"of another collection","results":[]}"#,
    );
    fs::write(&path, lines).expect("written");
    let run = Run::load(&path, &collection).expect("read");
    assert_eq!(run.answers().count(), 1);
    assert!(run.collection().queries.is_empty(), "it contains no right results");
    assert_eq!(run.answer("q2").expect("an answer").results[0].path, "d.rs");
}

#[test]
fn broken_runs_are_refused() {
    let (collection, _) = example();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run");
    for text in ["{", "{\"results\":1}", "q Q0 a.rs 1 0.5", "q Q0 a.rs x 0.5 t", "q Q0 a.rs 1 x t"]
    {
        fs::write(&path, text).expect("written");
        let error = Run::load(&path, &collection).expect_err(text).to_string();
        assert!(error.contains("line 1"), "{error}");
    }
}
