//! Arguments of `lore generate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Arguments of `lore generate`.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub(crate) struct GenerateArguments {
    #[command(subcommand)]
    pub(crate) files: GeneratedFiles,
}

/// The files to write.
#[derive(Debug, Subcommand)]
pub(crate) enum GeneratedFiles {
    /// Write a man page for each command: `lore.1`, `lore-search.1`, …
    Man(OutArguments),

    /// Write the completions of every shell, in files named as the shells expect
    ///
    /// `lore.bash`, `_lore` for zsh, `lore.fish`, `_lore.ps1`, `lore.elv` and `lore.nu`.
    Completions(OutArguments),

    /// Write the pages of the reference: `cli.md`, `environment.md`, `json.md` and `settings.md`
    ///
    /// `docs/reference` of the repository of Lorehound contains them.
    Reference(OutArguments),

    /// Write a JSON Schema for each JSON output: `search.schema.json`, …
    ///
    /// The schemas have the form of JSON Schema 2020-12. `docs/reference/json.md` lists them.
    Schemas(OutArguments),
}

/// Arguments that select the directory.
#[derive(Debug, Args)]
pub(crate) struct OutArguments {
    /// Write the files into this directory, which is created if it does not exist
    ///
    /// Files of the same names are replaced; others are kept.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}
