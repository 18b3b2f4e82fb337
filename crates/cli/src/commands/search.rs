//! `lore search`: searches everything in a repository.

mod first;
mod folder;
mod preview;
mod questions;
mod text;
mod workspace;

use std::{io, path::Path};

use jiff::{Timestamp, Zoned};
use lore_console::report::{self, Status, UsageError};
use lore_engine::{
    Engine, Expansion, FailureRequest, Hit, Holders, PatternKind, Receipt, SearchRequest,
    SearchResponse, Syntax,
};
use lore_render::{
    output::{self, Format},
    pack::{self, PackRequest},
    tokens::Tokenizer,
};
use lore_schema::{Filter, SourceName};
use lore_session::{
    Context, OpenEngine, absence,
    extensions::{added_words, reorder},
    progress::Reporter,
    tell_sources,
    workspace::OpenWorkspace,
    write_output,
};
use lore_settings::{
    MAX_HITS, MAX_WAIT, Origin, Override, Settings, Value, filters, flags::shared_flags,
    request::search_request,
};

pub(super) use self::folder::in_folder;
use super::{contract, failure, query, scope};
use crate::{
    args::SearchArguments,
    history::{Entry, History},
};

/// The form in which a search was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typed {
    /// As `lore search`.
    Command,
    /// Without the name of the command, so that the first word may be meant as one.
    Words,
}

/// Runs the search and writes the answer.
pub(super) fn run(arguments: &SearchArguments, typed: Typed) -> anyhow::Result<Status> {
    if let Some(contract) = contract::named(&arguments.contract)? {
        return contract::search(contract, arguments);
    }
    if !arguments.questions.is_empty() {
        return questions::run(arguments);
    }
    let query = typed_query(arguments)?;
    let log = arguments.from_failure.as_deref().map(failure::read).transpose()?;
    let search = Search::open(arguments)?;
    let found = search.ask(query, log, search.packed.as_ref())?;
    if let Some(packed) = &search.packed {
        let text = packed_text(&found.response, packed)?;
        write_output(|out| out.write_all(text.as_bytes()))?;
    } else {
        let tokens = arguments.amount.budget.map(lore_session::number);
        let text = search.text(&found.response, tokens)?;
        search.print(&text)?;
    }
    let status = search.finish(&found);
    if typed == Typed::Words {
        suggest_command(&arguments.query, &found.response);
    }
    Ok(status)
}

/// Suggests the command that the first word misspells, if that is the only word or unknown in the tree.
fn suggest_command(words: &[String], response: &SearchResponse) {
    let [first, rest @ ..] = words else { return };
    let corrected = response.receipt.corrected.iter().map(|correction| &correction.typed);
    let unknown = response.absence.iter().flat_map(|absence| &absence.unknown_words);
    let is_unknown = corrected.chain(unknown).any(|word| word.eq_ignore_ascii_case(first));
    if !(rest.is_empty() || is_unknown) {
        return;
    }
    if let Some(name) = crate::usage::misspelled_command(first) {
        let words = [&[name], rest].concat().join(" ");
        report::hint_line(&format!("`{first}` is not a command; did you mean `lore {words}`?"));
    }
}

/// A search that answers one question, or several.
struct Search<'a> {
    arguments: &'a SearchArguments,
    context: Context,
    format: &'static dyn Format,
    /// The parameters of an answer for agents; `None` for other formats.
    packed: Option<PackRequest>,
    opened: Opened,
}

/// The trees of a search.
enum Opened {
    Tree(Box<OpenEngine>),
    Workspace(OpenWorkspace),
}

/// A question with its answer.
struct AnsweredQuestion {
    request: SearchRequest,
    response: SearchResponse,
    progress: Reporter,
}

