//! `lore serve`: answers over HTTP, on this machine alone.

use lore_console::report::{Status, UsageError};

use crate::{
    args::ServeArguments,
    mcp::{self, http::Address},
};

/// Answers until it is stopped.
pub(super) fn run(arguments: ServeArguments) -> anyhow::Result<Status> {
    if !arguments.mcp {
        return Err(UsageError::new("there is no page to serve: all that is served is MCP")
            .hint("run `lore serve --mcp`, or `lore mcp` for a client that starts its server")
            .into());
    }
    let address = Address::new(arguments.host.as_deref(), arguments.port)?;
    let token = mcp::http::token(arguments.token_file.as_deref())?;
    let options = mcp::Options {
        systems: arguments.compat.systems,
        remembers: !arguments.compat.no_dedup,
        tree: arguments.tree,
        common: arguments.common,
    };
    mcp::http::serve(options, address, &token)?;
    Ok(Status::Found)
}
