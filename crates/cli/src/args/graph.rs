//! Arguments of the commands about definitions and their relations.

use clap::Args;
use lore_console::focus;
use lore_render::output;
use lore_settings::flags::{
    CodeFilterArguments, CommonArguments, RevisionArguments, TreeArguments,
};

/// Maximum number of steps in the graph.
const MAX_STEPS: u64 = 10;

/// Arguments of `lore symbol`.
#[derive(Debug, Args)]
pub(crate) struct SymbolArguments {
    /// The name of a definition: `save`, `Disk.save` or `Disk::save`
    #[arg(value_name = "NAME", help_heading = "Query")]
    pub(crate) name: String,

    /// Show at most N definitions [default: 20]
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_HITS))]
    pub(crate) limit: Option<u64>,

    #[command(flatten)]
    pub(crate) lookup: LookupArguments,
}

/// Arguments of `lore file`.
#[derive(Debug, Args)]
pub(crate) struct FileArguments {
    /// A part of the path of the files
    ///
    /// Matches in any letter case, unless it contains an upper-case letter.
    #[arg(value_name = "FRAGMENT", help_heading = "Query")]
    pub(crate) fragment: String,

    /// Show at most N definitions [default: 50]
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_HITS))]
    pub(crate) limit: Option<u64>,

    #[command(flatten)]
    pub(crate) lookup: LookupArguments,
}

/// Arguments of the commands that list definitions.
#[derive(Debug, Args)]
pub(crate) struct LookupArguments {
    #[command(flatten)]
    pub(crate) filter: CodeFilterArguments,

    /// Write one JSON object
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Answer exactly as another system does: semtree
    #[arg(long = "as", value_name = "SYSTEM", help_heading = "Contract",
        value_parser = clap::builder::PossibleValuesParser::new(lore_compat::names()), hide_possible_values = true)]
    pub(crate) system: Option<String>,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) revision: RevisionArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}

/// Arguments of `lore research`.
#[derive(Debug, Args)]
pub(crate) struct ResearchArguments {
    /// The question: `callers of save`, `path from main to save`, `what implements Store?`
    ///
    /// A name may be `name`, `Type.name` or `path#Type.name`.
    #[arg(required = true, value_name = "QUESTION", help_heading = "Query")]
    pub(crate) question: Vec<String>,

    /// Follow at most N steps [default: 8 for a path, 2 for callers, otherwise 1]
    ///
    /// From 1 to 10. For the dependencies of the whole tree, the number of directories of a path that
    /// make up a module; by default all.
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=MAX_STEPS))]
    pub(crate) depth: Option<u64>,

    /// Show at most N edges [default: 100]
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_HITS))]
    pub(crate) limit: Option<u64>,

    /// Relation for a single name: architecture, dependencies, patterns or flow
    ///
    /// `architecture`: related definitions. `dependencies`: those of a module. `patterns`:
    /// implementations. `flow`: what it calls, in two steps. Not needed with a whole question.
    #[arg(long, value_name = "FOCUS", help_heading = "Query",
        value_parser = clap::builder::PossibleValuesParser::new(focus::focus_names()), hide_possible_values = true)]
    pub(crate) focus: Option<String>,

    #[command(flatten)]
    pub(crate) filter: CodeFilterArguments,

    /// Output format: human, json, mermaid or dot [default: human]
    ///
    /// `mermaid` and `dot` are diagrams, in which uncertain edges are dashed.
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = clap::builder::PossibleValuesParser::new(output::graph_format_names()), hide_possible_values = true)]
    pub(crate) format: Option<String>,

    /// Same as `--format json`
    #[arg(long, help_heading = "Output", conflicts_with = "format")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) revision: RevisionArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}
