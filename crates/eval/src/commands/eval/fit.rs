//! `lore eval fit`: weights that suit labelled queries best.

use std::path::{Path, PathBuf};

use clap::Args;
use lore_console::report::{Status, UsageError};
use lore_engine::{RankingConfig, signal_weights};

use super::{
    ablate::ListArguments,
    candidates::{Asking, AskingArguments, note_unknown},
    measures::measure,
    output::write_clean,
};
use crate::{FitPlan, Folding, Samples, Voter, fit, write_fit, write_weights};

/// Arguments of `lore eval fit`.
#[derive(Debug, Args)]
#[command(override_usage = "lore eval fit [OPTIONS] COLLECTION...")]
pub(crate) struct FitArguments {
    /// Labelled queries, as `lore eval` takes them
    ///
    /// May also be a file that `lore eval --dump-signals` wrote; then no query runs. Each
    /// collection has one vote, however many queries it has.
    #[arg(
        value_name = "COLLECTION",
        help_heading = "Collection",
        required_unless_present_any = ["signals", "config"]
    )]
    collections: Vec<PathBuf>,

    /// Read the candidates from a file that `--dump-signals` wrote
    ///
    /// The same as naming it as a collection. Write 150 candidates a query with `--limit 150`.
    #[arg(long, value_name = "FILE", help_heading = "Collection")]
    signals: Vec<PathBuf>,

    #[command(flatten)]
    list: ListArguments,

    /// Also keep the results of this collection good
    ///
    /// May be given several times, and may be a dump.
    #[arg(long = "guard", value_name = "COLLECTION", help_heading = "Collection")]
    guards: Vec<PathBuf>,

    /// Votes that all collections of `--guard` have together [default: 0.3]
    ///
    /// With 0 they are only judged.
    #[arg(long, value_name = "VOTES", help_heading = "Fit", value_parser = zero_or_more)]
    vote: Option<f64>,

    /// Points of the raw score that make a candidate e times as likely [default: 0.25]
    #[arg(long, value_name = "POINTS", help_heading = "Fit", value_parser = above_zero)]
    temperature: Option<f64>,

    /// Penalty for changing weights [default: 0.003]
    #[arg(long, value_name = "PENALTY", help_heading = "Fit", value_parser = zero_or_more)]
    penalty: Option<f64>,

    /// Parts of the cross-validation [default: 5]
    ///
    /// Repositories go to the parts in turn, in the order of their names. A single repository is
    /// divided by query.
    #[arg(long, value_name = "N", help_heading = "Fit",
        value_parser = clap::value_parser!(u64).range(2..=1_000))]
    folds: Option<u64>,

    /// Measure to judge queries by; `nDCG@10` by default
    #[arg(long, value_name = "NAME", help_heading = "Fit")]
    measure: Option<String>,

    /// Print the weights that moved as a block of a settings file
    #[arg(long, help_heading = "Output")]
    toml: bool,

    #[command(flatten)]
    asking: AskingArguments,
}

/// Fits the built-in weights and shows the effect. Changes nothing.
pub(super) fn run(arguments: &FitArguments) -> anyhow::Result<Status> {
    let signals = signal_weights(&RankingConfig::default());
    let measure = measure(arguments.measure.as_deref().unwrap_or("nDCG@10"))?;
    let of_guards = arguments.vote.unwrap_or(0.3) / arguments.guards.len().max(1) as f64;
    let paths = arguments.collections.iter().chain(&arguments.signals).map(|path| (path, 1.0));
    let guards = arguments.guards.iter().map(|path| (path, of_guards));
    let typed = arguments.asking.asking()?;
    let mut voters = Vec::new();
    let mut add = |asking: &Asking<'_>, path: &Path, name: Option<&str>, vote| {
        let (own_name, queries) = asking.candidates(path)?;
        let samples = Samples::new(name.unwrap_or(&own_name), &signals, &queries);
        if samples.queries() == 0 {
            let hint = if queries.is_empty() {
                "name a file with queries, or a dump that `lore eval COLLECTION --limit 150 \
                 --dump-signals FILE` has written to its end"
            } else {
                "a query needs at least one right result in `relevant`, and in a dump `targets` of \
                 at least 1"
            };
            return Err(anyhow::Error::from(
                UsageError::new(format!("`{}` holds no judged query", path.display())).hint(hint),
            ));
        }
        note_unknown(&samples);
        voters.push(Voter { samples, vote });
        Ok(())
    };
    for (path, vote) in paths.chain(guards) {
        add(&typed, path, None, vote)?;
    }
    for listed in arguments.list.load()? {
        let Some(vote) = listed.vote else { continue };
        let asking = Asking { trees: listed.trees, sources: listed.sources, ..typed.clone() };
        add(&asking, &listed.path, Some(&listed.name), vote)?;
    }
    if voters.is_empty() {
        return Err(UsageError::new("no collection of the list has a vote")
            .hint("write `vote = 1` below those that weights are fitted to")
            .into());
    }
    let default = FitPlan::default();
    let folds = arguments.folds.and_then(|folds| usize::try_from(folds).ok());
    let plan = FitPlan {
        temperature: arguments.temperature.unwrap_or(default.temperature),
        penalty: arguments.penalty.unwrap_or(default.penalty),
        folds: folds.unwrap_or(default.folds),
        folding: Folding::Repository,
    };
    let fitted = fit(&signals, &voters, measure, &plan);
    write_clean(|out| {
        if arguments.toml { write_weights(&fitted, out) } else { write_fit(&fitted, out) }
    })?;
    Ok(Status::Success)
}

fn zero_or_more(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1e6).contains(&number) { Ok(number) } else { Err("not from 0 to 1000000".to_owned()) }
}

fn above_zero(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (1e-3..=1e3).contains(&number) {
        Ok(number)
    } else {
        Err("not from 0.001 to 1000".to_owned())
    }
}
