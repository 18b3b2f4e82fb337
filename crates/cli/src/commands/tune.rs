//! `lore tune`: weights of ranking that suit one repository, fitted to its own history.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::Args;
use lore_engine::{Embedding, SignalWeight, Syntax, signal_weights};
use lore_eval::{
    Door, Plan, QuerySignals, Samples, Trees, Tuning, measures::Measure, tune, write_tuning,
    write_weights,
};

use super::{
    Context,
    eval::{CANDIDATES, history, write_clean},
    number, shared_flags,
};
use crate::{
    args::{CommonArguments, TreeArguments},
    env_vars,
    report::{self, Status, UsageError},
    settings::{self, Settings},
};

/// What queries are judged by.
const MEASURE: &str = "nDCG@10";

/// Commits that are asked where nobody says how many: fewer rarely tell a gain from chance.
const COMMITS: usize = 200;

/// Arguments of `lore tune`.
#[derive(Debug, Args)]
pub(crate) struct TuneArguments {
    /// Rank by the fitted weights in this repository from now on
    ///
    /// Writes them to a file of their own beside your settings file; other repositories and other
    /// people keep theirs. Refused where the gain may be chance; exits 1 then.
    #[arg(long, help_heading = "Tuning")]
    apply: bool,

    /// Apply the weights even if their gain may be chance
    #[arg(long, requires = "apply", help_heading = "Tuning")]
    force: bool,

    /// Rank by the weights as they were before `--apply`
    ///
    /// Deletes the file that it wrote, and nothing else.
    #[arg(long, conflicts_with_all = ["apply", "signals"], help_heading = "Tuning")]
    reset: bool,

    /// Ask at most N commits, the newest ones [default: 200]
    ///
    /// As `lore eval --self` asks them, which also tells which ones are passed over.
    #[arg(long, value_name = "N", help_heading = "Tuning",
        value_parser = clap::value_parser!(u64).range(1..=20_000))]
    commits: Option<u64>,

    /// Read the candidates from a file, and ask nothing
    ///
    /// Of `lore eval --self --limit 150 --dump-signals FILE`.
    #[arg(long, value_name = "FILE", help_heading = "Tuning", conflicts_with = "commits")]
    signals: Option<PathBuf>,

    #[command(flatten)]
    common: CommonArguments,

    #[command(flatten)]
    tree: TreeArguments,
}

/// Fits and shows, applies or takes back.
pub(super) fn run(arguments: &TuneArguments) -> anyhow::Result<Status> {
    let context = Context::new(&arguments.tree, &arguments.common, Vec::new())?;
    let file = settings::tuned_file(&context.root, &env_vars::of_process);
    if arguments.reset {
        return reset(file.as_deref());
    }
    // What is tuned starts from what would hold without it.
    let flags = shared_flags(&arguments.tree, &arguments.common);
    let untuned = Settings::load_untuned(&context.root, &env_vars::of_process, flags)?;
    let signals = signal_weights(&untuned.engine(&context.root, Embedding::Off).ranking);
    let measure = Measure::from_name(MEASURE)?;

    // Some signals depend on how others count, so that they are asked for without it as well.
    let asked =
        Context { root: context.root.clone(), settings: untuned, terminal: context.terminal };
    let queries = candidates(arguments, &asked)?;
    let name = context.root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let samples = Samples::new(&name, &signals, &queries);
    if samples.queries() == 0 {
        return Err(UsageError::new("no query has a right result that was searched")
            .hint("look further back with `--commits N`")
            .into());
    }
    if let Some((path, _)) = context.settings.tuned() {
        report::note(&format!(
            "weights that were tuned earlier are in force (`{}`); `before` is without them",
            path.display()
        ));
    }
    let tuning = tune(&signals, samples, measure);
    write_clean(|out| write_tuning(&tuning, out))?;
    if !arguments.apply {
        if tuning.is_gain() {
            report::hint_line("put the weights in force with `lore tune --apply`");
        }
        return Ok(Status::Found);
    }
    apply(arguments, &context.root, file, &tuning, &signals)
}

/// Writes the weights where there is a gain, or where nobody minds.
fn apply(
    arguments: &TuneArguments,
    root: &Path,
    file: Option<PathBuf>,
    tuning: &Tuning,
    signals: &[SignalWeight],
) -> anyhow::Result<Status> {
    if tuning.fitted.moved().next().is_none() {
        report::note("no weight moved; nothing was written");
        return Ok(Status::Nothing);
    }
    if !tuning.is_gain() && !arguments.force {
        report::note("the gain may be chance; nothing was written");
        report::hint_line("apply it all the same with `lore tune --apply --force`");
        return Ok(Status::Nothing);
    }
    let file = file.ok_or_else(no_place)?;
    let mut text = Vec::new();
    // A line end in the name of a folder would end the comment.
    let place = root.display().to_string().replace(char::is_control, " ");
    writeln!(
        text,
        "# Weights for `{place}`, written by `lore tune --apply`.\n\
         # `lore tune --reset` deletes this file."
    )
    .expect("a vector takes everything");
    write_weights(&tuning.fitted, &mut text).expect("a vector takes everything");
    let text = String::from_utf8_lossy(&text);
    settings::write_tuned(&file, &text)
        .with_context(|| format!("could not write `{}`", file.display()))?;
    let moved = tuning.fitted.moved().count();
    report::note(&format!(
        "{moved} of {} weights are tuned to this repository now: `{}`",
        signals.len(),
        file.display()
    ));
    report::hint_line("take them back with `lore tune --reset`");
    Ok(Status::Found)
}

/// Deletes the weights that were tuned.
fn reset(file: Option<&Path>) -> anyhow::Result<Status> {
    let file = file.ok_or_else(no_place)?;
    let was_there = settings::remove_tuned(file)
        .with_context(|| format!("could not delete `{}`", file.display()))?;
    if was_there {
        report::note(&format!("deleted `{}`", file.display()));
    } else {
        report::note("no weights are tuned to this repository");
    }
    Ok(Status::Found)
}

fn no_place() -> UsageError {
    UsageError::new("there is no place for settings of yours")
        .hint("name your settings file with the variable `LOREHOUND_CONFIG`")
}

/// The queries of the history with their candidates: from a dump, or asked in a temporary folder.
fn candidates(arguments: &TuneArguments, context: &Context) -> anyhow::Result<Vec<QuerySignals>> {
    if let Some(path) = &arguments.signals {
        return QuerySignals::load(path)?.ok_or_else(|| {
            UsageError::new(format!("`{}` is no dump of signals", path.display()))
                .hint("write one with `lore eval --self --limit 150 --dump-signals FILE`")
                .into()
        });
    }
    let settings = &context.settings;
    let test = history::test_of(context, arguments.commits.map_or(COMMITS, number))?;
    let plan = Plan {
        trees: Trees::default(),
        sources: Vec::new(),
        limit: CANDIDATES,
        explain: true,
        look_below: false,
        door: Door::Search,
        mode: settings.mode(),
        fusion: settings.fusion(),
        min_similarity: None,
        // A subject is no query in the language of queries: its signs are text.
        syntax: Syntax::Raw,
    };
    let mut queries = Vec::new();
    history::ask(context, &test, &plan, &mut |answered| {
        queries.push(QuerySignals::of(answered));
        Ok(())
    })?;
    Ok(queries)
}
