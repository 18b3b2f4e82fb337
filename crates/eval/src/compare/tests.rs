//! Tests of comparisons of judgements.

use super::*;
use crate::Row;

fn judgement(values: &[f64]) -> Judgement {
    let rows = values
        .iter()
        .enumerate()
        .map(|(number, value)| Row {
            id: format!("q{number:03}"),
            repository: if number == 0 { "one" } else { "many" }.to_owned(),
            language: String::new(),
            category: String::new(),
            rank: None,
            values: vec![0.0, *value],
        })
        .collect();
    Judgement { rows, ..Judgement::default() }
}

#[test]
fn gains_are_counted_and_ordered() {
    let before = judgement(&[0.5, 0.5, 0.5, 0.5]);
    let after = judgement(&[1.0, 0.5, 0.25, 0.75]);
    let comparison = compare(&before, &after, 1);
    assert_eq!((comparison.wins, comparison.losses, comparison.ties), (2, 1, 1));
    assert_eq!(comparison.by_query, (0.5, 0.625));
    assert_eq!(comparison.by_repository, (0.5, 0.75)); // (1.0 + 0.5) / 2
    let ids: Vec<&str> = comparison.pairs.iter().map(|pair| pair.id.as_str()).collect();
    assert_eq!(ids, ["q002", "q001", "q003", "q000"]);
    assert_eq!(compare(&before, &after, 1), comparison);
}

#[test]
fn chance_is_distinguished_from_effect() {
    let check = |gains: &[f64], expected: std::ops::RangeInclusive<f64>| {
        let before = judgement(&vec![0.0; gains.len()]);
        let p_value = compare(&before, &judgement(gains), 1).p_value;
        assert!(expected.contains(&p_value), "{gains:?}: {p_value}");
    };
    check(&[], 1.0..=1.0);
    check(&[0.0; 50], 1.0..=1.0);
    check(&[0.1], 1.0..=1.0);
    check(&[0.1, -0.1, 0.1, -0.1], 1.0..=1.0);
    // All of 5 gains are equal: 2 of 32 assignments are as large.
    check(&[0.1; 5], 0.055..=0.07);
    check(&[0.1; 100], 0.0..=0.0001);
}

#[test]
fn queries_of_only_one_run_are_skipped() {
    let comparison = compare(&judgement(&[0.5]), &judgement(&[0.5, 1.0]), 1);
    assert_eq!(comparison.pairs.len(), 1);
    assert_eq!(compare(&judgement(&[]), &judgement(&[]), 7).ties, 0);
}
