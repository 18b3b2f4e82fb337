//! `lore tune`: fits ranking weights to the history of one repository.

use std::{
    collections::BTreeSet,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::Args;
use lore_console::{
    report::{self, Status, UsageError},
    shell::shell_word,
};
use lore_engine::{Clock, Embedding, SignalWeight, Syntax, signal_weights};
use lore_session::{Context, number, root};
use lore_settings::{
    Settings, env_vars,
    flags::{CommonArguments, TreeArguments, shared_flags},
};

use super::eval::{CANDIDATES, history, note_unknown, write_clean};
use crate::{
    EvalError, Plan, QuerySignals, Samples, SearchKind, Trees, Tuning, measures::Measure, tune,
    write_tuning, write_weights,
};

/// Measure to judge queries by.
const MEASURE: &str = "nDCG@10";

/// Default number of commits: with fewer, a gain is rarely distinguishable from chance.
const COMMITS: usize = 200;

/// Maximum number of commits.
const MAX_COMMITS: u64 = 20_000;

/// Arguments of `lore tune`.
#[derive(Debug, Args)]
pub struct TuneArguments {
    /// Rank by the fitted weights in this repository from now on
    ///
    /// Writes them to a file of their own beside your settings file; other repositories and other
    /// people keep theirs. Refused where the gain may be chance; exits 1 then.
    #[arg(long, help_heading = "Tuning")]
    apply: bool,

    /// Apply the weights even if their gain may be chance, or the file of `--signals` is of another
    /// repository
    #[arg(long, requires = "apply", help_heading = "Tuning")]
    force: bool,

    /// Rank by the weights as they were before `--apply`
    ///
    /// Deletes the file that it wrote, and nothing else.
    #[arg(long, conflicts_with_all = ["apply", "signals"], help_heading = "Tuning")]
    reset: bool,

    /// Use the newest N commits at most [default: 200]
    ///
    /// The help of `lore eval --self` describes which commits are skipped.
    #[arg(long, value_name = "N", help_heading = "Tuning",
        value_parser = clap::value_parser!(u64).range(1..=MAX_COMMITS))]
    commits: Option<u64>,

    /// Read the candidates from a file, and run no query
    ///
    /// Of `lore eval --self --limit 150 --dump-signals FILE`.
    #[arg(long, value_name = "FILE", help_heading = "Tuning", conflicts_with = "commits")]
    signals: Option<PathBuf>,

    #[command(flatten)]
    common: CommonArguments,

    #[command(flatten)]
    tree: TreeArguments,
}

impl TuneArguments {
    /// The typed command without the flags for the weights, followed by `more`: a command to paste.
    fn again(&self, more: &str) -> String {
        let mut words = vec!["lore tune".to_owned()];
        words.extend(self.place());
        let tree = &self.tree;
        let switches = [
            ("--hidden", tree.hidden),
            ("--no-hidden", tree.no_hidden),
            ("--all-history", tree.all_history),
        ];
        let given = switches.iter().filter(|(_, given)| *given);
        words.extend(given.map(|(flag, _)| (*flag).to_owned()));
        if let Some(model) = &tree.embedding.model {
            words.push(format!("--model {}", shell_word(model)));
        }
        if let Some(path) = &self.signals {
            words.push(format!("--signals {}", shell_word(&path.to_string_lossy())));
        }
        if let Some(commits) = self.commits.filter(|_| !more.contains("--commits")) {
            words.push(format!("--commits {commits}"));
        }
        words.push(more.to_owned());
        words.join(" ").trim_end().to_owned()
    }

    /// The command that removes the tuned weights.
    fn take_back(&self) -> String {
        ["lore tune".to_owned()]
            .into_iter()
            .chain(self.place())
            .chain(["--reset".to_owned()])
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Instruction to write a usable dump.
    fn write_a_dump(&self) -> String {
        let place = self.place().map(|place| format!(" {place}")).unwrap_or_default();
        format!(
            "write one of this repository with `lore eval --self{place} --limit 150 --dump-signals \
             history.sig`"
        )
    }

    /// The option for the tree, as it was typed.
    fn place(&self) -> Option<String> {
        let directory = self.tree.directory.as_ref()?;
        Some(format!("-C {}", shell_word(&directory.to_string_lossy())))
    }

    /// Rejects flags that have no effect here, rather than ignore them silently.
    fn refuse(&self) -> Result<(), UsageError> {
        let action = match (self.reset, self.apply, self.force) {
            (true, ..) => "--reset",
            (_, true, true) => "--apply --force",
            (_, true, false) => "--apply",
            (_, false, _) => "",
        };
        let tree = &self.tree;
        let given = [
            ("--tickets", !tree.tickets.is_empty()),
            ("--no-write", tree.no_write),
            ("--cache-dir", tree.cache_dir.is_some()),
        ];
        history::refuse_given(&given, "lore tune", &self.again(action))
    }
}

/// Fits weights and shows, applies or removes them.
pub fn run(arguments: &TuneArguments) -> anyhow::Result<Status> {
    arguments.refuse()?;
    if arguments.reset {
        // Settings are not read, so that an invalid file can be removed, too.
        let root = root(arguments.tree.directory.as_deref())?;
        return reset(lore_settings::tuned_file(&root, &env_vars::from_process).as_deref());
    }
    let context = Context::new(&arguments.tree, &arguments.common, Vec::new())?;
    let file = lore_settings::tuned_file(&context.root, &env_vars::from_process);
    // Fitting starts from the weights without tuning.
    let flags = shared_flags(&arguments.tree, &arguments.common);
    let untuned = Settings::load_untuned(&context.root, &env_vars::from_process, flags)?;
    let signals = signal_weights(&untuned.engine(&context.root, Embedding::Off).ranking);
    let measure = Measure::from_name(MEASURE)?;

    // Some signals depend on the weights of others, so the queries run without tuning as well.
    let asked = Context {
        root: context.root.clone(),
        settings: untuned,
        terminal: context.terminal,
        at: None,
    };
    let queries = candidates(arguments, &asked)?;
    // The queries of a history contain the name of the directory, too.
    let place =
        lore_engine::native::canonical(&context.root).unwrap_or_else(|_| context.root.clone());
    let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if arguments.apply && !arguments.force {
        refuse_other_repository(arguments, &queries, &name)?;
    }
    let samples = Samples::new(&name, &signals, &queries);
    note_unknown(&samples);
    if samples.queries() == 0 {
        let hint = if arguments.signals.is_some() {
            arguments.write_a_dump()
        } else {
            let more = (2 * arguments.commits.unwrap_or(COMMITS as u64)).min(MAX_COMMITS);
            format!("look further back with `{}`", arguments.again(&format!("--commits {more}")))
        };
        let error = UsageError::new("no query has a right result that was searched");
        return Err(error.hint(hint).into());
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
            let command = arguments.again("--apply");
            report::hint_line(&format!("put the weights in force with `{command}`"));
        }
        return Ok(Status::Success);
    }
    apply(arguments, &context.root, file, &tuning, &signals)
}

