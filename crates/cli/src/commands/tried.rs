//! `lore tried`: reverted commits, and records that were rejected or superseded.

use lore_console::report::{self, Status, UsageError};
use lore_engine::TriedRequest;
use lore_render::output::tried::tried_format;
use lore_session::{Context, number, progress::Reporter, tell_sources, write_output};

use super::format_name;
use crate::args::TriedArguments;

/// Default maximum number of attempts.
const DEFAULT_LIMIT: usize = 10;

/// Finds the attempts and writes them.
pub(super) fn run(arguments: &TriedArguments) -> anyhow::Result<Status> {
    let format = format_name(arguments.json, arguments.format.as_ref());
    let format = tried_format(format)
        .ok_or_else(|| UsageError::new(format!("there is no format `{format}`")))?;
    let context = Context::new(&arguments.tree, &arguments.common, Vec::new())?;
    let request = TriedRequest {
        query: arguments.query.join(" "),
        limit: arguments.limit.map_or(DEFAULT_LIMIT, number),
    };
    let engine = context.engine()?;
    let progress = Reporter::start(context.terminal);
    let response = engine.tried(&request, &progress);
    progress.finish();
    let response = response?;
    let style = context.style();
    write_output(|out| (format.write)(&response, &style, out))?;
    if arguments.common.stats {
        tell_sources(&response.receipt);
        report::note(&format!("{:.1} ms to answer", response.receipt.elapsed_ms));
    }
    if response.attempts.is_empty() {
        report::plain_line("nothing like it was reverted, rejected or superseded");
        return Ok(Status::NoResult);
    }
    Ok(Status::Success)
}
