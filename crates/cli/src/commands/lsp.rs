//! `lore lsp`: the language server that editors start.

use lore_console::report::Status;
use lore_lsp::Ended;

use crate::args::LspArguments;

/// Serves until the editor ends the session. As the protocol requires, an `exit` without `shutdown` is a
/// failure.
pub(super) fn run(arguments: LspArguments) -> anyhow::Result<Status> {
    let ended = lore_lsp::over_pipes(lore_server::Options {
        tree: arguments.tree,
        common: arguments.common,
        ..lore_server::Options::default()
    })?;
    Ok(match ended {
        Ended::Orderly => Status::Success,
        Ended::Abruptly => Status::NoResult,
    })
}
