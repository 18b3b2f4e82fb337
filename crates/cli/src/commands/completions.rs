//! `lore completions`: shell completion scripts, and key bindings for `lore pick`.

use lore_console::report::{Status, UsageError};
use lore_session::write_output;

use crate::{
    args::CompletionsArguments,
    generate::{self, Shell},
};

/// Writes the completion script of a shell, or its key bindings.
pub(super) fn run(arguments: &CompletionsArguments) -> anyhow::Result<Status> {
    let script = if arguments.keys {
        key_bindings(arguments.shell)?.as_bytes().to_vec()
    } else {
        generate::completions(arguments.shell)
    };
    write_output(|out| out.write_all(&script))?;
    Ok(Status::Success)
}

fn key_bindings(shell: Shell) -> Result<&'static str, UsageError> {
    match shell.name() {
        "bash" => Ok(include_str!("completions/keys.bash")),
        "fish" => Ok(include_str!("completions/keys.fish")),
        "zsh" => Ok(include_str!("completions/keys.zsh")),
        other => Err(UsageError::new(format!("there are no key bindings for {other}"))
            .hint("the shells with key bindings are bash, fish and zsh")),
    }
}
