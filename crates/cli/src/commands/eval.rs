//! `lore eval`: measures ranking against labelled queries.

mod ablate;
mod asking;
mod candidates;
mod compare;
mod fit;
mod graph;
pub(super) mod history;
mod measures;
mod place;
mod tokens;

use std::{
    error::Error,
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use lore_console::{
    report::{self, Status, UsageError},
    text::clean,
};
use lore_engine::{Engine, EngineConfig, RankingConfig, Syntax};
use lore_eval::{
    Collection, EvalError, Expected, Per, Plan, Run, SearchKind, Trees, ask, headline, judge,
    load_graph_questions,
    measures::{DEFAULT, Measure},
    write_differences, write_summary,
};
use lore_session::{embedding, progress::Reporter, write_output};
use lore_settings::{
    Settings, env_vars,
    flags::{CommonArguments, FusionArguments, TreeArguments, shared_flags},
    terminal::Terminal,
};

pub(super) use self::candidates::{CANDIDATES, note_unknown};
use self::{
    ablate::AblateArguments,
    asking::Watcher,
    compare::{CompareArguments, OtherRun},
    fit::FitArguments,
    measures::{measures_of, minimums},
    place::PlaceArguments,
};

/// Candidates a query when signals are written: the right file is practically always among them.
const SIGNAL_CANDIDATES: u64 = 50;

/// Hits that are shown of one query.
const SHOWN_HITS: usize = 10;

/// What can follow `lore eval`: a collection, or one of the commands around it.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true,
    override_usage = "lore eval [OPTIONS] COLLECTION\n       lore eval --self [OPTIONS]\n       lore eval COMMAND [OPTIONS]"
)]
pub(crate) struct EvalCommand {
    #[command(subcommand)]
    action: Option<EvalAction>,

    #[command(flatten)]
    arguments: EvalArguments,
}

/// The commands beside asking a collection. A collection with such a name is `./NAME`.
#[derive(Debug, Subcommand)]
pub(crate) enum EvalAction {
    /// Show what each signal of ranking is worth on every collection of a list
    ///
    /// What each collection loses without the signal, what a quarter less and more of its weight
    /// changes, and what each collection comes to by words, by meaning and by both, as Markdown.
    Ablate(Box<AblateArguments>),

    /// Compare two runs: which queries moved, and which part of the score moved them
    ///
    /// Of runs that `--run-out` wrote as JSONL, nothing else is needed: they say what is right. For
    /// others, name the collection.
    Compare(CompareArguments),

    /// Fit the weights of ranking to collections
    ///
    /// Shows the weights under which the right results of the queries stand best, and what they are
    /// worth where they were not fitted. Changes nothing.
    Fit(Box<FitArguments>),
}

