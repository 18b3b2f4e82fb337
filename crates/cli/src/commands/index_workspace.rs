//! `lore index -W NAME`: builds or updates the indexes of all repositories of a workspace.

use std::io::{self, Write};

use lore_console::{
    report::{self, Status, UsageError},
    text::clean,
};
use lore_engine::{EngineError, IndexMode, IndexReport};
use lore_render::{
    output::{
        self,
        table::{self, Align},
    },
    wire,
};
use lore_session::{workspace::OpenWorkspace, write_output};
use lore_settings::flags::shared_flags;

use super::index::{interrupted, reporter};
use crate::args::IndexArguments;

/// Indexes one repository after another. One that cannot be indexed does not stop the others.
pub(super) fn run(arguments: &IndexArguments, name: &str) -> anyhow::Result<Status> {
    let alone = [
        (arguments.watch, "--watch"),
        (arguments.dry_run, "--dry-run"),
        (arguments.status, "--status"),
        (arguments.sage, "--sage"),
        (arguments.export.is_some(), "--export"),
        (arguments.import.is_some(), "--import"),
    ];
    if let Some((_, flag)) = alone.into_iter().find(|(is_set, _)| *is_set) {
        return Err(UsageError::new(format!("`{flag}` works in one repository"))
            .hint("use `-C DIR` instead of `-W NAME`")
            .into());
    }
    let mode = if arguments.rebuild { IndexMode::Rebuild } else { IndexMode::Update };
    let flags = || shared_flags(&arguments.tree, &arguments.common);
    let workspace = OpenWorkspace::open(name, &arguments.scope.repo, flags)?;
    let mut done: Vec<(String, IndexReport)> = Vec::new();
    let mut failures = workspace.skipped.len();
    for warning in &workspace.skipped {
        report::warning(warning);
    }
    for member in &workspace.members {
        report::note(&format!("{} …", clean(&member.name)));
        let progress = reporter(arguments, &member.context).stop_on_interrupt();
        let indexed = member.engine.index(mode, &progress);
        progress.finish();
        match indexed {
            Ok(report) => {
                progress.end_lines("done");
                for warning in &report.warnings {
                    progress.warn(&format!("{}: {warning}", member.name));
                }
                done.push((member.name.clone(), report));
            }
            Err(EngineError::Interrupted { indexed, total }) => {
                progress.end_lines("interrupted");
                report::note(&interrupted(arguments, indexed, total));
                return Ok(Status::Interrupted);
            }
            Err(error) => {
                failures += 1;
                let reason = report::message(&error);
                report::warning(&format!("`{}` is not indexed: {reason}", member.name));
            }
        }
    }
    write_output(|out| {
        if arguments.json {
            wire::write(&wire::index_workspace(&workspace.name, &done), out)
        } else {
            write(&done, out)
        }
    })?;
    Ok(if failures == 0 { Status::Success } else { Status::NoResult })
}

fn write(done: &[(String, IndexReport)], out: &mut dyn Write) -> io::Result<()> {
    let header = ["repository", "written", "deleted", "unchanged", "read", "seconds"];
    let mut rows = vec![header.map(str::to_owned)];
    for (name, report) in done {
        let [written, deleted, unchanged] = report.totals().map(output::count);
        let seconds = format!("{:.1}", report.seconds);
        rows.push([clean(name), written, deleted, unchanged, output::bytes(report.bytes), seconds]);
    }
    let right = Align::Right;
    table::write([Align::Left, right, right, right, right, right], &rows, out)
}
