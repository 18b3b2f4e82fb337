//! `--as NAME`: answers exactly as another system does.

mod refusals;

use jiff::Zoned;
use lore_compat::{Answer, Contract, ContractArguments, ContractRequest};
use lore_console::report::{self, Status, UsageError};
use lore_engine::{Engine, SymbolRequest};
use lore_render::output::definitions::Listing;
use lore_session::{Context, number, progress::Reporter, write_output};
use lore_settings::{filters, flags::RevisionArguments};

use super::{
    query, sage_index,
    search::{min_score, request_of},
};
use crate::args::{LookupArguments, SearchArguments};

/// The requested contract. Rejects flags that belong to other contracts, and without a contract all
/// flags of contracts but those that a search has itself.
pub(super) fn named(
    typed: &ContractArguments,
) -> Result<Option<&'static dyn Contract>, UsageError> {
    let contract = typed.system.as_deref().and_then(lore_compat::contract);
    lore_compat::refuse_foreign(contract, &["--strict"], &typed.typed())?;
    Ok(contract)
}

/// Runs a search under a contract.
pub(super) fn search(
    contract: &dyn Contract,
    arguments: &SearchArguments,
) -> anyhow::Result<Status> {
    refuse(contract, arguments)?;
    let defaults = contract.defaults();
    let typed = &arguments.contract;
    let writes_index = typed.rebuild_index || typed.update_index;
    if !writes_index {
        query(&arguments.query)?;
    }
    let mut tree = arguments.tree.clone();
    tree.directory = typed.project.clone().or(tree.directory);
    let context = Context::new(&tree, &arguments.common, arguments.meaning.overrides()?)?;
    if writes_index {
        let written = sage_index::write(&context)?;
        if arguments.query.is_empty() {
            sage_index::report(&written, arguments.json)?;
            return Ok(Status::Success);
        }
        report::note(&written.line());
    }
    let query = query(&arguments.query)?;
    let sources: Vec<String> =
        defaults.sources.iter().map(|source| source.as_str().to_owned()).collect();
    let now = Zoned::now();
    let mut filter = if contract.names_sources() {
        filters::filter_without_sources(&arguments.filter, &context.root, &now)?
    } else {
        filters::filter(&arguments.filter, &sources, &context.root, &now)?
    };
    if let Some(glob) = &typed.path_filter {
        filter.paths.push(filters::path("--path-filter", glob, &context.root)?);
    }
    let format = if arguments.json { Some("json") } else { arguments.format.as_deref() };
    let format = lore_compat::choose_format(contract, format, context.terminal.output)?;
    let settings = &context.settings;
    let request = request_of(query, arguments, filter, settings, &now)?;
    let mut request = lore_compat::with_defaults(request, contract, settings);
    if arguments.meaning.mode.is_some() {
        request = request.with_mode(settings.mode());
    }
    request.explain |= typed.debug;
    request.extras.expand = settings.expand();
    if arguments.min_score.is_some() {
        request.min_score = min_score(arguments.min_score, contract.top_score())?;
    }
    if let Some(limit) = arguments.limit.or(typed.count) {
        request.limit = number(limit);
    }
    contract.prepare(&mut request, typed)?;

    // Contracts that search by meaning report their own warnings.
    let (engine, _) = context.quiet_engine()?;
    let progress = Reporter::start(context.terminal);
    let asked = ContractRequest {
        engine: &engine,
        root: &context.root,
        request,
        typed,
        sources: &arguments.filter.sources,
        progress: &progress,
    };
    let answer = contract.search(&asked);
    progress.finish();
    finish(contract, answer?.as_ref(), format, &context, &engine)
}

/// Rejects flags that no contract supports, and those that this one does not.
fn refuse(contract: &dyn Contract, arguments: &SearchArguments) -> Result<(), UsageError> {
    if arguments.follow.is_some() {
        return Err(UsageError::new(format!("`--as {}` does not support links", contract.name()))
            .hint("remove `--follow` or `--as`"));
    }
    if arguments.null {
        return Err(UsageError::new("`--null` is only valid with `--format paths`")
            .hint("remove `--null` or `--as`"));
    }
    refuse_revision(&arguments.revision)?;
    refusals::refuse(contract, arguments)
}

/// Rejects `--at`: the other systems only read the files on disk.
fn refuse_revision(revision: &RevisionArguments) -> Result<(), UsageError> {
    match revision.at {
        None => Ok(()),
        Some(_) => Err(UsageError::new("`--as` only searches the files on disk")
            .hint("remove `--at` or `--as`")),
    }
}

/// Lists definitions under a contract.
pub(super) fn list(
    name: &str,
    arguments: &LookupArguments,
    (query, limit): (&str, usize),
    listing: Listing,
) -> anyhow::Result<Status> {
    let contract = lore_compat::contract(name)
        .ok_or_else(|| UsageError::new(format!("there is no contract `{name}`")))?;
    refuse_revision(&arguments.revision)?;
    let context = Context::new(&arguments.tree, &arguments.common, Vec::new())?;
    let filter = filters::code_filter(&arguments.filter, &context.root)?;
    let format = if arguments.json { Some("json") } else { arguments.format.as_deref() };
    let format = lore_compat::choose_format(contract, format, context.terminal.output)?;
    let engine = context.engine()?;
    let progress = Reporter::start(context.terminal);
    let asked = ContractRequest {
        engine: &engine,
        root: &context.root,
        request: SymbolRequest { query: query.to_owned(), filter, limit },
        typed: &ContractArguments::default(),
        sources: &[],
        progress: &progress,
    };
    let answer = match listing {
        Listing::Name => contract.symbols(&asked),
        Listing::File => contract.files(&asked),
    };
    progress.finish();
    let answer = answer.ok_or_else(|| {
        UsageError::new(format!("`--as {name}` does not list definitions"))
            .hint(format!("use `lore search --as {name}`"))
    })?;
    finish(contract, answer?.as_ref(), format, &context, &engine)
}

/// Writes the answer to standard output and its messages to standard error.
fn finish(
    contract: &dyn Contract,
    answer: &dyn Answer,
    format: &str,
    context: &Context,
    engine: &Engine,
) -> anyhow::Result<Status> {
    let style = context.style();
    write_output(|out| answer.write(format, &style, out))?;
    answer.report(engine);
    Ok(if answer.is_empty() { contract.defaults().on_none } else { Status::Success })
}
