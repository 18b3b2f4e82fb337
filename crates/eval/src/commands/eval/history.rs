//! `lore eval --self`: measures ranking by a repository's own history.

use std::{error::Error, path::Path};

use lore_console::{
    report::{self, Status, UsageError},
    shell::shell_word,
};
use lore_engine::{
    CachePlace, Embedding, Engine, EngineConfig, Overlays, Syntax, UnsuitableCommit, find_root,
};
use lore_render::output::{plural, skipped};
use lore_schema::SourceName;
use lore_session::{
    Context, embedding, engine_config, interrupt::Removal, number, progress::Reporter,
};
use lore_settings::env_vars;

use super::{arguments::EvalArguments, asking::Watcher, gates::Gates};
use crate::{Answered, Bars, EvalError, Plan, SelfAnswers, SelfTest, write_self_report};

/// Default number of commits.
const COMMITS: usize = 60;

/// The measures if none is named.
const MEASURES: &[&str] = &["nDCG@10", "Success@1", "Success@3", "Success@10"];

/// Makes the test, runs it in a temporary directory, and applies the gates to the answers.
pub(super) fn run(arguments: &EvalArguments) -> anyhow::Result<Status> {
    refuse(arguments)?;
    let mut gates = Gates::of(arguments, MEASURES)?;
    let context = Context::new(&arguments.tree, &arguments.common, arguments.meaning.overrides()?)?;
    // A subject is plain text, not in the query language.
    let plan = Plan { syntax: Syntax::Raw, ..arguments.plan(&context.settings)? };
    if plan.sources.contains(&SourceName::Git) {
        return Err(UsageError::new("the history contains the answers, and is not searched")
            .hint("omit `git` from `--in`")
            .into());
    }

    let mut test = test_of(&context, arguments.commits.map_or(COMMITS, number))?;
    if let Some(text) = &arguments.query {
        test.retain(|commit| commit.subject.contains(text) || commit.id.starts_with(text));
        if test.commits().is_empty() {
            return Err(UsageError::new(format!("no commit of the test contains `{text}`"))
                .hint("look further back with `--commits N`, or omit `--query`")
                .into());
        }
    }
    gates.compare_with(arguments, &test.questions(), "lore eval --self")?;
    let mut watcher = Watcher::start(arguments);
    let answers = ask(&context, &test, &plan, &mut |answered| watcher.note(answered))?;
    let shown = watcher.finish()?;

    let is_plain = !context.terminal.draws_blocks(&env_vars::from_process);
    let bars = if is_plain { Bars::Ascii } else { Bars::Blocks };
    let passed = gates.pass(arguments, &answers.collection, &answers.run, &|out| {
        out.write_all(&shown)?;
        write_self_report(&test, &answers, &gates.measures, bars, out)
    })?;
    let is_found = passed && !answers.collection.queries.is_empty();
    Ok(if is_found { Status::Success } else { Status::NoResult })
}

/// The test of the newest `most` commits of a repository.
pub(in crate::commands) fn test_of(context: &Context, most: usize) -> anyhow::Result<SelfTest> {
    let test = SelfTest::of_history(&context.root, most)?;
    if test.commits().is_empty() {
        return Err(nothing_to_ask(&test).into());
    }
    Ok(test)
}

