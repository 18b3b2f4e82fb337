//! The exactness law of dense queries: results depend on live content only, and equal those of
//! comparing every rounded vector.

use std::collections::{BTreeMap, BTreeSet};

use lore_index::{
    Backend, DenseQuery, DocumentId, DocumentSet, DocumentVectors, IndexLocation, Reader, Store,
    UnitUpdate,
};
use lore_schema::{Filter, SourceName};
use proptest::prelude::*;

use crate::{
    backends, beside,
    corpus::{Page, Shelf, commit, content_of, restore, shelve, unit},
    in_folder,
    laws::{filter, pages},
    oracle::admitted,
};

const MODELS: [&str; 3] = ["one", "other", "third"];

/// Vectors of the chunks of a document.
type Vectors = Vec<Vec<f32>>;

/// A document with its vectors by model.
#[derive(Debug, Clone)]
pub(crate) struct Embedded {
    page: Page,
    vectors: BTreeMap<&'static str, Vectors>,
}

pub(crate) type Units = BTreeMap<String, Vec<Embedded>>;

#[derive(Debug, Clone)]
pub(crate) enum Step {
    Replace(u8, Vec<Embedded>),
    Delete(u8),
    /// Restores one of the contents that a unit had before.
    Restore(u8, prop::sample::Index),
    /// Index of the document in the base, seed of its vectors.
    Embed(prop::sample::Index, &'static str, u64),
    Keep(Vec<&'static str>),
    Commit,
}

/// Vectors for some chunks, of few small numbers so that there are ties; sometimes none.
fn vectors(model: &str, chunks: usize, seed: u64) -> Vectors {
    let mut state = seed;
    let mut next = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    if next() % 7 == 0 {
        return Vec::new();
    }
    // Different seeds of a model give dissimilar vectors.
    let dimension = if next() % 10 == 0 { 5 } else { [3, 17, 40][index_of(model)] };
    let component = |value: u64| (value % 5) as f32 - 2.0;
    (0..chunks)
        .map(|_| match next() % 6 {
            0 => Vec::new(),
            _ => (0..dimension).map(|_| component(next())).collect(),
        })
        .collect()
}

fn index_of(model: &str) -> usize {
    MODELS.iter().position(|other| *other == model).expect("a model")
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let documents = |unit: u8| {
        let seeds = prop::collection::vec((any::<u64>(), 0_usize..8), 3);
        (pages(unit), seeds).prop_map(|(pages, seeds)| {
            let embed = |(page, (seed, models)): (Page, (u64, usize))| {
                let models = MODELS.into_iter().filter(|model| models >> index_of(model) & 1 == 1);
                let vectors = models.map(|model| (model, vectors(model, page.chunks.len(), seed)));
                Embedded { vectors: vectors.collect(), page }
            };
            pages.into_iter().zip(seeds).map(embed).collect()
        })
    };
    let replace = (0_u8..6)
        .prop_flat_map(move |unit| documents(unit).prop_map(move |all| Step::Replace(unit, all)));
    let model = || prop::sample::select(&MODELS[..]);
    let step = prop_oneof![
        8 => replace,
        1 => (0_u8..6).prop_map(Step::Delete),
        4 => (0_u8..6, any::<prop::sample::Index>())
            .prop_map(|(unit, index)| Step::Restore(unit, index)),
        4 => (any::<prop::sample::Index>(), model(), any::<u64>())
            .prop_map(|(index, model, seed)| Step::Embed(index, model, seed)),
        1 => prop::sample::subsequence(&MODELS[..], 1..3).prop_map(Step::Keep),
        5 => Just(Step::Commit),
    ];
    prop::collection::vec(step, 1..50)
}

fn unit_name(number: u8) -> String {
    format!("unit {number}")
}

fn made(model: &str, chunks: &Vectors) -> DocumentVectors {
    DocumentVectors { model: model.into(), chunks: chunks.clone() }
}

pub(crate) fn update(name: &str, documents: &[Embedded]) -> UnitUpdate {
    let pages: Vec<Page> = documents.iter().map(|document| document.page.clone()).collect();
    let mut update = unit(name, content_of(&documents), &pages);
    for (indexed, document) in update.documents.iter_mut().zip(documents) {
        let all = document.vectors.iter();
        indexed.vectors = all.map(|(model, chunks)| made(model, chunks)).collect();
    }
    update
}

/// Live documents with their locators.
fn listed(reader: &dyn Reader) -> Vec<(String, DocumentId)> {
    let listing = reader.listing(&Filter::default()).expect("a listing");
    listing.iter().map(|listed| (listed.path.to_owned(), listed.id)).collect()
}

/// Applies steps and a final commit to a store that has some units.
pub(crate) fn apply(
    store: &dyn Store,
    mut units: Units,
    steps: &[Step],
    shelf: &mut Shelf<Embedded>,
) -> Units {
    for steps in steps.split(|step| matches!(step, Step::Commit)) {
        let base = units.clone();
        let reader = store.reader().expect("a reader");
        let documents = listed(&*reader);
        let mut touched = BTreeSet::new();
        let mut embedded = Vec::new();
        let mut kept: Option<&[&str]> = None;
        commit(store, "", |writer| {
            for step in steps {
                match step {
                    Step::Replace(number, documents) => {
                        touched.insert(unit_name(*number));
                        units.insert(unit_name(*number), documents.clone());
                        writer.replace(update(&unit_name(*number), documents))?;
                    }
                    Step::Delete(number) => {
                        touched.insert(unit_name(*number));
                        units.remove(&unit_name(*number));
                        writer.delete(&unit_name(*number))?;
                    }
                    Step::Restore(number, index) => {
                        let name = unit_name(*number);
                        if let Some(documents) = restore(shelf, &*reader, writer, &name, *index)? {
                            touched.insert(name.clone());
                            units.insert(name, documents);
                        }
                    }
                    Step::Embed(index, model, seed) => {
                        if documents.is_empty() {
                            continue;
                        }
                        let (locator, id) = index.get(&documents);
                        let all = base.values().flatten();
                        let page = all.map(|document| &document.page);
                        let chunks = page
                            .filter(|page| page.locator == *locator)
                            .map(|page| page.chunks.len())
                            .next()
                            .expect("is in the base");
                        let chunks = vectors(model, chunks, *seed);
                        writer.embed(*id, made(model, &chunks))?;
                        embedded.push((locator.clone(), *model, chunks));
                    }
                    Step::Keep(models) => {
                        kept = Some(models);
                        writer.keep_models(models)?;
                    }
                    Step::Commit => unreachable!("split away"),
                }
            }
            Ok(())
        });
        for name in base.keys() {
            shelve(shelf, &*reader, name, &base);
        }
        for (name, documents) in &mut units {
            for document in documents {
                for (locator, model, chunks) in &embedded {
                    if document.page.locator == *locator && !touched.contains(name) {
                        document.vectors.insert(model, chunks.clone());
                    }
                }
                document.vectors.retain(|model, _| kept.is_none_or(|kept| kept.contains(model)));
            }
        }
    }
    units
}

/// Rounds to single precision.
#[expect(clippy::cast_possible_truncation, reason = "rounding is intended")]
fn single(value: f64) -> f32 {
    value as f32
}

/// Rounds a vector to integers. Returns also 1 over its length.
#[expect(clippy::cast_possible_truncation, reason = "the numbers are small")]
fn rounded(vector: &[f32], stretch: f64) -> (Vec<i64>, f64) {
    let numbers: Vec<i64> =
        vector.iter().map(|value| (f64::from(*value) * stretch).round() as i64).collect();
    let length = numbers.iter().map(|number| (number * number) as f64).sum::<f64>().sqrt();
    (numbers, 1.0 / length)
}

/// Rounds a chunk's vector like an index; `None` if it has no direction.
fn row(vector: &[f32]) -> Option<(Vec<i64>, f32)> {
    let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    let (numbers, scale) = rounded(vector, 127.0 / f64::from(largest));
    (largest > 0.0).then_some((numbers, single(scale)))
}

/// The similarity of two vectors after rounding.
fn similarity(query: &[f32], chunk: &[f32]) -> Option<f32> {
    let (chunk, scale) = row(chunk)?;
    let absolute = || query.iter().map(|value| f64::from(value.abs()));
    let room = f64::from(i32::MAX) / 127.0 - query.len() as f64 / 2.0;
    let largest = absolute().fold(0.0, f64::max);
    let stretch = (32_767.0 / largest).min(room / absolute().sum::<f64>());
    let (query, query_scale) = rounded(query, stretch);
    if largest == 0.0 || query.len() != chunk.len() {
        return None;
    }
    let sum: i64 = query.iter().zip(&chunk).map(|(left, right)| left * right).sum();
    Some(single(sum as f64 * f64::from(scale) * query_scale).clamp(-1.0, 1.0))
}

/// The similarity without rounding.
fn cosine(query: &[f32], chunk: &[f32]) -> f32 {
    let product = |left: &[f32], right: &[f32]| -> f32 {
        left.iter().zip(right).map(|(left, right)| left * right).sum()
    };
    product(query, chunk) / (product(query, query) * product(chunk, chunk)).sqrt()
}

/// A result, comparable across readers: locators, then ordinals and similarities.
type ComparableMatches = Vec<(String, Vec<(u32, f32)>)>;

/// Answers a query by a full scan.
fn expected(
    units: &Units,
    query: &DenseQuery,
    filter: &Filter,
    within: Option<&BTreeSet<String>>,
) -> ComparableMatches {
    let mut found = ComparableMatches::new();
    for document in units.values().flatten() {
        let locator = &document.page.locator;
        let Some(symbols) = admitted(&document.page, filter) else { continue };
        let Some(vectors) = document.vectors.get(&*query.model) else { continue };
        if within.is_some_and(|within| !within.contains(locator)) {
            continue;
        }
        let mut chunks = Vec::new();
        for ((ordinal, vector), piece) in (0_u32..).zip(vectors).zip(&document.page.chunks) {
            let admitted =
                symbols.is_empty() || piece.symbol.is_some_and(|kind| symbols.contains(&kind));
            if admitted && let Some(similarity) = similarity(&query.vector, vector) {
                let exact = cosine(&query.vector, vector);
                assert!((similarity - exact).abs() < 0.03, "{similarity} is not near {exact}");
                if query.min_similarity.is_none_or(|min_similarity| similarity >= min_similarity) {
                    chunks.push((ordinal, similarity));
                }
            }
        }
        chunks.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        if !chunks.is_empty() {
            found.push((locator.clone(), chunks));
        }
    }
    found.sort_by(|(left, left_chunks), (right, right_chunks)| {
        right_chunks[0].1.total_cmp(&left_chunks[0].1).then_with(|| left.cmp(right))
    });
    for (_, chunks) in &mut found {
        chunks.truncate(query.chunks_per_document);
    }
    found
}

fn comparable(reader: &dyn Reader, all: &[lore_index::Similar]) -> ComparableMatches {
    let entry = |similar: &lore_index::Similar| {
        let document = reader.documents(&[similar.id]).expect("loads").remove(0);
        let chunks = similar.chunks.iter().map(|chunk| {
            let stored = reader.chunks(&[chunk.id]).expect("loads").remove(0);
            (stored.ordinal, chunk.similarity)
        });
        (document.key.locator, chunks.collect())
    };
    all.iter().map(entry).collect()
}

#[derive(Debug, Clone)]
pub(crate) struct Question {
    query: DenseQuery,
    filter: Filter,
    limit: usize,
    /// Documents that may be found, as bits; `None` for all.
    within: Option<u64>,
}

pub(crate) fn question() -> impl Strategy<Value = Question> {
    let model = prop::sample::select(&MODELS[..]);
    let query = (model, any::<u64>()).prop_map(|(model, seed)| {
        let all = (0..40).map(|more| vectors(model, 1, seed.wrapping_add(more)));
        (model, all.flatten().find(|vector| !vector.is_empty()).expect("one of forty"))
    });
    let filter = prop_oneof![1 => Just(Filter::default()), 2 => filter()];
    let within = prop_oneof![1 => Just(None), 1 => any::<u64>().prop_map(Some)];
    let min_similarity = prop_oneof![2 => Just(None), 1 => (-0.5_f32..0.9).prop_map(Some)];
    (query, filter, (0_usize..4, min_similarity, 0_usize..4), 0_usize..12, within).prop_map(
        |(
            (model, vector),
            filter,
            (chunks_per_document, min_similarity, threads),
            limit,
            within,
        )| {
            Question {
                query: DenseQuery {
                    model: model.into(),
                    vector,
                    chunks_per_document,
                    min_similarity,
                    within: DocumentSet::all(),
                    threads,
                },
                filter,
                limit,
                within,
            }
        },
    )
}

pub(crate) fn check(reader: &dyn Reader, units: &Units, question: &Question) {
    let Question { query, filter, limit, within } = question;
    let documents = listed(reader);
    let is_in = |position: usize| within.is_none_or(|bits| bits >> (position % 64) & 1 == 1);
    let chosen: Vec<_> =
        documents.iter().enumerate().filter(|(position, _)| is_in(*position)).collect();
    let locators: BTreeSet<String> =
        chosen.iter().map(|(_, (locator, _))| locator.clone()).collect();
    let mut query = query.clone();
    if within.is_some() {
        query.within = DocumentSet::of(chosen.iter().map(|(_, (_, id))| *id));
    }
    let mut answer = expected(units, &query, filter, within.is_some().then_some(&locators));
    let matches = reader.dense(&query, filter, *limit).expect("an answer");
    assert_eq!(matches.total, answer.len() as u64);
    answer.truncate(*limit);
    assert_eq!(comparable(reader, &matches.candidates), answer);

    // Each document alone, whatever the set.
    let ids: Vec<DocumentId> = documents.iter().map(|(_, id)| *id).collect();
    let all: BTreeMap<String, _> = expected(units, &query, filter, None).into_iter().collect();
    let similar = reader.similar(&query, filter, &ids).expect("an answer");
    for ((locator, id), similar) in documents.iter().zip(&similar) {
        assert_eq!(similar.id, *id);
        let found = comparable(reader, std::slice::from_ref(similar)).remove(0).1;
        assert_eq!(found, all.get(locator).cloned().unwrap_or_default());
    }
}

/// Checks the counts, the unembedded documents and every vector.
pub(crate) fn check_content(reader: &dyn Reader, units: &Units) {
    let documents = listed(reader);
    for model in MODELS {
        let made: BTreeMap<&str, Option<&Vectors>> = units
            .values()
            .flatten()
            .map(|document| (document.page.locator.as_str(), document.vectors.get(model)))
            .collect();
        let with =
            |vectors: &&Vectors| vectors.iter().filter(|vector| row(vector).is_some()).count();
        let counts = reader.vector_counts(model).expect("counts");
        let looked_at: Vec<&Vectors> = made.values().copied().flatten().collect();
        assert_eq!(counts.documents, looked_at.len() as u64);
        assert_eq!(counts.missing, (made.len() - looked_at.len()) as u64);
        assert_eq!(counts.vectors, looked_at.iter().map(with).sum::<usize>() as u64);
        let missing = reader.unembedded(model, usize::MAX).expect("an answer");
        assert!(missing.is_sorted());
        let expected: Vec<DocumentId> = documents
            .iter()
            .filter(|(locator, _)| made[locator.as_str()].is_none())
            .map(|(_, id)| *id)
            .collect();
        assert_eq!(missing.iter().collect::<BTreeSet<_>>(), expected.iter().collect());
        assert_eq!(
            reader.unembedded(model, 2).expect("an answer"),
            missing[..missing.len().min(2)]
        );
        for (locator, id) in &documents {
            let vectors = made[locator.as_str()].cloned().unwrap_or_default();
            // The rows of a document's chunks precede its own row.
            let count = vectors.len() as u64;
            for (number, vector) in (id.number - count..).zip(&vectors) {
                let chunk = lore_index::ChunkId { source: id.source, number };
                let found = reader.vector(model, chunk).expect("loads");
                let expected = row(vector).map(|(numbers, scale)| -> Vec<f32> {
                    numbers.iter().map(|number| *number as f32 * scale).collect()
                });
                assert_eq!(found, expected);
            }
        }
    }
}

fn check_history(
    backend: &dyn Backend,
    place: &IndexLocation,
    steps: &[Step],
    questions: &[Question],
) {
    let open = |place| backend.open(SourceName::Code, place, "test").expect("opens");
    let store = open(place);
    let units = apply(&*store, Units::new(), steps, &mut Shelf::new());
    let fresh = open(&beside(place));
    commit(&*fresh, "fresh", |writer| {
        // Another order than in the history.
        units.iter().rev().try_for_each(|(name, documents)| writer.replace(update(name, documents)))
    });
    for store in [store, fresh] {
        let reader = store.reader().expect("a reader");
        check_content(&*reader, &units);
        for question in questions {
            check(&*reader, &units, question);
        }
        assert_eq!(store.verify().expect("verifies"), [""; 0]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn answers_depend_on_live_vectors_only(
        steps in steps(),
        questions in prop::collection::vec(question(), 12),
    ) {
        for backend in backends() {
            check_history(backend, &IndexLocation::Memory, &steps, &questions);
            in_folder(|place| check_history(backend, place, &steps, &questions));
        }
    }
}
