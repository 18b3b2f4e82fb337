//! `lore suggest`: completes what is being typed.

use lore_console::{
    names::did_you_mean,
    report::{self, Status, UsageError},
    text,
};
use lore_engine::{SuggestRequest, SuggestionKind};
use lore_render::{
    output::{
        plural,
        table::{self, Align},
    },
    wire,
};
use lore_session::{Context, number, progress::Reporter, write_output};

use crate::args::SuggestArguments;

/// Completions that are shown where nothing is said.
const LIMIT: usize = 10;

/// Asks the engine, and writes what it answers.
pub(super) fn run(arguments: &SuggestArguments) -> anyhow::Result<Status> {
    let prefix = arguments.prefix.join(" ");
    if prefix.trim().is_empty() {
        return Err(UsageError::new("there is nothing to complete")
            .hint("say how it begins, for example `lore suggest ref`")
            .into());
    }
    let kinds = arguments.kinds.iter().map(|name| kind(name)).collect::<Result<_, _>>()?;
    let limit = arguments.limit.map_or(LIMIT, number);
    let context = Context::new(&arguments.tree, &arguments.common, Vec::new())?;
    let progress = Reporter::start(context.terminal);
    let request = SuggestRequest { prefix, kinds, limit };
    let engine = context.engine()?;
    let response = engine.suggest(&request, &progress);
    progress.finish();
    let response = response?;

    write_output(|out| {
        if arguments.json {
            return wire::write(&wire::suggestions(&response), out);
        }
        let rows: Vec<[String; 3]> = response
            .suggestions
            .iter()
            .map(|one| {
                let documents = plural(one.documents, "document", "documents");
                [text::clean(&one.text), one.kind.as_str().to_owned(), documents]
            })
            .collect();
        table::write([Align::Left, Align::Left, Align::Right], &rows, out)
    })?;
    if arguments.common.stats {
        report::note(&format!("{:.1} ms to answer", response.elapsed_ms));
    }
    if response.suggestions.is_empty() {
        if !arguments.json {
            let prefix = text::cut(&text::clean(&request.prefix), 100);
            report::plain_line(&format!("nothing begins with `{prefix}`"));
        }
        return Ok(Status::NoResult);
    }
    Ok(Status::Success)
}

fn kind(name: &str) -> Result<SuggestionKind, UsageError> {
    let name = name.trim().to_lowercase();
    SuggestionKind::from_name(&name).ok_or_else(|| {
        let known: Vec<&str> = SuggestionKind::ALL.iter().map(|kind| kind.as_str()).collect();
        let near = did_you_mean(&name, &known);
        UsageError::new(format!("there is no kind `{name}` of suggestions"))
            .hint(format!("the kinds are {}{near}", known.join(", ")))
    })
}
