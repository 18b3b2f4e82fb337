//! `lore expand`: a place whole, the code that uses it, or the history of its lines.

use lore_console::{
    report::{self, Status, UsageError},
    shell::shell_word,
};
use lore_engine::{PlaceRequest, Relation};
use lore_render::output::place::{PlaceAnswer, View, place_format};
use lore_session::{Context, number, progress::Reporter, tell_sources, write_output};

use super::format_name;
use crate::args::ExpandArguments;

/// Default maximum number of uses, and of commits.
const DEFAULT_LIMIT: usize = 50;

/// Default token budget of a text.
const DEFAULT_BUDGET: usize = 8_000;

/// Finds the place and writes the requested view.
pub(super) fn run(arguments: &ExpandArguments) -> anyhow::Result<Status> {
    if arguments.place.trim().is_empty() {
        return Err(UsageError::new("the place is empty")
            .hint("name a place, for example `lore expand src/lib.rs:10`")
            .into());
    }
    let format = format_name(arguments.json, arguments.format.as_ref());
    let format = place_format(format)
        .ok_or_else(|| UsageError::new(format!("there is no format `{format}`")))?;
    let view = if arguments.callers || arguments.callees {
        View::Uses
    } else if arguments.history {
        View::History
    } else {
        View::Whole
    };
    let context = Context::new(&arguments.tree, &arguments.common, Vec::new())?;
    let request = PlaceRequest {
        place: arguments.place.clone(),
        relation: arguments.callees.then_some(Relation::Callees),
        // Every view states the costs of the others.
        has_uses: true,
        limit: arguments.limit.map_or(DEFAULT_LIMIT, number),
    };
    let engine = context.engine()?;
    let progress = Reporter::start(context.terminal);
    let response = engine.place(&request, &progress);
    progress.finish();
    let response = response?;
    let command = |view: View| command(arguments, view);
    let answer = PlaceAnswer {
        response: &response,
        view,
        tokens: arguments.budget.map_or(DEFAULT_BUDGET, number),
        costs: PlaceAnswer::costs(&response),
        command: &command,
    };
    let style = context.style();
    write_output(|out| (format.write)(&answer, &style, out))?;
    if arguments.common.stats {
        tell_sources(&response.receipt);
        report::note(&format!("{:.1} ms to answer", response.receipt.elapsed_ms));
    }
    Ok(Status::Success)
}

/// The command for a view of the same place.
fn command(arguments: &ExpandArguments, view: View) -> String {
    let mut words = vec!["lore".to_owned(), "expand".to_owned()];
    if let Some(directory) = &arguments.tree.directory {
        words.extend(["-C".to_owned(), directory.display().to_string()]);
    }
    let flag = match view {
        View::Whole => None,
        View::Uses if arguments.callees => Some("--callees"),
        View::Uses => Some("--callers"),
        View::History => Some("--history"),
    };
    words.extend(flag.map(str::to_owned));
    words.push(arguments.place.clone());
    words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}
