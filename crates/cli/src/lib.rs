//! The program: arguments, settings, commands and output formats.
//!
//! **Invariant:** only this crate knows terminals, environment variables, the current folder and
//! the JSON that is printed. It asks the engine, and never looks into an index or a source.
#![allow(
    clippy::disallowed_methods,
    reason = "the edge of the program: files, environment and terminals are its job"
)]

mod args;
mod command_line;
mod commands;
mod history;
mod usage;

use std::{ffi::OsString, process::ExitCode};

use clap::{CommandFactory, FromArgMatches};
use lore_console::report::{self, Status};

/// The command line's definition, from which the help, the completions and the reference are made.
pub fn command() -> clap::Command {
    args::Arguments::command()
}

/// Runs the program with these arguments, of which the first is its name.
///
/// The exit code is 0 when there is an answer, 1 when there is none, 2 after an error. A reader
/// that closes the pipe early is no error.
pub fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    report::guard(|| {
        let definition = command();
        let words = command_line::command_first(words.into_iter().collect(), &definition);
        if commands::syntax::is_asked(&words) {
            return commands::syntax::run().unwrap_or_else(|error| fail(error.as_ref()));
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

/// Reports why a command failed, with the instruction that helps.
fn fail(error: &(dyn std::error::Error + 'static)) -> Status {
    report::failure(error, lore_settings::hint(error).as_deref())
}

#[cfg(test)]
mod tests {
    #[test]
    fn settings_name_every_format() {
        assert_eq!(lore_settings::FORMATS, lore_render::output::names());
    }
}
