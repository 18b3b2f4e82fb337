//! Command-line flags of the contracts of other systems.

use std::path::PathBuf;

use clap::Args;

/// The flag that selects the answer of another system, and the flags that only such answers take.
#[derive(Debug, Args, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent flag")]
#[command(next_help_heading = "Contract")]
pub struct ContractArguments {
    /// Answer exactly as another system does
    ///
    /// With that system's output format, defaults and score scale, for programs that parse them. The
    /// other flags of this group belong to such a system and are only valid with it.
    #[arg(long = "as", value_name = "SYSTEM",
        value_parser = clap::builder::PossibleValuesParser::new(crate::names()))]
    pub system: Option<String>,

    /// Show at most N hits, like `--limit` (semtree, swift)
    #[arg(short = 'n', visible_short_alias = 'l', value_name = "N", hide_short_help = true,
        conflicts_with = "limit",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_HITS))]
    pub count: Option<u64>,

    /// Search this directory, like `-C` (swift)
    #[arg(short = 'p', value_name = "DIR", hide_short_help = true, conflicts_with = "directory")]
    pub project: Option<PathBuf>,

    /// Settings file of that system; accepted, but not read (swift)
    #[arg(short = 'c', long, value_name = "FILE", hide_short_help = true)]
    pub config: Option<PathBuf>,

    /// Search only files with these extensions, separated by commas (swift)
    #[arg(long, value_name = "EXTENSION", value_delimiter = ',', hide_short_help = true)]
    pub extensions: Vec<String>,

    /// Search only paths that match this glob, like `--path` (swift)
    #[arg(long, value_name = "GLOB", hide_short_help = true)]
    pub path_filter: Option<String>,

    /// Follow what the best hits call and use, like `--hops 2` (swift)
    #[arg(long, hide_short_help = true)]
    pub multi_hop: bool,

    /// Add related words to the query; accepted, but has no effect (swift)
    #[arg(long, hide_short_help = true, overrides_with = "no_expand_query")]
    pub expand_query: bool,

    /// Add no words to the query (the default) (swift)
    #[arg(long, hide_short_help = true, overrides_with = "expand_query")]
    pub no_expand_query: bool,

    /// Write a summary of the hits; accepted, but has no effect (swift)
    #[arg(long, hide_short_help = true, overrides_with = "no_synthesize")]
    pub synthesize: bool,

    /// Write no summary (the default) (swift)
    #[arg(long, hide_short_help = true, overrides_with = "synthesize")]
    pub no_synthesize: bool,

    /// Search only this kind, like `--kind` (semtree)
    #[arg(short = 'k', value_name = "KIND", hide_short_help = true)]
    pub only_kind: Option<String>,

    /// Rank definitions with the exact name like all others (semtree)
    #[arg(long, hide_short_help = true)]
    pub no_prefer_exact: bool,

    /// Show the points of every hit, like `--explain` (sage)
    #[arg(long, hide_short_help = true)]
    pub debug: bool,

    /// Write the index file of sage first, like `lore index --sage`; needs no query (sage)
    #[arg(long, hide_short_help = true, conflicts_with = "update_index")]
    pub rebuild_index: bool,

    /// The same as `--rebuild-index` (sage)
    #[arg(long, hide_short_help = true)]
    pub update_index: bool,

    /// Exit with 1 if no hit contains enough of the query to answer it
    ///
    /// Such an answer first names the words that occur nowhere, and lists at most three hits.
    #[arg(long, help_heading = "Query")]
    pub strict: bool,

    /// Character between the directories in an identifier: `_` or `/` (spex)
    #[arg(long, value_name = "CHARACTER", value_parser = ["_", "/"], hide_possible_values = true,
        hide_short_help = true)]
    pub id_sep: Option<String>,
}

impl ContractArguments {
    /// The typed flags other than `--as`, as users write them.
    pub fn typed(&self) -> Vec<&'static str> {
        let flags = [
            ("--config", self.config.is_some()),
            ("--debug", self.debug),
            ("--expand-query", self.expand_query),
            ("--extensions", !self.extensions.is_empty()),
            ("--id-sep", self.id_sep.is_some()),
            ("--multi-hop", self.multi_hop),
            ("--no-expand-query", self.no_expand_query),
            ("--no-prefer-exact", self.no_prefer_exact),
            ("--no-synthesize", self.no_synthesize),
            ("--path-filter", self.path_filter.is_some()),
            ("--rebuild-index", self.rebuild_index),
            ("--strict", self.strict),
            ("--synthesize", self.synthesize),
            ("--update-index", self.update_index),
            ("-k", self.only_kind.is_some()),
            ("-n", self.count.is_some()),
            ("-p", self.project.is_some()),
        ];
        flags.iter().filter(|(_, typed)| *typed).map(|(flag, _)| *flag).collect()
    }
}