impl<'a> Search<'a> {
    fn open(arguments: &'a SearchArguments) -> anyhow::Result<Search<'a>> {
        let own = flags(arguments)?;
        let flags = || [&own[..], &shared_flags(&arguments.tree, &arguments.common)].concat();
        let question = [&arguments.query[..], &arguments.questions].concat().join(" ");
        let scope = &arguments.scope;
        if scope.workspace.is_some() || scope.cluster_url().is_some() {
            workspace::refuse(arguments)?;
        }
        let opened = scope::repositories(scope, &question, flags)?;
        let (context, opened) = if let Some(opened) = opened {
            (Context::of_workspace(&opened.paths, flags())?, Opened::Workspace(opened))
        } else {
            let context = Context::new(&arguments.tree, &arguments.common, own.clone())?
                .at(&arguments.revision);
            let (engine, _) = context.quiet_engine()?;
            (context, Opened::Tree(Box::new(engine)))
        };
        let format = chosen_format(arguments, &context.settings)?;
        let packed = for_agents(arguments, format)?;
        Ok(Search { arguments, context, format, packed, opened })
    }

    /// Answers a question, and prints the messages about the answer on standard error.
    fn ask(
        &self,
        query: String,
        log: Option<failure::Log>,
        packed: Option<&PackRequest>,
    ) -> anyhow::Result<AnsweredQuestion> {
        let (arguments, settings) = (self.arguments, &self.context.settings);
        let engine = match &self.opened {
            Opened::Tree(engine) => engine,
            Opened::Workspace(workspace) => return self.ask_all(workspace, &query, packed),
        };
        let mut request = request(arguments, query, &self.context, self.format)?;
        if let Some(packed) = packed {
            packed.apply_to(&mut request);
        }
        let mut program_warning = None;
        match added_words(settings, &request) {
            Ok(added) => request.extras.expansions = added,
            Err(warning) => program_warning = Some(warning),
        }
        let progress = Reporter::start(self.context.terminal);
        let follow = arguments.follow.is_some();
        let response = if log.is_some() || follow {
            preview::with_first_answers(self, engine, &request, &progress, || {
                answer(engine, &request, log, follow, &progress)
            })
        } else {
            first::with_first_answer(self, engine, &request, &progress, |receiver| {
                Ok(engine.search(&request, receiver)?)
            })
        };
        progress.finish();
        let mut response = response?;
        response.warnings.splice(0..0, program_warning);
        if let Some(report) = response.receipt.failure.as_mut()
            && arguments.amount.budget.is_some()
        {
            failure::shorten(report);
        }
        Ok(self.answered(request, response, progress))
    }

    /// Answers a question over all repositories of a workspace.
    fn ask_all(
        &self,
        workspace: &OpenWorkspace,
        query: &str,
        packed: Option<&PackRequest>,
    ) -> anyhow::Result<AnsweredQuestion> {
        let progress = Reporter::start(self.context.terminal);
        let change = |request: &mut SearchRequest| {
            if let Some(packed) = packed {
                packed.apply_to(request);
            }
        };
        let (arguments, format) = (self.arguments, self.format);
        let answer = workspace::answer(workspace, arguments, query, format, &change, &progress);
        progress.finish();
        let (request, response) = answer?;
        Ok(self.answered(request, response, progress))
    }

    /// Completes an answer: runs the program that reorders hits, records the search and prints the
    /// messages.
    fn answered(
        &self,
        request: SearchRequest,
        mut response: SearchResponse,
        progress: Reporter,
    ) -> AnsweredQuestion {
        let settings = &self.context.settings;
        reorder(settings, &mut response);
        record_search(
            settings,
            &response.receipt.root,
            &response.query,
            [response.hits.len() as u64, response.receipt.total],
            response.receipt.elapsed_ms,
        );
        print_messages(&response, self.format, &progress);
        AnsweredQuestion { request, response, progress }
    }

    /// Prints the statistics, or why there is no hit. Returns whether the question is answered.
    fn finish(&self, found: &AnsweredQuestion) -> Status {
        let AnsweredQuestion { request, response, progress } = found;
        if self.arguments.common.stats {
            stats(response, progress);
        }
        if !response.hits.is_empty() {
            let is_answered = !(self.arguments.contract.strict && response.receipt.weak);
            return if is_answered { Status::Success } else { Status::NoResult };
        }
        if !self.format.explains_absence() {
            let absence = response.absence.as_ref();
            let engines: Vec<&Engine> = match &self.opened {
                Opened::Tree(engine) => vec![engine],
                Opened::Workspace(opened) => opened.members.iter().map(|it| &*it.engine).collect(),
            };
            absence::tell(&engines, &request.query, &request.filter, absence);
        }
        Status::NoResult
    }
}

/// The query; it may be empty if there is a log or a filter.
fn typed_query(arguments: &SearchArguments) -> Result<String, UsageError> {
    let words = arguments.query.join(" ");
    if arguments.from_failure.is_some() {
        return Ok(words);
    }
    if words.trim().is_empty() && arguments.filter.restricts() {
        return Ok(String::new());
    }
    query(&arguments.query)
}

/// The output format. Rejects `--null` for formats other than `paths`.
fn chosen_format(
    arguments: &SearchArguments,
    settings: &Settings,
) -> Result<&'static dyn Format, UsageError> {
    let format = output::format(settings.format())
        .ok_or_else(|| UsageError::new(format!("there is no format `{}`", settings.format())))?;
    if arguments.null && format.name() != "paths" {
        return Err(UsageError::new("`--null` is only valid with `--format paths`")
            .hint("add `--format paths`"));
    }
    if arguments.display.full && format.name() != "human" {
        return Err(UsageError::new("`--full` is only valid with `--format human`")
            .hint("use `--budget N` with other formats"));
    }
    Ok(format)
}

