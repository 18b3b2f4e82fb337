//! Tests of moves between two answers, with changes computed by hand.

use super::*;

/// Results as `name part=value part=value`.
fn answer(results: &[&str]) -> Answer {
    let ranked = |result: &&str| {
        let mut words = result.split(' ');
        let path = words.next().unwrap_or_default().to_owned();
        let part = |word: &str| {
            let (name, value) = word.split_once('=').expect("a part and its value");
            (name.to_owned(), value.parse().expect("a number"))
        };
        Ranked {
            id: format!("code:{path}#x"),
            path,
            parts: words.map(part).collect(),
            ..Ranked::default()
        }
    };
    Answer {
        id: "q".to_owned(),
        results: results.iter().map(ranked).collect(),
        ..Answer::default()
    }
}

fn query(targets: &[&str]) -> Query {
    let target = |name: &&str| Target { name: (*name).to_owned(), lines: None };
    Query { id: "q".to_owned(), targets: targets.iter().map(target).collect(), ..Query::default() }
}

/// A move on one line: `target old>new | passed | parts`.
fn line_of(moved: &Move) -> String {
    let rank = |rank: Option<usize>| rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string());
    let parts: Vec<String> =
        moved.parts.iter().map(|(name, change)| format!("{name} {change:+.2}")).collect();
    format!(
        "{} {}>{} | {} | {:?} {}",
        moved.target.name,
        rank(moved.before),
        rank(moved.after),
        moved.passed.join(" "),
        moved.margin,
        parts.join(" "),
    )
    .trim_end()
    .to_owned()
}

fn check(targets: &[&str], before: &[&str], after: &[&str], expected: &[&str]) {
    let moves = moves_of_query(&query(targets), &answer(before), &answer(after));
    let lines: Vec<String> = moves.iter().map(line_of).collect();
    assert_eq!(lines, expected, "{before:?} {after:?}");
}

#[test]
fn the_part_that_changed_the_margin_is_named() {
    // The right one gains 0.3 by meaning, the other one loses 0.1 by path: 0.1 in its favour.
    check(
        &["r"],
        &["x m=0.2 p=0.5", "r m=0.1 p=0.3"],
        &["r m=0.4 p=0.3", "x m=0.2 p=0.4"],
        &["r 2>1 | x | Passed m +0.30 p +0.10"],
    );
    // The mean over the two that it passes: of `m` 0.3 and 0.1, of `p` 0 and -0.2.
    check(
        &["r"],
        &["x m=0.2", "y m=0.2", "r m=0.1 p=0.2"],
        &["r m=0.4 p=0.2", "x m=0.2", "y m=0.4 p=0.2"],
        &["r 3>1 | x y | Passed m +0.20 p -0.10"],
    );
    // A result that stays on the other side does not count.
    check(
        &["r"],
        &["a m=0.9", "r m=0.5", "x m=0.4"],
        &["a m=0.7", "x m=0.4 p=0.2", "r m=0.5"],
        &["r 2>3 | x | Passed p -0.20"],
    );
    // A new part changed from 0; an unchanged part is not listed.
    check(&["r"], &["r a=1", "x a=1"], &["x a=1 b=0.5", "r a=1"], &["r 1>2 | x | Passed b -0.50"]);
    // A level is a part of its signal.
    check(
        &["r"],
        &["x a=0.2", "r a=0.1"],
        &["r a=0.1 m=0.5 m-level=-0.25", "x a=0.2 m=1 m-level=-1.5"],
        &["r 2>1 | x | Passed m +0.75"],
    );
    // The other result is shown with another passage of its file.
    let mut moved = answer(&["r m=0.4", "x m=0.2"]);
    moved.results[1].id = "code:x#other".to_owned();
    let moves = moves_of_query(&query(&["r"]), &answer(&["x m=0.2", "r m=0.1"]), &moved);
    assert_eq!(line_of(&moves[0]), "r 2>1 | x | Passed m +0.30");
}

#[test]
fn without_the_others_the_right_result_is_its_own_reference() {
    // The passed result is no longer listed.
    check(&["r"], &["x m=0.2", "r m=0.1"], &["r m=0.4", "y m=0.2"], &["r 2>1 | x | Own m +0.30"]);
    check(&["r"], &["x m=0.2", "r m=0.1"], &["x m=0.2"], &["r 2>- |  | Unknown"]);
    check(&["r"], &["x", "r"], &["r", "x"], &["r 2>1 | x | Unknown"]);
    check(&["r", "s"], &["r m=1", "s m=1"], &["r m=2", "s m=2"], &[]);
    // Right results may pass each other, too.
    check(
        &["r", "s"],
        &["r m=1", "s m=1"],
        &["s m=2", "r m=1"],
        &["r 1>2 | s | Passed m -1.00", "s 2>1 | r | Passed m +1.00"],
    );
}

#[test]
fn ranks_below_the_list_come_from_the_run() {
    let mut before = answer(&["x m=0.5"]);
    let parts = Parts::from([("m".to_owned(), 0.125)]);
    before.right = Some(vec![crate::RightResult {
        name: "r".to_owned(),
        rank: Some(17),
        parts,
        ..crate::RightResult::default()
    }]);
    let moves = moves_of_query(&query(&["r"]), &before, &answer(&["r m=0.5", "x m=0.25"]));
    // 0.375 of its own and 0.25 that the other one lost.
    assert_eq!(line_of(&moves[0]), "r 17>1 | x | Passed m +0.62");
    // The order of `y` and rank 17 before is unknown.
    let moves = moves_of_query(&query(&["r"]), &before, &answer(&["y m=1", "r m=0.5", "x m=0.25"]));
    assert_eq!(moves[0].passed, ["x"]);
}

#[test]
fn signals_are_counted_by_the_queries_that_they_moved() {
    let moved = |before, after, parts: &[(&str, f32)]| Move {
        target: Target { name: "r".to_owned(), lines: None },
        before: Some(before),
        after: Some(after),
        passed: Vec::new(),
        parts: parts.iter().map(|(name, change)| ((*name).to_owned(), *change)).collect(),
        margin: Margin::Passed,
    };
    let moves = Moves::from([
        ("a".to_owned(), (String::new(), vec![moved(2, 1, &[("m", 0.5), ("p", -0.25)])])),
        // The right result that moved in the other direction does not count.
        (
            "b".to_owned(),
            (String::new(), vec![moved(1, 2, &[("p", -0.5)]), moved(4, 3, &[("m", 4.0)])]),
        ),
        ("c".to_owned(), (String::new(), vec![moved(3, 1, &[("m", 0.25)])])),
        ("unknown".to_owned(), (String::new(), vec![moved(3, 1, &[])])),
    ]);
    let queries = [("a", true), ("b", false), ("c", true), ("unknown", true), ("nowhere", true)];
    let share =
        |name: &str, better, worse, mean| PartShare { name: name.to_owned(), better, worse, mean };
    let expected = [share("m", 2, 0, 0.25), share("p", 0, 1, -0.25)];
    assert_eq!(PartShare::of(&moves, queries.into_iter()), expected);
    assert_eq!(PartShare::of(&Moves::new(), queries.into_iter()), []);
}
