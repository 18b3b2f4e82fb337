//! `lore rg`: the flags and output of ripgrep.

use std::{ffi::OsString, path::Path};

use anyhow::Context as _;
use lore_console::report::{self, Status};
use lore_engine::{Hit, Mode, SearchRequest, Syntax};
use lore_rg::{Environment, Outcome, Passage};
use lore_schema::SourceName;
use lore_session::{Context, progress::Reporter};
use lore_settings::{
    Override, Value, env_vars,
    flags::{CommonArguments, TreeArguments},
};

/// Name of the command.
const NAME: &str = "rg";

/// Maximum number of ranked passages that are compared with the matches.
const MAX_PASSAGES: usize = 100;

/// The words after `lore rg`; `None` for another command. The command line is not parsed, so that the
/// search starts as fast as that of ripgrep.
pub(crate) fn arguments(words: &[OsString]) -> Option<&[OsString]> {
    match words {
        [_, command, words @ ..] if command == NAME => Some(words),
        _ => None,
    }
}

/// Runs the search with the words after the command.
pub(crate) fn run(words: &[OsString]) -> anyhow::Result<Status> {
    let environment = Environment {
        directory: std::env::current_dir().context("could not find the current directory")?,
        config: env_vars::from_process(env_vars::RIPGREP_CONFIG_PATH).map(Into::into),
        version: env!("CARGO_PKG_VERSION"),
    };
    let mut ranker = |words: &str| {
        ranked(words).unwrap_or_else(|error| {
            report::warning(&format!("could not rank the matches: {error}"));
            Vec::new()
        })
    };
    Ok(match lore_rg::run(words, &environment, &mut ranker) {
        Outcome::Matched => Status::Success,
        Outcome::NoMatch => Status::NoResult,
        Outcome::Failed => Status::Failed,
    })
}

/// The passages of files for some words, best first. None without an index: a search for every match
/// must not wait until one is built.
fn ranked(words: &str) -> anyhow::Result<Vec<Passage>> {
    let no_write = Override { key: "cache.write", value: Value::Switch(false), flag: "--ranked" };
    let context =
        Context::new(&TreeArguments::default(), &CommonArguments::default(), vec![no_write])?;
    let (engine, _) = context.quiet_engine()?;
    let folder = engine.cache_folder().map(|folder| folder.join(SourceName::Code.as_str()));
    if !folder.is_some_and(|folder| folder.is_dir()) {
        report::note("`--ranked` needs an index, which `lore index` builds");
        return Ok(Vec::new());
    }
    let request = SearchRequest::new(words)
        .with_syntax(Syntax::Raw)
        .with_mode(Mode::Lexical)
        .with_limit(MAX_PASSAGES);
    let progress = Reporter::start(context.terminal);
    let response = engine.search(&request, &progress);
    progress.finish();
    let passage = |hit: &Hit| passage(&context.root, hit);
    Ok(response?.hits.iter().filter_map(passage).collect())
}

/// The place of a hit in a file.
fn passage(root: &Path, hit: &Hit) -> Option<Passage> {
    let path = root.join(hit.path.as_deref()?);
    Some(Passage { path, lines: (hit.start_line?.into(), hit.end_line?.into()) })
}
