//! `lore model`: which model makes vectors.

use clap::{Args, Subcommand};

use super::ReportArguments;

/// Arguments of `lore model`.
#[derive(Debug, Args)]
pub(crate) struct ModelArguments {
    #[command(subcommand)]
    pub(crate) action: ModelAction,
}

/// What is done with models.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelAction {
    /// List the models that are there, and which is in use
    ///
    /// Models lie in folders below `models`, beside your settings file.
    List(ReportArguments),

    /// Choose the model that makes vectors
    ///
    /// Writes `embedding.model` into your own settings file, once the model was opened.
    Use(ModelUseArguments),

    /// Open a model and see whether it does what it should
    ///
    /// Without a name, the model in use. Exits 1 when something is wrong.
    Verify(ModelVerifyArguments),
}

/// Arguments of `lore model use`.
#[derive(Debug, Args)]
pub(crate) struct ModelUseArguments {
    /// `embedded`, `off`, a name of `lore model list`, or the folder of a model
    ///
    /// With a server of embeddings, also the name that it has for one of its models.
    #[arg(value_name = "MODEL")]
    pub(crate) name: String,

    #[command(flatten)]
    pub(crate) report: ReportArguments,
}

/// Arguments of `lore model verify`.
#[derive(Debug, Args)]
pub(crate) struct ModelVerifyArguments {
    /// `embedded`, a name of `lore model list`, or the folder of a model
    #[arg(value_name = "MODEL")]
    pub(crate) name: Option<String>,

    #[command(flatten)]
    pub(crate) report: ReportArguments,
}
