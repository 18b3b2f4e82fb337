//! Tests of measures against numbers computed by hand, and against another program.

use std::fs;

use super::*;
use crate::{Collection, Run, headline, judge};

fn check(name: &str, ranks: &[Option<usize>], expected: f64) {
    let last = ranks.iter().flatten().max().copied().unwrap_or(0);
    let right = (1..=last).map(|rank| ranks.contains(&Some(rank))).collect();
    let judged = Judged { ranks: ranks.to_vec(), right };
    let value = Measure::from_name(name).expect("a measure").value(&judged);
    assert!((value - expected).abs() < 1e-12, "{name} of {ranks:?}: {value}, not {expected}");
}

#[test]
fn values_match_those_computed_by_hand() {
    check("nDCG@10", &[Some(1)], 1.0);
    check("nDCG@10", &[Some(3)], 0.5); // 1 / log2(4)
    check("nDCG@10", &[Some(11)], 0.0);
    check("nDCG@1", &[Some(2), Some(1)], 1.0); // only one fits
    check("nDCG@10", &[Some(1), Some(3)], 1.5 / (1.0 + 1.0 / 3_f64.log2()));
    check("nDCG@10", &[Some(2), Some(2)], (1.0 / 3_f64.log2()) / (1.0 + 1.0 / 3_f64.log2()));
    check("RR", &[None, Some(20), Some(4)], 0.25);
    check("RR@10", &[Some(20)], 0.0);
    check("R@10", &[Some(2), Some(2), None, Some(11)], 0.5);
    check("P@5", &[Some(1), Some(4), Some(6), None], 0.4);
    check("P@5", &[Some(1)], 0.2); // four places are empty
    check("P", &[Some(1), Some(4)], 0.5);
    check("Success@3", &[Some(3), None], 1.0);
    check("Success@3", &[Some(4), None], 0.0);
    for family in MEASURES {
        check(family.name, &[], 0.0);
        check(family.name, &[None, None], 0.0);
        check(family.name, &[Some(1)], 1.0);
    }
}

#[test]
fn names_are_parsed() {
    assert!(MEASURES.is_sorted_by(|left, right| left.name < right.name));
    for name in DEFAULT.iter().copied().chain(["R", "RR@1"]) {
        assert_eq!(Measure::from_name(name).expect(name).to_string(), name);
    }
    assert_eq!(Measure::from_name("ndcg@10").expect("any case").to_string(), "nDCG@10");
    for name in ["", "@10", "nDCG@", "nDCG@0", "nDCG@-1", "MAP", "R@x"] {
        assert!(Measure::from_name(name).is_err(), "{name}");
    }
}

const QUERIES: &str = r#"
{"id":"a#0","repo":"a","category":"x","query":"first","relevant":[{"path":"a.rs"}],"secondary":[]}
{"id":"a#1","repo":"a","category":"x","query":"two","relevant":[{"path":"a.rs"}],"secondary":[{"path":"b.rs"}]}
{"id":"a#2","repo":"a","category":"y","query":"both spans in one result","relevant":[{"path":"a.rs","start_line":5,"end_line":9},{"path":"a.rs","start_line":8,"end_line":20}],"secondary":[]}
{"id":"a#3","repo":"a","category":"y","query":"spans apart","relevant":[{"path":"a.rs","start_line":5,"end_line":9},{"path":"a.rs","start_line":40,"end_line":44}],"secondary":[{"path":"c.rs"}]}
{"id":"b#0","repo":"b","category":"x","query":"beyond ten","relevant":[{"path":"z.go"}],"secondary":[]}
{"id":"b#1","repo":"b","category":"y","query":"excluded","relevant":[{"path":"z.go"}],"secondary":[],"exclude":["y.go","x.go"]}
{"id":"b#2","repo":"b","category":"y","query":"no row","relevant":[{"path":"z.go"}],"secondary":[]}
{"id":"c#0","repo":"c","category":"x","query":"many","relevant":[{"path":"p0.go"},{"path":"p1.go"},{"path":"p2.go"},{"path":"p3.go"},{"path":"p4.go"},{"path":"p5.go"}],"secondary":[{"path":"p6.go"},{"path":"p7.go"},{"path":"p8.go"},{"path":"p9.go"},{"path":"p10.go"},{"path":"p11.go"}]}
"#;

