//! `lore index`: builds or updates the index.

use std::io::{self, Write};

use lore_console::report::{self, Status};
use lore_engine::{EngineError, IndexMode, IndexReport};
use lore_render::{
    output::{
        self,
        table::{self, Align},
    },
    wire,
};
use lore_session::{Context, progress::Reporter, write_output};

use super::{index_estimate, index_workspace, sage_index, status, watch};
use crate::args::IndexArguments;

/// Builds or updates the index and prints counts.
pub(super) fn run(arguments: &IndexArguments) -> anyhow::Result<Status> {
    if let Some(name) = &arguments.scope.workspace {
        return index_workspace::run(arguments, name);
    }
    if arguments.status {
        return status::show(&arguments.tree, &arguments.common, arguments.json);
    }
    if arguments.sage {
        return sage_index::run(arguments);
    }
    if arguments.background {
        return in_background(arguments);
    }
    let mode = if arguments.rebuild { IndexMode::Rebuild } else { IndexMode::Update };
    let context = Context::new(&arguments.tree, &arguments.common, Vec::new())?;
    let engine = context.engine()?;
    if arguments.dry_run {
        return index_estimate::run(&context, &engine, mode, arguments.json);
    }
    if arguments.watch {
        watch::check(&context)?;
    }
    let progress = reporter(arguments, &context).stop_on_interrupt();
    let report = engine.index(mode, &progress);
    progress.finish();
    let report = match report {
        Ok(report) => {
            progress.end_lines("done");
            index_estimate::record(&context, report.bytes, progress.reading_time());
            report
        }
        Err(EngineError::Interrupted { indexed, total }) => {
            progress.end_lines("interrupted");
            report::note(&interrupted(indexed, total));
            return Ok(Status::Interrupted);
        }
        Err(error) => return Err(error.into()),
    };
    for warning in &report.warnings {
        progress.warn(warning);
    }
    write_output(|out| {
        if arguments.json {
            let wire = wire::index(&report, &context.root);
            // With `--watch`, there are several objects, one per line.
            if arguments.watch { wire::write_line(&wire, out) } else { wire::write(&wire, out) }
        } else {
            write(&report, out)
        }
    })?;
    if arguments.watch {
        return watch::run(&context, &engine, arguments.json);
    }
    Ok(Status::Success)
}

/// Builds the index for a search that did not wait for it. No output is read.
fn in_background(arguments: &IndexArguments) -> anyhow::Result<Status> {
    let context = Context::new(&arguments.tree, &arguments.common, Vec::new())?;
    let (engine, _) = context.quiet_engine()?;
    match engine.update(&()) {
        Err(error) if !error.is_busy() => Err(error.into()),
        _ => Ok(Status::Success),
    }
}

pub(super) fn reporter(arguments: &IndexArguments, context: &Context) -> Reporter {
    let reporter = Reporter::start(context.terminal);
    match arguments.progress.as_str() {
        "json" => reporter.with_lines(),
        "none" => reporter.without_bar(),
        _ => reporter,
    }
}

/// The message after an interrupt.
pub(super) fn interrupted(indexed: u64, total: u64) -> String {
    format!(
        "interrupted: {} of {} files are indexed and kept; run `lore index` again to go on",
        output::count(indexed),
        output::count(total)
    )
}

fn write(report: &IndexReport, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = vec![["source", "written", "deleted", "unchanged"].map(str::to_owned)];
    for (source, (written, deleted, unchanged)) in &report.sources {
        let [written, deleted, unchanged] =
            [written, deleted, unchanged].map(|n| output::count(*n));
        rows.push([source.as_str().to_owned(), written, deleted, unchanged]);
    }
    table::write([Align::Left, Align::Right, Align::Right, Align::Right], &rows, out)?;
    writeln!(out, "\nread {} in {:.1} s", lore_render::output::bytes(report.bytes), report.seconds)
}
