//! Flags of the part that meaning takes in a search.

use clap::Args;
use lore_console::report::UsageError;
use lore_engine::Mode;

use super::filter::share;
use crate::{Override, Value};

/// How words and meaning come together.
#[derive(Debug, Args, Default)]
pub struct FusionArguments {
    /// How hits are found: `hybrid`, `lexical` or `semantic` [default: hybrid]
    ///
    /// `lexical` looks for the words of the query and their forms, `semantic` for passages that mean
    /// what the query means, in whatever words. `hybrid` does both.
    #[arg(long, value_name = "MODE", help_heading = "Query")]
    pub mode: Option<String>,

    /// Leave out hits that are less similar in meaning
    ///
    /// From 0 to 1. Leaves nothing out, and says so, where no embedding takes part.
    #[arg(long, value_name = "SIMILARITY", help_heading = "Query", value_parser = share)]
    pub min_similarity: Option<f32>,

    /// Weight of meaning beside words, from 0 to 1 [default: 0.3]
    #[arg(long, value_name = "WEIGHT", help_heading = "Query", hide_short_help = true, value_parser = share)]
    pub semantic_weight: Option<f32>,

    /// Weight of words beside meaning, from 0 to 1 [default: what the other leaves]
    #[arg(long, value_name = "WEIGHT", help_heading = "Query", hide_short_help = true, value_parser = share)]
    pub bm25_weight: Option<f32>,

    /// Share of a hit's place beside that of its score, from 0 to 1 [default: 0]
    #[arg(long, value_name = "SHARE", help_heading = "Query", hide_short_help = true, value_parser = share)]
    pub alpha: Option<f32>,

    /// How little the first places are ahead of the next ones [default: 60]
    ///
    /// From 1 to 1000; counts with `--alpha` above 0.
    #[arg(long, value_name = "K", help_heading = "Query", hide_short_help = true,
        value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub rrf_k: Option<u64>,
}

impl FusionArguments {
    /// The settings that these flags decide.
    pub fn overrides(&self) -> Result<Vec<Override>, UsageError> {
        let mut flags = Vec::new();
        let mut set = |key, value, flag| flags.push(Override { key, value, flag });
        let weights = [
            ("search.semantic_weight", "--semantic-weight", self.semantic_weight),
            ("search.bm25_weight", "--bm25-weight", self.bm25_weight),
            ("search.alpha", "--alpha", self.alpha),
        ];
        for (key, flag, weight) in weights {
            if let Some(weight) = weight {
                set(key, Value::Weight(weight.into()), flag);
            }
        }
        if let Some(k) = self.rrf_k {
            set("search.rrf_k", Value::Number(k), "--rrf-k");
        }
        if let Some(mode) = &self.mode {
            if Mode::from_name(mode).is_none() {
                let modes: Vec<&str> = Mode::ALL.iter().map(|mode| mode.as_str()).collect();
                return Err(UsageError::new(format!("there is no mode `{mode}`"))
                    .hint(format!("the modes are {}", modes.join(", "))));
            }
            set("search.mode", Value::Text(mode.clone()), "--mode");
        }
        Ok(flags)
    }
}
