//! Arguments of the commands that change the files of agents.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `lore install`.
#[derive(Debug, Args)]
pub(crate) struct InstallArguments {
    #[command(flatten)]
    pub(crate) setup: SetupArguments,

    /// Also let Claude Code see the state of the index when a session starts
    ///
    /// A hook that prints one line, for at most five seconds, and never fails.
    #[arg(long, help_heading = "Agents")]
    pub(crate) hook: bool,

    /// Put in the entry alone, without instructions
    #[arg(long, help_heading = "Agents")]
    pub(crate) no_instructions: bool,
}

/// Arguments of `lore uninstall`.
#[derive(Debug, Args)]
pub(crate) struct UninstallArguments {
    #[command(flatten)]
    pub(crate) setup: SetupArguments,
}

/// Which files are changed, and how careful that is.
#[derive(Debug, Args)]
#[command(next_help_heading = "Agents")]
pub(crate) struct SetupArguments {
    /// The agents: claude-code, codex, cursor, gemini-cli, opencode, vscode, windsurf, zed, or all
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<String>,

    /// Change the files of this project
    ///
    /// The default for every agent that reads servers from there: all but Windsurf.
    #[arg(long, conflicts_with = "user")]
    pub(crate) project: bool,

    /// Change your own files, which count in every project
    #[arg(long)]
    pub(crate) user: bool,

    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Do not ask
    #[arg(short = 'y', long)]
    pub(crate) yes: bool,

    /// Also replace or remove an entry or instructions that somebody has changed
    #[arg(long)]
    pub(crate) force: bool,

    /// The folder of the project
    ///
    /// The default is the repository that encloses the current folder, otherwise the current folder.
    #[arg(short = 'C', value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,

    /// Use colours: auto, always or never [default: auto]
    #[arg(long, value_name = "WHEN", value_parser = ["auto", "always", "never"],
        hide_possible_values = true, help_heading = "Output")]
    pub(crate) color: Option<String>,
}
