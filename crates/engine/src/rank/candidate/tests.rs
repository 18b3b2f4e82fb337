//! Laws of evidence.

use lore_schema::{
    Attributes, Category, ChunkKind, Conformance, ConformanceKind, DocKey, Span, SymbolKind, Trust,
    Visibility,
};
use proptest::prelude::*;

use super::*;
use crate::{
    Explanation, RankingConfig,
    query::parse,
    rank::{Balance, signals},
    state::analyze::MAX_NAMES,
};

const CHUNKS: usize = 4;

/// Evidence of one document: of its own row, then of each chunk.
type Rows = Vec<Vec<f32>>;

fn document() -> StoredDocument {
    StoredDocument {
        key: DocKey { source: SourceName::Code, locator: "src/refund.rs".to_owned() },
        path: "src/refund.rs".to_owned(),
        format: "files".to_owned(),
        kind: "file".to_owned(),
        title: String::new(),
        language: None,
        category: Category::Own,
        attributes: Attributes::default(),
        trust: Trust::Own,
        text: None,
        bytes: 0,
        fell_back: false,
        names: Vec::new(),
        outer_names: 0,
    }
}

fn score(query: &Query, rows: &Rows) -> f32 {
    explained(query, rows, document(), |_| {}).sum()
}

/// The parts of a document's score, after a change of its chunks.
fn explained(
    query: &Query,
    rows: &Rows,
    document: StoredDocument,
    change: impl Fn(&mut [StoredChunk]),
) -> Explanation {
    with_parts(query, rows, document, |mut parts, question| {
        change(&mut parts.chunks);
        explain(parts, question).0
    })
}

/// The parts of a document's score, and its best chunks.
fn explain(parts: CandidateParts, question: &Question<'_>) -> (Explanation, Vec<StoredChunk>) {
    let candidate = DocumentCandidate::new(parts, question);
    let balance = Balance::of_words();
    let explanation = signals::explain(
        &signals::values(question, &candidate),
        &signals::weights(&RankingConfig::default(), &balance),
    );
    (explanation, candidate.parts.chunks)
}

