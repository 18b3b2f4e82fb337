//! Arguments of `lore rg`, as far as help and completions need them.

use std::ffi::OsString;

use clap::Args;

/// Arguments of `lore rg`. The crate `rg` parses them as ripgrep does.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct RgArguments {
    /// The flags, pattern and paths of ripgrep; `lore rg --help` lists the flags
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true,
        value_hint = clap::ValueHint::AnyPath)]
    pub(crate) words: Vec<OsString>,
}
