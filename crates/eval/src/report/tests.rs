//! Tests of tables.

use super::*;
use crate::{Margin, Move, Moves, Target, compare};

fn row(id: &str, repository: &str, category: &str, value: f64) -> Row {
    Row {
        id: id.to_owned(),
        repository: repository.to_owned(),
        language: String::new(),
        category: category.to_owned(),
        rank: None,
        values: vec![value],
    }
}

fn text(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("text")
}

#[test]
fn summaries_show_both_means_and_every_group() {
    let judgement = Judgement {
        rows: vec![
            row("1", "big", "symbol", 1.0),
            row("2", "big", "symbol", 1.0),
            row("3", "big", "", 0.5),
            row("4", "small", "symbol", 0.0),
        ],
        empty: (1, 2),
        firsts: (0, 1),
        misplaced: vec!["4".to_owned()],
        unanswered: 1,
    };
    let collection = Collection { name: "all of it".to_owned(), ..Collection::default() };
    let measures = [Measure::from_name("nDCG@10").expect("a measure")];
    let per = [Per::Category, Per::Repository];
    assert_eq!(
        text(|out| write_summary(&collection, &judgement, &measures, &per, out)),
        "\
all of it: 4 judged queries in 0 repositories
                         queries   nDCG@10
  mean over repositories       4    0.4167
  mean over queries            4    0.6250
category
  (none)                       1    0.5000
  symbol                       3    0.5000
repository
  big                          3    0.8333
  small                        1    0.0000
empty answers: 1 of 2 queries without a right result
required result first: 0 of 1 (not: 4)
not in the run, counted as 0: 1
"
    );
}

#[test]
fn comparisons_list_what_changed() {
    let judgement = |values: [f64; 3]| Judgement {
        rows: ["a", "b", "c"]
            .iter()
            .zip(values)
            .map(|(id, value)| row(id, "r", "", value))
            .collect(),
        ..Judgement::default()
    };
    let comparison = compare(&judgement([1.0, 0.5, 0.5]), &judgement([0.0, 1.0, 0.5]), 0);
    let measure = Measure::from_name("RR@10").expect("a measure");
    let head = "\
RR@10, before, after, gain
  mean over repositories 0.6667 0.5000 -0.1667
  mean over queries      0.6667 0.5000 -0.1667
  1 better, 1 worse, 1 equal; p = 1.0000 (paired randomisation)
";
    assert_eq!(
        text(|out| write_comparison(&comparison, &Moves::new(), &measure, out)),
        format!(
            "{head}\
worse
  1.0000 0.0000 -1.0000  a
better
  0.5000 1.0000 +0.5000  b
"
        )
    );

    let one = |name: &str, before, after, parts: &[(&str, f32)], margin| Move {
        target: Target { name: name.to_owned(), lines: None },
        before,
        after,
        passed: vec!["docs/x.md".to_owned(), "docs/y.md".to_owned()],
        parts: parts.iter().map(|(name, change)| ((*name).to_owned(), *change)).collect(),
        margin,
    };
    let up = one(
        "src/up.rs",
        Some(2),
        Some(1),
        &[("meaning", 0.5), ("path", -0.25), ("title", 0.125), ("names", 0.0625)],
        Margin::Passed,
    );
    let lost = one("src/lost.rs", Some(1), None, &[], Margin::Unknown);
    let same = one("src/same.rs", Some(3), Some(4), &[], Margin::Passed);
    let moves = Moves::from([
        ("a".to_owned(), ("pay it back".to_owned(), vec![lost])),
        ("b".to_owned(), ("b".to_owned(), vec![same, up])),
    ]);
    assert_eq!(
        text(|out| write_comparison(&comparison, &moves, &measure, out)),
        format!(
            "{head}\
signals behind the moves  better   worse     mean
  meaning                      1       0   +0.500
  path                         0       0   -0.250
  title                        0       0   +0.125
  names                        0       0   +0.062
worse
  1.0000 0.0000 -1.0000  a  pay it back
      src/lost.rs  rank 1 to none, behind docs/x.md and 1 more
better
  0.5000 1.0000 +0.5000  b
      src/up.rs  rank 2 to 1, ahead of docs/x.md and 1 more: meaning +0.500, path -0.250, title +0.125
      src/same.rs  rank 3 to 4, behind docs/x.md and 1 more: no part changed
"
        )
    );
}
