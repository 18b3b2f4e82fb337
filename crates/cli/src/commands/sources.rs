//! `lore sources`: lists searched sources and skipped files.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use lore_console::{report::Status, text};
use lore_engine::{SourceStatus, Status as IndexStatus};
use lore_render::{output, wire};
use lore_session::{Context, progress::Reporter, write_output};

use crate::args::ReportArguments;

/// Lists every source, also empty ones, with its formats, languages and skipped files.
pub(super) fn run(arguments: &ReportArguments) -> anyhow::Result<Status> {
    let context = Context::new(&arguments.tree, &arguments.common, Vec::new())?;
    let progress = Reporter::start(context.terminal);
    let engine = context.engine()?;
    let status = engine.sources(&progress);
    progress.finish();
    let status = status?;
    write_output(|out| {
        if arguments.json { wire::write(&wire::status(&status), out) } else { write(&status, out) }
    })?;
    Ok(Status::Success)
}

fn write(status: &IndexStatus, out: &mut dyn Write) -> io::Result<()> {
    for (name, source) in &status.sources {
        writeln!(out, "{name}: {}", output::plural(source.documents, "document", "documents"))?;
        for (label, line) in lines(source) {
            writeln!(out, "  {label:<9}  {}", text::clean(&line))?;
        }
    }
    for problem in &status.problems {
        writeln!(out, "problem: {}", text::clean(problem))?;
    }
    Ok(())
}

fn lines(source: &SourceStatus) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let mut add = |label, line: String| {
        if !line.is_empty() {
            lines.push((label, line));
        }
    };
    add("formats", counted(&source.formats));
    add("languages", counted(&source.languages));
    add("skipped", output::skipped(&source.skipped));
    if source.fell_back > 0 {
        let files = output::plural(source.fell_back, "file", "files");
        add("unparsed", format!("{files} split by lines, as parsing failed"));
    }
    lines
}

/// The names with their counts, by descending count.
fn counted(counts: &BTreeMap<String, u64>) -> String {
    let mut counts: Vec<(&String, u64)> =
        counts.iter().map(|(name, count)| (name, *count)).collect();
    counts.sort_by(|left, right| right.1.cmp(&left.1).then(left.0.cmp(right.0)));
    let counts: Vec<String> =
        counts.iter().map(|(name, count)| format!("{name} {}", output::count(*count))).collect();
    counts.join(", ")
}
