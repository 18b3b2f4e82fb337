//! `lore index --export` and `--import`: what is printed about them.

use std::{
    io::{self, Write},
    path::Path,
};

use lore_console::report::Status;
use lore_engine::{ExportReport, ImportPlan, ImportReport, IndexMode};
use lore_render::{
    output::{
        self,
        table::{self, Align},
    },
    wire,
};
use lore_session::{Context, OpenEngine, write_output};

/// Number of digits of a commit that are shown.
const SHORT_HASH_LEN: usize = 10;

/// Prints which file an import would read, and which of its indexes it would take.
pub(super) fn show(
    context: &Context,
    engine: &OpenEngine,
    path: &Path,
    mode: IndexMode,
    json: bool,
) -> anyhow::Result<Status> {
    let plan = engine.plan_import(path, mode == IndexMode::Rebuild)?;
    write_output(|out| {
        if json {
            wire::write(&wire::import_plan(&plan, &context.root), out)
        } else {
            write_plan(&plan, out)
        }
    })?;
    Ok(Status::Success)
}

fn write_plan(plan: &ImportPlan, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = vec![["source", "units", "import"].map(str::to_owned)];
    for (source, (units, is_imported)) in &plan.sources {
        let what = if *is_imported { "yes" } else { "no: this tree has an index" };
        rows.push([source.as_str().to_owned(), output::count(*units), what.to_owned()]);
    }
    table::write([Align::Left, Align::Right, Align::Left], &rows, out)?;
    writeln!(
        out,
        "\n`{}`{}: {} more on disk; nothing was written",
        plan.path.display(),
        of_commit(plan.commit.as_deref()),
        output::bytes(plan.bytes)
    )
}

/// Prints what was imported and exported.
pub(super) fn write(
    import: Option<&ImportReport>,
    export: Option<&ExportReport>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if let Some(import) = import {
        let plan = &import.plan;
        let file = format!("`{}`{}", plan.path.display(), of_commit(plan.commit.as_deref()));
        if plan.sources.values().any(|(_, is_imported)| *is_imported) {
            writeln!(
                out,
                "imported {file}: {} units kept, {} analysed, {} dropped in {:.1} s",
                output::count(import.kept),
                output::count(import.analysed),
                output::count(import.dropped),
                import.seconds
            )?;
        } else {
            writeln!(out, "imported nothing from {file}: this tree has an index")?;
        }
    }
    if let Some(export) = export {
        writeln!(
            out,
            "exported {} documents{} to `{}`: {} in {:.1} s",
            output::count(export.documents),
            of_commit(export.commit.as_deref()),
            export.path.display(),
            output::bytes(export.bytes),
            export.seconds
        )?;
    }
    Ok(())
}

/// A commit in parentheses; empty without one.
fn of_commit(commit: Option<&str>) -> String {
    let Some(commit) = commit else { return String::new() };
    // A file could contain anything.
    let digits: String =
        commit.chars().filter(char::is_ascii_hexdigit).take(SHORT_HASH_LEN).collect();
    format!(" (commit {digits})")
}
