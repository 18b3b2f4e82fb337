//! How long one query takes that is compared with every vector, on one core: the index, through its
//! public interface, beside the exact search of `usearch` over the same vectors in one byte a
//! component.
//!
//! ```text
//! cd benches/vectors && cargo run --release            # 100,000 and 1,000,000 vectors
//! cd benches/vectors && cargo run --release -- 50000   # any other number
//! ```
//!
//! The vectors lie in clusters, as those of texts do, and have 256 components. Documents have eight
//! chunks. The peer knows nothing of documents, filters and deletions.

use std::{
    error::Error,
    path::Path,
    time::{Duration, Instant},
};

use lore_index::{
    BACKENDS, DenseQuery, DocumentId, DocumentSet, DocumentVectors, IndexedChunk, IndexedDocument,
    Place, Reader, StoredChunk, StoredDocument, UnitUpdate,
};
use lore_schema::{
    Attributes, Category, ChunkKind, DocKey, Filter, SkipCounts, SourceName, Span, Stamp, Trust,
};
use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

const DIMENSION: usize = 256;
const CHUNKS: usize = 8;
const CLUSTERS: u64 = 2_000;
/// How far a vector lies from the middle of its cluster, against its length.
const SPREAD: f32 = 0.8;
const QUERIES: u64 = 200;
/// Documents, or vectors for the peer, that are asked for.
const LIMIT: usize = 50;
const MODEL: &str = "bench";

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A sequence of numbers from a seed (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Near enough to a normal distribution of mean 0: a sum of four even ones.
    fn normal(&mut self) -> f32 {
        let bits = self.next();
        let sum: u64 = (0..4).map(|part| bits >> (part * 16) & 0xFFFF).sum();
        sum as f32 / 65_536.0 - 2.0
    }
}

fn of_length_1(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|value| *value /= length);
    vector
}

fn middles() -> Vec<Vec<f32>> {
    let middle = |cluster: u64| {
        let mut numbers = Numbers(cluster << 32);
        of_length_1((0..DIMENSION).map(|_| numbers.normal()).collect())
    };
    (0..CLUSTERS).map(middle).collect()
}

/// The vector with a number.
fn vector(middles: &[Vec<f32>], number: u64) -> Vec<f32> {
    let mut numbers = Numbers(number.wrapping_mul(0xD134_2543_DE82_EF95));
    let middle = &middles[(numbers.next() % CLUSTERS) as usize];
    // The length of so many normal components with a deviation of 0.577 each.
    let scale = SPREAD / (0.577 * (DIMENSION as f32).sqrt());
    of_length_1(middle.iter().map(|value| value + scale * numbers.normal()).collect())
}

fn document(middles: &[Vec<f32>], number: u64) -> UnitUpdate {
    let name = format!("{number}");
    let chunks = CHUNKS as u64;
    let chunk = |ordinal: u32| IndexedChunk {
        stored: StoredChunk {
            ordinal,
            span: Span { start: 0, end: 1, start_line: 1, end_line: 1 },
            kind: ChunkKind::Lines,
            symbol: None,
            symbols: Vec::new(),
            breadcrumb: Vec::new(),
        },
        terms: Vec::new(),
    };
    let stored = StoredDocument {
        key: DocKey { source: SourceName::Code, locator: name.clone() },
        path: name.clone(),
        format: "files".to_owned(),
        kind: "file".to_owned(),
        title: String::new(),
        language: None,
        category: Category::Own,
        attributes: Attributes::default(),
        trust: Trust::Own,
        text: None,
        bytes: 1,
        fell_back: false,
        names: Vec::new(),
        outer_names: 0,
    };
    let vectors = DocumentVectors {
        model: MODEL.into(),
        chunks: (0..chunks).map(|chunk| vector(middles, number * chunks + chunk)).collect(),
    };
    UnitUpdate {
        name,
        stamp: Stamp { metadata: 1, content: 1 },
        skipped: SkipCounts::new(),
        documents: vec![IndexedDocument {
            stored,
            terms: Vec::new(),
            chunks: (0..CHUNKS as u32).map(chunk).collect(),
            vectors: vec![vectors],
            outline: None,
        }],
    }
}

fn query(vector: Vec<f32>) -> DenseQuery {
    DenseQuery {
        model: MODEL.into(),
        vector,
        chunks_per_document: 3,
        least: None,
        within: DocumentSet::all(),
    }
}

/// What took how long.
struct Times(Vec<Duration>);

impl Times {
    fn show(mut self, what: &str) {
        self.0.sort_unstable();
        let at = |share: usize| self.0[(self.0.len() - 1) * share / 100].as_secs_f64() * 1e3;
        println!("  {what:<44} median {:8.3} ms   p99 {:8.3} ms", at(50), at(99));
    }
}

fn timed<T>(times: &mut Times, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    times.0.push(start.elapsed());
    result
}

