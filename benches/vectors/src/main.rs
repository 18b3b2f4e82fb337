//! Time of a query that is compared with every vector, on one core: the index, through its public
//! interface, and the exact search of `usearch` over the same vectors with one byte for each
//! component.
//!
//! ```text
//! cd benches/vectors && cargo run --release            # 100,000 and 1,000,000 vectors
//! cd benches/vectors && cargo run --release -- 50000   # any other number
//! ```
//!
//! The vectors are clustered, as those of texts are, and have 256 components. Documents have eight
//! chunks. `usearch` has no documents, filters and deletions.
//!
//! One core of an AMD EPYC (AVX2 for the index, AVX-512 for usearch 2.26.6) with five times as much
//! other load, in milliseconds:
//!
//! | vectors | | fastest | median | p99 |
//! |---|---|---|---|---|
//! | 100,000 | index | 1.6 | 3.5 | 17 |
//! | 100,000 | usearch | 2.6 | 7.0 | 26 |
//! | 1,000,000 | index | 20 | 46 | 89 |
//! | 1,000,000 | usearch | 37 | 90 | 182 |
//!
//! Under less load, the medians were 1.8 (usearch 6.9) and 26 (usearch 78). So a million vectors
//! take less than 40 ms at the median on an idle core, and not on a busy one; the fastest runs show
//! the possible, not the expected time.
//!
//! The first query of a reader maps the file and reads the rows of each document. When it also
//! looked up the location of every document, it took 5 to 12 ms for 100,000 and 100 to 140 ms for
//! 1,000,000; now it looks up only the documents found, and has not been measured since.
//!
//! A sketch of signs would have to pass on 2,000 of 100,000 such vectors to keep 98 % of the
//! nearest fifty; the remaining gain does not justify an inexact answer.

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
/// Distance of a vector from the centre of its cluster, relative to its length.
const SPREAD: f32 = 0.8;
const QUERIES: u64 = 200;
/// Number of documents, or vectors for usearch, in an answer.
const LIMIT: usize = 50;
/// Number of documents that are looked up by name.
const SIMILAR: usize = 200;
const MODEL: &str = "bench";

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A pseudo-random sequence from a seed (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Approximates a normal distribution of mean 0: a sum of four uniform numbers.
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

/// The vector with this number.
fn vector(middles: &[Vec<f32>], number: u64) -> Vec<f32> {
    let mut numbers = Numbers(number.wrapping_mul(0xD134_2543_DE82_EF95));
    let middle = &middles[(numbers.next() % CLUSTERS) as usize];
    // Length of a vector of normal components with a deviation of 0.577.
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

/// Durations of an operation.
#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    /// On a machine with other load, the fastest run is the best measure of the program.
    fn show(mut self, what: &str) {
        self.0.sort_unstable();
        let at = |share: usize| self.0[(self.0.len() - 1) * share / 100].as_secs_f64() * 1e3;
        let (fastest, median, slow) = (at(0), at(50), at(99));
        println!("  {what:<42} {fastest:9.3} {median:9.3} {slow:9.3}");
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

/// A usearch index of the same vectors.
fn peer(middles: &[Vec<f32>], count: u64) -> Outcome<Index> {
    // The graph is never searched, so its quality does not matter.
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
    Ok(index)
}

/// Cost that every process with one query pays.
fn begin(folder: &Path, queries: &[Vec<f32>]) -> Outcome<()> {
    let (mut opening, mut first) = (Times::default(), Times::default());
    for vector in &queries[..20] {
        let reader = timed(&mut opening, || open(folder))?;
        let query = query(vector.clone());
        timed(&mut first, || reader.dense(&query, &Filter::default(), LIMIT))?;
    }
    opening.show("opening");
    first.show("the first query of a reader");
    Ok(())
}

/// Runs both in turn, so that other load slows both.
fn compare(reader: &dyn Reader, peer: &Index, queries: &[Vec<f32>]) -> Outcome<()> {
    let (mut ours, mut theirs, mut some) = (Times::default(), Times::default(), Times::default());
    let filter = Filter::default();
    // Warms up both.
    reader.dense(&query(queries[0].clone()), &filter, LIMIT)?;
    let mut candidates: Vec<DocumentId> = Vec::new();
    let (mut same, mut all) = (0, 0);
    for vector in queries {
        let query = query(vector.clone());
        let found = timed(&mut ours, || reader.dense(&query, &filter, LIMIT))?;
        timed(&mut theirs, || peer.exact_search(vector, LIMIT))?;
        let ids: Vec<DocumentId> = found.candidates.iter().map(|similar| similar.id).collect();
        if candidates.len() < SIMILAR {
            candidates.extend(&ids);
        } else {
            timed(&mut some, || reader.similar(&query, &filter, &candidates[..SIMILAR]))?;
        }
        let documents: Vec<u64> = reader
            .documents(&ids)?
            .iter()
            .map(|document| document.key.locator.parse())
            .collect::<Result<_, _>>()?;
        // Several vectors may belong to one document.
        let mut nearest: Vec<u64> = Vec::new();
        for number in peer.exact_search(vector, LIMIT * CHUNKS)?.keys {
            let document = number / CHUNKS as u64;
            if !nearest.contains(&document) && nearest.len() < documents.len() {
                nearest.push(document);
            }
        }
        all += nearest.len();
        same += nearest.iter().filter(|document| documents.contains(document)).count();
    }
    ours.show("every vector, with documents");
    theirs.show(&format!("every vector, usearch ({})", peer.hardware_acceleration()));
    some.show(&format!("the vectors of {SIMILAR} documents"));
    // Both compare all vectors, and round differently.
    println!("  documents that both find: {:.1} %", 100.0 * same as f64 / all as f64);
    Ok(())
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
        let peer = peer(&middles, count)?;
        println!("  {:<42} {:>9} {:>9} {:>9}", "ms", "fastest", "median", "p99");
        begin(folder.path(), &queries)?;
        compare(&*open(folder.path())?, &peer, &queries)?;
    }
    Ok(())
}
