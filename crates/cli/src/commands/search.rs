//! `lore search`: everything that a repository knows.

use anyhow::Context as _;
use jiff::Zoned;
use lore_engine::{Hit, Mode, PatternKind, SearchRequest, SearchResponse, Syntax};
use lore_schema::SourceName;

use super::{Context, absence, contract, query, tell_sources, write_output};
use crate::{
    args::SearchArguments,
    budget::{self, InWords, Level, Spending, Unfit},
    dates, filters, output,
    output::{Answer, Format, Page, offsets::Offsets, style::Style},
    progress::Reporter,
    report::{self, Status, UsageError},
    settings::{Override, Value},
    tokens::Tokenizer,
};

/// Asks the engine, and writes what it answers.
pub(super) fn run(arguments: &SearchArguments) -> anyhow::Result<Status> {
    if let Some(contract) = contract::named(&arguments.contract)? {
        return contract::search(contract, arguments);
    }
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
    let request = SearchRequest {
        query,
        syntax: if arguments.raw { Syntax::Raw } else { Syntax::Full },
        clock: dates::clock(&now),
        filter,
        attributes: filters::attributes(&arguments.filter)?,
        pattern: pattern(arguments),
        case_sensitive: arguments.case_sensitive,
        min_score: least_score(arguments.min_score, 1.0)?,
        limit: settings.limit(),
        mode: settings.mode(),
        explain: arguments.explain,
        snippet_lines: settings.snippet_lines(),
        context_lines: arguments.amount.context.map_or(0, super::number),
        bodies: arguments.amount.budget.is_some(),
        hops: arguments.hops.map_or(0, super::number),
    };

    let engine = context.engine()?;
    let progress = Reporter::start(context.terminal);
    let mut response = engine.search(&request, &progress);
    if let Ok(response) = &mut response
        && arguments.follow.is_some()
    {
        for hit in &mut response.hits {
            let entries: Vec<String> = governed(hit);
            hit.links = engine.follow(&entries, &progress)?;
        }
    }
    progress.finish();
    let response = response?;

    for warning in &response.warnings {
        progress.warn(warning);
    }
    let style = Style { null: arguments.null, ..context.style() };
    write(&response, format, &style, arguments)?;
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

/// The kind of pattern that is looked for in every file, if one is.
pub(super) fn pattern(arguments: &SearchArguments) -> Option<PatternKind> {
    match (arguments.regex, arguments.literal) {
        (true, _) => Some(PatternKind::Regex),
        (_, true) => Some(PatternKind::Literal),
        _ => None,
    }
}

/// What a spec says that it governs.
fn governed(hit: &Hit) -> Vec<String> {
    let entries =
        hit.extra.iter().filter(|(name, _)| hit.source == SourceName::Specs && name == "code");
    entries.map(|(_, entry)| entry.clone()).collect()
}

/// The score below which hits are left out; 0 where none was typed. `top` is the best one.
pub(super) fn least_score(typed: Option<f32>, top: f32) -> Result<f32, UsageError> {
    typed.map_or(Ok(0.0), |least| {
        if least <= top {
            return Ok(least);
        }
        Err(UsageError::new(format!("could not search for scores of at least {least}"))
            .hint(format!("scores are from 0 to {top}, for example `--min-score {}`", top / 2.0)))
    })
}

/// Writes the answer, within the budget if there is one.
fn write(
    response: &SearchResponse,
    format: &dyn Format,
    style: &Style,
    arguments: &SearchArguments,
) -> anyhow::Result<()> {
    let offsets =
        arguments.amount.offsets.as_deref().and_then(Offsets::from_name).unwrap_or_default();
    let Some(tokens) = arguments.amount.budget.map(super::number) else {
        let answer = Answer::whole(response, offsets);
        return write_output(|out| format.write(&answer, style, out));
    };
    let tokenizer = arguments.amount.tokenizer.as_deref().and_then(Tokenizer::from_name);
    let page = Page::new(format, response, style, offsets);
    match budget::fit(&page, tokens, tokenizer.unwrap_or_default()) {
        Ok(fitted) => {
            write_output(|out| out.write_all(fitted.text.as_bytes()))?;
            let Spending { used, tokens, tokenizer, .. } = fitted.spending;
            // These lines are nothing but paths.
            if format.name() == "paths" && fitted.levels.contains(&Level::Dropped) {
                report::warning(&format!(
                    "{} tokens do not hold all hits: {}",
                    output::count(tokens as u64),
                    InWords(&fitted.levels)
                ));
            }
            if arguments.common.stats {
                report::note(&format!(
                    "budget: {} of {} tokens ({})",
                    output::count(used as u64),
                    output::count(tokens as u64),
                    tokenizer.as_str()
                ));
            }
            Ok(())
        }
        Err(Unfit::TooSmall { least }) => Err(UsageError::new(format!(
            "a budget of {} is too small: the smallest answer as {} has {}",
            output::plural(tokens as u64, "token", "tokens"),
            format.name(),
            output::plural(least as u64, "token", "tokens"),
        ))
        // The time of a search has more or fewer digits the next time.
        .hint(format!(
            "ask for more, for example `--budget {}`",
            (least + SLACK).next_multiple_of(50)
        ))
        .into()),
        Err(Unfit::Unwritten(error)) => Err(error).context("could not write the output"),
    }
}

/// Tokens by which two runs of the same search may differ.
const SLACK: usize = 10;

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
        if output::format(format).is_none() {
            return Err(UsageError::new(format!("the format `{format}` is only for `--as`"))
                .hint(format!("the formats are {}", output::names().join(", "))));
        }
        set("output.format", Value::Text(format.clone()), "--format");
    }
    if arguments.json {
        set("output.format", Value::Text("json".into()), "--json");
    }
    if let Some(lines) = arguments.amount.snippet {
        set("output.snippet-lines", Value::Number(lines), "--snippet");
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
