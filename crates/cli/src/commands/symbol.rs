//! `lore symbol` and `lore file`: definitions by name, and by the path of their file.

use lore_console::report::{self, Status, UsageError};
use lore_engine::{
    Engine, EngineError, Progress, SymbolRequest, SymbolResponse, symbols_workspace,
};
use lore_render::output::definitions::{self, Listing};
use lore_session::{
    absence::{self, only_near},
    number,
    progress::Reporter,
    tell_sources, write_output,
};
use lore_settings::filters;

use super::{contract, format_name, scope};
use crate::args::{FileArguments, LookupArguments, ScopeArguments, SymbolArguments};

/// Default limit of `lore symbol`: a type with its members.
const DEFAULT_LIMIT_BY_NAME: usize = 20;

/// Default limit of `lore file`: the definitions of a file of usual length.
const DEFAULT_LIMIT_OF_FILES: usize = 50;

type Find = fn(&Engine, &SymbolRequest, &dyn Progress) -> Result<SymbolResponse, EngineError>;

/// Finds definitions by name.
pub(super) fn by_name(arguments: &SymbolArguments) -> anyhow::Result<Status> {
    if arguments.name.trim().is_empty() {
        return Err(UsageError::new("the name is empty")
            .hint("type the name of a definition, for example `lore symbol Disk.save`")
            .into());
    }
    let limit = arguments.limit.map_or(DEFAULT_LIMIT_BY_NAME, number);
    let request = (arguments.name.as_str(), limit);
    if let Some(system) = &arguments.lookup.system {
        return contract::list(system, &arguments.lookup, request, Listing::Name);
    }
    run(&arguments.lookup, &arguments.scope, request, Engine::symbols, Listing::Name)
}

/// Lists the definitions of files.
pub(super) fn of_files(arguments: &FileArguments) -> anyhow::Result<Status> {
    if arguments.fragment.trim().is_empty() {
        return Err(UsageError::new("the path is empty")
            .hint("type a part of a path, for example `lore file src/store`")
            .into());
    }
    let limit = arguments.limit.map_or(DEFAULT_LIMIT_OF_FILES, number);
    let request = (arguments.fragment.as_str(), limit);
    if let Some(system) = &arguments.lookup.system {
        return contract::list(system, &arguments.lookup, request, Listing::File);
    }
    let scope = ScopeArguments::default();
    run(&arguments.lookup, &scope, request, Engine::file_symbols, Listing::File)
}

fn run(
    arguments: &LookupArguments,
    scope: &ScopeArguments,
    (query, limit): (&str, usize),
    find: Find,
    listing: Listing,
) -> anyhow::Result<Status> {
    let format = format_name(arguments.json, arguments.format.as_ref());
    let format = definitions::symbol_format(format)
        .ok_or_else(|| UsageError::new(format!("there is no format `{format}`")))?;
    let (workspace, context) =
        scope::open(scope, &arguments.tree, &arguments.common, &arguments.revision, query)?;
    let filter = filters::code_filter(&arguments.filter, &context.root)?;
    let request = SymbolRequest { query: query.to_owned(), filter, limit };
    let progress = Reporter::start(context.terminal);
    let (response, engine) = if let Some(workspace) = &workspace {
        let members = scope::queries(workspace, |root| {
            let filter = filters::code_filter(&arguments.filter, root)?;
            Ok(SymbolRequest { filter, ..request.clone() })
        })?;
        let skipped = &workspace.skipped;
        (symbols_workspace(&workspace.paths, &members, skipped, &progress), None)
    } else {
        let engine = context.engine()?;
        (find(&engine, &request, &progress), Some(engine))
    };
    progress.finish();
    let mut response = response?;
    for warning in &response.warnings {
        progress.warn(warning);
    }
    response.absence = response.absence.take().or_else(|| only_near(&response));

    let style = context.style();
    write_output(|out| (format.write)(listing, &response, &style, out))?;
    if arguments.common.stats {
        tell_sources(&response.receipt);
        report::note(&format!("{:.1} ms to answer", response.receipt.elapsed_ms));
    }
    if response.absence.is_none() {
        return Ok(Status::Success);
    }
    if !format.explains_absence {
        let engines = scope::engines(workspace.as_ref(), engine.as_ref());
        absence::tell(&engines, &request.query, &request.filter, response.absence.as_ref());
    }
    Ok(Status::NoResult)
}
