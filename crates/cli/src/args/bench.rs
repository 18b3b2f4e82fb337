//! Arguments of the command that measures generated trees.

use std::path::PathBuf;

use clap::Args;

use super::CommonArguments;

/// Fewest and most chunks of a generated tree.
const SIZES: std::ops::RangeInclusive<u64> = 1_000..=10_000_000;

/// Arguments of `lore bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArguments {
    /// Make trees of about so many chunks [default: 1000,10000,100000]
    ///
    /// From 1000 to 10000000. A million take about 1 GB of text, as much again for the index, and a
    /// quarter of an hour on two cores.
    #[arg(long, value_name = "N", value_delimiter = ',', help_heading = "Bench",
        value_parser = clap::value_parser!(u64).range(SIZES))]
    pub(crate) sizes: Vec<u64>,

    /// Make other trees, with another N [default: 1]
    ///
    /// The same seed makes the same trees and the same questions everywhere.
    #[arg(long, value_name = "N", help_heading = "Bench")]
    pub(crate) seed: Option<u64>,

    /// Index each tree N times; the fastest counts [default: 1]
    #[arg(long, value_name = "N", help_heading = "Bench",
        value_parser = clap::value_parser!(u64).range(1..=20))]
    pub(crate) runs: Option<u64>,

    /// Make no vectors, and ask by words alone
    #[arg(long, help_heading = "Bench")]
    pub(crate) lexical: bool,

    /// Keep the trees and their indexes in this folder
    ///
    /// It must not be there yet. Otherwise they lie in a temporary folder, one size at a time, and
    /// are removed, also when the command is interrupted.
    #[arg(long, value_name = "DIR", help_heading = "Bench")]
    pub(crate) keep: Option<PathBuf>,

    /// Draw the curves into an SVG file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) svg: Option<PathBuf>,

    /// Write `human` or `json` [default: human]
    #[arg(long, value_name = "FORMAT", value_parser = ["human", "json"],
        hide_possible_values = true, help_heading = "Output")]
    pub(crate) format: Option<String>,

    /// Write one JSON object: the same as `--format json`
    #[arg(long, help_heading = "Output", conflicts_with = "format")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArguments,
}
