//! The exactness law of lexical queries: results depend on live content only, and equal BM25.

use std::collections::BTreeMap;

use lore_index::{
    Backend, DocumentSet, FieldTerm, IndexLocation, LexicalQuery, Store, TermGroup, default_backend,
};
use lore_schema::{Category, Field, Filter, Part, SourceName, SymbolKind};
use proptest::prelude::*;

use crate::{
    backends, beside,
    corpus::{Page, Piece, Shelf, commit, content_of, restore, shelve, unit},
    in_folder,
    oracle::{Answer, Scores, Units, answer, comparable},
};

const WORDS: [&str; 7] = ["ab", "cd", "ef", "gh", "common", "ünïcode", "_"];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&WORDS[..]), 0..9).prop_map(|words| words.join(" "))
}

fn fields(level: &'static [Field]) -> impl Strategy<Value = Vec<(Field, String)>> {
    let count = level.len();
    prop::collection::vec(text(), count)
        .prop_map(move |texts| level.iter().copied().zip(texts).collect())
}

fn piece() -> impl Strategy<Value = Piece> {
    let symbol = prop::option::of(prop::sample::select(SymbolKind::ALL));
    (symbol, fields(&Field::ALL[..5])).prop_map(|(symbol, fields)| Piece { symbol, fields })
}

/// Pages of the unit with this number. Locators are unique over all units.
pub(crate) fn pages(unit: u8) -> impl Strategy<Value = Vec<Page>> {
    let page = (
        0_usize..3,
        prop::sample::select(Category::ALL),
        prop::option::of(-2_i64..3),
        fields(&Field::ALL[5..]),
        prop::collection::vec(piece(), 0..5),
    );
    prop::collection::vec(page, 0..3).prop_map(move |pages| {
        let locator =
            |index: usize| format!("{}/{unit}#{index}", ["src", "docs"][usize::from(unit) % 2]);
        pages
            .into_iter()
            .enumerate()
            .map(|(index, (kind, category, updated, fields, chunks))| Page {
                outline: None,
                locator: locator(index),
                path: locator(index),
                kind: ["file", "spec", "ticket"][kind].to_owned(),
                language: (kind > 0).then(|| ["", "rust", "go"][kind].to_owned()),
                category,
                updated,
                fields,
                chunks,
            })
            .collect()
    })
}

#[derive(Debug, Clone)]
pub(crate) enum Step {
    Replace(u8, Vec<Page>),
    Delete(u8),
    /// Restores one of the contents that a unit had before.
    Restore(u8, prop::sample::Index),
    /// Commits a part of the change.
    Part,
    Commit,
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let replace = (0_u8..6)
        .prop_flat_map(|unit| pages(unit).prop_map(move |pages| Step::Replace(unit, pages)));
    let step = prop_oneof![
        6 => replace,
        1 => (0_u8..6).prop_map(Step::Delete),
        4 => (0_u8..6, any::<prop::sample::Index>())
            .prop_map(|(unit, index)| Step::Restore(unit, index)),
        1 => Just(Step::Part),
        2 => Just(Step::Commit),
    ];
    prop::collection::vec(step, 1..24)
}

pub(crate) fn query() -> impl Strategy<Value = LexicalQuery> {
    let form = (
        prop::sample::select(Field::ALL),
        prop::sample::select(&WORDS[..6]),
        prop::sample::select(&[1.0_f32, 0.5, 0.25][..]),
    )
        .prop_map(|(field, term, weight)| FieldTerm { field, term: term.to_owned(), weight });
    let weight = prop_oneof![4 => Just(1.0_f32), 1 => Just(0.25), 1 => Just(0.0), 1 => Just(-1.0)];
    let optional = prop_oneof![4 => Just(false), 1 => Just(true)];
    let group = (prop::collection::vec(form, 0..7), weight, optional)
        .prop_map(|(forms, weight, optional)| TermGroup { forms, weight, optional });
    (prop::collection::vec(group, 1..4), 0_usize..4).prop_map(|(groups, chunks_per_document)| {
        LexicalQuery {
            groups,
            weights: [1.0, 0.7, 0.0, 2.0, 0.4, 1.5, 0.3, 0.0, 0.9, 1.1, 0.2, 0.6],
            chunks_per_document,
            within: DocumentSet::all(),
            ..LexicalQuery::default()
        }
    })
}

