//! `--as NAME`: a question that is answered as another system does.

mod refusals;

use jiff::Zoned;
use lore_compat::{Answer, Asked, Contract, ContractArguments};
use lore_console::{
    dates,
    report::{Status, UsageError},
};
use lore_engine::{Engine, Extras, SearchRequest, SymbolRequest, Syntax};
use lore_session::{Context, number, progress::Reporter, write_output};
use lore_settings::{filters, flags::RevisionArguments};

use super::{
    query,
    search::{least_score, pattern},
};
use crate::args::{LookupArguments, SearchArguments};

/// The contract that was asked for. Flags that it does not take are refused, and without a contract
/// all of those.
pub(super) fn named(
    typed: &ContractArguments,
) -> Result<Option<&'static dyn Contract>, UsageError> {
    let contract = typed.system.as_deref().and_then(lore_compat::contract);
    lore_compat::refuse_foreign(contract, &typed.typed())?;
    Ok(contract)
}

/// Searches.
pub(super) fn search(
    contract: &dyn Contract,
    arguments: &SearchArguments,
) -> anyhow::Result<Status> {
    let query = query(&arguments.query)?;
    if arguments.follow.is_some() {
        return Err(UsageError::new(format!("`--as {}` has no place for links", contract.name()))
            .hint("leave `--follow` or `--as` out")
            .into());
    }
    if arguments.null {
        return Err(UsageError::new("`--null` is only for paths")
            .hint("leave `--null` or `--as` out")
            .into());
    }
    refuse_revision(&arguments.revision)?;
    crate::commands::contract::refusals::refuse(contract, arguments)?;
    let defaults = contract.defaults();
    let typed = &arguments.contract;
    let mut tree = arguments.tree.clone();
    tree.directory = typed.project.clone().or(tree.directory);
    let context = Context::new(&tree, &arguments.common, arguments.meaning.overrides()?)?;
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
    let limit = arguments.limit.or(typed.count).map(number);
    let mut request = SearchRequest {
        query,
        syntax: if arguments.raw { Syntax::Raw } else { Syntax::Full },
        clock: dates::clock(&now),
        attributes: filters::attributes(&arguments.filter)?,
        pattern: pattern(arguments),
        case_sensitive: arguments.case_sensitive,
        min_similarity: arguments.meaning.min_similarity,
        min_score: match arguments.min_score {
            None => contract.least_score(),
            typed => least_score(typed, contract.top_score())?,
        },
        limit: limit.unwrap_or_else(|| contract.limit(&filter)),
        filter,
        mode: contract.mode().unwrap_or_else(|| context.settings.mode()),
        fusion: context.settings.fusion_over(contract.fusion()),
        explain: arguments.explain || typed.debug,
        snippet_lines: context.settings.snippet_lines(),
        context_lines: 0,
        bodies: false,
        hops: arguments.hops.map_or(0, number),
        extras: Extras { expand: context.settings.expand(), ..Extras::default() },
    };
    contract.prepare(&mut request, typed)?;

    // A contract that searches by meaning tells its warnings.
    let (engine, _) = context.quiet_engine()?;
    let progress = Reporter::start(context.terminal);
    let asked = Asked {
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

/// Which listing of definitions is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listing {
    /// By name.
    Name,
    /// By file.
    File,
}

/// None of the other systems knows earlier trees: their dates are those of the files now.
fn refuse_revision(revision: &RevisionArguments) -> Result<(), UsageError> {
    match revision.at {
        None => Ok(()),
        Some(_) => Err(UsageError::new("`--as` answers from the files on disk alone")
            .hint("leave `--at` or `--as` out")),
    }
}

/// Lists definitions.
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
    let format = arguments.json.then_some("json");
    let format = lore_compat::choose_format(contract, format, context.terminal.output)?;
    let engine = context.engine()?;
    let progress = Reporter::start(context.terminal);
    let asked = Asked {
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
        UsageError::new(format!("`{name}` lists no definitions"))
            .hint(format!("search with `lore search --as {name}`"))
    })?;
    finish(contract, answer?.as_ref(), format, &context, &engine)
}

/// Writes the answer and what belongs on standard error.
fn finish(
    contract: &dyn Contract,
    answer: &dyn Answer,
    format: &str,
    context: &Context,
    engine: &Engine,
) -> anyhow::Result<Status> {
    let style = context.style();
    write_output(|out| answer.write(format, &style, out))?;
    answer.tell(engine);
    Ok(if answer.is_empty() { contract.defaults().on_none } else { Status::Success })
}