const RUN: &str = r#"
{"id":"a#0","results":[{"path":"a.rs","start_line":1,"end_line":2},{"path":"b.rs"}]}
{"id":"a#1","results":[{"path":"c.rs"},{"path":"c.rs"},{"path":"b.rs"},{"path":"b.rs"},{"path":"a.rs"}]}
{"repo":"a","query":"both spans in one result","results":[{"path":"b.rs"},{"path":"a.rs","start_line":9,"end_line":9}]}
{"id":"a#3","results":[{"path":"a.rs","start_line":10,"end_line":39},{"path":"a.rs","start_line":44,"end_line":60},{"path":"c.rs"},{"path":"a.rs"}]}
{"id":"b#0","results":[{"path":"0"},{"path":"1"},{"path":"2"},{"path":"3"},{"path":"4"},{"path":"5"},{"path":"6"},{"path":"7"},{"path":"8"},{"path":"9"},{"path":"z.go"}]}
{"id":"b#1","results":[{"path":"x.go"},{"path":"w.go"},{"path":"y.go"},{"path":"z.go"}]}
{"id":"c#0","results":[{"path":"p3.go"},{"path":"q.go"},{"path":"p0.go"},{"path":"p11.go"},{"path":"q.go"},{"path":"p5.go"}]}
"#;

/// The values of a public code-search benchmark's scorer for [`RUN`]: nDCG@10, RR@10, R@10 and
/// Success@1.
const ORACLE: &[(&str, [f64; 4])] = &[
    ("a#0", [1.0, 1.0, 1.0, 1.0]),
    ("a#1", [0.543_771_309_152_025_4, 0.333_333_333_333_333_3, 1.0, 0.0]),
    ("a#2", [0.386_852_807_234_541_63, 0.5, 1.0, 0.0]),
    ("a#3", [0.732_828_620_477_791_1, 0.5, 1.0, 0.0]),
    ("b#0", [0.0, 0.0, 0.0, 0.0]),
    ("b#1", [0.630_929_753_571_457_5, 0.5, 1.0, 0.0]),
    ("b#2", [0.0, 0.0, 0.0, 0.0]),
    ("c#0", [0.503_324_282_795_346_4, 1.0, 0.333_333_333_333_333_3, 1.0]),
];

#[test]
fn another_program_computes_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let queries = folder.path().join("queries.jsonl");
    let run = folder.path().join("run.jsonl");
    fs::write(&queries, QUERIES).expect("written");
    fs::write(&run, RUN).expect("written");
    let collection = Collection::load(&queries).expect("a collection");
    let run = Run::load(&run, &collection).expect("a run");
    let measures: Vec<Measure> = ["nDCG@10", "RR@10", "R@10", "Success@1"]
        .iter()
        .map(|name| Measure::from_name(name).expect("a measure"))
        .collect();
    let judgement = judge(&collection, &run, &measures);
    assert_eq!(judgement.unanswered, 1);
    assert_eq!(judgement.rows.len(), ORACLE.len());
    for (row, (id, expected)) in judgement.rows.iter().zip(ORACLE) {
        assert_eq!(row.id, *id);
        for (value, expected) in row.values.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-12, "{id}: {:?}", row.values);
        }
    }
    let expected = [0.4598, 0.5833, 0.5556, 0.4167];
    for (value, expected) in headline(&judgement, &measures).values.iter().zip(expected) {
        assert!((value - expected).abs() < 5e-5, "{value}, not {expected}");
    }
}
