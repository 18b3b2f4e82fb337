//! How much of each hit is printed, and what positions count.

use clap::Args;
use lore_render::{output::offsets::Offsets, tokens::Tokenizer};

/// Most tokens that can be asked for.
const MOST_TOKENS: u64 = 100_000_000;

/// Arguments of how much is printed.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Output")]
pub(crate) struct AmountArguments {
    /// Show at most N lines of a passage [default: 5]
    ///
    /// From 1 to 100. What is around the passage is shown with `--context`.
    #[arg(long, value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_LINES))]
    pub(crate) snippet: Option<u64>,

    /// Show N lines of the file before and after each passage [default: 0]
    ///
    /// From 0 to 100.
    #[arg(long, value_name = "N",
        value_parser = clap::value_parser!(u64).range(0..=lore_settings::MAX_LINES))]
    pub(crate) context: Option<u64>,

    /// Print at most N tokens, and as much of each hit as fits
    ///
    /// Counts everything on standard output. The best hits are shown whole while there is room;
    /// from the last one on, hits are cut to their passage, their signature, their path, and
    /// dropped. The output says how far.
    #[arg(long, value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..=MOST_TOKENS))]
    pub(crate) budget: Option<u64>,

    /// Count tokens as o200k or cl100k does [default: o200k]
    ///
    /// Only with `--budget`.
    #[arg(long, value_name = "NAME", requires = "budget",
        value_parser = Tokenizer::NAMES, hide_possible_values = true)]
    pub(crate) tokenizer: Option<String>,

    /// Count positions in texts as char, utf16 or byte [default: char]
    ///
    /// For `highlights` in `json`, `jsonl` and `toon`: Unicode characters, units of UTF-16 (as in
    /// JavaScript) or bytes of UTF-8.
    #[arg(long, value_name = "UNIT",
        value_parser = Offsets::NAMES, hide_possible_values = true)]
    pub(crate) offsets: Option<String>,
}
