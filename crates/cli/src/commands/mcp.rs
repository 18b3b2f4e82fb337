//! `lore mcp`: the MCP server that coding agents start.

use lore_console::report::Status;

use crate::args::McpArguments;

/// Serves until the client closes standard input.
pub(super) fn run(arguments: McpArguments) -> anyhow::Result<Status> {
    lore_server::over_pipes(lore_server::Options {
        systems: lore_compat::mcp::systems(&arguments.compat.systems),
        remembers: !arguments.compat.no_dedup,
        tree: arguments.tree,
        cluster: arguments.scope.cluster_url().map(str::to_owned),
        workspace: arguments.scope.workspace,
        repositories: arguments.scope.repo,
        common: arguments.common,
        max_request_time: None,
    })?;
    Ok(Status::Success)
}
