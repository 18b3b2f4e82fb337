//! `lore pick`: searches while the query is typed, then opens or prints the choice.

mod editor;
mod finder;
mod items;
mod output;

use std::{
    io::{self, IsTerminal as _},
    sync::{Arc, OnceLock},
};

use jiff::{Timestamp, Zoned};
use lore_console::report::{self, Status, UsageError};
use lore_highlight::Theme;
use lore_picker::{Choice, Mode, Options, Outcome, PickError};
use lore_schema::SourceName;
use lore_session::{Context, OpenEngine, number};
use lore_settings::{
    Override, Value, env_vars, filters, request::search_request, terminal::ColorChoice,
};

use self::{
    editor::Editor,
    finder::{EngineFinder, EngineReader},
};
use crate::{
    args::PickArguments,
    history::{Entry, History},
};

/// Default maximum number of passages: about a screen.
const DEFAULT_LIMIT: usize = 50;

/// Maximum number of earlier queries that Ctrl-Up shows.
const MAX_HISTORY: usize = 500;

/// The engine, once the thread of the finder has opened it.
type SharedEngine = Arc<OnceLock<Arc<OpenEngine>>>;

/// Shows the picker, and opens or prints what was chosen.
pub(super) fn run(arguments: &PickArguments) -> anyhow::Result<Status> {
    let context = Context::new(&arguments.tree, &arguments.common, flags(arguments))?;
    let query = arguments.query.join(" ");
    let prints = arguments.print
        || arguments.print0
        || arguments.print_query
        || arguments.no_line
        || !io::stdout().is_terminal();
    let editor = Editor::from_process(&env_vars::from_process);
    let now = Zoned::now();
    let filter =
        filters::filter(&arguments.filter, context.settings.sources(), &context.root, &now)?;
    let names = if filter.sources.is_empty() { SourceName::ALL } else { &filter.sources };
    let options = Options {
        query,
        mode: arguments.mode.as_deref().and_then(Mode::from_name).unwrap_or_default(),
        sources: names.iter().map(ToString::to_string).collect(),
        source: None,
        history: past_queries(&context),
        multi: !arguments.no_multi,
        height: arguments.height,
        mouse: !arguments.no_mouse,
        theme: theme(arguments, &context),
    };
    let engine = SharedEngine::default();
    let template = search_request("", &arguments.filter, filter, &context.settings, &now)?
        .with_limit(arguments.limit.map_or(DEFAULT_LIMIT, number));
    let context = Arc::new(context);
    let finder = EngineFinder::new(Arc::clone(&context), Arc::clone(&engine), template);
    let choice = lore_picker::run(options, finder, EngineReader::new(engine)).map_err(failure)?;
    record(&context, &choice);
    if choice.outcome == Outcome::Cancelled {
        return Ok(Status::Interrupted);
    }
    if prints {
        return output::print(&choice, arguments, &context.root);
    }
    if choice.items.is_empty() {
        return Ok(Status::NoResult);
    }
    editor.open(&choice, &context.root)
}

/// The error of the picker, with a hint where there is no terminal.
fn failure(error: PickError) -> anyhow::Error {
    match error {
        PickError::Terminal(reason) => {
            UsageError::new(format!("could not open the terminal for `lore pick`: {reason}"))
                .hint("search without a terminal: `lore search QUERY`")
                .into()
        }
        PickError::Finder(error) => match error.downcast::<finder::Error>() {
            Ok(error) => error.0,
            Err(error) => anyhow::anyhow!(error),
        },
    }
}

/// The settings that flags of this command override.
fn flags(arguments: &PickArguments) -> Vec<Override> {
    let mut flags = Vec::new();
    for (is_set, value, flag) in
        [(arguments.history, true, "--history"), (arguments.no_history, false, "--no-history")]
    {
        if is_set {
            flags.push(Override { key: "history.enabled", value: Value::Switch(value), flag });
        }
    }
    flags
}

/// The colours: those of the flag or of the settings, unless colours are switched off.
fn theme(arguments: &PickArguments, context: &Context) -> Theme {
    let is_off = match context.settings.color() {
        ColorChoice::Always => false,
        ColorChoice::Never => true,
        // Standard output may be a pipe while the picker is on a terminal.
        ColorChoice::Auto => {
            env_vars::non_empty(&env_vars::from_process, env_vars::NO_COLOR).is_some()
                || env_vars::from_process(env_vars::TERM).is_some_and(|term| term == "dumb")
        }
    };
    if is_off {
        return Theme::Plain;
    }
    let name = arguments.theme.as_deref().unwrap_or(context.settings.theme());
    Theme::from_name(name).unwrap_or_default()
}

/// Recorded queries on this tree, oldest first, each once.
fn past_queries(context: &Context) -> Vec<String> {
    let settings = &context.settings;
    let (true, Some(folder)) = (settings.history(), settings.cache_dir()) else {
        return Vec::new();
    };
    // A history that cannot be read is reported by `lore history`.
    let entries = History::new(folder).entries().unwrap_or_default();
    let root = context.root.display().to_string();
    let mut queries: Vec<String> = Vec::new();
    for entry in entries.into_iter().rev().filter(|entry| entry.root == root) {
        if queries.len() == MAX_HISTORY {
            break;
        }
        if !entry.query.trim().is_empty() && !queries.contains(&entry.query) {
            queries.push(entry.query);
        }
    }
    queries.reverse();
    queries
}

/// Records the query of a choice, if the history is enabled.
fn record(context: &Context, choice: &Choice) {
    let settings = &context.settings;
    let records = settings.history() && settings.writes_cache() && !choice.query.trim().is_empty();
    let (true, Some(folder)) = (records, settings.cache_dir()) else { return };
    let recorded = History::new(folder).append(Entry {
        time: Timestamp::now().strftime("%FT%TZ").to_string(),
        root: context.root.display().to_string(),
        query: choice.query.clone(),
        hits: choice.items.len() as u64,
        total: choice.items.len() as u64,
        elapsed_ms: 0.0,
    });
    if let Err(error) = recorded {
        report::warning(&format!("could not record the query: {error}"));
    }
}