pub(crate) fn filter() -> impl Strategy<Value = Filter> {
    let kinds: Vec<Vec<String>> = [&[][..], &["function"], &["spec"], &["file", "class"], &["no"]]
        .iter()
        .map(|kinds| kinds.iter().map(|kind| (*kind).to_owned()).collect())
        .collect();
    let source = prop_oneof![Just(Vec::new()), Just(vec![SourceName::Code])];
    let folder = || prop_oneof![3 => Just(Vec::new()), 1 => Just(vec!["src".to_owned()])];
    let language = prop_oneof![3 => Just(Vec::new()), 1 => Just(vec!["go".to_owned()])];
    let category = prop_oneof![3 => Just(Vec::new()), 1 => Just(Category::ALL[2..6].to_vec())];
    let without = prop_oneof![3 => Just(Vec::new()), 1 => Just(Category::ALL[4..].to_vec())];
    let part = (
        prop_oneof![4 => Just(SourceName::Code), 1 => Just(SourceName::Docs)],
        folder(),
        prop_oneof![1 => Just(Vec::new()), 1 => Just(Category::ALL[3..7].to_vec())],
    )
        .prop_map(|(source, paths, categories)| Part { source, paths, categories });
    let parts = prop_oneof![2 => Just(Vec::new()), 1 => prop::collection::vec(part, 1..3)];
    let date = || prop_oneof![3 => Just(None), 1 => (-1_i64..2).prop_map(Some)];
    let dates =
        prop_oneof![Just(BTreeMap::new()), Just(BTreeMap::from([("src/0#0".to_owned(), 1_i64)]))];
    (
        source,
        folder(),
        folder(),
        language,
        prop::sample::select(kinds),
        (category, without, parts),
        (date(), date(), dates),
    )
        .prop_map(
            |(
                sources,
                paths,
                excludes,
                languages,
                kinds,
                (categories, without, parts),
                (since, until, dates),
            )| {
                Filter {
                    parts,
                    without,
                    sources,
                    paths,
                    excludes,
                    languages,
                    kinds,
                    categories,
                    since,
                    until,
                    dates,
                }
            },
        )
}

fn unit_name(number: u8) -> String {
    format!("unit {number}")
}

/// Applies steps and a final commit to a store that has some units.
pub(crate) fn apply(
    store: &dyn Store,
    mut units: Units,
    steps: &[Step],
    shelf: &mut Shelf<Page>,
) -> Units {
    for (number, steps) in steps.split(|step| matches!(step, Step::Commit)).enumerate() {
        let (before, base) = (units.clone(), store.reader().expect("a reader"));
        commit(store, &format!("{number}"), |writer| {
            for step in steps {
                match step {
                    Step::Replace(number, pages) => {
                        units.insert(unit_name(*number), pages.clone());
                        let content = content_of(pages);
                        writer.replace(unit(&unit_name(*number), content, pages))?;
                    }
                    Step::Restore(number, index) => {
                        let name = unit_name(*number);
                        if let Some(pages) = restore(shelf, &*base, writer, &name, *index)? {
                            units.insert(name, pages);
                        }
                    }
                    Step::Delete(number) => {
                        units.remove(&unit_name(*number));
                        writer.delete(&unit_name(*number))?;
                    }
                    Step::Part => writer.commit_part()?,
                    Step::Commit => unreachable!("split away"),
                }
            }
            Ok(())
        });
        for name in before.keys() {
            shelve(shelf, &*base, name, &before);
        }
    }
    units
}

pub(crate) fn ask(
    store: &dyn Store,
    query: &LexicalQuery,
    filter: &Filter,
    limit: usize,
) -> Answer {
    let reader = store.reader().expect("a reader");
    let matches = reader.lexical(query, filter, limit).expect("an answer");
    comparable(&*reader, query, &matches)
}

fn close(left: f32, right: f32) -> bool {
    (left - right).abs() <= 1e-5 * left.abs().max(1.0)
}

fn scores_close(left: &Scores, right: &Scores) -> bool {
    left.keys().eq(right.keys()) && left.values().zip(right.values()).all(|(l, r)| close(*l, *r))
}

