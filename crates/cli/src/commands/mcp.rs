//! `lore mcp`: the server that coding agents start.

use lore_console::report::Status;

use crate::{args::McpArguments, mcp};

/// Answers until the client closes its end.
pub(super) fn run(arguments: McpArguments) -> anyhow::Result<Status> {
    mcp::over_pipes(mcp::Options {
        systems: arguments.compat.systems,
        remembers: !arguments.compat.no_dedup,
        tree: arguments.tree,
        common: arguments.common,
    })?;
    Ok(Status::Found)
}
