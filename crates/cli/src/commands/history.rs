//! `lore history`: the recorded searches.

use anyhow::Context as _;
use lore_console::{
    report::{self, Status, UsageError},
    text,
};
use lore_render::{
    output::{
        count, milliseconds, plural,
        table::{self, Align},
    },
    wire::{self, PastQuery},
};
use lore_session::{Context, number, write_output};

use crate::{
    args::HistoryArguments,
    history::{History, by_query},
};

/// Default maximum number of shown queries.
const DEFAULT_LIMIT: usize = 20;

/// Maximum width of a query, in columns.
const MAX_QUERY_WIDTH: usize = 60;

/// Shows the history, or deletes it.
pub(super) fn run(arguments: &HistoryArguments) -> anyhow::Result<Status> {
    let report = &arguments.report;
    let context = Context::new(&report.tree, &report.common, Vec::new())?;
    let folder = context.settings.cache_dir().ok_or_else(|| {
        UsageError::new("there is no cache directory for a history")
            .hint("name one with `--cache-dir DIR`")
    })?;
    let history = History::new(folder);
    if arguments.action.is_some() {
        let path = history.path();
        let any = history
            .clear()
            .with_context(|| format!("could not delete the history `{}`", path.display()))?;
        report::note(if any { "history deleted" } else { "there was no history" });
        return Ok(Status::Success);
    }
    let entries = history
        .entries()
        .with_context(|| format!("could not read the history `{}`", history.path().display()))?;
    let mut asked = by_query(&entries);
    if arguments.zero {
        asked.retain(|query| query.last_hits == 0);
    }
    if arguments.repeats {
        asked.retain(|query| query.times > 1);
        asked.sort_by_key(|query| std::cmp::Reverse(query.times));
    }
    if arguments.slow {
        asked.sort_by(|left, right| right.slowest_ms.total_cmp(&left.slowest_ms));
    }
    asked.truncate(arguments.limit.map_or(DEFAULT_LIMIT, number));
    let enabled = context.settings.history();
    write_output(|out| {
        if report.json {
            return wire::write(&wire::history(&history.path(), enabled, &asked), out);
        }
        let rows: Vec<[String; 5]> = asked.iter().map(row).collect();
        table::write(
            [Align::Left, Align::Right, Align::Right, Align::Right, Align::Left],
            &rows,
            out,
        )
    })?;
    if !asked.is_empty() {
        return Ok(Status::Success);
    }
    if !report.json {
        report::plain_line("no such search in the history");
        if !enabled {
            report::hint_line(
                "record searches with `--history`, or with `history.enabled = true` in your own \
                 settings file",
            );
        }
    }
    Ok(Status::NoResult)
}

fn row(asked: &PastQuery) -> [String; 5] {
    let day_and_minute = asked.last_time.get(..16).unwrap_or(&asked.last_time).replace('T', " ");
    [
        text::clean(&day_and_minute),
        format!("{}x", count(asked.times)),
        plural(asked.last_hits, "hit", "hits"),
        format!("{} ms", milliseconds(asked.slowest_ms)),
        text::cut(&text::clean(&asked.query), MAX_QUERY_WIDTH),
    ]
}
