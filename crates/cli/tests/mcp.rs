//! The server for agents from outside: raw messages over pipes and HTTP, as clients send them.
#![allow(
    clippy::disallowed_methods,
    reason = "tests start the program and make the trees that it searches"
)]

#[path = "mcp/access.rs"]
mod access;
#[path = "mcp/client.rs"]
mod client;
#[path = "mcp/compat.rs"]
mod compat;
#[path = "mcp/guide.rs"]
mod guide;
#[path = "mcp/http.rs"]
mod http;
#[path = "mcp/http_bounds.rs"]
mod http_bounds;
#[path = "mcp/operations.rs"]
mod operations;
#[path = "mcp/pipes.rs"]
mod pipes;
#[path = "mcp/tools.rs"]
mod tools;
#[path = "mcp/traces.rs"]
mod traces;
#[expect(dead_code, reason = "shared with the tests of the commands, which need more of it")]
#[path = "cli/workspace.rs"]
mod workspace;
