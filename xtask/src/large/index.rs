//! The first index: time, processor time, memory and size on disk.

use anyhow::Result;

use super::{Bench, programs::FirstIndex, report::Report};

/// Maximum ratio of the sizes on disk of two indexes of one tree, one of which was interrupted.
pub(super) const MAX_DISK_RATIO: f64 = 1.1;

pub(super) fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let tree = &bench.tree;
    let first = bench.programs.lore.first_index(&tree.root)?;
    let beside = bench
        .programs
        .beside
        .as_ref()
        .map(|program| program.first_index(&tree.root))
        .transpose()?;
    let mut add = |name: &str, unit: &'static str, figure: &dyn Fn(&FirstIndex) -> f64| {
        report.add(name, unit, figure(first)).beside(beside.map(figure));
    };
    add("first index", "s", &|index| index.ran.seconds);
    add("processor time", "s", &|index| index.ran.processor);
    add("text per second", "MB", &|index| tree.text_bytes as f64 / 1e6 / index.ran.seconds);
    add("maximum resident memory", "MB", &|index| index.ran.peak as f64 / 1e6);
    add("on disk for a byte of text", "bytes", &|index| index.disk as f64 / tree.text_bytes as f64);
    Ok(())
}
