//! `lore eval`: measures ranking against labelled queries.

mod ablate;
mod agents;
mod arguments;
mod asking;
mod candidates;
mod compare;
mod engines;
mod fit;
mod gates;
mod graph;
pub(super) mod history;
mod measures;
mod natural;
mod output;
mod place;
mod tokens;

use std::path::Path;

use clap::{Args, Subcommand};
use lore_console::report::{Status, UsageError};
use lore_session::progress::Reporter;
use lore_settings::{Settings, env_vars, terminal::Terminal};

pub(crate) use self::agents::AgentsWire;
use self::{
    ablate::AblateArguments,
    arguments::EvalArguments,
    asking::Watcher,
    compare::CompareArguments,
    engines::engine_of,
    fit::FitArguments,
    gates::Gates,
    output::{hinted, no_such_query},
};
pub(super) use self::{
    candidates::{CANDIDATES, note_unknown},
    output::write_clean,
};
use crate::{
    Collection, Plan, Run, ask, judge, load_graph_questions, measures::DEFAULT, write_summary,
};

/// Arguments of `lore eval`: a collection, or a subcommand.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true,
    override_usage = "lore eval [OPTIONS] COLLECTION\n       lore eval --self [OPTIONS]\n       lore eval COMMAND [OPTIONS]"
)]
pub struct EvalCommand {
    #[command(subcommand)]
    action: Option<EvalAction>,

    #[command(flatten)]
    arguments: EvalArguments,
}

/// The subcommands. To name a collection like one of them, write `./NAME`.
#[derive(Debug, Subcommand)]
pub(crate) enum EvalAction {
    /// Show the effect of each ranking signal on every collection of a list
    ///
    /// Writes Markdown tables: the loss of each collection without the signal, the effect of a quarter
    /// less and more of its weight, and the result of each collection in each search mode.
    Ablate(Box<AblateArguments>),

    /// Compare two runs: which queries moved, and which part of the score moved them
    ///
    /// Runs that `--run-out` wrote as JSONL contain the relevance judgements. For others, name the
    /// collection.
    Compare(CompareArguments),

    /// Fit the weights of ranking to collections
    ///
    /// Shows the weights that rank the relevant results of the queries best, and their effect on
    /// queries that they were not fitted to. Changes nothing.
    Fit(Box<FitArguments>),
}

/// Runs the subcommand, or measures a collection.
pub fn run(command: &EvalCommand) -> anyhow::Result<Status> {
    match &command.action {
        Some(EvalAction::Ablate(arguments)) => ablate::run(arguments),
        Some(EvalAction::Compare(arguments)) => compare::run(arguments),
        Some(EvalAction::Fit(arguments)) => fit::run(arguments),
        None if command.arguments.of_history => history::run(&command.arguments),
        None => measure_collection(&command.arguments),
    }
}

/// Makes or reads a run, judges it, and applies the gates.
fn measure_collection(arguments: &EvalArguments) -> anyhow::Result<Status> {
    let path = arguments.collection()?;
    if let Some(questions) = load_graph_questions(path)? {
        return graph::run(arguments, questions);
    }
    let mut collection = Collection::load(path)?;
    collection.retain(|query| {
        (arguments.repository.is_empty() || arguments.repository.contains(&query.repository))
            && arguments
                .query
                .as_ref()
                .is_none_or(|text| query.text.contains(text) || query.id == *text)
    });
    if collection.queries.is_empty() {
        return Err(no_such_query());
    }
    if let Some(budget) = arguments.tokens {
        let budget = Some(budget).filter(|budget| 0 < *budget).map(lore_session::number);
        return tokens::run(arguments, &collection, budget);
    }
    if arguments.agents {
        if !collection.is_natural() {
            return Err(UsageError::new("`--agents` needs natural questions")
                .hint("name a collection with `type` and `answers`, for example `eval/collections/ask-lorehound`")
                .into());
        }
        return agents::run(arguments, collection);
    }
    if collection.is_natural() {
        return natural::run(arguments, collection);
    }
    refuse_json(arguments)?;
    let mut gates = Gates::of(arguments, DEFAULT)?;
    gates.compare_with(arguments, &collection, &path.display().to_string())?;

    let mut shown = Vec::new();
    let run = match &arguments.run {
        Some(path) => Run::load(path, &collection)?,
        None => ask_all(arguments, &collection, &plan(arguments)?, &mut shown)?,
    };
    let per = arguments.breakdowns();
    let passed = gates.pass(arguments, &collection, &run, &|out| {
        out.write_all(&shown)?;
        let judgement = judge(&collection, &run, &gates.measures);
        write_summary(&collection, &judgement, &gates.measures, &per, out)
    })?;
    Ok(if passed { Status::Success } else { Status::NoResult })
}

/// The options of the queries, with the location of the trees.
fn plan(arguments: &EvalArguments) -> anyhow::Result<Plan> {
    let here =
        Settings::load(Path::new("."), &env_vars::from_process, arguments.meaning.overrides()?)?;
    Ok(Plan { trees: arguments.trees(), ..arguments.plan(&here)? })
}

/// Rejects `--json`, which only the report of natural questions supports.
fn refuse_json(arguments: &EvalArguments) -> Result<(), UsageError> {
    if !arguments.json {
        return Ok(());
    }
    Err(UsageError::new("`--json` is only valid for natural questions")
        .hint("omit it, or write the answers as JSON lines with `--run-out FILE`"))
}

/// Runs every query; `shown` receives the text of shown queries.
fn ask_all(
    arguments: &EvalArguments,
    collection: &Collection,
    plan: &Plan,
    shown: &mut Vec<u8>,
) -> anyhow::Result<Run> {
    let open = |root: &Path| engine_of(&arguments.tree, &arguments.common, root);
    let progress = Reporter::start(Terminal::from_process());
    let mut watcher = Watcher::start(arguments);
    let run = ask(collection, plan, &open, &progress, &mut |answered| watcher.note(answered));
    progress.finish();
    let run = run.map_err(hinted)?;
    *shown = watcher.finish()?;
    Ok(run)
}
