//! `lore research`: queries the call, type and import graph.

use lore_console::{
    focus::parse_question,
    report::{self, Status, UsageError},
};
use lore_engine::{Relation, ResearchRequest, research_workspace};
use lore_render::output::{self, GraphAnswer};
use lore_session::{absence, number, progress::Reporter, tell_sources, write_output};
use lore_settings::filters;

use super::{format_name, scope};
use crate::args::ResearchArguments;

/// Default maximum number of shown edges.
const DEFAULT_EDGES: usize = 100;

/// Runs the query and writes the answer.
pub(super) fn run(arguments: &ResearchArguments) -> anyhow::Result<Status> {
    let text = arguments.question.join(" ");
    let (question, depth) = parse_question(&text, arguments.focus.as_deref())?;
    let (workspace, context) = scope::open(
        &arguments.scope,
        &arguments.tree,
        &arguments.common,
        &arguments.revision,
        &text,
    )?;
    let format = format_name(arguments.json, arguments.format.as_ref());
    let format = output::graph_format(format)
        .ok_or_else(|| UsageError::new(format!("there is no format `{format}`")))?;
    // An agent pays for every line, and `--depth` adds further steps.
    let is_direct = format.name == output::agent::NAME && question.relation == Relation::Callers;
    let usual = depth.or(is_direct.then_some(1));
    let request = ResearchRequest {
        question,
        depth: arguments.depth.map(number).or(usual),
        filter: filters::code_filter(&arguments.filter, &context.root)?,
        limit: arguments.limit.map_or(DEFAULT_EDGES, number),
        guesses: arguments.guesses,
    };

    let progress = Reporter::start(context.terminal);
    let (response, engine) = if let Some(workspace) = &workspace {
        let members = scope::queries(workspace, |root| {
            let filter = filters::code_filter(&arguments.filter, root)?;
            Ok(ResearchRequest { filter, ..request.clone() })
        })?;
        let skipped = &workspace.skipped;
        (research_workspace(&workspace.paths, &members, skipped, &progress), None)
    } else {
        let engine = context.engine()?;
        (engine.research(&request, &progress), Some(engine))
    };
    progress.finish();
    let response = response?;
    for warning in &response.warnings {
        progress.warn(warning);
    }
    let style = context.style();
    let answer = GraphAnswer { relation: request.question.relation, response: &response };
    write_output(|out| (format.write)(&answer, &style, out))?;
    if arguments.common.stats {
        tell_sources(&response.receipt);
        report::note(&format!("{:.1} ms to answer", response.receipt.elapsed_ms));
    }
    if !response.edges.is_empty() {
        return Ok(Status::Success);
    }
    if !format.explains_absence {
        let engines = scope::engines(workspace.as_ref(), engine.as_ref());
        absence::tell(&engines, &response.question, &request.filter, response.absence.as_ref());
    }
    Ok(Status::NoResult)
}
