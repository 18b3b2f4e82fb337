//! Tests of damaged and unwritable indexes: answers stay the same, and one warning reports the repair.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests damage files, and a failure there is a failed test"
)]

mod common;

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use lore_engine::{
    Engine, EngineConfig, EngineError, Freshness, IndexMode, Overlays, SearchRequest,
    SearchResponse,
};
use lore_index::{FailPoints, Stop};

use common::{Silent, Workspace};

const SHOP: &str = "\
//- /src/refund.rs
/// Pays a customer back.
pub fn retry_refund(order: u64) -> bool {
    order > 0
}
//- /src/pool.rs
//! Connections wait here.
pub struct ConnectionPool {
    size: usize,
}
//- /src/main.py
from pool import ConnectionPool
pool = ConnectionPool()
//- /tests/refund.rs
fn refunds() { retry_refund(1); retry_refund(2); retry_refund(3); }
//- /README.md
# Shop

## Refunds

A refund is retried three times.
//- /docs/adr/0001-refunds.md
# Refund in whole cents

## Context

A refund of half a cent is none.
";

const QUERIES: [&str; 3] = ["retry refund", "connection pool", "whole cents of a customer"];

fn ask(config: &EngineConfig, query: &str) -> Result<SearchResponse, EngineError> {
    // Every query opens its own engine, as a separate process does.
    let engine = Engine::open(EngineConfig { overlays: Overlays::default(), ..config.clone() })?;
    let mut response = engine.search(&SearchRequest::new(query), &Silent)?;
    // The index is written after the answer.
    response.warnings.extend(engine.settle());
    Ok(response)
}

