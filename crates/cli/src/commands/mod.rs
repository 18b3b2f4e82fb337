//! The commands, one file each, and shared helpers.

mod access;
mod agent_hook;
mod classify;
pub(crate) mod clean;
#[cfg(feature = "opensearch")]
mod cluster;
mod completions;
mod config;
mod context;
mod contract;
mod doctor;
mod drift;
mod exists;
pub(crate) mod expand;
mod failure;
mod generate;
mod history;
mod index;
mod index_estimate;
mod index_exchange;
mod index_workspace;
mod install;
mod lsp;
mod mcp;
pub(crate) mod model;
mod owners;
mod pick;
mod policy;
mod related;
pub(crate) mod research;
mod review;
pub(crate) mod rg;
mod sage_index;
mod scope;
pub(crate) mod search;
mod serve;
mod sources;
mod spec;
pub(crate) mod status;
mod suggest;
pub(crate) mod symbol;
pub(crate) mod syntax;
mod tried;
mod trust;
mod uninstall;
mod watch;
mod why;
mod workspace;

use lore_console::report::{Status, UsageError};

use crate::args::{Arguments, Command};

/// Runs the typed command.
pub(crate) fn dispatch(arguments: Arguments) -> anyhow::Result<Status> {
    match arguments.command {
        None => search::run(&search::in_folder(arguments.search), search::Typed::Words),
        Some(Command::Search(arguments)) => {
            search::run(&search::in_folder(*arguments), search::Typed::Command)
        }
        Some(Command::Symbol(arguments)) => symbol::by_name(&arguments),
        Some(Command::File(arguments)) => symbol::of_files(&arguments),
        Some(Command::Expand(arguments)) => expand::run(&arguments),
        Some(Command::Why(arguments)) => why::run(&arguments),
        Some(Command::Tried(arguments)) => tried::run(&arguments),
        Some(Command::Review(arguments)) => review::run(&arguments),
        Some(Command::Research(arguments)) => research::run(&arguments),
        Some(Command::Context(arguments)) => context::run(&arguments),
        Some(Command::Classify(arguments)) => classify::run(&arguments),
        Some(Command::Policy(arguments)) => policy::run(&arguments),
        Some(Command::Related(arguments)) => related::run(&arguments),
        Some(Command::Exists(arguments)) => exists::run(&arguments),
        Some(Command::Spec(arguments)) => spec::run(&arguments),
        Some(Command::Rg(arguments)) => rg::run(&arguments.words),
        Some(Command::Pick(arguments)) => pick::run(&arguments),
        Some(Command::Suggest(arguments)) => suggest::run(&arguments),
        Some(Command::Owners(arguments)) => owners::run(&arguments),
        Some(Command::Drift(arguments)) => drift::run(&arguments),
        Some(Command::Index(mut arguments)) => {
            let folder = arguments.folder.take();
            arguments.tree.directory = arguments.tree.directory.or(folder);
            index::run(&arguments)
        }
        Some(Command::Status(arguments)) => status::run(&arguments),
        Some(Command::Workspace(arguments)) => workspace::run(&arguments),
        #[cfg(feature = "opensearch")]
        Some(Command::Cluster(arguments)) => cluster::run(&arguments),
        Some(Command::Access(arguments)) => access::run(&arguments),
        Some(Command::Sources(arguments)) => sources::run(&arguments),
        Some(Command::Doctor(arguments)) => doctor::run(&arguments),
        Some(Command::Clean(arguments)) => clean::run(&arguments),
        Some(Command::History(arguments)) => history::run(&arguments),
        Some(Command::Lsp(arguments)) => lsp::run(*arguments),
        Some(Command::Mcp(arguments)) => mcp::run(*arguments),
        Some(Command::Serve(arguments)) => serve::run(*arguments),
        Some(Command::Config(arguments)) => config::run(&arguments),
        Some(Command::Model(arguments)) => model::run(&arguments),
        Some(Command::Eval(arguments)) => lore_eval::commands::eval::run(&arguments),
        Some(Command::Trust(arguments)) => trust::run(&arguments),
        Some(Command::Tune(arguments)) => lore_eval::commands::tune::run(&arguments),
        Some(Command::Bench(arguments)) => lore_eval::commands::bench::run(&arguments),
        Some(Command::Install(arguments)) => install::run(&arguments),
        Some(Command::Uninstall(arguments)) => uninstall::run(&arguments),
        Some(Command::AgentHook) => Ok(agent_hook::run()),
        Some(Command::Completions(arguments)) => completions::run(&arguments),
        Some(Command::Generate(arguments)) => generate::run(&arguments),
    }
}

/// The name of the output format: that of `--json`, the typed one, or `human`.
fn format_name(json: bool, typed: Option<&String>) -> &str {
    match typed {
        _ if json => "json",
        Some(name) => name,
        None => "human",
    }
}

/// The words of a query as one text.
fn query(words: &[String]) -> Result<String, UsageError> {
    let query = words.join(" ");
    if query.trim().is_empty() {
        return Err(UsageError::new("the query is empty")
            .hint("type words or a question, for example `lore \"retry a refund\"`"));
    }
    Ok(query)
}
