//! `lore rg`: the flags, output and exit codes of ripgrep.
//!
//! Built from ripgrep's own libraries: `ignore` walks, `grep-regex` matches, `grep-searcher` reads
//! and `grep-printer` writes. This crate parses the command line, decides the defaults, and writes
//! the output of all threads in the order of the paths.
//!
//! `parse` reads a command line into `flags`, whose table has one row per flag. `options` decides
//! what depends on the terminal and the paths. `files` lists the files, `search` runs a `worker` per
//! thread, and `output` restores the order. `ranked` lists the most relevant matches first.
//!
//! **Invariant:** no index, no model and no git repository is opened here, and no program started.
//! Only the caller's `Ranker` may use an index, and only for `--ranked`.
//! **Invariant:** the output consists of the bytes of the files, secrets included, as that of `rg`.
#![allow(clippy::disallowed_methods, reason = "the searched files are read here")]

mod builders;
mod config;
mod files;
mod flags;
mod help;
mod messages;
mod options;
mod output;
mod parse;
mod ranked;
mod search;
mod totals;
mod worker;

use std::{
    ffi::OsString,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use self::{
    flags::{Flags, Mode, Special},
    messages::Messages,
    options::Options,
    parse::UsageError,
};
pub use self::{
    help::RIPGREP_VERSION,
    ranked::{Passage, Ranker},
};

/// The part of the environment that a run uses.
#[derive(Debug, Clone)]
pub struct Environment<'a> {
    /// The current directory.
    pub directory: PathBuf,
    /// The file that `RIPGREP_CONFIG_PATH` names.
    pub config: Option<PathBuf>,
    /// The version of `lore`.
    pub version: &'a str,
}

/// The result of a run, which decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Something matched: 0.
    Matched,
    /// Nothing matched: 1.
    NoMatch,
    /// An error, even if something matched: 2.
    Failed,
}

/// Runs `lore rg` with the words after the command.
pub fn run(words: &[OsString], environment: &Environment<'_>, ranker: &mut Ranker<'_>) -> Outcome {
    let outcome = flags(words, environment).and_then(|flags| {
        if let Some(special) = flags.special {
            let text = match special {
                Special::Help => help::text(),
                Special::Version => help::version(environment.version),
            };
            return Ok(written(&mut io::stdout().lock(), text.as_bytes()));
        }
        let messages = Messages::new(!flags.no_messages, !flags.no_ignore_messages);
        let options = Options::new(flags, &environment.directory)?;
        if options.flags.ranked {
            ranked::check(&options)?;
        }
        let matched = match options.mode {
            Mode::Search(_) if !options.can_match() => false,
            Mode::Search(mode) => search::run(&options, mode, &messages, ranker)?,
            Mode::Files => return Ok(list_files(&options, &messages)),
            Mode::Types => return Ok(list_types(&options)),
        };
        Ok(outcome(matched, &options, &messages))
    });
    outcome.unwrap_or_else(|error| {
        messages::write(&error);
        if let Some(hint) = &error.hint {
            let _ = writeln!(io::stderr(), "\nhint: {hint}");
        }
        Outcome::Failed
    })
}

/// Parses the words, preceded by those of the configuration file.
fn flags(words: &[OsString], environment: &Environment<'_>) -> Result<Flags, UsageError> {
    let flags = parse::parse(words.to_vec())?;
    let Some(path) = environment.config.as_deref().filter(|path| !path.as_os_str().is_empty())
    else {
        return Ok(flags);
    };
    if flags.no_config || flags.special.is_some() {
        return Ok(flags);
    }
    let configured = configured_words(path, !flags.no_messages);
    if configured.is_empty() {
        return Ok(flags);
    }
    parse::parse(configured.into_iter().chain(words.iter().cloned())).map_err(|error| UsageError {
        message: format!("{} (with `{}`)", error.message, path.display()),
        hint: error.hint,
    })
}

/// The words of the configuration file; none if it cannot be read.
fn configured_words(path: &Path, is_reported: bool) -> Vec<OsString> {
    let shown = path.display();
    let report = Messages::new(is_reported, true);
    match config::arguments(path) {
        Ok((words, invalid)) => {
            for line in invalid {
                report.warning(format_args!("{shown}:{line}: the line is not valid UTF-8"));
            }
            words
        }
        Err(error) => {
            report.warning(format_args!("could not read RIPGREP_CONFIG_PATH `{shown}`: {error}"));
            Vec::new()
        }
    }
}

fn outcome(matched: bool, options: &Options, messages: &Messages) -> Outcome {
    if matched && (options.flags.quiet || !messages.has_failed()) {
        Outcome::Matched
    } else if messages.has_failed() {
        Outcome::Failed
    } else {
        Outcome::NoMatch
    }
}

/// Lists the files that would be searched.
fn list_files(options: &Options, messages: &Messages) -> Outcome {
    let files = files::list(options, messages);
    if !options.quits_after_match {
        let output = grep_cli::stdout_buffered_block(options.color);
        let mut printer = builders::path_printer(options).build(output);
        for file in &files {
            if let Err(error) = printer.write(&file.path) {
                if error.kind() != io::ErrorKind::BrokenPipe {
                    messages.error(error);
                }
                break;
            }
        }
    }
    outcome(!files.is_empty(), options, messages)
}

/// Lists the file types with their globs.
fn list_types(options: &Options) -> Outcome {
    let mut text = String::new();
    for definition in options.types.definitions() {
        text.push_str(definition.name());
        text.push_str(": ");
        text.push_str(&definition.globs().join(", "));
        text.push('\n');
    }
    let outcome = written(&mut io::stdout().lock(), text.as_bytes());
    if text.is_empty() { Outcome::NoMatch } else { outcome }
}

/// Writes a text. A reader that is gone is not an error.
fn written(output: &mut dyn io::Write, text: &[u8]) -> Outcome {
    match output.write_all(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Outcome::Failed,
        _ => Outcome::Matched,
    }
}