/// Identifiers and scores of all answers, and the warnings.
fn answers(config: &EngineConfig) -> (Vec<(String, f32)>, Vec<String>) {
    let (mut hits, mut warnings) = (Vec::new(), Vec::new());
    for query in QUERIES {
        let response = ask(config, query).unwrap();
        assert_eq!(response.receipt.fresh, Freshness::Verified);
        hits.extend(response.hits.into_iter().map(|hit| (hit.id, hit.score)));
        warnings.extend(response.warnings);
    }
    (hits, warnings)
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

/// The index of code.
fn code_of(config: &EngineConfig) -> PathBuf {
    let engine = Engine::open(config.clone()).unwrap();
    engine.status().unwrap().cache.unwrap().join("code")
}

/// Writes a file with this time, so that only its content shows the change.
fn write_with_time(file: &Path, bytes: &[u8], time: SystemTime) {
    fs::write(file, bytes).unwrap();
    fs::File::options().append(true).open(file).unwrap().set_modified(time).unwrap();
}

/// Copies of files, with their times, to restore them.
struct Kept(Vec<(PathBuf, Vec<u8>, SystemTime)>);

impl Kept {
    fn of(folder: &Path) -> Kept {
        let keep = |file: PathBuf| {
            let time = fs::metadata(&file).unwrap().modified().unwrap();
            let bytes = fs::read(&file).unwrap();
            (file, bytes, time)
        };
        Kept(files_below(folder).into_iter().map(keep).collect())
    }

    fn restore(&self, folder: &Path) {
        for file in files_below(folder) {
            fs::remove_file(file).unwrap();
        }
        for (file, bytes, time) in &self.0 {
            write_with_time(file, bytes, *time);
        }
    }
}

/// Returns the next number of a pseudo-random sequence (xorshift64).
fn random(seed: &mut u64) -> usize {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    usize::try_from(*seed >> 33).unwrap()
}

fn damage(rounds: usize, seed: u64) {
    let workspace = Workspace::new(SHOP);
    let config = workspace.config();
    answers(&config);
    let (expected, warnings) = answers(&config);
    assert_eq!(warnings, [""; 0]);
    assert!(expected.len() > 6, "{expected:?}");
    let whole = Kept::of(workspace.cache.path());
    let mut seed = seed;
    for round in 0..rounds {
        let (file, bytes, time) = &whole.0[round % whole.0.len()];
        let mut damaged = bytes.clone();
        let what = if bytes.is_empty() || random(&mut seed).is_multiple_of(3) {
            damaged.truncate(random(&mut seed) % (bytes.len() + 1));
            damaged.push(b'?');
            "a cut"
        } else {
            damaged[random(&mut seed) % bytes.len()] ^= 1 << (random(&mut seed) % 8);
            "a flip"
        };
        write_with_time(file, &damaged, *time + Duration::from_secs(1));
        let (found, warnings) = answers(&config);
        let what = format!("round {round}, {what} of {}: {warnings:?}", file.display());
        assert_eq!(found, expected, "{what}");
        assert!(warnings.iter().all(|warning| warning.contains("it is rebuilt")), "{what}");
        assert!(warnings.len() <= 1, "{what}");
        whole.restore(workspace.cache.path());
    }
}

#[test]
fn a_damaged_index_is_rebuilt_and_answers_the_same() {
    damage(90, 0x5EED_0001);
}

#[test]
#[ignore = "takes minutes: cargo xtask full"]
fn a_thousand_damages_change_no_answer() {
    damage(1_000, 0x5EED_0002);
}

/// Puts the files of one index in place of those of another one, with another time.
fn exchange(kept: &Kept, from: &str, to: &str, ending: &str) {
    let is_of = |file: &Path, source: &str| {
        file.parent().is_some_and(|folder| folder.ends_with(source))
            && file.extension().is_some_and(|found| found == ending)
    };
    let (_, bytes, time) = kept.0.iter().find(|(file, ..)| is_of(file, from)).unwrap();
    let mut count = 0;
    for (file, ..) in kept.0.iter().filter(|(file, ..)| is_of(file, to)) {
        write_with_time(file, bytes, *time + Duration::from_secs(1));
        count += 1;
    }
    assert!(count > 0, "{ending}");
}

const ENDINGS: [&str; 6] = ["fast", "fieldnorm", "idx", "pos", "store", "term"];

#[test]
fn a_file_of_another_index_is_detected_and_rebuilt() {
    let workspace = Workspace::new(SHOP);
    let config = workspace.config();
    answers(&config);
    let (expected, _) = answers(&config);
    let whole = Kept::of(workspace.cache.path());
    for ending in ENDINGS {
        exchange(&whole, "docs", "code", ending);
        let (found, warnings) = answers(&config);
        assert_eq!(found, expected, "{ending}");
        assert_eq!(warnings.len(), 1, "{ending}: {warnings:?}");
        assert!(warnings[0].contains("is damaged; it is rebuilt"), "{ending}: {warnings:?}");
        whole.restore(workspace.cache.path());
    }
}

#[test]
fn an_index_run_rebuilds_what_is_damaged() {
    let workspace = Workspace::new(SHOP);
    let config = workspace.config();
    answers(&config);
    let (expected, _) = answers(&config);
    let whole = Kept::of(workspace.cache.path());
    let seal = code_of(&config).join("seal.bin");
    for ending in ENDINGS {
        exchange(&whole, "docs", "code", ending);
        fs::remove_file(&seal).unwrap();
        // An engine that may not write answers from memory.
        let reading = EngineConfig { write: false, ..config.clone() };
        assert_eq!(answers(&reading).0, expected, "{ending}");
        Engine::open(config.clone()).unwrap().index(IndexMode::Update, &Silent).unwrap();
        assert_eq!(answers(&config), (expected.clone(), Vec::new()), "{ending}");
        whole.restore(workspace.cache.path());
    }
}

/// A server keeps its engine, with an overlay over the index that becomes damaged.
#[test]
fn an_open_engine_answers_the_same_over_an_index_that_becomes_damaged() {
    let workspace = Workspace::new(SHOP);
    let config = workspace.config();
    answers(&config);
    let whole = Kept::of(workspace.cache.path());
    let engine = Engine::open(EngineConfig { overlays: Overlays::default(), ..config }).unwrap();
    let ask = || {
        let mut hits = Vec::new();
        for query in QUERIES {
            let response = engine.search(&SearchRequest::new(query), &Silent).unwrap();
            hits.extend(response.hits.into_iter().map(|hit| (hit.id, hit.score)));
            engine.settle();
        }
        hits
    };
    workspace.write("src/late.rs", "/// Refunds late customers.\npub fn refund_late() {}\n");
    let expected = ask();
    assert!(expected.iter().any(|(id, _)| id.contains("late.rs")), "{expected:?}");
    for ending in ENDINGS {
        exchange(&whole, "docs", "code", ending);
        assert_eq!(ask(), expected, "{ending}");
        for (file, bytes, _) in &whole.0 {
            let mut bytes = bytes.clone();
            let middle = bytes.len() / 2;
            if file.extension().is_some_and(|found| found == ending) {
                bytes[middle..].fill(0x7F);
                fs::write(file, bytes).unwrap();
            }
        }
        assert_eq!(ask(), expected, "{ending}");
        whole.restore(workspace.cache.path());
        assert_eq!(ask(), expected, "{ending}");
    }
}

/// Stored texts are only checked when they are read.
#[test]
fn damage_that_shows_only_on_a_read_is_repaired() {
    let workspace = Workspace::new(SHOP);
    let config = workspace.config();
    let (expected, _) = answers(&config);
    let code = code_of(&config);
    let whole = Kept::of(workspace.cache.path());
    let damage = || {
        let mut count = 0;
        for (file, bytes, time) in &whole.0 {
            if file.parent() == Some(&code)
                && file.extension().is_some_and(|ending| ending == "store")
            {
                let mut bytes = bytes.clone();
                let middle = bytes.len() / 2;
                bytes[..middle].fill(0x7F);
                write_with_time(file, &bytes, *time);
                count += 1;
            }
        }
        assert!(count > 0);
    };
    damage();
    let report = Engine::open(config.clone()).unwrap().check().unwrap();
    assert!(report.problems.iter().any(|line| line.contains(".store")), "{report:?}");
    // An engine that may not write answers from memory.
    let (found, _) = answers(&EngineConfig { write: false, ..config.clone() });
    assert_eq!(found, expected);
    let (found, warnings) = answers(&config);
    assert_eq!(found, expected);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("is damaged; it is rebuilt"), "{warnings:?}");
    assert_eq!(answers(&config), (expected, Vec::new()));
    let report = Engine::open(config).unwrap().check().unwrap();
    assert_eq!(report.problems, [""; 0]);
}