/// Arguments of `lore eval COLLECTION`.
#[derive(Debug, Args)]
pub(crate) struct EvalArguments {
    /// Queries with what is right: a folder or a JSONL file
    ///
    /// Either a folder with `collection.toml`, `queries.jsonl`, `qrels.txt` (in the form of TREC)
    /// and its corpus, or a file with one labelled query a line (`id`, `repo`, `query`,
    /// `relevant`, `secondary`, `exclude`, `category`, `language`), or a folder with such a
    /// `queries.jsonl`. A `repositories.json` beside it names the folder of each repository that is
    /// searched. A file of questions about the graph (`relation`, `target`, `answers`), or a folder
    /// with such a `questions.jsonl`, is asked of `lore research`.
    #[arg(
        value_name = "COLLECTION",
        required_unless_present = "of_history",
        help_heading = "Collection"
    )]
    collection: Option<PathBuf>,

    /// Ask the repository's own history: can the files of a commit be found by its subject?
    ///
    /// Makes a private test of the newest commits: the subject of a commit is the query, the files
    /// that it changed are what is right, and each is searched as it was before that commit. Merges
    /// are passed over, and so are commits that change more than ten files or none that was there
    /// before, and subjects that have fewer than three words or only say that something is merged,
    /// reverted, bumped or released. Lock files do not count, nor do files that are not searched or
    /// hold several documents.
    ///
    /// The trees are laid out one after another in a temporary folder, with an index of their own;
    /// nothing else is written, and nothing leaves the machine. The history itself and exports of
    /// trackers are not searched, since they hold the answers. Figures by source are those of the
    /// source asked alone, judged by its files. `-C DIR` names another repository.
    #[arg(long = "self", help_heading = "Own history", conflicts_with = "collection")]
    of_history: bool,

    /// Ask at most N commits [default: 60]
    #[arg(long, value_name = "N", help_heading = "Own history", requires = "of_history",
        value_parser = clap::value_parser!(u64).range(1..=20_000))]
    commits: Option<u64>,

    /// Measure what answers for agents cost, and what is in them
    ///
    /// The tokens (o200k) of the exact text of `lore search --format agent`, from its beginning to the
    /// end of the first hit that covers something right; where none does, all of the budget. Recall is
    /// the share of what is right that the answer names with its lines, by text or by place; the list
    /// of files with the words does not count. The budget is 2,000 tokens unless `--tokens=N` says so.
    #[arg(long, value_name = "N", help_heading = "Measures", num_args = 0..=1, require_equals = true,
        default_missing_value = "2000", value_parser = clap::value_parser!(u64).range(100..=8_000),
        conflicts_with_all = ["of_history", "spec", "limit", "run", "measures", "compare", "minimums",
            "expected", "run_out", "dump_signals"])]
    tokens: Option<u64>,

    #[command(flatten)]
    place: PlaceArguments,

    /// Ask only the queries of this repository
    ///
    /// May be given several times.
    #[arg(long, value_name = "NAME", help_heading = "Collection")]
    repository: Vec<String>,

    /// Ask only queries with this text, and show what was found and why
    #[arg(long, value_name = "TEXT", help_heading = "Collection")]
    query: Option<String>,

    /// Use `lore spec` in place of the search
    #[arg(long, help_heading = "Collection", conflicts_with = "dump_signals")]
    spec: bool,

    /// Ask for N results a query [default: 10]
    #[arg(long, value_name = "N", help_heading = "Collection",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_HITS))]
    limit: Option<u64>,

    /// Judge this run, and ask nothing
    #[arg(long, value_name = "FILE", help_heading = "Collection",
        conflicts_with_all = ["query", "dump_signals"])]
    run: Option<PathBuf>,

    /// Measures to show
    ///
    /// `nDCG`, `P` (precision), `RR`, `R` (recall) and `Success`, each with or without a cutoff such as `@10`. The
    /// first one is the headline. The default is nDCG@10,RR@10,R@10,Success@1,Success@3, and with
    /// `--self` nDCG@10,Success@1,Success@3,Success@10.
    #[arg(long = "measure", value_name = "NAME", value_delimiter = ',', help_heading = "Measures")]
    measures: Vec<String>,

    /// Break down by category, language or repository
    #[arg(long, value_name = "WHAT", value_delimiter = ',', help_heading = "Measures",
        value_parser = clap::builder::PossibleValuesParser::new(Per::ALL.iter().map(|per| per.as_str())))]
    per: Vec<String>,

    /// Show every query that differs from this run, why, and whether it is more than chance
    ///
    /// As `lore eval compare` does: by the queries that both runs hold.
    #[arg(long, value_name = "FILE", help_heading = "Measures")]
    compare: Option<PathBuf>,

    /// Fail when a mean over repositories is below this
    ///
    /// For example `nDCG@10=0.85`. May be given several times. The exit code is 1 then. For the
    /// graph, the measures are precision, recall, precision-all and recall-all.
    #[arg(long = "min", value_name = "MEASURE=VALUE", help_heading = "Measures")]
    minimums: Vec<String>,

    /// Fail when the rank of any right result differs from this file
    ///
    /// A table of query, rank, RR and nDCG@10. The exit code is 1 when anything differs.
    #[arg(long, value_name = "FILE", help_heading = "Measures")]
    expected: Option<PathBuf>,

    /// Write the file of `--expected` anew
    #[arg(long, requires = "expected", help_heading = "Measures")]
    update: bool,

    /// Write the run: JSONL, or the form of TREC if the name ends in `.run` or `.trec`
    ///
    /// JSONL holds what is right and the parts of every score, for `lore eval compare`.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    run_out: Option<PathBuf>,

    /// Write the values of all signals for the best 50 candidates of each query
    ///
    /// One line of JSON a query, to fit weights to.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    dump_signals: Option<PathBuf>,

    #[command(flatten)]
    meaning: FusionArguments,

    #[command(flatten)]
    common: CommonArguments,

    #[command(flatten)]
    tree: TreeArguments,
}

/// Runs the command that was typed, or asks a collection.
pub(super) fn run(command: &EvalCommand) -> anyhow::Result<Status> {
    match &command.action {
        Some(EvalAction::Ablate(arguments)) => ablate::run(arguments),
        Some(EvalAction::Compare(arguments)) => compare::run(arguments),
        Some(EvalAction::Fit(arguments)) => fit::run(arguments),
        None if command.arguments.of_history => history::run(&command.arguments),
        None => measure_collection(&command.arguments),
    }
}

