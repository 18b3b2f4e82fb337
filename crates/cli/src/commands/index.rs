//! `lore index`: builds or updates the index.

use std::io::{self, Write};

use lore_console::report::{self, Status, UsageError};
use lore_engine::{EngineError, ExportReport, ImportReport, IndexMode, IndexReport};
use lore_render::{
    output::{
        self,
        table::{self, Align},
    },
    wire,
};
use lore_session::{Context, OpenEngine, progress::Reporter, write_output};

use super::{index_estimate, index_exchange, index_workspace, sage_index, status, watch};
use crate::args::IndexArguments;

/// Builds or updates the index and prints counts.
pub(super) fn run(arguments: &IndexArguments) -> anyhow::Result<Status> {
    if arguments.scope.cluster_url().is_some() {
        let error = UsageError::new("`lore index` writes the index of this machine");
        return Err(error.hint("use `lore cluster ingest --cluster URL`").into());
    }
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
    if let (Some(path), true) = (&arguments.import, arguments.dry_run) {
        return index_exchange::show(&context, &engine, path, mode, arguments.json);
    }
    if arguments.dry_run {
        return index_estimate::run(&context, &engine, mode, arguments.json);
    }
    if arguments.watch {
        watch::check(&context)?;
    }
    let progress = reporter(arguments, &context).stop_on_interrupt();
    let report = exchange_and_index(arguments, &engine, mode, &progress);
    progress.finish();
    let Run { report, import, export } = match report {
        Ok(run) => {
            progress.end_lines("done");
            let report = &run.report;
            index_estimate::record(&context, report.bytes, progress.reading_time());
            run
        }
        Err(EngineError::Interrupted { indexed, total }) => {
            progress.end_lines("interrupted");
            report::note(&interrupted(arguments, indexed, total));
            return Ok(Status::Interrupted);
        }
        Err(error) => return Err(error.into()),
    };
    let of_import = import.iter().flat_map(|import| &import.warnings);
    let of_export = export.iter().flat_map(|export| &export.warnings);
    for warning in of_import.chain(&report.warnings).chain(of_export) {
        progress.warn(warning);
    }
    write_output(|out| {
        if arguments.json {
            let wire = wire::index(&report, &context.root);
            let wire = wire.with_import(import.as_ref()).with_export(export.as_ref());
            // With `--watch`, there are several objects, one per line.
            if arguments.watch { wire::write_line(&wire, out) } else { wire::write(&wire, out) }
        } else {
            write(&report, out)?;
            index_exchange::write(import.as_ref(), export.as_ref(), out)
        }
    })?;
    if arguments.watch {
        return watch::run(&context, &engine, arguments.json);
    }
    Ok(Status::Success)
}

/// Reports of a run.
struct Run {
    report: IndexReport,
    import: Option<ImportReport>,
    export: Option<ExportReport>,
}

/// Imports, indexes and exports, as requested.
fn exchange_and_index(
    arguments: &IndexArguments,
    engine: &OpenEngine,
    mode: IndexMode,
    progress: &Reporter,
) -> Result<Run, EngineError> {
    if let Some(file) = &arguments.export {
        let (report, export) = engine.export(file, mode, progress)?;
        return Ok(Run { report, import: None, export: Some(export) });
    }
    let Some(path) = &arguments.import else {
        return Ok(Run { report: engine.index(mode, progress)?, import: None, export: None });
    };
    let plan = engine.plan_import(path, mode == IndexMode::Rebuild)?;
    let import = engine.import(plan, progress)?;
    let mut report = engine.index(IndexMode::Update, progress)?;
    // The counts are those of both: the second part found nearly everything unchanged.
    for (source, (analysed, dropped, kept)) in &import.sources {
        let counts = report.sources.entry(*source).or_default();
        *counts = (counts.0 + analysed, counts.1 + dropped, *kept);
    }
    report.bytes += import.text_bytes;
    report.seconds += import.seconds;
    Ok(Run { report, import: Some(import), export: None })
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
pub(super) fn interrupted(arguments: &IndexArguments, indexed: u64, total: u64) -> String {
    let undone = match arguments {
        IndexArguments { export: Some(_), .. } => "nothing was exported; ",
        IndexArguments { import: Some(_), .. } if indexed == 0 => "nothing was imported; ",
        _ => "",
    };
    format!(
        "interrupted: {undone}{} of {} files are indexed and kept; run `lore index` again to go on",
        output::count(indexed),
        output::count(total)
    )
}

pub(super) fn write(report: &IndexReport, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = vec![["source", "written", "deleted", "unchanged"].map(str::to_owned)];
    for (source, (written, deleted, unchanged)) in &report.sources {
        let [written, deleted, unchanged] =
            [written, deleted, unchanged].map(|n| output::count(*n));
        rows.push([source.as_str().to_owned(), written, deleted, unchanged]);
    }
    table::write([Align::Left, Align::Right, Align::Right, Align::Right], &rows, out)?;
    writeln!(out, "\nread {} in {:.1} s", lore_render::output::bytes(report.bytes), report.seconds)
}
