//! `lore serve`: serves over HTTP, on this machine only.

use std::time::Duration;

use lore_console::report::{Status, UsageError};
use lore_server::http::Address;

use crate::args::ServeArguments;

/// Serves until it is stopped.
pub(super) fn run(arguments: ServeArguments) -> anyhow::Result<Status> {
    if !arguments.mcp {
        return Err(UsageError::new("`lore serve` needs `--mcp`: it serves nothing else")
            .hint("run `lore serve --mcp`, or `lore mcp` for a client that starts its server")
            .into());
    }
    let address = Address::new(arguments.host.as_deref(), arguments.port)?;
    let token = lore_server::http::token(arguments.token_file.as_deref())?;
    let options = lore_server::Options {
        systems: lore_compat::mcp::systems(&arguments.compat.systems),
        remembers: !arguments.compat.no_dedup,
        tree: arguments.tree,
        common: arguments.common,
        max_request_time: arguments.max_request_ms.map(Duration::from_millis),
    };
    lore_server::http::serve(options, address, &token)?;
    Ok(Status::Success)
}