/// The request for the engine, from flags and settings.
fn request(
    arguments: &SearchArguments,
    query: String,
    context: &Context,
    format: &dyn Format,
) -> anyhow::Result<SearchRequest> {
    let settings = &context.settings;
    let now = Zoned::now();
    let filter = filters::filter(&arguments.filter, settings.sources(), &context.root, &now)?;
    let mut request = request_of(query, arguments, filter, settings, &now)?
        .with_min_score(min_score(arguments.min_score, 1.0)?)
        .with_context_lines(arguments.amount.context.map_or(0, lore_session::number))
        .with_bodies(arguments.amount.budget.is_some() || arguments.display.full);
    request.extras.follow_ups = arguments.follow_ups;
    // `paths` shows no passages, but a program that reorders hits reads them.
    if format.name() == "paths" && request.pattern.is_some() && settings.rerank_command().is_empty()
    {
        request.snippet_lines = 0;
    }
    // A scan of all files is complete, as is the list that other programs read.
    if format.name() == "paths" && request.pattern.is_some() && is_default(settings, "search.limit")
    {
        request.limit = lore_session::number(MAX_HITS);
    }
    Ok(request)
}

/// Returns true if neither the user nor the project chose the value of a setting.
fn is_default(settings: &Settings, key: &str) -> bool {
    settings.get(key).is_none_or(|resolved| resolved.origin == Origin::Default)
}

/// Maximum limit of a search for an answer: a longer list is wanted whole.
const MAX_ANSWER: u64 = 50;

/// Builds the request that the flags of a search describe, with or without a contract.
pub(super) fn request_of(
    query: String,
    arguments: &SearchArguments,
    filter: Filter,
    settings: &Settings,
    now: &Zoned,
) -> Result<SearchRequest, UsageError> {
    let mut request = search_request(query, &arguments.filter, filter, settings, now)?;
    request.extras.judge = arguments.limit.is_none_or(|limit| limit <= MAX_ANSWER);
    Ok(request
        .with_syntax(if arguments.raw { Syntax::Raw } else { Syntax::Full })
        .with_pattern(pattern(arguments))
        .with_case_sensitive(arguments.case_sensitive)
        .with_min_similarity(arguments.meaning.min_similarity)
        .with_explain(arguments.explain)
        .with_hops(arguments.hops.map_or(0, lore_session::number)))
}

/// Runs the request, with the failures of the log if there is one, and adds linked places to the hits
/// if `follow` is set.
fn answer(
    engine: &Engine,
    request: &SearchRequest,
    log: Option<failure::Log>,
    follow: bool,
    progress: &Reporter,
) -> anyhow::Result<SearchResponse> {
    let mut response = match log {
        Some(log) => {
            let search = request.clone();
            let request = FailureRequest { log: log.text, skipped_bytes: log.skipped, search };
            engine.failure(&request, progress)?
        }
        None => engine.search(request, progress)?,
    };
    if follow {
        for hit in &mut response.hits {
            hit.links = engine.follow(&governed(hit), progress)?;
        }
    }
    Ok(response)
}

/// Prints warnings, added words and the summary of a log on standard error.
fn print_messages(response: &SearchResponse, format: &dyn Format, progress: &Reporter) {
    for warning in &response.warnings {
        progress.warn(warning);
    }
    if !format.explains_absence() {
        print_expansions(&response.receipt);
    }
    if let Some(report) = &response.receipt.failure
        && format.name() == "paths"
    {
        failure::print_summary(report);
    }
    if format.name() == "paths" {
        for notice in output::notices(response) {
            report::note(&notice);
        }
        let (shown, total) = (response.hits.len() as u64, response.receipt.total);
        if shown < total && shown == MAX_HITS {
            let (shown, total) = (output::count(shown), output::count(total));
            report::note(&format!("{shown} of {total} files are listed"));
        }
    }
}

/// The parameters of an answer for agents; `None` for other formats.
fn for_agents(
    arguments: &SearchArguments,
    format: &dyn Format,
) -> Result<Option<PackRequest>, UsageError> {
    if format.name() != output::agent::NAME {
        for (is_set, flag) in [(arguments.cursor.is_some(), "--cursor"), (arguments.all, "--all")] {
            if is_set {
                let reason = format!("`{flag}` is only valid with `--format agent`");
                return Err(UsageError::new(reason).hint("add `--format agent`"));
            }
        }
        return Ok(None);
    }
    let amount = &arguments.amount;
    let budget = amount.budget.map(lore_session::number);
    if let Some(budget) = budget.filter(|budget| *budget > pack::MAX_TOKENS) {
        return Err(UsageError::new(format!(
            "a budget of {budget} tokens is too large: an answer for agents has at most {}",
            output::count(pack::MAX_TOKENS as u64)
        ))
        .hint(format!("use a smaller budget, for example `--budget {}`", pack::MAX_TOKENS)));
    }
    let tokenizer = amount.tokenizer.as_deref().and_then(Tokenizer::from_name);
    Ok(Some(PackRequest {
        budget,
        lists_files: arguments.all,
        tokenizer: tokenizer.unwrap_or_default(),
        limit: arguments.limit.map(lore_session::number),
        cursor: arguments.cursor.clone(),
        has_object: false,
        at_most: None,
    }))
}