#[test]
fn a_full_disk_costs_time_and_one_warning() {
    let workspace = Workspace::new(SHOP);
    let config = workspace.config();
    let code = code_of(&config);
    let (expected, _) = {
        let other = Workspace::new(SHOP);
        answers(&other.config())
    };
    for step in 0..60 {
        let armed = FailPoints::arm(&code, step, Stop::Full);
        let response = ask(&config, QUERIES[0]).unwrap();
        let is_over = armed.steps() <= step;
        drop(armed);
        assert_eq!(response.hits[0].path.as_deref(), Some("src/refund.rs"), "step {step}");
        assert_eq!(response.receipt.fresh, Freshness::Verified, "step {step}");
        let warnings = &response.warnings;
        assert!(warnings.len() <= 1, "step {step}: {warnings:?}");
        assert!(
            warnings.iter().all(|warning| warning.contains("could not write the index")),
            "step {step}: {warnings:?}"
        );
        let report = Engine::open(config.clone()).unwrap().check().unwrap();
        assert_eq!(report.problems, [""; 0], "step {step}");
        assert_eq!(answers(&config), (expected.clone(), Vec::new()), "step {step}");
        for file in files_below(&code) {
            fs::remove_file(file).unwrap();
        }
        if is_over {
            assert!(step > 5, "{step}");
            break;
        }
    }
}

/// Some network file systems have no locks: the index is read, and changes are kept in memory.
#[test]
fn a_cache_without_locks_is_never_written_and_warned_about_once() {
    let workspace = Workspace::new(SHOP);
    let config = workspace.config();
    let code = code_of(&config);
    let armed = FailPoints::arm(&code, usize::MAX, Stop::Lockless);
    let response = ask(&config, QUERIES[0]).unwrap();
    assert_eq!(response.hits[0].path.as_deref(), Some("src/refund.rs"));
    assert_eq!(response.warnings.len(), 1, "{:?}", response.warnings);
    assert!(response.warnings[0].contains("does not lock files"), "{:?}", response.warnings);
    let refused = Engine::open(config.clone()).unwrap().index(IndexMode::Update, &Silent);
    assert!(refused.is_err_and(|error| error.to_string().contains("does not lock files")));
    drop(armed);
    let (expected, warnings) = answers(&config);
    assert_eq!(warnings, [""; 0]);

    let armed = FailPoints::arm(&code, usize::MAX, Stop::Lockless);
    assert_eq!(answers(&config), (expected, Vec::new()), "the existing index is read");
    workspace.write("src/late.rs", "/// Arrives late.\npub fn latecomer() {}\n");
    let response = ask(&config, "latecomer").unwrap();
    assert_eq!(response.hits[0].path.as_deref(), Some("src/late.rs"));
    assert!(response.warnings.len() <= 1, "{:?}", response.warnings);
    assert_eq!(armed.steps(), 0, "nothing was written");
}