/// Asks or reads a run, judges it, and passes it through the gates.
fn measure_collection(arguments: &EvalArguments) -> anyhow::Result<Status> {
    let path = arguments.collection()?;
    if let Some(questions) = load_graph_questions(path)? {
        return graph::run(arguments, questions);
    }
    let mut gates = Gates::of(arguments, DEFAULT)?;
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
        return tokens::run(arguments, &collection, lore_session::number(budget));
    }
    gates.compare_with(arguments, &collection, &path.display().to_string())?;

    let mut shown = Vec::new();
    let run = match &arguments.run {
        Some(path) => Run::load(path, &collection)?,
        None => ask_all(arguments, &collection, &mut shown)?,
    };
    let per = breakdowns(arguments);
    let passed = gates.pass(arguments, &collection, &run, &|out| {
        out.write_all(&shown)?;
        let judgement = judge(&collection, &run, &gates.measures);
        write_summary(&collection, &judgement, &gates.measures, &per, out)
    })?;
    Ok(if passed { Status::Success } else { Status::NoResult })
}

/// What a run is measured by, and what it must reach.
struct Gates {
    measures: Vec<Measure>,
    minimums: Vec<(Measure, f64)>,
    other: Option<OtherRun>,
}

impl Gates {
    /// Understands what was typed; `default` are the measures if none was.
    fn of(arguments: &EvalArguments, default: &[&str]) -> Result<Gates, UsageError> {
        Ok(Gates {
            measures: measures_of(&arguments.measures, default)?,
            minimums: minimums(&arguments.minimums)?,
            other: None,
        })
    }

    /// Reads the run that is compared with, before anything is asked or written: the new run may
    /// take its place. `name` is that of the collection.
    fn compare_with(
        &mut self,
        arguments: &EvalArguments,
        collection: &Collection,
        name: &str,
    ) -> anyhow::Result<()> {
        if let Some(path) = &arguments.compare {
            let other = OtherRun::load(path, collection)?;
            other.expect_any(collection, name)?;
            self.other = Some(other);
        }
        Ok(())
    }

