//! Arguments of `lore access`.

use clap::{Args, Subcommand};
use lore_settings::flags::CommonArguments;

/// Arguments of `lore access`.
#[derive(Debug, Args)]
pub(crate) struct AccessArguments {
    #[command(subcommand)]
    pub(crate) action: AccessAction,
}

/// Actions of `lore access`.
#[derive(Debug, Subcommand)]
pub(crate) enum AccessAction {
    /// Make a token for a user, and print the table of the user
    ///
    /// The first line is the token, for the user. The rest is a table for the file of `lore serve --access`,
    /// which has only a hash of the token.
    Token(AccessTokenArguments),
}

/// Arguments of `lore access token`.
#[derive(Debug, Args)]
pub(crate) struct AccessTokenArguments {
    /// Name of the user
    #[arg(default_value = "user")]
    pub(crate) name: String,

    /// Let the user read the repositories whose whole names match this glob
    ///
    /// `*` does not match `/`; `**` matches everything. Repeatable.
    #[arg(long, value_name = "GLOB", help_heading = "Access")]
    pub(crate) repo: Vec<String>,

    #[command(flatten)]
    pub(crate) common: CommonArguments,
}
