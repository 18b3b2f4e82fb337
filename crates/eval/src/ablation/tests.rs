//! Tests of ablations, tables, and lists of collections.

use std::{collections::BTreeMap, fs};

use super::*;
use crate::{CandidateSignals, EvalError, QuerySignals, Trees};

fn signals() -> Vec<SignalWeight> {
    [("good", 1.0), ("unused", -2.0)]
        .map(|(name, weight)| SignalWeight { name, built_in: weight, weight })
        .to_vec()
}

/// One query whose right candidate is first because of `good`, and second without it.
fn samples() -> Samples {
    let candidate = |path: &str, right: bool, good: f32| CandidateSignals {
        path: path.to_owned(),
        relevant: u8::from(right),
        covers: if right { vec![0] } else { Vec::new() },
        exact: Some(false),
        signals: [("good".to_owned(), good)].into_iter().collect(),
        ..CandidateSignals::default()
    };
    let query = QuerySignals {
        id: "q".to_owned(),
        repository: "r".to_owned(),
        targets: 1,
        candidates: vec![candidate("a", false, 0.1), candidate("b", true, 0.9)],
        ..QuerySignals::default()
    };
    Samples::new("c", &signals(), &[query])
}

#[test]
fn a_signal_counts_by_the_loss_without_it() {
    let measure = Measure::from_name("RR@10").expect("a measure");
    let ablation = ablate("short", &signals(), &samples(), measure);
    assert_eq!((ablation.name.as_str(), ablation.queries), ("short", 1));
    assert!((ablation.all - 1.0).abs() < 1e-9);
    // Without it, both scores are equal, and the wrong candidate comes first.
    assert!((ablation.changes[0].without + 0.5).abs() < 1e-9, "{ablation:?}");
    assert!(ablation.changes[0].lower.abs() < 1e-9);
    // A signal without values has no effect.
    let unused = ablation.changes[1];
    assert!(
        [unused.without, unused.lower, unused.higher].iter().all(|change| change.abs() < 1e-12)
    );
}

#[test]
fn tables_show_what_matters() {
    let change = |without, lower, higher| Change { without, lower, higher };
    let ablations = [
        Ablation {
            name: "a|b".to_owned(),
            queries: 2,
            measure: "nDCG@10".to_owned(),
            all: 0.9,
            changes: vec![change(-0.0123, 0.005, -0.001), change(0.0, 0.0, 0.0)],
        },
        Ablation {
            name: "c".to_owned(),
            queries: 1,
            measure: "P@5".to_owned(),
            all: 0.5,
            changes: vec![change(0.00001, 0.0, 0.0), change(0.0, 0.0, 0.0)],
        },
    ];
    let mut text = Vec::new();
    write_signals(&signals(), &ablations, &mut text).expect("a vector");
    let text = String::from_utf8(text).expect("text");
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(
        rows,
        [
            "| Signal | Weight | a\\|b | c |",
            "|---|---|---|---|",
            "| measure |  | nDCG@10 | P@5 |",
            "| all signals |  | 0.9000 | 0.5000 |",
            "| `good` | 1.00 | -0.0123 | 0 |",
            "| `unused` | -2.00 | 0 | 0 |",
            "| Signal | Weight | a\\|b | c |",
            "|---|---|---|---|",
            "| `good` | 1.00 | **+0.0050** / -0.0010 | 0 / 0 |",
        ]
    );
    assert!(text.contains("One weight moves"), "{text}");

    let row = ModesRow {
        about: "specs".to_owned(),
        queries: 15,
        measures: vec!["Success@1".to_owned(), "Success@3".to_owned()],
        modes: vec![Some(vec![0.667, 1.0]), None],
    };
    let mut text = Vec::new();
    write_modes(&["lexical", "hybrid"], &[row], &mut text).expect("a vector");
    assert_eq!(
        String::from_utf8(text).expect("text"),
        "| Collection | Queries | Measure | lexical | hybrid |\n|---|---|---|---|---|\n\
         | specs | 15 | Success@1 / Success@3 | .667 / 1.000 | - |\n"
    );
}

#[test]
fn only_sections_are_replaced() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let page = folder.path().join("page.md");
    // A marker within a line does not count, and other sections stay unchanged.
    let before = "# A\n<!-- generated: one -->\nold\n<!-- end of one -->\nbetween\n\
                  <!-- generated: other -->\nsee <!-- generated: two -->\n";
    fs::write(&page, before).expect("written");
    let sections = |body: &str| vec![("none", "y".to_owned()), ("one", body.to_owned())];
    assert_eq!(find_sections(&page, &["two", "one"]).expect("read"), ["one"]);
    assert_eq!(write_sections(&page, &sections("new\n")).expect("written"), ["one"]);
    let after = "# A\n<!-- generated: one -->\n\nnew\n\n<!-- end of one -->\nbetween\n\
                 <!-- generated: other -->\nsee <!-- generated: two -->\n";
    assert_eq!(fs::read_to_string(&page).expect("read"), after);
    // Writing again changes nothing.
    write_sections(&page, &sections("new")).expect("written");
    assert_eq!(fs::read_to_string(&page).expect("read"), after);
    let missing = write_sections(&folder.path().join("none.md"), &sections(""));
    assert!(matches!(missing, Err(EvalError::Read { .. })));
    // No temporary file remains.
    assert_eq!(fs::read_dir(folder.path()).expect("read").count(), 1);
}

