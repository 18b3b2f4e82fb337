//! Brings the index of a directory up to date, asks a question, and prints the places of the answer
//! with the receipt:
//!
//! ```sh
//! cargo run -p lorehound-engine --example index_and_ask -- DIRECTORY QUESTION [CACHE]
//! ```
//!
//! Without `CACHE`, the index is kept in memory and built again by each run.

use std::{error::Error, io::Write};

use lore_engine::{CachePlace, Engine, EngineConfig, Hit, IndexMode, SearchRequest};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    run(&arguments, &mut std::io::stdout())
}

/// Runs the example. Tests call it, too.
pub(crate) fn run(arguments: &[String], output: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let [directory, question, cache @ ..] = arguments else {
        return Err("usage: index_and_ask DIRECTORY QUESTION [CACHE]".into());
    };
    let mut config = EngineConfig::new(directory);
    if let Some(cache) = cache.first() {
        config.cache = CachePlace::Folder(cache.into());
    }
    let engine = Engine::open(config)?;

    // Optional: a search compares every file with the index, too.
    let report = engine.index(IndexMode::Update, &())?;
    let (written, deleted, unchanged) =
        report.sources.values().fold((0, 0, 0), |sum, (w, d, u)| (sum.0 + w, sum.1 + d, sum.2 + u));
    writeln!(output, "index: {written} written, {deleted} deleted, {unchanged} unchanged")?;

    let response = engine.search(&SearchRequest::new(question).with_limit(5), &())?;
    for hit in &response.hits {
        writeln!(output, "{}  {}", place(hit), hit.title)?;
    }
    if let Some(absence) = &response.absence {
        for reason in &absence.reasons {
            writeln!(output, "no hit: {reason}")?;
        }
    }
    let receipt = &response.receipt;
    let documents: u64 = receipt.sources.values().map(|source| source.documents).sum();
    writeln!(
        output,
        "receipt: {} of {} documents match, {documents} searched, {:?}, meaning: {}",
        receipt.matched_all, receipt.total, receipt.fresh, receipt.semantic
    )?;
    for warning in &response.warnings {
        writeln!(output, "warning: {warning}")?;
    }
    Ok(())
}

/// `path:first-last`, or the identifier of a hit without a path, such as a commit.
fn place(hit: &Hit) -> String {
    match (&hit.path, hit.start_line, hit.end_line) {
        (Some(path), Some(start), Some(end)) => format!("{path}:{start}-{end}"),
        (Some(path), ..) => path.clone(),
        (None, ..) => hit.id.clone(),
    }
}