fn write(folder: &Path, middles: &[Vec<f32>], count: u64) -> Outcome<()> {
    let place = Place::Folder(folder.to_owned());
    let store = BACKENDS[0].open(SourceName::Code, &place, "bench")?;
    let writer = store.writer(&*store.reader()?)?;
    for number in 0..count / CHUNKS as u64 {
        writer.replace(document(middles, number))?;
    }
    Ok(writer.commit("")?)
}

fn open(folder: &Path) -> Outcome<Box<dyn Reader>> {
    let place = Place::Folder(folder.to_owned());
    Ok(BACKENDS[0].open(SourceName::Code, &place, "bench")?.reader()?)
}

/// The numbers of the documents that each query finds.
fn ask_index(folder: &Path, queries: &[Vec<f32>]) -> Outcome<Vec<Vec<u64>>> {
    let filter = Filter::default();
    let (mut opening, mut first) = (Times(Vec::new()), Times(Vec::new()));
    for vector in &queries[..10] {
        let reader = timed(&mut opening, || open(folder))?;
        timed(&mut first, || reader.dense(&query(vector.clone()), &filter, LIMIT))?;
    }
    opening.show("index: opening");
    first.show("index: the first query of a reader");
    let reader = open(folder)?;
    let mut times = Times(Vec::new());
    let mut all = Vec::new();
    for vector in queries {
        let query = query(vector.clone());
        all.push(timed(&mut times, || reader.dense(&query, &filter, LIMIT))?);
    }
    // The first one makes ready what all need.
    times.0.remove(0);
    times.show("index: every chunk");
    let mut times = Times(Vec::new());
    let some: Vec<DocumentId> = all
        .iter()
        .flat_map(|matches| &matches.candidates)
        .map(|candidate| candidate.id)
        .take(200)
        .collect();
    for vector in queries {
        let query = query(vector.clone());
        timed(&mut times, || reader.similar(&query, &some))?;
    }
    times.show(&format!("index: the chunks of {} documents", some.len()));
    all.iter()
        .map(|matches| {
            let ids: Vec<DocumentId> = matches.candidates.iter().map(|found| found.id).collect();
            let documents = reader.documents(&ids)?;
            Ok(documents
                .iter()
                .map(|document| document.key.locator.parse())
                .collect::<Result<_, _>>()?)
        })
        .collect()
}

/// The numbers of the vectors that each query finds.
fn ask_peer(middles: &[Vec<f32>], count: u64, queries: &[Vec<f32>]) -> Outcome<Vec<Vec<u64>>> {
    // The graph is never asked: it may be as bad as it likes.
    let index = Index::new(&IndexOptions {
        dimensions: DIMENSION,
        metric: MetricKind::Cos,
        quantization: ScalarKind::I8,
        connectivity: 2,
        expansion_add: 1,
        expansion_search: 1,
        ..IndexOptions::default()
    })?;
    index.reserve(count as usize)?;
    for number in 0..count {
        index.add(number, &vector(middles, number))?;
    }
    let mut times = Times(Vec::new());
    let mut all = Vec::new();
    for query in queries {
        timed(&mut times, || index.exact_search(query, LIMIT))?;
        // Several vectors may be of one document.
        all.push(index.exact_search(query, LIMIT * CHUNKS)?.keys);
    }
    times.show(&format!("usearch ({}): every vector", index.hardware_acceleration()));
    Ok(all)
}

fn main() -> Outcome<()> {
    let counts: Vec<u64> =
        std::env::args().skip(1).map(|count| count.parse()).collect::<Result<_, _>>()?;
    let counts = if counts.is_empty() { vec![100_000, 1_000_000] } else { counts };
    let middles = middles();
    let queries: Vec<Vec<f32>> =
        (0..QUERIES).map(|number| vector(&middles, u64::MAX - number)).collect();
    for count in counts {
        println!("{count} vectors of {DIMENSION} components, {QUERIES} queries");
        let folder = tempfile::tempdir()?;
        let start = Instant::now();
        write(folder.path(), &middles, count)?;
        println!("  written in {:.1} s", start.elapsed().as_secs_f64());
        let found = ask_index(folder.path(), &queries)?;
        let theirs = ask_peer(&middles, count, &queries)?;
        // Both look at everything: they find the same but for rounding.
        let (mut same, mut all) = (0, 0);
        for (found, theirs) in found.iter().zip(theirs) {
            let mut documents: Vec<u64> = Vec::new();
            for document in theirs.into_iter().map(|number| number / CHUNKS as u64) {
                if !documents.contains(&document) && documents.len() < found.len() {
                    documents.push(document);
                }
            }
            all += documents.len();
            same += documents.iter().filter(|document| found.contains(document)).count();
        }
        println!("  documents that both find: {:.1} %", 100.0 * same as f64 / all as f64);
    }
    Ok(())
}
