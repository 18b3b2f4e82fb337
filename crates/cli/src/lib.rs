//! The `lore` command line: arguments, commands and exit codes.
//!
//! **Invariant:** commands call the engine; they never access an index or a source directly.
#![allow(
    clippy::disallowed_methods,
    reason = "the edge of the program: files, environment and terminals are its job"
)]

mod args;
mod command_line;
mod commands;
#[cfg(test)]
mod deploy_commands;
mod generate;
mod help;
mod history;
#[cfg(test)]
mod page_commands;
mod usage;
#[cfg(test)]
#[path = "../../../xtask/src/yaml.rs"]
mod yaml;

use std::{ffi::OsString, process::ExitCode};

use clap::{CommandFactory, FromArgMatches};
use lore_console::report::{self, Status};
use lore_session::parsers;

/// The definition of the command line, the basis of help and completions.
pub fn command() -> clap::Command {
    help::with_examples(help::without_compat(args::Arguments::command()))
}

/// Runs the program `lore` with these arguments: a command, or one of the processes that parse texts
/// for it. Only the main function may call this.
pub fn run_program(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = words.into_iter().collect();
    if parsers::is_requested(&words) {
        return parsers::run(&words);
    }
    parsers::enable();
    run(words)
}

/// Runs `lore` with these arguments; the first one is its name.
///
/// The exit code is 0 when there is an answer, 1 when there is none, 2 after an error. A reader
/// that closes the pipe early causes no error.
pub fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    report::guard(|| {
        let words: Vec<OsString> = words.into_iter().collect();
        if let Some(words) = commands::rg::arguments(&words) {
            return rg(words);
        }
        let definition = command();
        let words = command_line::command_first(words, &definition);
        if let Some(words) = commands::rg::arguments(&words) {
            return rg(words);
        }
        if commands::syntax::is_requested(&words) {
            return commands::syntax::run().unwrap_or_else(|error| fail(error.as_ref()));
        }
        if let Some(page) = help::page(&words, &definition) {
            let mut definition = definition;
            // Adds `--help` and `--version`.
            definition.build();
            return help::print(page, &definition).unwrap_or_else(|error| fail(error.as_ref()));
        }
        let arguments = definition
            .try_get_matches_from(&words)
            .and_then(|matches| args::Arguments::from_arg_matches(&matches));
        match arguments {
            Ok(arguments) => match commands::dispatch(arguments) {
                Ok(status) => status,
                Err(error) => fail(error.as_ref()),
            },
            Err(error) => usage::usage(&error, &words),
        }
    })
}

/// Runs `lore rg`, whose words clap does not parse.
fn rg(words: &[OsString]) -> Status {
    commands::rg::run(words).unwrap_or_else(|error| fail(error.as_ref()))
}

/// Reports why a command failed, with a hint.
fn fail(error: &(dyn std::error::Error + 'static)) -> Status {
    report::failure(error, lore_settings::hint(error).as_deref())
}

#[cfg(test)]
mod tests {
    #[test]
    fn settings_name_every_format_and_theme() {
        assert_eq!(lore_settings::FORMATS, lore_render::output::names());
        assert_eq!(lore_settings::THEMES, lore_highlight::Theme::NAMES);
    }
}
