//! `lore search`: everything that a repository knows.

use std::path::Path;

use anyhow::Context as _;
use jiff::{Timestamp, Zoned};
use lore_console::{
    dates,
    report::{self, Status, UsageError},
};
use lore_engine::{
    Expansion, Extras, FailureRequest, Hit, Holders, PatternKind, Receipt, SearchRequest,
    SearchResponse, Syntax,
};
use lore_render::{
    budget::{self, BudgetError, BudgetReport, Level, LevelSummary},
    output::{self, Answer, Format, Page, offsets::Offsets, style::Style},
    pack::{self, PackRequest},
    tokens::Tokenizer,
};
use lore_schema::SourceName;
use lore_session::{
    Context, absence,
    extensions::{added_words, reorder},
    progress::Reporter,
    tell_sources, write_output,
};
use lore_settings::{Override, Settings, Value, filters};

use super::{contract, failure, query};
use crate::{
    args::SearchArguments,
    history::{Entry, History},
};

/// Asks the engine, and writes what it answers.
pub(super) fn run(arguments: &SearchArguments) -> anyhow::Result<Status> {
    if let Some(contract) = contract::named(&arguments.contract)? {
        return contract::search(contract, arguments);
    }
    let query = match arguments.query.join(" ") {
        // A log is a question by itself.
        words if arguments.from_failure.is_some() => words,
        // Conditions alone are a question, too.
        blank if blank.trim().is_empty() && arguments.filter.restricts() => String::new(),
        _ => query(&arguments.query)?,
    };
    let log = arguments.from_failure.as_deref().map(failure::read).transpose()?;
    let context = Context::new(&arguments.tree, &arguments.common, flags(arguments)?)?
        .at(&arguments.revision);
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
    let packed = for_agents(arguments, format)?;
    let mut request = SearchRequest {
        query,
        syntax: if arguments.raw { Syntax::Raw } else { Syntax::Full },
        clock: dates::clock(&now),
        filter,
        attributes: filters::attributes(&arguments.filter)?,
        pattern: pattern(arguments),
        case_sensitive: arguments.case_sensitive,
        min_similarity: arguments.meaning.min_similarity,
        min_score: least_score(arguments.min_score, 1.0)?,
        limit: settings.limit(),
        mode: settings.mode(),
        fusion: settings.fusion(),
        explain: arguments.explain,
        // Paths show nothing else, and a program that reorders hits reads their passages.
        snippet_lines: if format.name() == "paths"
            && arguments.regex | arguments.literal
            && settings.rerank_command().is_empty()
        {
            0
        } else {
            settings.snippet_lines()
        },
        context_lines: arguments.amount.context.map_or(0, lore_session::number),
        bodies: arguments.amount.budget.is_some(),
        hops: arguments.hops.map_or(0, lore_session::number),
        extras: Extras {
            elsewhere: true,
            expand: settings.expand(),
            expansions: Vec::new(),
            rewrite: settings.rewrite(),
            follow_ups: arguments.follow_ups,
            holders: false,
            described: None,
        },
    };
    if let Some(packed) = &packed {
        packed.apply_to(&mut request);
    }
    let mut warning_of_words = None;
    match added_words(settings, &request) {
        Ok(added) => request.extras.expansions = added,
        Err(warning) => warning_of_words = Some(warning),
    }

    let (engine, _) = context.quiet_engine()?;
    let progress = Reporter::start(context.terminal);
    let mut response = match log {
        Some(log) => {
            let search = request.clone();
            let asked = FailureRequest { log: log.text, skipped_bytes: log.left_out, search };
            engine.failure(&asked, &progress)
        }
        None => engine.search(&request, &progress),
    };
    if let Ok(response) = &mut response
        && arguments.follow.is_some()
    {
        for hit in &mut response.hits {
            let entries: Vec<String> = governed(hit);
            hit.links = engine.follow(&entries, &progress)?;
        }
    }
    progress.finish();
    let mut response = response?;
    response.warnings.splice(0..0, warning_of_words);
    if let Some(report) = response.receipt.failure.as_mut()
        && arguments.amount.budget.is_some()
    {
        failure::shorten(report);
    }
    reorder(settings, &mut response);
    note_search(
        settings,
        &response.receipt.root,
        &response.query,
        [response.hits.len() as u64, response.receipt.total],
        response.receipt.elapsed_ms,
    );

    for warning in &response.warnings {
        progress.warn(warning);
    }
    if !format.explains_absence() {
        tell_expansions(&response.receipt);
    }
    if let Some(report) = &response.receipt.failure
        && format.name() == "paths"
    {
        failure::tell(report);
    }
    let style = Style { null: arguments.null, ..context.style() };
    match packed {
        Some(packed) => write_pack(&response, &packed)?,
        None => write(&response, format, &style, arguments)?,
    }
    if arguments.common.stats {
        stats(&response, &progress);
    }
    if !response.hits.is_empty() {
        return Ok(Status::Success);
    }
    if !format.explains_absence() {
        absence::tell(&engine, &request.query, &request.filter, response.absence.as_ref());
    }
    Ok(Status::NoResult)
}

