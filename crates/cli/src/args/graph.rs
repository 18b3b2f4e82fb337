//! Arguments of the commands about definitions and their relations.

use clap::Args;
use lore_console::focus;
use lore_render::output::{self, definitions, place};
use lore_settings::flags::{
    CodeFilterArguments, CommonArguments, RevisionArguments, TreeArguments,
};

use super::ScopeArguments;

/// Maximum number of steps in the graph.
const MAX_STEPS: u64 = 10;

/// Maximum number of tokens of a text.
const MAX_TOKENS: u64 = 100_000_000;

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

    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
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

    /// Output format: human, agent, json, jsonl, markdown, paths or toon [default: human]
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = clap::builder::PossibleValuesParser::new(definitions::symbol_format_names()), hide_possible_values = true)]
    pub(crate) format: Option<String>,

    /// Same as `--format json`
    #[arg(long, help_heading = "Output", conflicts_with = "format")]
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
    /// From 1 to 10. In the format `agent`, callers have one step by default. For the dependencies of the whole tree, the number of directories of a path that
    /// make up a module; by default all.
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=MAX_STEPS))]
    pub(crate) depth: Option<u64>,

    /// Show at most N edges [default: 100]
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_HITS))]
    pub(crate) limit: Option<u64>,

    /// Show edges by name alone too, and follow them in a path
    ///
    /// A call whose object has no known type may mean any method of the name. By default, edges to one
    /// of more than three definitions are counted, and shown only if there are no others.
    #[arg(long, help_heading = "Query")]
    pub(crate) guesses: bool,

    /// Relation for a single name: architecture, dependencies, patterns or flow
    ///
    /// `architecture`: related definitions. `dependencies`: those of a module. `patterns`:
    /// implementations. `flow`: what it calls, in two steps. Not needed with a whole question.
    #[arg(long, value_name = "FOCUS", help_heading = "Query",
        value_parser = clap::builder::PossibleValuesParser::new(focus::focus_names()), hide_possible_values = true)]
    pub(crate) focus: Option<String>,

    #[command(flatten)]
    pub(crate) filter: CodeFilterArguments,

    /// Output format: human, agent, json, jsonl, markdown, paths, toon, mermaid or dot [default: human]
    ///
    /// `agent` shows each place with its line, in few tokens. `mermaid` and `dot` are diagrams, in which uncertain edges are dashed.
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

    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
}

/// Arguments of `lore expand`.
#[derive(Debug, Args)]
pub(crate) struct ExpandArguments {
    /// The place: `src/a.rs:10`, `src/a.rs:10-20`, `src/a.rs#save`, `save`, a heading, a commit
    ///
    /// A line means the definition or section around it. Also takes the `id` of a hit.
    #[arg(value_name = "PLACE", help_heading = "Query")]
    pub(crate) place: String,

    /// Show the code that uses it: the callers of a function, the references to a type
    #[arg(long, help_heading = "Query", conflicts_with_all = ["callees", "history"])]
    pub(crate) callers: bool,

    /// Show what it calls
    #[arg(long, help_heading = "Query", conflicts_with = "history")]
    pub(crate) callees: bool,

    /// Show the commits that wrote and changed its lines, newest first
    ///
    /// Follows the lines when they move in the file, and through renamings of the file. Changes of
    /// whitespace do not count.
    #[arg(long, help_heading = "Query")]
    pub(crate) history: bool,

    /// Show at most N uses or commits [default: 50]
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_HITS))]
    pub(crate) limit: Option<u64>,

    /// Write at most N tokens of text [default: 8000]
    ///
    /// For the formats `human` and `agent`. What does not fit is counted.
    #[arg(short = 'b', long, value_name = "N", help_heading = "Output",
        value_parser = clap::value_parser!(u64).range(1..=MAX_TOKENS))]
    pub(crate) budget: Option<u64>,

    /// Output format: human, agent, json, jsonl, markdown, paths or toon [default: human]
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = clap::builder::PossibleValuesParser::new(place::place_format_names()), hide_possible_values = true)]
    pub(crate) format: Option<String>,

    /// Same as `--format json`
    #[arg(long, help_heading = "Output", conflicts_with = "format")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}
