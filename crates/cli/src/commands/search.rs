//! `lore search`: everything that a repository knows.

use jiff::Zoned;
use lore_engine::{Engine, Mode, SearchRequest, SearchResponse};

use super::{Context, query, write_output};
use crate::{
    args::SearchArguments,
    filters, output,
    output::style::Style,
    progress::Reporter,
    report::{self, Status, UsageError},
    settings::{Override, Value},
};

/// Asks the engine, and writes what it answers.
pub(super) fn run(arguments: &SearchArguments) -> anyhow::Result<Status> {
    let query = query(&arguments.query)?;
    let context = Context::new(&arguments.tree, &arguments.common, flags(arguments)?)?;
    let settings = &context.settings;
    let filter =
        filters::filter(&arguments.filter, settings.sources(), &context.root, &Zoned::now())?;
    let format = output::format(settings.format())
        .ok_or_else(|| UsageError::new(format!("there is no format `{}`", settings.format())))?;
    if arguments.null && format.name() != "paths" {
        return Err(UsageError::new("`--null` is only for paths")
            .hint("add `--format paths`")
            .into());
    }
    let request = SearchRequest {
        query,
        filter,
        limit: settings.limit(),
        mode: settings.mode(),
        explain: arguments.explain,
        snippet_lines: settings.snippet_lines(),
    };

    let engine = context.engine()?;
    let progress = Reporter::start(context.terminal);
    let response = engine.search(&request, &progress);
    progress.finish();
    let response = response?;

    for warning in &response.warnings {
        progress.warn(warning);
    }
    let style = Style { null: arguments.null, ..context.style() };
    write_output(|out| format.write(&response, &style, out))?;
    if arguments.common.stats {
        stats(&response, &progress);
    }
    if !response.hits.is_empty() {
        return Ok(Status::Found);
    }
    if !format.tells_absence() {
        tell_absence(&engine, &request, &response);
    }
    Ok(Status::Nothing)
}

/// The settings that flags of this command decide.
fn flags(arguments: &SearchArguments) -> Result<Vec<Override>, UsageError> {
    let mut flags = Vec::new();
    let mut set = |key, value, flag| flags.push(Override { key, value, flag });
    if let Some(limit) = arguments.limit {
        set("search.limit", Value::Number(limit), "--limit");
    }
    if let Some(mode) = &arguments.mode {
        if Mode::from_name(mode).is_none() {
            let modes: Vec<&str> = Mode::ALL.iter().map(|mode| mode.as_str()).collect();
            return Err(UsageError::new(format!("there is no mode `{mode}`"))
                .hint(format!("the modes are {}", modes.join(", "))));
        }
        set("search.mode", Value::Text(mode.clone()), "--mode");
    }
    if let Some(format) = &arguments.format {
        set("output.format", Value::Text(format.clone()), "--format");
    }
    if arguments.json {
        set("output.format", Value::Text("json".into()), "--json");
    }
    if arguments.group {
        set("output.group", Value::Text("always".into()), "--group");
    }
    if arguments.no_group {
        set("output.group", Value::Text("never".into()), "--no-group");
    }
    Ok(flags)
}

/// What was searched and left out, source by source, and how long it took.
fn stats(response: &SearchResponse, progress: &Reporter) {
    let receipt = &response.receipt;
    for (source, report) in &receipt.sources {
        let documents = output::plural(report.documents, "document", "documents");
        let left_out = output::skipped(&report.skipped);
        let comma = if left_out.is_empty() { "" } else { ", left out: " };
        report::note(&format!("{source}: {documents}{comma}{left_out}"));
    }
    report::note(&format!(
        "{} of the documents that match hold every word; {:.1} ms to answer, {:.1} ms with writing",
        output::count(receipt.matched_all),
        receipt.elapsed_ms,
        progress.elapsed().as_secs_f64() * 1e3,
    ));
}

/// Says why there is no hit. A misspelt language or kind is looked up only now, since it costs a
/// look at the whole index.
fn tell_absence(engine: &Engine, request: &SearchRequest, response: &SearchResponse) {
    let absence = response.absence.clone().unwrap_or_default();
    for line in output::absence(&request.query, &absence) {
        report::plain(&line);
    }
    for hint in filters::unknown_kinds(&request.filter.kinds) {
        report::hint_line(&hint);
    }
    if !request.filter.languages.is_empty()
        && let Ok(status) = engine.status()
    {
        let mut names: Vec<&str> = status
            .sources
            .values()
            .flat_map(|source| source.languages.keys())
            .map(String::as_str)
            .collect();
        names.sort_unstable();
        names.dedup();
        for hint in filters::unknown_languages(&request.filter.languages, &names) {
            report::hint_line(&hint);
        }
    }
}
