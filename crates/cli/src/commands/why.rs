//! `lore why`: the commits, tickets, specs, documents and tests behind a place.

use lore_console::report::{self, Status, UsageError};
use lore_engine::WhyRequest;
use lore_render::output::why::{DEFAULT_BUDGET, WhyAnswer, why_format};
use lore_session::{Context, number, progress::Reporter, tell_sources, write_output};

use super::format_name;
use crate::args::WhyArguments;

/// Default maximum number of hops.
const DEFAULT_LIMIT: usize = 20;

/// Finds the chain and writes it.
pub(super) fn run(arguments: &WhyArguments) -> anyhow::Result<Status> {
    if arguments.target.trim().is_empty() {
        return Err(UsageError::new("the target is empty")
            .hint("name a line, a definition, a commit or a ticket, for example `lore why src/lib.rs:10`")
            .into());
    }
    let format = format_name(arguments.json, arguments.format.as_ref());
    let format = why_format(format)
        .ok_or_else(|| UsageError::new(format!("there is no format `{format}`")))?;
    let context = Context::new(&arguments.tree, &arguments.common, Vec::new())?;
    let request = WhyRequest {
        target: arguments.target.clone(),
        limit: arguments.limit.map_or(DEFAULT_LIMIT, number),
    };
    let engine = context.engine()?;
    let progress = Reporter::start(context.terminal);
    let response = engine.why(&request, &progress);
    progress.finish();
    let response = response?;
    let answer = WhyAnswer {
        response: &response,
        target: &arguments.target,
        tokens: arguments.budget.map_or(DEFAULT_BUDGET, number),
    };
    let style = context.style();
    write_output(|out| (format.write)(&answer, &style, out))?;
    if arguments.common.stats {
        tell_sources(&response.receipt);
        report::note(&format!("{:.1} ms to answer", response.receipt.elapsed_ms));
    }
    Ok(if response.hops.is_empty() { Status::NoResult } else { Status::Success })
}
