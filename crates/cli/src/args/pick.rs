//! Arguments of `lore pick`.

use clap::Args;
use lore_highlight::Theme;
use lore_picker::{Height, Mode};
use lore_settings::flags::{CommonArguments, FilterArguments, TreeArguments};

/// Arguments of `lore pick`.
#[derive(Debug, Args)]
pub(crate) struct PickArguments {
    /// The first query
    #[arg(value_name = "QUERY", help_heading = "Query")]
    pub(crate) query: Vec<String>,

    /// The first mode: hybrid, lexical, symbols or files [default: hybrid]
    ///
    /// Ctrl-r goes through them. `hybrid` searches by words and meaning, `lexical` by words only, `symbols`
    /// the names of definitions, and `files` paths, by their characters in order.
    #[arg(long, value_name = "MODE", help_heading = "Query", hide_possible_values = true,
        value_parser = clap::builder::PossibleValuesParser::new(Mode::ALL.iter().map(|mode| mode.as_str())))]
    pub(crate) mode: Option<String>,

    /// List at most N passages or definitions [default: 50]
    #[arg(long, value_name = "N", help_heading = "Query", value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub(crate) limit: Option<u64>,

    /// Remember this query for `lore history` and Ctrl-Up, unless `--no-write` is set
    #[arg(long, help_heading = "Query", overrides_with = "no_history")]
    pub(crate) history: bool,

    /// Do not remember this query
    #[arg(long, help_heading = "Query", overrides_with = "history")]
    pub(crate) no_history: bool,

    /// Height in rows, such as `20`, or in percent of the screen, such as `40%`
    ///
    /// The picker then begins at the cursor. By default, it takes the whole screen.
    #[arg(long, value_name = "HEIGHT", help_heading = "Screen", value_parser = height)]
    pub(crate) height: Option<Height>,

    /// Colours of code: ansi, dark, light or plain [default: ansi]
    ///
    /// `ansi` uses the 16 colours of the terminal, `dark` and `light` fixed ones for that background.
    #[arg(long, value_name = "THEME", help_heading = "Screen", hide_possible_values = true,
        value_parser = clap::builder::PossibleValuesParser::new(Theme::NAMES))]
    pub(crate) theme: Option<String>,

    /// Leave the mouse to the terminal
    #[arg(long, help_heading = "Screen")]
    pub(crate) no_mouse: bool,

    /// Allow several items to be selected (the default)
    #[arg(short = 'm', long, help_heading = "Output", overrides_with = "no_multi")]
    pub(crate) multi: bool,

    /// Allow one item only
    #[arg(long, help_heading = "Output", overrides_with = "multi")]
    pub(crate) no_multi: bool,

    /// Print the choice as `path:line` instead of opening it
    ///
    /// The default if standard output is not a terminal, as in `$(lore pick)`.
    #[arg(long, help_heading = "Output")]
    pub(crate) print: bool,

    /// Print paths without lines, each once
    #[arg(long, help_heading = "Output")]
    pub(crate) no_line: bool,

    /// End each printed item with a NUL byte, for `xargs -0`
    #[arg(long, help_heading = "Output")]
    pub(crate) print0: bool,

    /// Print the query first
    #[arg(long, help_heading = "Output")]
    pub(crate) print_query: bool,

    #[command(flatten)]
    pub(crate) filter: FilterArguments,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}

fn height(text: &str) -> Result<Height, String> {
    Height::parse(text).ok_or_else(|| "expected a number of rows, or `1%` to `100%`".to_owned())
}
