//! Arguments of the servers: `lore mcp` and `lore serve`.

use std::path::PathBuf;

use clap::Args;
use lore_settings::flags::{CommonArguments, TreeArguments};

/// Arguments of `lore mcp`.
#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    #[command(flatten)]
    pub(crate) compat: CompatArguments,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}

/// Which tools of other systems a server has.
#[derive(Debug, Args, Default)]
pub(crate) struct CompatArguments {
    /// Also take the calls of these systems: lean, semtree, swift
    ///
    /// One or more, separated by commas. Their tools have the old names, arguments and answers. With
    /// `lean`, whose tool is called `search`, the own one is `lore_search`.
    #[arg(long = "mcp-compat", value_name = "SYSTEM", value_delimiter = ',', help_heading = "Server",
        value_parser = clap::builder::PossibleValuesParser::new(lore_compat::mcp::names()), hide_possible_values = true)]
    pub(crate) systems: Vec<String>,

    /// Send a text again that this session was given already
    ///
    /// Otherwise its place is named, with the number of the answer that has it.
    #[arg(long, help_heading = "Server")]
    pub(crate) no_dedup: bool,
}

/// Arguments of `lore serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Serve the Model Context Protocol at `/mcp`
    #[arg(long, help_heading = "Server")]
    pub(crate) mcp: bool,

    /// Listen at this address of this machine [default: 127.0.0.1]
    ///
    /// 127.0.0.1, `::1` or localhost: other machines are never answered.
    #[arg(long, value_name = "ADDRESS", help_heading = "Server")]
    pub(crate) host: Option<String>,

    /// Listen at this port [default: 7411]
    ///
    /// With 0, at any that is free; the address is printed on standard error.
    #[arg(long, value_name = "N", help_heading = "Server")]
    pub(crate) port: Option<u16>,

    /// Take the token from this file
    ///
    /// At least 16 visible characters. Without it, `LOREHOUND_TOKEN` holds the token, or a new one is
    /// made and printed on standard error.
    #[arg(long, value_name = "FILE", help_heading = "Server")]
    pub(crate) token_file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) compat: CompatArguments,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}
