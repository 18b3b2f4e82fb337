//! `lore suggest`: completes a partly typed query.

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

/// Default maximum number of completions.
const DEFAULT_LIMIT: usize = 10;

/// Runs the query and writes the answer.
pub(super) fn run(arguments: &SuggestArguments) -> anyhow::Result<Status> {
    let prefix = arguments.prefix.join(" ");
    if prefix.trim().is_empty() {
        return Err(UsageError::new("there is nothing to complete")
            .hint("type the start of a word, for example `lore suggest ref`")
            .into());
    }
    let kinds = arguments.kinds.iter().map(|name| kind(name)).collect::<Result<_, _>>()?;
    let limit = arguments.limit.map_or(DEFAULT_LIMIT, number);
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
            .map(|suggestion| {
                let documents = plural(suggestion.documents, "document", "documents");
                [text::clean(&suggestion.text), suggestion.kind.as_str().to_owned(), documents]
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
            report::plain_line(&format!(
                "no word, definition, title or path starts with `{prefix}`"
            ));
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
        UsageError::new(format!("there is no suggestion kind `{name}`"))
            .hint(format!("the kinds are {}{near}", known.join(", ")))
    })
}
