//! `lore completions`: shell completion scripts.

use lore_console::report::Status;
use lore_session::write_output;

use crate::args::CompletionsArguments;

/// Writes the completion script of a shell.
pub(super) fn run(arguments: &CompletionsArguments) -> anyhow::Result<Status> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::command(), "lore", &mut script);
    write_output(|out| out.write_all(&script))?;
    Ok(Status::Success)
}
