//! Tests of fits to handwritten samples.

use lore_engine::SignalWeight;

use super::*;
use crate::{CandidateSignals, Curve, QuerySignals};

/// Signals with their current weights.
fn signals(weights: &[(&'static str, f32)]) -> Vec<SignalWeight> {
    let signal = |(name, weight): &(&'static str, f32)| SignalWeight {
        name,
        built_in: *weight,
        weight: *weight,
    };
    weights.iter().map(signal).collect()
}

/// A query whose candidates are written as `name! signal=value ...`: `!` for a right one and `^`
/// for one that precedes scores.
fn query(id: &str, repository: &str, candidates: &[&str]) -> QuerySignals {
    let mut targets = 0;
    let candidates: Vec<CandidateSignals> = candidates
        .iter()
        .map(|text| {
            let mut words = text.split_whitespace();
            let name = words.next().expect("a name");
            let right = name.contains('!');
            let covers = if right { vec![targets] } else { Vec::new() };
            targets += usize::from(right);
            let signals = words.map(|word| {
                let (name, value) = word.split_once('=').expect("a value");
                (name.to_owned(), value.parse().expect("a number"))
            });
            CandidateSignals {
                path: name.to_owned(),
                relevant: u8::from(right),
                covers,
                exact: Some(name.contains('^')),
                signals: signals.collect(),
                ..CandidateSignals::default()
            }
        })
        .collect();
    QuerySignals {
        id: id.to_owned(),
        repository: repository.to_owned(),
        targets,
        candidates,
        ..QuerySignals::default()
    }
}

fn ndcg() -> Measure {
    Measure::from_name("nDCG@10").expect("a measure")
}

fn voter(signals: &[SignalWeight], queries: &[QuerySignals], vote: f64) -> Voter {
    Voter { samples: Samples::new("c", signals, queries), vote }
}

/// Ten repositories in which `good` is higher for right candidates, and `noise` is higher or lower
/// equally often.
fn decisive_signal() -> Vec<QuerySignals> {
    (0..20)
        .map(|number| {
            let (id, repository) = (format!("q{number:02}"), format!("r{}", number % 10));
            // Both alternate, each with its own period.
            let noise = (number / 2) % 2;
            let (right, wrong) =
                (format!("a! good=0.6 noise={noise}"), format!("b good=0.4 noise={}", 1 - noise));
            query(&id, &repository, &[&wrong, &right, "c good=0.1 noise=0.5"])
        })
        .collect()
}

#[test]
fn a_decisive_signal_gains_weight_and_noise_loses_it() {
    let signals = signals(&[("good", 0.1), ("noise", 1.0)]);
    let voters = [voter(&signals, &decisive_signal(), 1.0)];
    let fitted = fit(&signals, &voters, ndcg(), &FitPlan::default());
    let [good, noise] = &fitted.weights[..] else { panic!("two weights: {fitted:?}") };
    assert!(1.0 < good.after, "{good:?}");
    assert!(noise.after < 0.1, "{noise:?}");
    let (before, after, validated) = fitted.figures(&fitted.collections[0]);
    // Before the fit, noise decides: half of the right candidates are first, the others second or
    // last.
    assert!(before < 0.85, "{before}");
    assert!((after - 1.0).abs() < 1e-9, "{after}");
    assert!((validated.expect("ten repositories") - 1.0).abs() < 1e-9);
    assert_eq!((fitted.folds, fitted.folding), (5, Folding::Repository));
}

#[test]
fn the_same_queries_give_the_same_bytes_in_any_order() {
    let signals = signals(&[("good", 0.5), ("noise", 0.5)]);
    let written = |queries: &[QuerySignals]| {
        let fitted = fit(&signals, &[voter(&signals, queries, 1.0)], ndcg(), &FitPlan::default());
        let mut text = Vec::new();
        write_fit(&fitted, &mut text).expect("a vector");
        write_weights(&fitted, &mut text).expect("a vector");
        String::from_utf8(text).expect("text")
    };
    let mut queries = decisive_signal();
    let first = written(&queries);
    queries.reverse();
    assert_eq!(written(&queries), first);
}

#[test]
fn a_weight_never_changes_its_sign() {
    // `good` is lower for right candidates here, and the penalty favours them.
    let signals = signals(&[("good", 0.5), ("penalty", -0.5), ("unused", 0.0)]);
    let queries: Vec<QuerySignals> = (0..6)
        .map(|number| {
            let candidates = ["a! good=0.1 penalty=1 unused=1", "b good=0.9 penalty=0"];
            query(&number.to_string(), &format!("r{number}"), &candidates)
        })
        .collect();
    let plan = FitPlan { penalty: 1e-4, ..FitPlan::default() };
    let fitted = fit(&signals, &[voter(&signals, &queries, 1.0)], ndcg(), &plan);
    let weights: Vec<f64> = fitted.weights.iter().map(|weight| weight.after).collect();
    assert_eq!(weights, [0.0, 0.0, 0.0]);
}

#[test]
fn without_evidence_no_weight_changes() {
    let signals = signals(&[("good", 0.123_456), ("noise", -0.7)]);
    let nothing_right = query("q", "r", &["a good=0.5", "b good=0.1"]);
    let all_right = query("p", "r", &["a! good=0.5"]);
    for queries in [vec![], vec![nothing_right], vec![all_right]] {
        let voters = [voter(&signals, &queries, 1.0)];
        let fitted = fit(&signals, &voters, ndcg(), &FitPlan::default());
        assert_eq!(fitted.moved().count(), 0, "{queries:?}");
    }
}

#[test]
fn a_strong_penalty_keeps_weights() {
    let signals = signals(&[("good", 0.1), ("noise", 1.0)]);
    let change = |penalty| {
        let plan = FitPlan { penalty, ..FitPlan::default() };
        let fitted = fit(&signals, &[voter(&signals, &decisive_signal(), 1.0)], ndcg(), &plan);
        fitted.weights.iter().map(|weight| (weight.after - weight.before).abs()).sum::<f64>()
    };
    // The slope of the softmax is at most 1, so no weight moves by more than a tenth of a
    // temperature.
    assert!(change(10.0) < 0.05);
    assert!(change(0.1) < change(0.003));
}

#[test]
fn collections_count_by_their_votes() {
    // One collection gains by the signal, another one with five times as many queries loses.
    let signals = signals(&[("good", 1.0)]);
    let wants = [query("w", "r1", &["a! good=1", "b good=0"])];
    let against: Vec<QuerySignals> =
        (0..5).map(|id| query(&id.to_string(), "r2", &["a! good=0", "b good=1"])).collect();
    let weight = |vote: f64| {
        let voters = [voter(&signals, &wants, 1.0), voter(&signals, &against, vote)];
        fit(&signals, &voters, ndcg(), &FitPlan::default()).weights[0].after
    };
    // With ten to one votes, the minimum is at ln 10 temperatures, a little above it because of the
    // penalty.
    assert!((0.576..0.6).contains(&weight(0.1)), "{}", weight(0.1));
    assert!(weight(3.0).abs() < 1e-9, "{}", weight(3.0));
    assert!(1.0 < weight(0.0), "{}", weight(0.0));
    // A collection without a vote is judged and changes nothing.
    let alone = fit(&signals, &[voter(&signals, &wants, 1.0)], ndcg(), &FitPlan::default());
    assert!((weight(0.0) - alone.weights[0].after).abs() < 1e-9);
}

#[test]
fn repositories_are_held_out_whole() {
    let signals = signals(&[("good", 0.1)]);
    let names = ["b", "a", "c", "a", "d", "c"];
    let queries: Vec<QuerySignals> = names
        .iter()
        .enumerate()
        .map(|(id, repository)| query(&id.to_string(), repository, &["x! good=1", "y"]))
        .collect();
    let voters = [voter(&signals, &queries, 1.0)];
    let folds = |folds, folding| {
        let plan = FitPlan { folds, folding, ..FitPlan::default() };
        let folds = Folds::new(&voters, &plan);
        let of: Vec<usize> = (0..names.len()).map(|sample| folds.of(0, sample)).collect();
        (folds.count, of)
    };
    // By name, in turn: a 0, b 1, c 2, d 0.
    assert_eq!(folds(3, Folding::Repository), (3, vec![1, 0, 2, 0, 0, 2]));
    // No more folds than names.
    assert_eq!(folds(9, Folding::Repository), (4, vec![1, 0, 2, 0, 3, 2]));
    assert_eq!(folds(4, Folding::Query), (4, vec![0, 1, 2, 3, 0, 1]));
    // A single repository is divided by query.
    let single = [voter(&signals, &queries[3..4], 1.0)];
    assert_eq!(Folds::new(&single, &FitPlan::default()).count, 1);
    let two = [voter(&signals, &[queries[1].clone(), queries[3].clone()], 1.0)];
    let folds = Folds::new(&two, &FitPlan::default());
    assert_eq!((folds.count, folds.folding), (2, Folding::Query));
}

#[test]
fn a_held_out_repository_does_not_judge_itself() {
    // Each repository can only be answered by a signal that the other one does not have.
    let signals = signals(&[("left", 0.001), ("right", 0.001), ("wrong", 0.5)]);
    let queries: Vec<QuerySignals> = [("1", "l", "left"), ("2", "r", "right")]
        .map(|(id, repository, signal)| {
            query(id, repository, &[&format!("a! {signal}=1"), "b wrong=0.1"])
        })
        .to_vec();
    let plan = FitPlan { penalty: 0.01, ..FitPlan::default() };
    let fitted = fit(&signals, &[voter(&signals, &queries, 1.0)], ndcg(), &plan);
    let (before, after, _) = fitted.figures(&fitted.collections[0]);
    assert!(before < 0.7 && 0.99 < after, "{before} {after}");
    let without = fit(&signals, &[voter(&signals, &queries[..1], 1.0)], ndcg(), &plan);
    let right = &without.weights[1];
    assert!((right.after - right.before).abs() < 1e-9, "{right:?}");
    assert!(without.collections[0].validated.is_none(), "one query cannot be divided");
}

#[test]
fn samples_keep_the_order_of_the_search() {
    let signals = signals(&[("good", 1.0)]);
    let ranks = |queries: &[QuerySignals]| {
        let judged = Samples::new("c", &signals, queries).judge(&[1.0], ndcg());
        judged.rows.iter().map(|row| row.rank).collect::<Vec<_>>()
    };
    // Exact candidates come first, ties keep their order, and fixed parts count.
    assert_eq!(ranks(&[query("q", "r", &["a^ good=0", "b! good=1"])]), [Some(2)]);
    assert_eq!(ranks(&[query("q", "r", &["a good=1", "b! good=1"])]), [Some(2)]);
    let mut fixed = query("q", "r", &["a good=1", "b! good=0.5"]);
    fixed.candidates[1].fixed = 0.6;
    assert_eq!(ranks(&[fixed.clone()]), [Some(1)]);
    // A factor of the source.
    fixed.candidates[1].fixed = 0.0;
    for (candidate, source) in fixed.candidates.iter_mut().zip(["code", "docs"]) {
        source.clone_into(&mut candidate.source);
    }
    assert_eq!(ranks(&[fixed.clone()]), [Some(2)]);
    let of_docs = [("good".to_owned(), 3.0)].into_iter().collect();
    fixed.factors = [("docs".to_owned(), of_docs)].into_iter().collect();
    assert_eq!(ranks(&[fixed]), [Some(1)]);
}

/// A query over two sources in which a spec has the lower raw score and the higher comparable one.
fn of_two_sources(id: &str, right: &str) -> QuerySignals {
    let mark = |name: &str| if name == right { "!" } else { "" };
    let spec = format!("spec{} good=2.5 noise=0", mark("spec"));
    let code = format!("code{} good=2.8 noise=0", mark("code"));
    let mut query = query(id, id, &[&code, &spec]);
    for (candidate, source) in query.candidates.iter_mut().zip(["code", "specs"]) {
        source.clone_into(&mut candidate.source);
    }
    let of_specs = Curve { steepness: 1.67, middle: 1.67, most: 1.0 };
    query.curves = [("specs".to_owned(), of_specs)].into_iter().collect();
    query
}

#[test]
fn hits_of_several_sources_are_ordered_by_their_curves() {
    let signals = signals(&[("good", 1.0)]);
    let ranks = |query: &QuerySignals| {
        let samples = Samples::new("c", &signals, std::slice::from_ref(query));
        samples.judge(&[1.0], ndcg()).rows[0].rank
    };
    // 1.67 / 1.2 * (2.5 - 1.67) + 2.0 = 3.155, more than 2.8.
    let mut query = of_two_sources("q", "spec");
    assert_eq!(ranks(&query), Some(1));
    // The same numbers in one source.
    "specs".clone_into(&mut query.candidates[0].source);
    assert_eq!(ranks(&query), Some(2));
    // A source counts only up to its best hit: 2.5 of code is more than 0.5.
    let mut query = of_two_sources("q", "code");
    "git".clone_into(&mut query.candidates[1].source);
    query.candidates[1].signals.insert("good".to_owned(), 9.0);
    assert_eq!(ranks(&query), Some(2));
    query.curves = [("git".to_owned(), Curve { steepness: 1.2, middle: 2.0, most: 0.5 })]
        .into_iter()
        .collect();
    assert_eq!(ranks(&query), Some(1));
}

#[test]
fn the_loss_uses_the_order_by_curves() {
    // The right candidate is first already, so noise in its favour changes little. By raw scores it
    // would be second, and noise would have to lift it.
    let signals = signals(&[("good", 1.0), ("noise", 0.0001)]);
    let noise = |has_curve: bool| {
        let mut query = of_two_sources("q", "spec");
        query.candidates[1].signals.insert("noise".to_owned(), 0.2);
        if !has_curve {
            query.curves.clear();
        }
        let fitted = fit(&signals, &[voter(&signals, &[query], 1.0)], ndcg(), &FitPlan::default());
        fitted.weights[1].after
    };
    assert!(2.0 * noise(true) < noise(false), "{} {}", noise(true), noise(false));
}

#[test]
fn curves_change_nothing_within_one_source() {
    let signals = signals(&[("good", 0.1), ("noise", 1.0)]);
    let fitted = |queries: &[QuerySignals]| {
        fit(&signals, &[voter(&signals, queries, 1.0)], ndcg(), &FitPlan::default()).weights
    };
    let mut queries = decisive_signal();
    let without = fitted(&queries);
    for query in &mut queries {
        let of_docs = Curve { steepness: 1.64, middle: 1.93, most: 1.0 };
        query.curves = [("docs".to_owned(), of_docs)].into_iter().collect();
        for candidate in &mut query.candidates {
            "docs".clone_into(&mut candidate.source);
        }
    }
    assert_eq!(fitted(&queries), without);
}

#[test]
fn a_signal_without_values_gets_no_weight() {
    let signals = signals(&[("good", 1.0), ("unused", 1.0)]);
    let samples = Samples::new("c", &signals, &decisive_signal());
    let weights = [1.0, 1.0];
    let all = mean_of(&samples.judge(&weights, ndcg()), ndcg());
    for by in [-1.0, -PLATEAU_CHANGE, PLATEAU_CHANGE] {
        let moved = samples.worth_moved(&weights, 1, by, ndcg());
        assert!((moved - all).abs() < 1e-12, "{by}");
    }
    assert!(samples.worth_moved(&weights, 0, -1.0, ndcg()) < all);
}

#[test]
fn steep_weights_are_marked_and_blocks_can_be_pasted() {
    let quarter = (-0.006, 0.0);
    let weights = vec![
        WeightChange { name: "kept", before: 1.0, after: 1.0, quarter: (0.0, 0.0), steepest: 0.0 },
        WeightChange { name: "moved", before: 1.0, after: 0.25, quarter, steepest: 0.006 },
        WeightChange {
            name: "gone",
            before: -1.0,
            after: -0.0,
            quarter: (0.0, 0.0),
            steepest: 0.0,
        },
    ];
    let collections = vec![CollectionFit {
        name: "two\nlines".to_owned(),
        vote: 1.0,
        queries: 0,
        before: Judgement::default(),
        after: Judgement::default(),
        validated: None,
    }];
    let measure = ndcg();
    let fitted = Fitted { weights, collections, measure, folds: 0, folding: Folding::Query };
    let mut text = Vec::new();
    write_weights(&fitted, &mut text).expect("a vector");
    assert_eq!(
        String::from_utf8(text).expect("text"),
        "# two lines: nDCG@10 0.0000, fitted 0.0000\n[ranking.weights]\nmoved = 0.25\ngone = 0\n"
    );
    let mut table = Vec::new();
    write_fit(&fitted, &mut table).expect("a vector");
    let table = String::from_utf8(table).expect("text");
    let steep: Vec<&str> = table.lines().filter(|line| line.contains("steep")).collect();
    assert_eq!(steep.len(), 1, "{table}");
    assert!(steep[0].trim_start().starts_with("moved "), "{table}");
}

#[test]
fn a_gain_has_to_be_significant() {
    let signals = signals(&[("good", 1.0), ("noise", 0.25)]);
    let tuned =
        |queries: &[QuerySignals]| tune(&signals, Samples::new("c", &signals, queries), ndcg());
    // Half of twenty queries are wrong before the fit, and all are right after it.
    let all = decisive_signal();
    let decisive = tuned(&all);
    let held_out = decisive.held_out.as_ref().expect("twenty queries");
    assert_eq!((held_out.wins, held_out.losses), (10, 0));
    assert!(decisive.is_gain());
    // Four wins of four have a probability of 1 in 8 by chance, in either direction.
    let few = tuned(&all[..8]);
    assert_eq!(
        few.held_out.as_ref().map(|held_out| (held_out.wins, held_out.losses)),
        Some((4, 0))
    );
    assert!(!few.is_gain());
    // Random labels teach nothing.
    let coin: Vec<QuerySignals> = (0..20)
        .map(|number| {
            let good = if number % 4 < 2 { 0.9 } else { 0.1 };
            let right = format!("a! good={good} noise={}", number % 2);
            let wrong = format!("b good={} noise={}", 1.0 - good, 1 - number % 2);
            query(&format!("{number:02}"), "r", &[&wrong, &right])
        })
        .collect();
    assert!(!tuned(&coin).is_gain());
    assert!(!tuned(&[]).is_gain());
    assert!(tuned(&[]).held_out.is_none());
}

#[test]
fn short_histories_change_weights_less() {
    let signals = signals(&[("good", 0.1), ("noise", 1.0)]);
    let change = |queries: &[QuerySignals]| {
        let tuning = tune(&signals, Samples::new("c", &signals, queries), ndcg());
        tuning.fitted.weights.iter().map(|weight| (weight.after - weight.before).abs()).sum::<f64>()
    };
    assert!(change(&decisive_signal()[..4]) < change(&decisive_signal()));
}