/// What is asked of an answer for agents; `None` where another format is written.
fn for_agents(
    arguments: &SearchArguments,
    format: &dyn Format,
) -> Result<Option<PackRequest>, UsageError> {
    if format.name() != output::agent::NAME {
        if arguments.cursor.is_some() {
            return Err(UsageError::new("`--cursor` is only for answers for agents")
                .hint("add `--format agent`"));
        }
        return Ok(None);
    }
    let amount = &arguments.amount;
    let budget = amount.budget.map_or(pack::DEFAULT_BUDGET, lore_session::number);
    if budget > pack::MAX_TOKENS {
        return Err(UsageError::new(format!(
            "a budget of {budget} tokens is too large: an answer for agents has at most {}",
            output::count(pack::MAX_TOKENS as u64)
        ))
        .hint(format!("ask for less, for example `--budget {}`", pack::MAX_TOKENS)));
    }
    let tokenizer = amount.tokenizer.as_deref().and_then(Tokenizer::from_name);
    Ok(Some(PackRequest {
        budget,
        tokenizer: tokenizer.unwrap_or_default(),
        limit: arguments.limit.map(lore_session::number),
        cursor: arguments.cursor.clone(),
        has_object: false,
    }))
}

/// Writes the answer for agents.
fn write_pack(response: &SearchResponse, request: &PackRequest) -> anyhow::Result<()> {
    let nothing = Holders::default();
    let holders = response.holders.as_ref().unwrap_or(&nothing);
    let packed = pack::pack(response, holders, request, None)?;
    write_output(|out| out.write_all(packed.text.as_bytes()))
}

/// Notes a search, if the user wants that: how many hits were shown, of how many, and the time in
/// milliseconds. Whatever goes wrong, the answer stands.
pub(super) fn note_search(
    settings: &Settings,
    root: &Path,
    query: &str,
    [hits, total]: [u64; 2],
    elapsed_ms: f64,
) {
    let (true, Some(folder)) = (settings.history(), settings.cache_dir()) else { return };
    let history = History::new(folder);
    let noted = history.append(Entry {
        time: Timestamp::now().strftime("%FT%TZ").to_string(),
        root: root.display().to_string(),
        query: query.to_owned(),
        hits,
        total,
        elapsed_ms,
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
    let Some(tokens) = arguments.amount.budget.map(lore_session::number) else {
        let answer = Answer::whole(response, offsets);
        return write_output(|out| format.write(&answer, style, out));
    };
    let tokenizer = arguments.amount.tokenizer.as_deref().and_then(Tokenizer::from_name);
    let page = Page::new(format, response, style, offsets);
    match budget::fit(&page, tokens, tokenizer.unwrap_or_default()) {
        Ok(fitted) => {
            write_output(|out| out.write_all(fitted.text.as_bytes()))?;
            let BudgetReport { used, tokens, tokenizer, .. } = fitted.budget_report;
            // These lines are nothing but paths.
            if format.name() == "paths" && fitted.levels.contains(&Level::Dropped) {
                report::warning(&format!(
                    "{} tokens do not hold all hits: {}",
                    output::count(tokens as u64),
                    LevelSummary(&fitted.levels)
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
        Err(BudgetError::TooSmall { least }) => Err(UsageError::new(format!(
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
        Err(BudgetError::Unwritten(error)) => Err(error).context("could not write the output"),
    }
}

/// Tokens by which two runs of the same search may differ.
const SLACK: usize = 10;

/// The settings that flags of this command decide.
fn flags(arguments: &SearchArguments) -> Result<Vec<Override>, UsageError> {
    let mut flags = arguments.meaning.overrides()?;
    let mut set = |key, value, flag| flags.push(Override { key, value, flag });
    if let Some(limit) = arguments.limit {
        set("search.limit", Value::Number(limit), "--limit");
    }
    if let Some(format) = &arguments.format {
        if output::format(format).is_none() {
            return Err(UsageError::new(format!("the format `{format}` is only for `--as`"))
                .hint(format!("the formats are {}", output::names().join(", "))));
        }
        set("output.format", Value::Text(format.clone()), "--format");
    }
    if arguments.expand {
        set("search.expand", Value::Switch(true), "--expand");
    }
    if arguments.no_rewrite {
        set("search.rewrite", Value::Switch(false), "--no-rewrite");
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
