//! `lore history`: which searches were made, where the user asked to note them.

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

/// Queries that are shown where nothing is said.
const LIMIT: usize = 20;

/// Columns of a query.
const LONGEST: usize = 60;

/// Shows the history, or deletes it.
pub(super) fn run(arguments: &HistoryArguments) -> anyhow::Result<Status> {
    let report = &arguments.report;
    let context = Context::new(&report.tree, &report.common, Vec::new())?;
    let folder = context.settings.cache_dir().ok_or_else(|| {
        UsageError::new("there is no place for a history")
            .hint("name a folder with `--cache-dir DIR`")
    })?;
    let history = History::new(folder);
    if arguments.action.is_some() {
        let path = history.path();
        let any = history
            .clear()
            .with_context(|| format!("could not delete the history `{}`", path.display()))?;
        report::note(if any { "the history is deleted" } else { "there was no history" });
        return Ok(Status::Success);
    }
    let mut asked = by_query(&history.entries());
    if arguments.zero {
        asked.retain(|one| one.last_hits == 0);
    }
    if arguments.repeats {
        asked.retain(|one| one.times > 1);
        asked.sort_by_key(|one| std::cmp::Reverse(one.times));
    }
    if arguments.slow {
        asked.sort_by(|left, right| right.slowest_ms.total_cmp(&left.slowest_ms));
    }
    asked.truncate(arguments.limit.map_or(LIMIT, number));
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
        report::plain_line("the history holds no such search");
        if !enabled {
            report::hint_line(
                "searches are noted with `--history`, or with `history.enabled = true` in your own \
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
        text::cut(&text::clean(&asked.query), LONGEST),
    ]
}