/// Compares with the oracle. If the oracle's sums differ by rounding only, both orders are
/// accepted.
fn assert_agrees(found: &Answer, expected: &Answer, limit: usize) {
    assert_eq!(found.total, expected.total);
    assert_eq!(found.matched_all, expected.matched_all);
    assert_eq!(found.group_documents, expected.group_documents);
    for (left, right) in found.idf.iter().flatten().zip(expected.idf.iter().flatten()) {
        assert!(close(*left, *right), "{left} {right}");
    }
    assert_eq!(found.candidates.len(), expected.candidates.len().min(limit));
    let by_locator: BTreeMap<&str, &_> =
        expected.candidates.iter().map(|other| (other.locator.as_str(), other)).collect();
    for (found, at_place) in found.candidates.iter().zip(&expected.candidates) {
        let expected = by_locator[found.locator.as_str()];
        assert!(close(expected.score, at_place.score), "{found:?}\n{at_place:?}");
        assert!(scores_close(&found.evidence, &expected.evidence), "{found:?}\n{expected:?}");
        assert_eq!(found.chunks.len(), expected.chunks.len(), "{found:?}\n{expected:?}");
        for (ordinal, scores) in &found.chunks {
            if let Some((_, expected)) = expected.chunks.iter().find(|(other, _)| other == ordinal)
            {
                assert!(scores_close(scores, expected), "{scores:?}\n{expected:?}");
            }
        }
    }
}

fn check(
    backend: &dyn Backend,
    place: &IndexLocation,
    steps: &[Step],
    questions: &[(LexicalQuery, Filter, usize)],
) {
    let open = |place| backend.open(SourceName::Code, place, "test").expect("opens");
    let store = open(place);
    let units = apply(&*store, Units::new(), steps, &mut Shelf::new());
    let fresh = open(&beside(place));
    commit(&*fresh, "fresh", |writer| {
        // Another order than in the history.
        units.iter().rev().try_for_each(|(name, pages)| writer.replace(unit(name, 1, pages)))
    });
    for (query, filter, limit) in questions {
        let found = ask(&*store, query, filter, *limit);
        assert_eq!(found, ask(&*fresh, query, filter, *limit), "the history must not matter");
        let expected = answer(&units, query, filter, usize::MAX);
        assert_agrees(&found, &expected, *limit);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn answers_depend_on_live_content_only(
        steps in steps(),
        questions in prop::collection::vec((query(), filter(), 0_usize..12), 12),
    ) {
        for backend in backends() {
            check(backend, &IndexLocation::Memory, &steps, &questions);
            in_folder(|place| check(backend, place, &steps, &questions));
        }
    }
}

/// tantivy rounds lengths from 41 on: longer fields have the score of a length that is at most an
/// eighth shorter.
#[test]
fn lengths_of_long_fields_are_rounded_down() {
    let store =
        default_backend().open(SourceName::Code, &IndexLocation::Memory, "test").expect("opens");
    let long = |length: usize| vec!["filler"; length - 1].join(" ") + " needle";
    let lengths = [40_usize, 41, 100, 1000, 30_000];
    let reader = commit(&*store, "", |writer| {
        let bodies: Vec<String> = lengths.iter().map(|length| long(*length)).collect();
        let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
        writer.replace(unit("a", 1, &[Page::new("a", "", &bodies)]))
    });
    let term = FieldTerm { field: Field::Body, term: "needle".to_owned(), weight: 1.0 };
    let query = LexicalQuery {
        groups: vec![TermGroup { forms: vec![term], weight: 1.0, optional: false }],
        weights: [1.0; Field::ALL.len()],
        chunks_per_document: lengths.len(),
        within: DocumentSet::all(),
        ..LexicalQuery::default()
    };
    let matches = reader.lexical(&query, &Filter::default(), 1).expect("an answer");
    let average = lengths.iter().sum::<usize>() as f32 / lengths.len() as f32;
    let idf = matches.groups[0].idf[Field::Body.index()];
    for (chunk, length) in matches.candidates[0].chunks.iter().zip(lengths) {
        let score = |length: f32| idf * 2.2 / (1.0 + 1.2 * (0.25 + 0.75 * length / average));
        let found = chunk.evidence.get(0, Field::Body);
        let (low, high) = (score(length as f32), score(length as f32 * 7.0 / 8.0));
        assert!((low - 1e-6..=high + 1e-6).contains(&found), "{length}: {low} {found} {high}");
        if length <= 40 {
            assert!((low - found).abs() < 1e-6);
        }
    }
}
