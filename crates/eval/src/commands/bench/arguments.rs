//! Arguments of `lore bench`, which measures generated trees.

use std::path::PathBuf;

use clap::Args;
use lore_settings::flags::CommonArguments;

/// Number of chunks that a generated tree can have.
const SIZES: std::ops::RangeInclusive<u64> = 1_000..=10_000_000;

/// Arguments of `lore bench`.
#[derive(Debug, Args)]
pub struct BenchArguments {
    /// Generate a tree of about N chunks for each N [default: 1000,10000,100000]
    ///
    /// From 1000 to 10000000. A million chunks take about 1 GB for the text, as much again for the
    /// index, and a quarter of an hour on two cores.
    #[arg(long, value_name = "N", value_delimiter = ',', help_heading = "Bench",
        value_parser = clap::value_parser!(u64).range(SIZES))]
    pub sizes: Vec<u64>,

    /// Seed of the generator [default: 1]
    ///
    /// The same seed gives the same trees and the same questions on every machine.
    #[arg(long, value_name = "N", help_heading = "Bench")]
    pub seed: Option<u64>,

    /// Index each tree N times and report the fastest run [default: 1]
    #[arg(long, value_name = "N", help_heading = "Bench",
        value_parser = clap::value_parser!(u64).range(1..=20))]
    pub runs: Option<u64>,

    /// Make no vectors, and measure only questions by words
    #[arg(long, help_heading = "Bench")]
    pub lexical: bool,

    /// Keep the trees and their indexes in this folder
    ///
    /// It must not exist yet. Without this option, the trees are in a temporary folder, one size at a
    /// time, and are removed, also when the command is interrupted.
    #[arg(long, value_name = "DIR", help_heading = "Bench")]
    pub keep: Option<PathBuf>,

    /// Write `human` or `json` [default: human]
    #[arg(long, value_name = "FORMAT", value_parser = ["human", "json"],
        hide_possible_values = true, help_heading = "Output")]
    pub format: Option<String>,

    /// Write one JSON object: the same as `--format json`
    #[arg(long, help_heading = "Output", conflicts_with = "format")]
    pub json: bool,

    /// Those of every command that writes text.
    #[command(flatten)]
    pub common: CommonArguments,
}
