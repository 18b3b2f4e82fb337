//! `lore eval` on questions about the graph of definitions.

use lore_console::report::{self, Status, UsageError};
use lore_session::{number, progress::Reporter};
use lore_settings::terminal::Terminal;

use super::{
    arguments::EvalArguments,
    engines::engine_of,
    measures::written_minimum,
    output::{hinted, no_such_query, write_clean},
};
use crate::{
    EvalError, GRAPH_MEASURES, GraphQuestion, GraphRow, Per, ask_graph, graph_measure,
    write_graph_report, write_graph_rows,
};

/// Edges of one answer: more than any question has.
const EDGES: usize = 10_000;

/// Asks the questions, judges the answers, and passes them through the gates.
pub(super) fn run(
    arguments: &EvalArguments,
    mut questions: Vec<GraphQuestion>,
) -> anyhow::Result<Status> {
    refuse(arguments)?;
    let minimums = minimums(&arguments.minimums)?;
    questions.retain(|question| {
        (arguments.repository.is_empty() || arguments.repository.contains(&question.repository))
            && arguments
                .query
                .as_ref()
                .is_none_or(|text| question.text.contains(text) || question.id == *text)
    });
    if questions.is_empty() {
        return Err(no_such_query());
    }
    let limit = arguments.limit.map_or(EDGES, number);
    let progress = Reporter::start(Terminal::from_process());
    let rows = ask_graph(
        &questions,
        &arguments.trees(),
        limit,
        &|root| engine_of(&arguments.tree, &arguments.common, root),
        &progress,
    );
    progress.finish();
    let rows: Vec<GraphRow> = rows.map_err(|error: EvalError| hinted(error))?;

    let name = arguments.collection()?.file_stem().unwrap_or_default().to_string_lossy();
    let per: Vec<Per> = arguments.breakdowns();
    write_clean(|out| {
        if arguments.query.is_some() {
            write_graph_rows(&rows, out)?;
        }
        write_graph_report(&name, &rows, &per, out)
    })?;

    let mut passed = true;
    for (measure, least) in minimums {
        // Where nothing was found or wanted, nothing is wrong.
        let value = graph_measure(&rows, measure).unwrap_or(1.0);
        if value < least {
            passed = false;
            report::note(&format!("{measure} is {value:.4}, below {least}"));
        }
    }
    Ok(if passed { Status::Success } else { Status::NoResult })
}

/// Refuses what means nothing here, rather than leave it undone in silence.
fn refuse(arguments: &EvalArguments) -> Result<(), UsageError> {
    let given = [
        ("--in", !arguments.place.sources.is_empty()),
        ("--spec", arguments.spec),
        ("--run", arguments.run.is_some()),
        ("--measure", !arguments.measures.is_empty()),
        ("--compare", arguments.compare.is_some()),
        ("--expected", arguments.expected.is_some()),
        ("--run-out", arguments.run_out.is_some()),
        ("--dump-signals", arguments.dump_signals.is_some()),
        ("--json", arguments.json),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((flag, _)) => {
            Err(UsageError::new(format!("`{flag}` does not go with questions about the graph")))
        }
        None => Ok(()),
    }
}

fn minimums(typed: &[String]) -> Result<Vec<(&'static str, f64)>, UsageError> {
    typed
        .iter()
        .map(|minimum| {
            let (name, least) = written_minimum(minimum, "precision=0.95")?;
            let known = GRAPH_MEASURES.iter().copied().find(|known| *known == name);
            let Some(measure) = known else {
                return Err(UsageError::new(format!("there is no measure `{name}` of the graph"))
                    .hint(format!("the measures are {}", GRAPH_MEASURES.join(", "))));
            };
            Ok((measure, least))
        })
        .collect()
}
