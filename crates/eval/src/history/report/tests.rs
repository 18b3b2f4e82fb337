//! Tests of tables with bars.

use lore_engine::UnsuitableCommit;
use lore_schema::SourceName;

use super::*;
use crate::{Answer, Collection, Query, Ranked, Run, Target};

#[test]
fn bars_are_as_long_as_the_value() {
    let check = |bars: Bars, value: f64, expected: &str| {
        assert_eq!(bars.draw(value), expected, "{bars:?} {value}");
    };
    check(Bars::Ascii, 0.0, "");
    check(Bars::Ascii, 0.25, "#####");
    check(Bars::Ascii, 1.0, &"#".repeat(20));
    check(Bars::Ascii, 7.0, &"#".repeat(20));
    check(Bars::Blocks, 0.0, "");
    check(Bars::Blocks, 1.0, &"\u{2588}".repeat(20));
    // 3.5 columns, and an eighth of one.
    check(Bars::Blocks, 0.175, "\u{2588}\u{2588}\u{2588}\u{258c}");
    check(Bars::Blocks, 0.00625, "\u{258f}");
    check(Bars::Blocks, 0.04375, "\u{2589}");
}

/// Queries as `id month target rank`, each with an answer that has the target at that rank; 0 is
/// missing.
fn asked(queries: &[(&str, &str, &str, usize)]) -> (Collection, Run) {
    let (mut collection, mut run) = (Collection::default(), Run::default());
    collection.name = "shop".to_owned();
    for (id, month, target, rank) in queries {
        let result = |at| if at == *rank { (*target).to_owned() } else { format!("other{at}") };
        let results = (1..=10).map(|at| Ranked { path: result(at), ..Ranked::default() }).collect();
        run.insert(Answer { id: (*id).to_owned(), results, ..Answer::default() });
        collection.queries.push(Query {
            id: (*id).to_owned(),
            category: (*month).to_owned(),
            targets: vec![Target { name: (*target).to_owned(), lines: None }],
            ..Query::default()
        });
    }
    (collection, run)
}

#[test]
fn months_and_sources_have_a_row_each() {
    let test = SelfTest {
        root: std::path::PathBuf::new(),
        name: "shop".to_owned(),
        commits: Vec::new(),
        unfit: BTreeMap::from([
            (UnsuitableCommit::NoSingleParent, 2),
            (UnsuitableCommit::Subject, 3),
        ]),
    };
    let (collection, run) = asked(&[
        ("c3", "2025-02", "src/a.rs", 1),
        ("c2", "2025-02", "docs/b.md", 2),
        ("c1", "2024-11", "src/c.rs", 0),
    ]);
    let code = asked(&[("c3", "2025-02", "src/a.rs", 1), ("c1", "2024-11", "src/c.rs", 4)]);
    let docs = asked(&[("c2", "2025-02", "docs/b.md", 1)]);
    let answers = SelfAnswers {
        collection,
        run,
        sources: BTreeMap::from([(SourceName::Docs, docs), (SourceName::Code, code)]),
        unsearched: 4,
        ..SelfAnswers::default()
    };
    let measures = ["RR@10", "Success@1"].map(|name| Measure::from_name(name).expect("a measure"));
    let report = |answers: &SelfAnswers, measures: &[Measure]| {
        let mut out = Vec::new();
        write_self_report(&test, answers, measures, Bars::Ascii, &mut out).expect("written");
        String::from_utf8(out).expect("UTF-8")
    };
    assert_eq!(
        report(&answers, &measures),
        "\
shop: 3 commits, 2024-11 to 2025-02
                       commits      RR@10  Success@1
  all                        3     0.5000     0.3333  ##########
month
  2024-11                    1     0.0000     0.0000
  2025-02                    2     0.7500     0.5000  ###############
source, searched alone
  code                       2     0.6250     0.5000  #############
  docs                       1     1.0000     1.0000  ####################
skipped: 2 without exactly one parent, 3 with an unsuitable subject
skipped, since none of their files was searched: 4
"
    );
    assert_eq!(
        report(&SelfAnswers::default(), &measures),
        "\
shop: 0 commits
      commits      RR@10  Success@1
  all       0     0.0000     0.0000
skipped: 2 without exactly one parent, 3 with an unsuitable subject
"
    );
}