/// Writes the weights if there is a gain, or with `--force`.
fn apply(
    arguments: &TuneArguments,
    root: &Path,
    file: Option<PathBuf>,
    tuning: &Tuning,
    signals: &[SignalWeight],
) -> anyhow::Result<Status> {
    if tuning.fitted.moved().next().is_none() {
        report::note("no weight moved; nothing was written");
        return Ok(Status::NoResult);
    }
    if !tuning.is_gain() && !arguments.force {
        report::note("the gain may be chance; nothing was written");
        let command = arguments.again("--apply --force");
        report::hint_line(&format!("apply it all the same with `{command}`"));
        return Ok(Status::NoResult);
    }
    let file = file.ok_or_else(no_place)?;
    let mut text = Vec::new();
    // A line end in the name of a directory would end the comment.
    let place = root.display().to_string().replace(char::is_control, " ");
    writeln!(
        text,
        "# Weights for `{place}`, written by `lore tune --apply`.\n\
         # `lore tune --reset` deletes this file."
    )
    .expect("a vector takes everything");
    write_weights(&tuning.fitted, &mut text).expect("a vector takes everything");
    let text = String::from_utf8_lossy(&text);
    lore_settings::write_tuned(&file, &text)
        .with_context(|| format!("could not write `{}`", file.display()))?;
    let moved = tuning.fitted.moved().count();
    report::note(&format!(
        "{moved} of {} weights are tuned to this repository now: `{}`",
        signals.len(),
        file.display()
    ));
    report::hint_line(&format!("take them back with `{}`", arguments.take_back()));
    Ok(Status::Success)
}

/// Rejects a dump of another repository: weights suit the repository that they are fitted to.
fn refuse_other_repository(
    arguments: &TuneArguments,
    queries: &[QuerySignals],
    name: &str,
) -> Result<(), UsageError> {
    let Some(path) = &arguments.signals else { return Ok(()) };
    if queries.iter().any(|query| query.repository == name) {
        return Ok(());
    }
    let others: BTreeSet<&str> = queries.iter().map(|query| query.repository.as_str()).collect();
    let others: Vec<String> = others.iter().take(3).map(|other| format!("`{other}`")).collect();
    Err(UsageError::new(format!(
        "no query of `{}` is of the repository `{name}`; they are of {}",
        path.display(),
        others.join(", ")
    ))
    .hint(format!(
        "{}, or apply these all the same with `{}`",
        arguments.write_a_dump(),
        arguments.again("--apply --force")
    )))
}

/// Deletes the tuned weights.
fn reset(file: Option<&Path>) -> anyhow::Result<Status> {
    let file = file.ok_or_else(no_place)?;
    let was_there = lore_settings::remove_tuned(file)
        .with_context(|| format!("could not delete `{}`", file.display()))?;
    if was_there {
        report::note(&format!("deleted `{}`", file.display()));
    } else {
        report::note("no weights are tuned to this repository");
    }
    Ok(Status::Success)
}

fn no_place() -> UsageError {
    UsageError::new("there is no place for settings of yours")
        .hint("name your settings file with the variable `LOREHOUND_CONFIG`")
}

/// The queries of the history with their candidates: from a dump, or from a run in a temporary
/// directory.
fn candidates(arguments: &TuneArguments, context: &Context) -> anyhow::Result<Vec<QuerySignals>> {
    if let Some(path) = &arguments.signals {
        return QuerySignals::load_dump(path).map_err(|error| {
            let message = match error {
                EvalError::Malformed { line, reason, .. } => {
                    format!("`{}` is no dump of signals: line {line}: {reason}", path.display())
                }
                other => format!("{:#}", anyhow::Error::from(other)),
            };
            UsageError::new(message).hint(arguments.write_a_dump()).into()
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
        search_kind: SearchKind::Search,
        mode: settings.mode(),
        fusion: settings.fusion(),
        min_similarity: None,
        // A subject is plain text, not in the query language.
        syntax: Syntax::Raw,
        snippet_lines: None,
        clock: Clock::default(),
    };
    let mut queries = Vec::new();
    history::ask(context, &test, &plan, &mut |answered| {
        queries.push(QuerySignals::of(answered));
        Ok(())
    })?;
    Ok(queries)
}