/// Makes something of one document, all of whose chunks were read.
fn with_parts<T>(
    query: &Query,
    rows: &Rows,
    document: StoredDocument,
    make: impl FnOnce(CandidateParts, &mut Question<'_>) -> T,
) -> T {
    let words = query.words.len();
    let statistics = GroupStatistics { idf: [3.0; Field::ALL.len()], documents: 5 };
    let statistics = vec![statistics; words];
    let rarity = vec![0.0; words];
    let frequency = vec![0; words];
    let mut question = Question::new(query, &statistics, &rarity, &frequency, SourceName::Code, 0);
    let evidence = |row: &[f32], level: Level| {
        let mut evidence = Evidence::zeros(words);
        for word in 0..words {
            for field in Field::ALL.iter().filter(|field| field.level() == level) {
                evidence.set(word, *field, row[word * Field::ALL.len() + field.index()]);
            }
        }
        evidence
    };
    let id = |number: u64| ChunkId { source: SourceName::Code, number };
    let span = Span { start: 0, end: 1, start_line: 1, end_line: 1 };
    let chunks = rows[1..].iter().zip(1..).map(|(row, number)| ChunkCandidate {
        id: id(number),
        evidence: evidence(row, Level::Chunk),
    });
    let stored = (0..CHUNKS).map(|ordinal| StoredChunk {
        ordinal: u32::try_from(ordinal).expect("a few"),
        span,
        kind: ChunkKind::Lines,
        symbol: None,
        symbols: Vec::new(),
        breadcrumb: Vec::new(),
        comments: Vec::new(),
    });
    let parts = CandidateParts {
        candidate: Candidate {
            id: DocumentId { source: SourceName::Code, number: 0 },
            evidence: evidence(&rows[0], Level::Document),
            chunks: chunks.collect(),
        },
        document,
        chunks: stored.collect(),
        similarities: Vec::new(),
    };
    make(parts, &mut question)
}

fn none(words: usize) -> Rows {
    vec![vec![0.0; words * Field::ALL.len()]; CHUNKS + 1]
}

/// The value of one signal.
fn value(
    name: &str,
    text: &str,
    document: StoredDocument,
    change: impl Fn(&mut [StoredChunk]),
) -> f32 {
    let query = parse(text);
    let explanation = explained(&query, &none(query.words.len()), document, change);
    let part = explanation.parts.iter().find(|part| part.name == name);
    part.expect("a signal of this name").value
}

#[test]
fn tests_rank_lower_unless_the_query_is_for_tests() {
    for (text, expected) in [
        ("retry a refund", 1.0),
        ("retry a refund and add tests", 0.25),
        ("tests of a refund", 0.0),
    ] {
        let test = StoredDocument { category: Category::Test, ..document() };
        let found = value("test", text, test, |_| {});
        assert!((found - expected).abs() < 1e-6, "{text}: {found}");
        let own = value("test", text, document(), |_| {});
        assert!(own.abs() < 1e-6, "{text}: {own}");
    }
}

#[test]
fn a_file_is_named_by_its_name_or_the_end_of_its_path() {
    for (text, expected) in [
        ("move it to refund.rs", 1.0),
        ("what is in src/refund.rs:12?", 1.0),
        ("move it to und.rs", 0.0),
        ("retry a refund", 0.0),
    ] {
        let found = value("named-file", text, document(), |_| {});
        assert!((found - expected).abs() < 1e-6, "{text}: {found}");
    }
}

#[test]
fn the_length_of_code_counts_in_how_queries() {
    let long = StoredDocument { bytes: 1 << 16, names: vec!["Refund".to_owned()], ..document() };
    let half = StoredDocument { bytes: 1 << 14, ..long.clone() };
    let log = StoredDocument { names: Vec::new(), ..long.clone() };
    let data = StoredDocument { category: Category::Data, ..long.clone() };
    let test = StoredDocument { category: Category::Test, ..long.clone() };
    for (text, document, expected) in [
        ("how is a refund retried", &long, 1.0),
        ("how is a refund retried", &half, 0.5),
        ("how is a refund retried", &log, 0.0),
        ("how is a refund retried", &data, 0.0),
        ("how is a refund retried", &test, 0.0),
        ("how is a refund tested", &test, 0.0),
        ("how is a refund tested", &long, 0.0),
        ("how many refunds are retried", &long, 0.0),
        ("refund retry", &long, 0.0),
    ] {
        let found = value("length", text, document.clone(), |_| {});
        assert!((found - expected).abs() < 1e-6, "{text}: {found}");
    }
}

#[test]
fn an_extension_stays_behind_where_nothing_else_was_found() {
    let extension = |base: &str| {
        let conformance = Conformance {
            kind: ConformanceKind::Implements,
            name: base.to_owned(),
            qualifier: None,
        };
        Symbol {
            name: "Refund".to_owned(),
            kind: SymbolKind::Impl,
            visibility: Visibility::default(),
            container: None,
            line: 1,
            start_line: 1,
            end_line: 1,
            repetition: 1,
            signature: String::new(),
            doc_comment: None,
            conformances: vec![conformance],
        }
    };
    for (first, second, text, expected) in [
        ("Debug", None, "how refunds are written", 1.0),
        ("Debug", Some("Clone"), "how refunds are written", 1.0),
        ("Debug", Some("Gateway"), "how refunds are written", 0.0),
        ("Gateway", None, "how refunds are written", 0.0),
        ("Debug", None, "how is `Refund::fmt` written", 0.0),
    ] {
        let found = value("standard-extension", text, document(), |chunks| {
            chunks[0].symbol = Some(extension(first));
            chunks[1].symbol = second.map(extension);
        });
        assert!((found - expected).abs() < 1e-6, "{first} {second:?} {text}: {found}");
    }
}

fn rows(words: usize) -> impl Strategy<Value = Rows> {
    let value = prop_oneof![3 => Just(0.0_f32), 2 => 0.0_f32..6.6];
    let row = prop::collection::vec(value, words * Field::ALL.len());
    prop::collection::vec(row, CHUNKS + 1)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn more_evidence_never_lowers_a_score(
        before in rows(3),
        row in 0..=CHUNKS,
        word in 0..3_usize,
        field in 0..Field::ALL.len(),
        more in 0.0_f32..6.6,
    ) {
        let query = parse("retry refund timeout");
        prop_assert_eq!(query.words.len(), 5, "three words and two pairs");
        let query = Query { words: query.words.into_iter().take(3).collect(), ..query };
        let mut after = before.clone();
        after[row][word * Field::ALL.len() + field] += more;
        let (low, high) = (score(&query, &before), score(&query, &after));
        prop_assert!(high >= low - 1e-5, "{} became {}", low, high);
    }

    /// The chunks that are left unread would have changed nothing, in whatever order they come.
    #[test]
    fn chunks_that_are_read_are_enough(
        // Few values, so that chunks tie.
        evidence_of in prop::collection::vec((0..3_u8, 0..3_u8), CHUNKS + 1),
        chunk_similarity in prop::collection::vec(prop::sample::select(&[0.0_f32, 0.2, 0.4][..]), CHUNKS),
        is_near in any::<bool>(),
        order in Just((0..CHUNKS).collect::<Vec<_>>()).prop_shuffle(),
        test in 0..=CHUNKS,
        names in prop_oneof![4 => Just(0_usize), 1 => Just(1), 1 => Just(MAX_NAMES)],
    ) {
        let query = parse("retry refund timeout");
        let query = Query { words: query.words.into_iter().take(3).collect(), ..query };
        let fields = 0..3 * Field::ALL.len();
        let row = |(even, odd): &(u8, u8)| {
            fields.clone().map(|at| f32::from(if at % 2 == 0 { *even } else { *odd })).collect()
        };
        let rows: Rows = evidence_of.iter().map(row).collect();
        let document = StoredDocument { names: vec!["tests".to_owned(); names], ..document() };
        let found = |mut parts: CandidateParts| {
            // Independent of whether the document defines the module of its chunk.
            if let Some(chunk) = parts.chunks.get_mut(test) {
                chunk.breadcrumb.push("tests".to_owned());
            }
            let chunks = parts.candidate.chunks;
            parts.candidate.chunks = order.iter().map(|at| chunks[*at].clone()).collect();
            parts.chunks = order.iter().map(|at| parts.chunks[*at].clone()).collect();
            parts.similarities = if is_near { chunk_similarity.clone() } else { Vec::new() };
            parts
        };
        let all = with_parts(&query, &rows, document.clone(), |parts, question| {
            explain(found(parts), question)
        });
        let some = with_parts(&query, &rows, document, |parts, question| {
            let mut parts = found(parts);
            let CandidateParts { candidate, document, similarities, .. } = &mut parts;
            let worth_reading = sort_chunks(candidate, similarities, document, question);
            let ids = parts.candidate.chunks[..worth_reading].iter().map(|chunk| chunk.id.number);
            // Numbers begin with 1, ordinals with 0.
            let read = ids.filter_map(|number| {
                parts.chunks.iter().find(|chunk| u64::from(chunk.ordinal) + 1 == number)
            });
            parts.chunks = read.cloned().collect();
            explain(parts, question)
        });
        prop_assert_eq!(all, some);
    }
}

#[test]
fn all_chunks_are_read_where_one_of_them_may_count_for_more_or_less() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    for (text, names, source, expected) in [
        ("retry a refund", names(&["Refund"]), SourceName::Code, CHUNKS_PER_DOCUMENT),
        ("retry a refund", names(&[]), SourceName::Code, CHUNKS_PER_DOCUMENT),
        ("retry a refund", names(&["Refund", "tests"]), SourceName::Code, CHUNKS),
        ("retry a refund", names(&["test"]), SourceName::Code, CHUNKS),
        ("retry a refund", names(&["name"; MAX_NAMES]), SourceName::Code, CHUNKS),
        ("retry a refund", names(&[]), SourceName::Docs, CHUNKS),
        ("retry a refund", names(&[]), SourceName::Patterns, CHUNKS),
        ("how is `Refund::fmt` written", names(&["Refund"]), SourceName::Code, CHUNKS),
        ("RefundRetry", names(&["Refund"]), SourceName::Code, CHUNKS),
    ] {
        let query = parse(text);
        let document = StoredDocument { names, ..document() };
        let rows = none(query.words.len());
        let found = with_parts(&query, &rows, document, |mut parts, question| {
            question.source = source;
            let CandidateParts { candidate, document, similarities, .. } = &mut parts;
            sort_chunks(candidate, similarities, document, question)
        });
        assert_eq!(found, expected, "{text} {source:?}");
    }
}
