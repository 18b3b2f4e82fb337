//! `lore completions`: shell completion scripts, and key bindings for `lore pick`.

use clap_complete::Shell;
use lore_console::report::{Status, UsageError};
use lore_session::write_output;

use crate::args::CompletionsArguments;

/// Writes the completion script of a shell, or its key bindings.
pub(super) fn run(arguments: &CompletionsArguments) -> anyhow::Result<Status> {
    let mut script = Vec::new();
    if arguments.keys {
        script.extend_from_slice(key_bindings(arguments.shell)?.as_bytes());
    } else {
        clap_complete::generate(arguments.shell, &mut crate::command(), "lore", &mut script);
    }
    write_output(|out| out.write_all(&script))?;
    Ok(Status::Success)
}

fn key_bindings(shell: Shell) -> Result<&'static str, UsageError> {
    match shell {
        Shell::Bash => Ok(include_str!("completions/keys.bash")),
        Shell::Fish => Ok(include_str!("completions/keys.fish")),
        Shell::Zsh => Ok(include_str!("completions/keys.zsh")),
        other => Err(UsageError::new(format!("there are no key bindings for {other}"))
            .hint("the shells with key bindings are bash, fish and zsh")),
    }
}