#[test]
fn pages_keep_the_ends_of_their_lines() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let page = folder.path().join("page.md");
    let before = "# A\r\n<!-- generated: one -->\r\nold\r\n<!-- end of one -->\r\nrest\r\n";
    fs::write(&page, before).expect("written");
    let sections = [("one", "a\nb\n".to_owned())];
    assert_eq!(write_sections(&page, &sections).expect("written"), ["one"]);
    assert_eq!(
        fs::read_to_string(&page).expect("read"),
        "# A\r\n<!-- generated: one -->\r\n\r\na\r\nb\r\n\r\n<!-- end of one -->\r\nrest\r\n"
    );
}

#[test]
fn an_unpaired_marker_is_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let page = folder.path().join("page.md");
    let check = |text: &str, expected_line: usize| {
        fs::write(&page, text).expect("written");
        let sections = [("one", "x".to_owned()), ("two", "y".to_owned())];
        let error = write_sections(&page, &sections).expect_err(text);
        assert!(
            matches!(&error, EvalError::Malformed { line, .. } if *line == expected_line),
            "{error}"
        );
        assert!(find_sections(&page, &["one", "two"]).is_err(), "{text}");
        assert_eq!(fs::read_to_string(&page).expect("read"), text);
    };
    let (one, two) = ("<!-- generated: one -->\n", "<!-- generated: two -->\n");
    let (end_of_one, end_of_two) = ("<!-- end of one -->\n", "<!-- end of two -->\n");
    check(&format!("a\n{one}b\n"), 2);
    check(&format!("a\n{one}{two}{end_of_two}{end_of_one}"), 2);
    check(&format!("{one}b\n{end_of_two}{end_of_one}"), 1);
    check(&format!("{one}{end_of_one}c\n{end_of_two}"), 4);
}

#[test]
fn lists_name_collections_by_variables() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("list.toml");
    let load = |text: &str, variables: &[(&str, &str)]| {
        fs::write(&path, text).expect("written");
        let variables: BTreeMap<String, String> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        load_collections(&path, &variables)
    };
    let text = "[[collection]]\nname = \"a\"\npath = \"{bench}/a.jsonl\"\ntrees = \"{trees}\"\n\
                sources = [\"code\"]\nmeasures = [\"P@5\", \"RR\"]\nvote = 0.5\n\
                [[collection]]\nname = \"b\"\nabout = \"more\"\npath = \"b\"\nroot = \"../{x}-{x}\"\n";
    let error = load(text, &[("x", "y")]).expect_err("variables are missing");
    let EvalError::Unset { names, .. } = error else { panic!("{error:?}") };
    assert_eq!(names, ["bench", "trees"]);

    let list = load(text, &[("bench", "/b"), ("trees", "t"), ("x", "y")]).expect("a list");
    assert_eq!(list[0].path, std::path::Path::new("/b/a.jsonl"));
    let trees = folder.path().join("t");
    assert_eq!(list[0].trees, Trees { folder: Some(trees), ..Trees::default() });
    assert_eq!((list[0].about.as_str(), list[0].vote), ("a", Some(0.5)));
    let measures: Vec<String> = list[0].measures.iter().map(ToString::to_string).collect();
    assert_eq!(measures, ["P@5", "RR"]);
    assert_eq!(list[1].path, folder.path().join("b"));
    assert_eq!(list[1].trees.single, Some(folder.path().join("../y-y")));
    assert_eq!((list[1].about.as_str(), list[1].sources.len()), ("more", 0));
    assert_eq!(list[1].measures[0].to_string(), "nDCG@10");

    assert!(load("", &[]).expect("a list of none").is_empty());
}

#[test]
fn errors_of_lists_name_file_and_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("list.toml");
    let check = |text: &str, line: usize, expected: &str| {
        fs::write(&path, text).expect("written");
        let error = load_collections(&path, &BTreeMap::new()).expect_err(text).to_string();
        let place = format!("could not understand `{}`, line {line}: ", path.display());
        assert!(error.starts_with(&place) && error.contains(expected), "{error}");
    };
    // In the second collection, on the eighth line.
    let row = |more: &str| {
        let first = "[[collection]]\nname = \"a\"\npath = \"p\"\n\n";
        format!("{first}[[collection]]\nname = \"b\"\npath = \"q\"\n{more}\n")
    };
    check(&row("path = 3"), 8, "duplicate key");
    check(&row("colour = \"red\""), 8, "unknown field `colour`");
    check(&row("sources = [\"attic\"]"), 8, "there is no source `attic`");
    check(&row("measures = [\"RR\",\n\"MAP\"]"), 9, "there is no measure `MAP`");
    check(&row("vote = -1.0"), 8, "the vote of `b` is not from 0 to 1000000");
    check(&row("trees = \"{open\""), 8, "`{open` has an unpaired brace");
    check(&row("root = \"a}b\""), 8, "`a}b` has an unpaired brace");
    check("collection = 3", 1, "invalid type");
}
