//! Arguments for answers at a terminal: colours, links, the pager and the amount of detail.

use clap::Args;

/// Arguments for answers at a terminal.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Output")]
pub(crate) struct DisplayArguments {
    /// Show the whole text of each hit
    ///
    /// The definition, section, ticket or message. Only in `human`.
    #[arg(long, conflicts_with_all = ["budget", "snippet"])]
    pub(crate) full: bool,

    /// Colours of code: ansi, dark, light or plain [default: ansi]
    ///
    /// `ansi` uses the 16 colours of the terminal, `dark` and `light` fixed ones for that background.
    #[arg(long, value_name = "THEME", hide_possible_values = true,
        value_parser = clap::builder::PossibleValuesParser::new(lore_settings::THEMES))]
    pub(crate) theme: Option<String>,

    /// Format of the links of places [default: auto]
    ///
    /// As for ripgrep: `default`, `none`, `file`, `kitty`, `vscode` or another alias, or a text with
    /// `{path}`, `{line}`, `{column}`, `{host}` and `{wslprefix}`. `auto` is `default` on a terminal, and
    /// `none` elsewhere and if `TERM` is `dumb` or `linux`.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) hyperlink_format: Option<String>,

    /// Do not use a pager
    ///
    /// An answer that is longer than the terminal is shown with the program of `LORE_PAGER`, of the
    /// setting `output.pager` or of `PAGER`, or with `less`.
    #[arg(long)]
    pub(crate) no_pager: bool,
}
