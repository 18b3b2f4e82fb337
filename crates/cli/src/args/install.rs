//! Arguments of the commands that change the files of agents.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `lore install`.
#[derive(Debug, Args)]
pub(crate) struct InstallArguments {
    #[command(flatten)]
    pub(crate) setup: SetupArguments,

    /// Also add hooks for Claude Code
    ///
    /// One shows the state of the index in one line when a session starts. The other suggests `lore`
    /// once per session, when the agent searches with `rg` or `grep -r`. Each takes at most five
    /// seconds and never prevents anything.
    #[arg(long, help_heading = "Agents")]
    pub(crate) hook: bool,

    /// Add only the entry, without instructions
    #[arg(long, help_heading = "Agents")]
    pub(crate) no_instructions: bool,
}

/// Arguments of `lore uninstall`.
#[derive(Debug, Args)]
pub(crate) struct UninstallArguments {
    #[command(flatten)]
    pub(crate) setup: SetupArguments,
}

/// The agents and files to change, and the confirmation.
#[derive(Debug, Args)]
#[command(next_help_heading = "Agents")]
pub(crate) struct SetupArguments {
    /// The agents: claude-code, codex, cursor, gemini-cli, opencode, vscode, windsurf, zed, or all
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<String>,

    /// Change the files of this project
    ///
    /// The default for every agent that reads servers from there: all except Windsurf.
    #[arg(long, conflicts_with = "user")]
    pub(crate) project: bool,

    /// Change your own files, which apply to every project
    #[arg(long)]
    pub(crate) user: bool,

    /// Show what would change, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Skip the confirmation prompt
    #[arg(short = 'y', long)]
    pub(crate) yes: bool,

    /// Also replace or remove an entry or instructions that were edited by hand
    #[arg(long)]
    pub(crate) force: bool,

    /// The directory of the project
    ///
    /// The default is the repository that contains the current directory, otherwise the current
    /// directory.
    #[arg(short = 'C', value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,

    /// Use colours: auto, always or never [default: auto]
    #[arg(long, value_name = "WHEN", value_parser = ["auto", "always", "never"],
        hide_possible_values = true, help_heading = "Output")]
    pub(crate) color: Option<String>,
}
