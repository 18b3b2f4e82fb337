//! Arguments for the amount of output per hit, and the unit of positions.

use clap::Args;
use lore_render::{output::offsets::Offsets, tokens::Tokenizer};

/// Maximum value of `--budget`.
const MAX_TOKENS: u64 = 100_000_000;

/// Arguments that limit the amount of output.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Output")]
pub(crate) struct AmountArguments {
    /// Show at most N lines of a passage [default: 5]
    ///
    /// From 1 to 100. `--context` shows the lines around the passage.
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
    /// Counts everything on standard output. If not all hits fit, they are cut from the last one
    /// upwards: to their passage, then to their signature, then to their path, and then dropped. The
    /// output reports the cut.
    #[arg(long, value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..=MAX_TOKENS))]
    pub(crate) budget: Option<u64>,

    /// Tokenizer for `--budget`: o200k or cl100k [default: o200k]
    ///
    /// Only with `--budget`.
    #[arg(long, value_name = "NAME", requires = "budget",
        value_parser = Tokenizer::NAMES, hide_possible_values = true)]
    pub(crate) tokenizer: Option<String>,

    /// Unit of positions in texts: char, utf16 or byte [default: char]
    ///
    /// For `highlights` in `json`, `jsonl` and `toon`: Unicode characters, UTF-16 code units (as in
    /// JavaScript) or UTF-8 bytes.
    #[arg(long, value_name = "UNIT",
        value_parser = Offsets::NAMES, hide_possible_values = true)]
    pub(crate) offsets: Option<String>,
}