    /// Writes the run, the summary and the comparison, and tells whether the run reaches what it must.
    fn pass(
        &self,
        arguments: &EvalArguments,
        collection: &Collection,
        run: &Run,
        summary: &dyn Fn(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<bool> {
        if let Some(path) = &arguments.run_out {
            run.save(path, collection)?;
        }
        let difference = match (&self.other, self.measures.first()) {
            (Some(other), Some(measure)) => {
                let after = arguments.run.as_ref().or(arguments.run_out.as_ref());
                let name = after
                    .map_or_else(|| collection.name.clone(), |path| path.display().to_string());
                Some(other.difference(collection, run, &name, *measure))
            }
            _ => None,
        };
        let difference = difference.transpose();
        write_clean(|out| {
            summary(out)?;
            match &difference {
                Ok(Some(difference)) => difference.write(out),
                _ => Ok(()),
            }
        })?;
        // What was asked is told all the same.
        difference?;

        let mut passed = true;
        for (measure, least) in &self.minimums {
            let one = [*measure];
            let value = headline(&judge(collection, run, &one), &one).values[0];
            if value < *least {
                passed = false;
                report::note(&format!("{measure} is {value:.4}, below {least}"));
            }
        }
        if let Some(path) = &arguments.expected {
            passed &= check_expected(path, arguments.update, collection, run)?;
        }
        Ok(passed)
    }
}

impl EvalArguments {
    /// Where the trees lie that are asked.
    fn trees(&self) -> Trees {
        self.place.trees(self.tree.directory.as_deref())
    }

    /// The collection that is asked.
    fn collection(&self) -> Result<&Path, UsageError> {
        // The parser demands one; without it there is nothing to ask.
        self.collection.as_deref().ok_or_else(|| {
            UsageError::new("no collection is named")
                .hint("name a folder or a file of labelled queries: `lore eval queries.jsonl`")
        })
    }
}

/// Writes to standard output. Queries, subjects and paths were written by others: nothing of them
/// steers the terminal.
pub(super) fn write_clean(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    write_output(|out| {
        let mut text = Vec::new();
        write(&mut text)?;
        for line in String::from_utf8_lossy(&text).lines() {
            writeln!(out, "{}", clean(line))?;
        }
        Ok(())
    })
}

fn no_such_query() -> anyhow::Error {
    UsageError::new("the collection holds no such query")
        .hint("leave out `--repository` and `--query` to ask all of it")
        .into()
}

/// What the figures are broken down by.
fn breakdowns(arguments: &EvalArguments) -> Vec<Per> {
    let is_asked = |per: &Per| arguments.per.iter().any(|name| name == per.as_str());
    Per::ALL.iter().copied().filter(is_asked).collect()
}

/// Makes an engine for a tree, with the settings that hold there.
fn engine_of(
    tree: &TreeArguments,
    common: &CommonArguments,
    root: &Path,
) -> Result<Engine, Box<dyn Error + Send + Sync>> {
    Ok(Engine::open(engine_config(tree, common, root)?)?)
}

/// Makes an engine with the settings that hold for a tree, but the built-in weights of ranking: what
/// those are worth, or should be, is not told by answers under others.
fn engine_of_built_in_weights(
    tree: &TreeArguments,
    common: &CommonArguments,
    root: &Path,
) -> Result<Engine, Box<dyn Error + Send + Sync>> {
    let config = engine_config(tree, common, root)?;
    Ok(Engine::open(EngineConfig { ranking: RankingConfig::default(), ..config })?)
}

fn engine_config(
    tree: &TreeArguments,
    common: &CommonArguments,
    root: &Path,
) -> Result<EngineConfig, Box<dyn Error + Send + Sync>> {
    let root = lore_engine::native::canonical(root)?;
    let flags = shared_flags(tree, common);
    let settings = Settings::load(&root, &env_vars::from_process, flags)?;
    let (embedding, error) = embedding::configured(&settings, &env_vars::from_process)?;
    // Figures of another model than the one that is set would mislead.
    if let Some(error) = error {
        return Err(error.into());
    }
    Ok(settings.engine(&root, embedding))
}

/// Asks every query; what a single query is shown with goes to `shown`.
fn ask_all(
    arguments: &EvalArguments,
    collection: &Collection,
    shown: &mut Vec<u8>,
) -> anyhow::Result<Run> {
    let here =
        Settings::load(Path::new("."), &env_vars::from_process, arguments.meaning.overrides()?)?;
    let plan = Plan { trees: arguments.trees(), ..plan(arguments, &here)? };
    let open = |root: &Path| engine_of(&arguments.tree, &arguments.common, root);
    let progress = Reporter::start(Terminal::from_process());
    let mut watcher = Watcher::start(arguments);
    let run = ask(collection, &plan, &open, &progress, &mut |answered| watcher.note(answered));
    progress.finish();
    let run = run.map_err(hinted)?;
    *shown = watcher.finish()?;
    Ok(run)
}

/// How queries are asked, of whichever trees.
fn plan(arguments: &EvalArguments, settings: &Settings) -> anyhow::Result<Plan> {
    let is_compared = arguments.run_out.is_some() || arguments.compare.is_some();
    let is_dumped = arguments.dump_signals.is_some();
    let limit = if is_dumped { SIGNAL_CANDIDATES } else { SHOWN_HITS as u64 };
    Ok(Plan {
        mode: settings.mode(),
        fusion: settings.fusion(),
        min_similarity: arguments.meaning.min_similarity,
        trees: Trees::default(),
        sources: arguments.place.sources()?,
        limit: usize::try_from(arguments.limit.unwrap_or(limit)).unwrap_or(usize::MAX),
        explain: is_compared || is_dumped || arguments.query.is_some(),
        look_below: is_compared,
        search_kind: if arguments.spec { SearchKind::Spec } else { SearchKind::Search },
        syntax: Syntax::Full,
    })
}

fn failed(path: &Path) -> impl Fn(io::Error) -> EvalError {
    move |source| EvalError::Write { path: path.to_owned(), source }
}

fn hinted(error: EvalError) -> anyhow::Error {
    if let EvalError::NoTree { repository, .. } = &error {
        return UsageError::new(error.to_string())
            .hint(format!(
                "name its folder with `--root {repository}=DIR`, or a folder of such folders with \
                 `--trees DIR`"
            ))
            .into();
    }
    error.into()
}

/// Whether the run is what the golden file says; or writes the file.
fn check_expected(
    path: &Path,
    update: bool,
    collection: &Collection,
    run: &Run,
) -> Result<bool, EvalError> {
    let actual = Expected::of(collection, run)?;
    if update {
        actual.save(path)?;
        report::note(&format!("wrote `{}`", path.display()));
        return Ok(true);
    }
    let differences = Expected::load(path)?.differences(&actual);
    if differences.is_empty() {
        return Ok(true);
    }
    let mut text = Vec::new();
    write_differences(&differences, &mut text).expect("a vector takes everything");
    report::note(&format!("{} queries differ from `{}`", differences.len(), path.display()));
    for line in String::from_utf8_lossy(&text).lines() {
        report::plain_line(line);
    }
    report::hint_line(
        "look at each with `--query ID`; if all is well, write the file with `--update`",
    );
    Ok(false)
}
