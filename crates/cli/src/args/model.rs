//! Arguments of `lore model`.

use clap::{Args, Subcommand};

use super::ReportArguments;

/// Arguments of `lore model`.
#[derive(Debug, Args)]
pub(crate) struct ModelArguments {
    #[command(subcommand)]
    pub(crate) action: ModelAction,
}

/// Actions of `lore model`.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelAction {
    /// List the available models and show which one is in use
    ///
    /// Models are directories below `models`, beside your settings file.
    List(ReportArguments),

    /// Choose the embedding model
    ///
    /// Writes `embedding.model` into your own settings file, if the model can be opened.
    Use(ModelUseArguments),

    /// Open a model and check that it works
    ///
    /// Without a name, checks the model in use. Exits 1 when there is a problem.
    Verify(ModelVerifyArguments),
}

/// Arguments of `lore model use`.
#[derive(Debug, Args)]
pub(crate) struct ModelUseArguments {
    /// `embedded`, `off`, a name in `lore model list`, or the directory of a model
    ///
    /// With an embedding server, also the server's name of one of its models.
    #[arg(value_name = "MODEL")]
    pub(crate) name: String,

    #[command(flatten)]
    pub(crate) report: ReportArguments,
}

/// Arguments of `lore model verify`.
#[derive(Debug, Args)]
pub(crate) struct ModelVerifyArguments {
    /// `embedded`, a name in `lore model list`, or the directory of a model
    #[arg(value_name = "MODEL")]
    pub(crate) name: Option<String>,

    #[command(flatten)]
    pub(crate) report: ReportArguments,
}
