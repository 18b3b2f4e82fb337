//! `lore doctor`: checks for problems.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use lore_console::{report::Status, text};
use lore_engine::CheckReport;
use lore_render::wire;
use lore_session::{Context, write_output};
use lore_settings::{SETTINGS, Setting, env_vars};

use crate::args::ReportArguments;

/// Checks the environment and the index. Problems are reported with exit code 1.
pub(super) fn run(arguments: &ReportArguments) -> anyhow::Result<Status> {
    let context = Context::new(&arguments.tree, &arguments.common, Vec::new())?;
    let mut report = CheckReport::default();
    surroundings(&context, &mut report);
    match context.engine().and_then(|engine| Ok(engine.check()?)) {
        Ok(of_index) => {
            report.passed.extend(of_index.passed);
            report.problems.extend(of_index.problems);
        }
        Err(error) => report.problems.push(format!("{error:#}")),
    }
    write_output(|out| {
        if arguments.json { wire::write(&wire::check(&report), out) } else { write(&report, out) }
    })?;
    Ok(if report.problems.is_empty() { Status::Success } else { Status::NoResult })
}

/// Checks version, settings, cache directory and terminal.
fn surroundings(context: &Context, report: &mut CheckReport) {
    let passed = &mut report.passed;
    passed.push(format!("lore {}", env!("CARGO_PKG_VERSION")));
    passed.push(format!("tree: `{}`", context.root.display()));
    let files = &context.settings.files;
    if files.is_empty() {
        passed.push("settings: no files".into());
    }
    passed.extend(files.iter().map(|path| format!("settings: `{}` is valid", path.display())));
    let width = context.terminal.width;
    passed.push(if context.terminal.output {
        format!("terminal: {width} columns")
    } else {
        format!("terminal: none, lines are cut at {width} columns")
    });
    report.problems.extend(context.settings.warnings.iter().cloned());
    report.problems.extend(unknown_variables());
    match context.settings.cache_dir() {
        None => report.problems.push(
            "there is no cache directory: every search reads everything again; set `HOME` or \
             `LOREHOUND_CACHE_DIR`"
                .into(),
        ),
        Some(dir) => match probe(dir) {
            Ok(()) => report.passed.push(format!("cache: `{}` can be written", dir.display())),
            Err(error) => report.problems.push(format!(
                "cache: `{}` cannot be written: {error}; every search reads everything again",
                dir.display()
            )),
        },
    }
}

/// Writes and removes a file in the directory, or in its nearest existing parent.
fn probe(dir: &Path) -> io::Result<()> {
    let dir = std::path::absolute(dir)?;
    let existing = dir.ancestors().find(|folder| folder.exists()).unwrap_or(&dir);
    let file = existing.join(format!(".lorehound-probe-{}", std::process::id()));
    fs::File::create_new(&file)?.write_all(b"probe")?;
    fs::remove_file(&file)
}

/// Environment variables that look like settings but are not: probably misspelt, and without effect.
fn unknown_variables() -> Vec<String> {
    let known: Vec<String> = SETTINGS
        .iter()
        .map(Setting::variable)
        .chain(env_vars::VARIABLES.iter().map(|variable| variable.name.to_owned()))
        .collect();
    let mut unknown: Vec<String> = std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| name.starts_with(env_vars::PREFIX) && !known.contains(name))
        .map(|name| format!("the environment variable `{name}` belongs to no setting"))
        .collect();
    unknown.sort();
    unknown
}

fn write(report: &CheckReport, out: &mut dyn Write) -> io::Result<()> {
    for line in &report.passed {
        writeln!(out, "ok       {}", text::clean(line))?;
    }
    for line in &report.problems {
        writeln!(out, "problem  {}", text::clean(line))?;
    }
    Ok(())
}