/// Runs a test in a temporary directory, with the settings of the repository. `each` receives every
/// answer over all sources as it arrives.
pub(in crate::commands) fn ask(
    context: &Context,
    test: &SelfTest,
    plan: &Plan,
    each: &mut dyn FnMut(&Answered<'_>) -> Result<(), EvalError>,
) -> anyhow::Result<SelfAnswers> {
    let work = Work::create()?;
    let (embedding, error) = embedding::configured(&context.settings, &env_vars::from_process)?;
    // Figures of another model than the configured one would mislead.
    if let Some(error) = error {
        return Err(error.into());
    }
    let config = engine_config(&context.settings, &context.root, at_hand(embedding))?;
    let open = |tree: &Path| open_engine(&config, tree, &work.cache());
    let commits = test.commits().len() as u64;
    report::note(&format!("testing {}, oldest first", plural(commits, "commit", "commits")));
    let progress = Reporter::start(context.terminal);
    let answers = test.ask(&work.tree(), config.max_file_size, plan, &open, &progress, each);
    progress.finish();
    let answers = answers?;
    if !answers.skipped.is_empty() {
        report::note(&format!("not written: {}", skipped(&answers.skipped)));
    }
    Ok(answers)
}

/// The error for a history without suitable commits.
fn nothing_to_ask(test: &SelfTest) -> UsageError {
    let unfit: Vec<String> =
        test.unfit().iter().map(|(unfit, count)| format!("{count} {}", unfit.describe())).collect();
    let error = UsageError::new(format!(
        "no commit of this history is suitable as a query; skipped: {}",
        unfit.join(", ")
    ));
    if test.unfit().contains_key(&UnsuitableCommit::Shallow) {
        return error.hint("get the rest of the history with `git fetch --unshallow`");
    }
    error.hint("`lore eval --help` describes suitable commits; `-C DIR` names another repository")
}

/// The embedder to use while indexing; a slow one is replaced, as in a search.
fn at_hand(embedding: Embedding) -> Embedding {
    match embedding {
        Embedding::Other(embedder) if !embedder.is_fast() => {
            report::note(&format!(
                "`{}` takes too long for many trees; the built-in model is used instead",
                embedder.name()
            ));
            Embedding::Embedded
        }
        other => other,
    }
}

/// A temporary directory that only this user can read, removed on drop or interrupt.
struct Work {
    /// Dropped first, so that the directory is not removed twice.
    _removal: Removal,
    folder: tempfile::TempDir,
}

impl Work {
    fn create() -> Result<Work, UsageError> {
        let failed = |reason: String| {
            UsageError::new(format!(
                "could not use the folder for temporary files `{}`: {reason}",
                std::env::temp_dir().display()
            ))
            .hint("name another one with the variable `TMPDIR`")
        };
        let folder = tempfile::Builder::new()
            .prefix("lore-self-")
            .tempdir()
            .map_err(|error| failed(error.to_string()))?;
        let place = lore_engine::native::canonical(folder.path())
            .map_err(|error| failed(error.to_string()))?;
        // The rules of that repository would decide which files are searched.
        if find_root(&place) != place {
            return Err(failed("it is in a repository".to_owned()));
        }
        let work = Work { _removal: Removal::of(folder.path()), folder };
        std::fs::create_dir(work.tree()).map_err(|error| failed(error.to_string()))?;
        Ok(work)
    }

    fn tree(&self) -> std::path::PathBuf {
        self.folder.path().join("tree")
    }

    fn cache(&self) -> std::path::PathBuf {
        self.folder.path().join("cache")
    }
}

/// An engine with the settings of the repository, for a tree of its past.
fn open_engine(
    config: &EngineConfig,
    tree: &Path,
    cache: &Path,
) -> Result<Engine, Box<dyn Error + Send + Sync>> {
    let config = EngineConfig {
        root: tree.to_owned(),
        cache: CachePlace::Folder(cache.to_owned()),
        write: true,
        // They contain later events.
        exports: Vec::new(),
        overlays: Overlays::default(),
        ..config.clone()
    };
    Ok(Engine::open(config)?)
}

/// Rejects flags that have no effect here, rather than ignore them silently.
fn refuse(arguments: &EvalArguments) -> Result<(), UsageError> {
    let given = [
        ("--root", !arguments.place.roots.is_empty()),
        ("--trees", arguments.place.trees.is_some()),
        ("--repository", !arguments.repository.is_empty()),
        ("--spec", arguments.spec),
        ("--run", arguments.run.is_some()),
        ("--per", !arguments.per.is_empty()),
        ("--expected", arguments.expected.is_some()),
        ("--tickets", !arguments.tree.tickets.is_empty()),
        ("--no-write", arguments.tree.no_write),
        ("--cache-dir", arguments.tree.cache_dir.is_some()),
    ];
    let place = arguments.tree.directory.as_ref();
    let place = place.map(|place| format!(" -C {}", shell_word(&place.to_string_lossy())));
    let command = format!("lore eval --self{}", place.unwrap_or_default());
    refuse_given(&given, "--self", &command)
}

/// Rejects the first given flag; `command` is one that works without them.
pub(in crate::commands) fn refuse_given(
    given: &[(&str, bool)],
    with: &str,
    command: &str,
) -> Result<(), UsageError> {
    match given.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(UsageError::new(format!("`{flag}` does not go with `{with}`"))
            .hint(format!("leave it out: `{command}`"))),
        None => Ok(()),
    }
}
