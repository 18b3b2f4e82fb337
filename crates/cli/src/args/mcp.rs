//! Arguments of the servers: `lore lsp`, `lore mcp` and `lore serve`.

use std::path::PathBuf;

use clap::Args;
use lore_settings::flags::{CommonArguments, TreeArguments};

use super::ScopeArguments;

/// Arguments of `lore mcp`.
#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    #[command(flatten)]
    pub(crate) compat: CompatArguments,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,

    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
}

/// Arguments of `lore lsp`.
#[derive(Debug, Args)]
pub(crate) struct LspArguments {
    /// Accepted and ignored, because several editors add it: standard input and output are always used
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}

/// Tools of other systems that a server offers.
#[derive(Debug, Args, Default)]
pub(crate) struct CompatArguments {
    /// Also offer the tools of these systems: lean, semtree, spex, swift
    ///
    /// One or more, separated by commas. Their tools keep their old names, arguments and answers. With
    /// `lean`, whose tool is called `search`, lore's own search tool is called `lore_search`.
    #[arg(long = "mcp-compat", value_name = "SYSTEM", value_delimiter = ',', help_heading = "Contract",
        value_parser = clap::builder::PossibleValuesParser::new(lore_compat::mcp::names()), hide_possible_values = true)]
    pub(crate) systems: Vec<String>,

    /// Repeat passages that were already sent in this session
    ///
    /// By default, only their location is sent, with the number of the answer that contains them.
    #[arg(long, help_heading = "Server")]
    pub(crate) no_dedup: bool,
}

/// Arguments of `lore serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Serve the Model Context Protocol at `/mcp`, too
    #[arg(long, help_heading = "Server")]
    pub(crate) mcp: bool,

    /// Do not serve the page
    #[arg(long, help_heading = "Server", requires = "mcp", conflicts_with = "open")]
    pub(crate) no_page: bool,

    /// Open the page in the browser
    #[arg(long, help_heading = "Server")]
    pub(crate) open: bool,

    /// Listen at this address [default: 127.0.0.1]
    ///
    /// 127.0.0.1, `::1` or localhost, which other machines do not reach. Other addresses need
    /// `--unencrypted`.
    #[arg(long, value_name = "ADDRESS", help_heading = "Server")]
    pub(crate) host: Option<String>,

    /// Allow `--host` with an address that other machines reach
    ///
    /// The connection is not encrypted: everyone on the network can read the token and every answer. Put a
    /// server with TLS in front of it, or use `ssh -L`, where that matters.
    #[arg(long, help_heading = "Server", requires = "host")]
    pub(crate) unencrypted: bool,

    /// Listen at this port [default: 7411]
    ///
    /// 0 picks a free port; the address is printed on standard error.
    #[arg(long, value_name = "N", help_heading = "Server")]
    pub(crate) port: Option<u16>,

    /// Read the token from this file
    ///
    /// At least 16 visible characters. Without this flag, the token is that of `LOREHOUND_TOKEN`, or one
    /// that is generated and printed on standard error.
    #[arg(long, value_name = "FILE", help_heading = "Server")]
    pub(crate) token_file: Option<PathBuf>,

    /// Address under which users reach a proxy in front of this server
    ///
    /// For example `https://lore.example.com`. Requests for this host are accepted. With `https`, browsers
    /// send the cookie of the page over TLS only. Repeatable.
    #[arg(long, value_name = "URL", help_heading = "Server")]
    pub(crate) public_url: Vec<String>,

    /// Give the users in this file access, each to their repositories
    ///
    /// Each table `[[user]]` has `name`, `token_sha256` or `token_env`, and `repositories`, globs over the whole
    /// names of repositories. `lore access token` makes a token. A changed file is read again. The token of
    /// `--token-file` reads everything. `metrics = true` lets a user read `/metrics`.
    #[arg(long, value_name = "FILE", help_heading = "Server")]
    pub(crate) access: Option<PathBuf>,

    /// Append a line of JSON for each request to this file
    ///
    /// A line has the user, the route or tool, the repositories, the outcome and the time, and no text of a
    /// query. No line is dropped.
    #[arg(long, value_name = "FILE", help_heading = "Server")]
    pub(crate) audit: Option<PathBuf>,

    /// Add the arguments of tools and the addresses of pages to the audit log
    #[arg(long, help_heading = "Server", requires = "audit")]
    pub(crate) audit_queries: bool,

    /// Log each request on standard error: text or json
    ///
    /// A line has the time, the route or tool, the outcome, the milliseconds, the bytes, the trees and an
    /// identifier, and no text of a query. If the reader is slow, lines are dropped instead of delaying answers.
    #[arg(long, value_name = "FORM", help_heading = "Server", value_parser = ["text", "json"],
        hide_possible_values = true)]
    pub(crate) log: Option<String>,

    /// Add the arguments of tools and the addresses of pages to the log
    #[arg(long, help_heading = "Server", requires = "log")]
    pub(crate) log_queries: bool,

    /// Send traces to the OpenTelemetry collector at this URL
    ///
    /// One trace for each request, with its stages, over OTLP/HTTP, such as `http://localhost:4318`. No text of a
    /// query is sent. If the collector is slow, traces are dropped instead of delaying answers.
    #[arg(long, value_name = "URL", help_heading = "Server")]
    pub(crate) otlp: Option<String>,

    /// Time limit for the headers of a request, and for its body; tests shorten it
    #[arg(long, value_name = "N", hide = true)]
    pub(crate) max_request_ms: Option<u64>,

    #[command(flatten)]
    pub(crate) compat: CompatArguments,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,

    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
}
