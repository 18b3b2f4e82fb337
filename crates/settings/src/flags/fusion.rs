//! Flags of search modes and of the fusion of lexical and semantic scores.

use clap::Args;
use lore_console::report::UsageError;
use lore_engine::Mode;

use super::filter::share;
use crate::{Override, Value};

/// Arguments that control the fusion of lexical and semantic scores.
#[derive(Debug, Args, Default)]
pub struct FusionArguments {
    /// Search mode: `hybrid`, `lexical` or `semantic` [default: hybrid]
    ///
    /// `lexical` matches the words of the query and their forms, `semantic` finds passages of
    /// similar meaning in any words, and `hybrid` combines both.
    #[arg(long, value_name = "MODE", help_heading = "Query")]
    pub mode: Option<String>,

    /// Exclude hits with a lower semantic similarity
    ///
    /// From 0 to 1. Without embeddings, nothing is excluded, and a warning says so.
    #[arg(long, value_name = "SIMILARITY", help_heading = "Query", value_parser = share)]
    pub min_similarity: Option<f32>,

    /// Weight of semantic scores, from 0 to 1 [default: 0.3]
    #[arg(long, value_name = "WEIGHT", help_heading = "Query", hide_short_help = true, value_parser = share)]
    pub semantic_weight: Option<f32>,

    /// Weight of lexical scores, from 0 to 1 [default: 1 minus `--semantic-weight`]
    #[arg(long, value_name = "WEIGHT", help_heading = "Query", hide_short_help = true, value_parser = share)]
    pub bm25_weight: Option<f32>,

    /// Weight of a hit's rank against its score, from 0 to 1 [default: 0]
    #[arg(long, value_name = "SHARE", help_heading = "Query", hide_short_help = true, value_parser = share)]
    pub alpha: Option<f32>,

    /// RRF constant k; higher flattens rank differences [default: 60]
    ///
    /// From 1 to 1000; only used with `--alpha` above 0.
    #[arg(long, value_name = "K", help_heading = "Query", hide_short_help = true,
        value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub rrf_k: Option<u64>,
}

impl FusionArguments {
    /// The settings that these flags override.
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
