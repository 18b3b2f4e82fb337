//! `lore search`: everything that a repository knows.

use jiff::{Timestamp, Zoned};
use lore_engine::{
    Expansion, Extras, Mode, PatternKind, Receipt, SearchRequest, SearchResponse, Syntax,
};

use super::{Context, absence, extensions, query, tell_sources, write_output};
use crate::{
    args::SearchArguments,
    dates, filters,
    history::{Entry, History},
    output,
    output::style::Style,
    progress::Reporter,
    report::{self, Status, UsageError},
    settings::{Override, Settings, Value},
};

/// Asks the engine, and writes what it answers.
pub(super) fn run(arguments: &SearchArguments) -> anyhow::Result<Status> {
    let query = match arguments.query.join(" ") {
        // Conditions alone are a question, too.
        blank if blank.trim().is_empty() && arguments.filter.restricts() => String::new(),
        _ => query(&arguments.query)?,
    };
    let context = Context::new(&arguments.tree, &arguments.common, flags(arguments)?)?;
    let settings = &context.settings;
    let now = Zoned::now();
    let filter = filters::filter(&arguments.filter, settings.sources(), &context.root, &now)?;
    let format = output::format(settings.format())
        .ok_or_else(|| UsageError::new(format!("there is no format `{}`", settings.format())))?;
    if arguments.null && format.name() != "paths" {
        return Err(UsageError::new("`--null` is only for paths")
            .hint("add `--format paths`")
            .into());
    }
    let mut request = SearchRequest {
        query,
        syntax: if arguments.raw { Syntax::Raw } else { Syntax::Full },
        clock: dates::clock(&now),
        filter,
        attributes: filters::attributes(&arguments.filter)?,
        pattern: match (arguments.regex, arguments.literal) {
            (true, _) => Some(PatternKind::Regex),
            (_, true) => Some(PatternKind::Literal),
            _ => None,
        },
        case_sensitive: arguments.case_sensitive,
        min_score: arguments.min_score.unwrap_or(0.0),
        limit: settings.limit(),
        mode: settings.mode(),
        explain: arguments.explain,
        snippet_lines: settings.snippet_lines(),
        hops: arguments.hops.map_or(0, super::number),
        extras: Extras {
            elsewhere: true,
            expand: settings.expand(),
            expansions: Vec::new(),
            follow_ups: arguments.follow_ups,
        },
    };
    let mut warning_of_words = None;
    match added_words(settings, &request) {
        Ok(added) => request.extras.expansions = added,
        Err(warning) => warning_of_words = Some(warning),
    }

    let engine = context.engine()?;
    let progress = Reporter::start(context.terminal);
    let response = engine.search(&request, &progress);
    progress.finish();
    let mut response = response?;
    response.warnings.splice(0..0, warning_of_words);
    reorder(settings, &mut response);
    note_search(settings, &response);

    for warning in &response.warnings {
        progress.warn(warning);
    }
    if !format.tells_absence() {
        tell_expansions(&response.receipt);
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
        absence::tell(&engine, &request.query, &request.filter, response.absence.as_ref());
    }
    Ok(Status::Nothing)
}

/// The words that the user's program adds to the query.
fn added_words(settings: &Settings, request: &SearchRequest) -> Result<Vec<Expansion>, String> {
    match settings.expand_command() {
        [] => Ok(Vec::new()),
        // A pattern is looked for as it is.
        _ if request.pattern.is_some() => Ok(Vec::new()),
        command => extensions::expansions(command, &request.query, settings.command_timeout()),
    }
}

/// Lets the user's program reorder the hits.
fn reorder(settings: &Settings, response: &mut SearchResponse) {
    let command = settings.rerank_command();
    if !command.is_empty()
        && let Err(warning) = extensions::rerank(command, response, settings.command_timeout())
    {
        response.warnings.push(warning);
    }
}

/// Notes the search, if the user wants that. Whatever goes wrong, the answer stands.
fn note_search(settings: &Settings, response: &SearchResponse) {
    let (true, Some(folder)) = (settings.history(), settings.cache_dir()) else { return };
    let history = History::new(folder);
    let noted = history.append(Entry {
        time: Timestamp::now().strftime("%FT%TZ").to_string(),
        root: response.receipt.root.display().to_string(),
        query: response.query.clone(),
        hits: response.hits.len() as u64,
        total: response.receipt.total,
        elapsed_ms: response.receipt.elapsed_ms,
    });
    if let Err(error) = noted {
        let path = history.path();
        report::warning(&format!("could not note the search in `{}`: {error}", path.display()));
    }
}

/// Says which words were looked for, too.
fn tell_expansions(receipt: &Receipt) {
    for Expansion { word, added } in &receipt.expanded {
        report::note(&format!("`{word}` finds {}, too", added.join(", ")));
    }
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
    if arguments.expand {
        set("search.expand", Value::Switch(true), "--expand");
    }
    if let Some(command) = &arguments.expand_cmd {
        set("search.expand-cmd", command.clone(), "--expand-cmd");
    }
    if let Some(command) = &arguments.rerank_cmd {
        set("search.rerank-cmd", command.clone(), "--rerank-cmd");
    }
    if arguments.history {
        set("history.enabled", Value::Switch(true), "--history");
    }
    if arguments.no_history {
        set("history.enabled", Value::Switch(false), "--no-history");
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
    tell_sources(receipt);
    report::note(&format!(
        "{} of the documents that match hold every word; {:.1} ms to answer, {:.1} ms with writing",
        output::count(receipt.matched_all),
        receipt.elapsed_ms,
        progress.elapsed().as_secs_f64() * 1e3,
    ));
}