/// The answer for agents.
fn packed_text(response: &SearchResponse, request: &PackRequest) -> anyhow::Result<String> {
    let nothing = Holders::default();
    let holders = response.holders.as_ref().unwrap_or(&nothing);
    Ok(pack::pack(response, holders, request, None)?.text)
}

/// Records a search if the history is enabled: the number of shown hits and of matching documents, and
/// the time in milliseconds. A failure is only a warning. Nothing is recorded if the cache must not be
/// written.
pub(super) fn record_search(
    settings: &Settings,
    root: &Path,
    query: &str,
    [hits, total]: [u64; 2],
    elapsed_ms: f64,
) {
    let records = settings.history() && settings.writes_cache();
    let (true, Some(folder)) = (records, settings.cache_dir()) else { return };
    let history = History::new(folder);
    let recorded = history.append(Entry {
        time: Timestamp::now().strftime("%FT%TZ").to_string(),
        root: root.display().to_string(),
        query: query.to_owned(),
        hits,
        total,
        elapsed_ms,
    });
    if let Err(error) = recorded {
        let path = history.path();
        report::warning(&format!("could not record the search in `{}`: {error}", path.display()));
        if error.kind() == io::ErrorKind::InvalidData && !path.is_dir() {
            report::hint_line("run `lore history clear` to delete it");
        }
    }
}

/// Prints the words that were also searched for.
fn print_expansions(receipt: &Receipt) {
    for Expansion { word, added } in &receipt.expanded {
        report::note(&format!("`{word}` also finds {}", added.join(", ")));
    }
}

/// The kind of pattern to search every file for, if any.
pub(super) fn pattern(arguments: &SearchArguments) -> Option<PatternKind> {
    match (arguments.regex, arguments.literal) {
        (true, _) => Some(PatternKind::Regex),
        (_, true) => Some(PatternKind::Literal),
        _ => None,
    }
}

/// The code that a spec governs, as listed in the spec.
fn governed(hit: &Hit) -> Vec<String> {
    let entries =
        hit.extra.iter().filter(|(name, _)| hit.source == SourceName::Specs && name == "code");
    entries.map(|(_, entry)| entry.clone()).collect()
}

/// The minimum score of hits; 0 if none was typed. `top` is the highest possible score.
pub(super) fn min_score(typed: Option<f32>, top: f32) -> Result<f32, UsageError> {
    typed.map_or(Ok(0.0), |min| {
        if min <= top {
            return Ok(min);
        }
        Err(UsageError::new(format!("the minimum score {min} is too high"))
            .hint(format!("scores are from 0 to {top}, for example `--min-score {}`", top / 2.0)))
    })
}

/// The settings that flags of this command override.
fn flags(arguments: &SearchArguments) -> Result<Vec<Override>, UsageError> {
    let mut flags = arguments.meaning.overrides()?;
    let mut set = |key, value, flag| flags.push(Override { key, value, flag });
    if let Some(limit) = arguments.limit {
        set("search.limit", Value::Number(limit), "--limit");
    }
    if let Some(format) = &arguments.format {
        if output::format(format).is_none() {
            return Err(UsageError::new(format!(
                "the format `{format}` is only valid with `--as`"
            ))
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
    if arguments.wait {
        set("search.wait", Value::Number(MAX_WAIT), "--wait");
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
    let display = &arguments.display;
    if let Some(theme) = &display.theme {
        set("output.theme", Value::Text(theme.clone()), "--theme");
    }
    if let Some(format) = &display.hyperlink_format {
        set("output.hyperlink-format", Value::Text(format.clone()), "--hyperlink-format");
    }
    if arguments.group {
        set("output.group", Value::Text("always".into()), "--group");
    }
    if arguments.no_group {
        set("output.group", Value::Text("never".into()), "--no-group");
    }
    Ok(flags)
}

/// Prints what was searched and skipped per source, and the time.
fn stats(response: &SearchResponse, progress: &Reporter) {
    let receipt = &response.receipt;
    tell_sources(receipt);
    report::note(&format!(
        "{} of the matching documents contain every word; {:.1} ms to answer, {:.1} ms with output",
        output::count(receipt.matched_all),
        receipt.elapsed_ms,
        progress.elapsed().as_secs_f64() * 1e3,
    ));
}
