//! A first index that is killed or interrupted, and then continued.

use std::{path::Path, time::Duration};

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::{
    Bench,
    index::MAX_DISK_RATIO,
    programs::Program,
    report::{Limit, Report},
    run::{Signal, disk_size},
};

/// Ends of the first run: a name, the share of the time of an uninterrupted run, and the signal.
const ENDS: &[(&str, f64, Signal)] = &[
    ("killed at 20 %", 0.2, Signal::Kill),
    ("killed at 50 %", 0.5, Signal::Kill),
    ("killed at 80 %", 0.8, Signal::Kill),
    ("interrupted at 50 %", 0.5, Signal::Interrupt),
];

/// Maximum time of the parts, divided by that of an uninterrupted run.
const MAX_RATIO: f64 = 1.1;

/// Seconds after which a killed run must have kept something. Parts are committed every six seconds,
/// and the first one starts after the walk.
const KEPT_AFTER: f64 = 20.0;

pub(super) fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let (mut lost, mut different) = (0, 0);
    for (name, share, signal) in ENDS {
        let mut runs = Vec::new();
        for program in bench.programs.all() {
            runs.push(Continued::make(bench, program, *share, *signal)?);
        }
        let beside = |of: fn(&Continued) -> f64| runs.get(1).map(of);
        let first = &runs[0];
        report
            .add(&format!("{name}: sum of the parts"), "runs", first.seconds)
            .beside(beside(|run| run.seconds))
            .limit(Limit::Within(MAX_RATIO));
        report
            .add(&format!("{name}: processor time"), "runs", first.processor)
            .beside(beside(|run| run.processor));
        report
            .add(&format!("{name}: kept documents"), "%", first.kept)
            .beside(beside(|run| run.kept));
        report
            .add(&format!("{name}: size on disk"), "indexes", first.disk)
            .beside(beside(|run| run.disk))
            .limit(Limit::Within(MAX_DISK_RATIO));
        if first.is_complete {
            report.note(format!("{name}: the run ended before the signal"));
        } else {
            let is_late = matches!(signal, Signal::Interrupt) || KEPT_AFTER < first.killed_after;
            lost += u32::from(is_late && first.kept <= 0.0);
        }
        different += u32::from(!first.is_equal);
    }
    report.add("ended runs that kept nothing", "", f64::from(lost)).limit(Limit::Correct(0.0));
    report
        .add("continued indexes with other counts", "", f64::from(different))
        .limit(Limit::Correct(0.0));
    Ok(())
}

/// A run that was ended, and the one that continued it. Times and sizes are divided by those of an
/// uninterrupted run.
struct Continued {
    seconds: f64,
    processor: f64,
    disk: f64,
    /// Documents that the second run did not write again, in per cent.
    kept: f64,
    /// Seconds until the signal.
    killed_after: f64,
    /// True if the first run ended before the signal.
    is_complete: bool,
    /// True if documents and chunks are as many as those of an uninterrupted run.
    is_equal: bool,
}

impl Continued {
    fn make(bench: &Bench, program: &Program, share: f64, signal: Signal) -> Result<Continued> {
        let tree = &bench.tree.root;
        let whole = program.first_index(tree)?;
        let cache = bench.folder.join("cache-kill");
        let killed_after = whole.ran.seconds * share;
        let arguments = ["index", "--json"];
        let job = program.job(&cache, tree, &arguments);
        let ended = job.run_until(Some((Duration::from_secs_f64(killed_after), signal)))?;
        let continued = job.run()?;
        let (kept, written) = counts(&continued.json()?);
        let disk = disk_size(&cache)?;
        let is_equal =
            documents(program, &cache, tree)? == documents(program, program.cache(tree)?, tree)?;
        std::fs::remove_dir_all(&cache)?;
        Ok(Continued {
            seconds: (ended.seconds + continued.seconds) / whole.ran.seconds,
            processor: (ended.processor + continued.processor) / whole.ran.processor,
            disk: disk as f64 / whole.disk as f64,
            kept: 100.0 * kept / (kept + written).max(1.0),
            killed_after,
            is_complete: ended.seconds < killed_after,
            is_equal,
        })
    }
}

/// Documents that an index run left as they were, and those that it wrote.
fn counts(index: &Value) -> (f64, f64) {
    let sum = |name: &str| {
        ["code", "docs"]
            .iter()
            .filter_map(|source| index["sources"][source][name].as_f64())
            .sum::<f64>()
    };
    (sum("unchanged"), sum("written"))
}

/// Numbers of documents and chunks of each source.
fn documents(program: &Program, cache: &Path, tree: &Path) -> Result<Vec<[Value; 3]>> {
    let status = program.run_in(cache, tree, &["status", "--json"])?.json()?;
    let sources = status["sources"].as_object().context("a status has sources")?;
    let counts = |(name, source): (&String, &Value)| {
        [Value::from(name.as_str()), source["documents"].clone(), source["chunks"].clone()]
    };
    Ok(sources.iter().map(counts).collect())
}
