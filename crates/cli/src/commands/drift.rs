//! `lore drift`: statements in documents and comments that the code no longer supports.

use std::{
    collections::HashMap,
    fs,
    io::{self, Write},
    path::Path,
    time::Duration,
};

use anyhow::Context as _;
use jiff::Zoned;
use lore_console::{
    dates,
    report::{self, Status, UsageError},
    text,
};
use lore_engine::{DriftFinding, DriftRequest, DriftResponse, DriftState, StatementKind};
use lore_render::{
    output::{
        self,
        style::{Role, Style},
    },
    wire,
};
use lore_session::{Context, write_output};
use serde_json::Value;

use super::{format_name, owners::in_tree};
use crate::args::DriftArguments;

/// Default time for the history.
const DEFAULT_TIME: Duration = Duration::from_mins(1);

/// Number of digits of a commit that are shown.
const COMMIT_DIGITS: usize = 8;

/// Runs the check and writes its findings.
pub(super) fn run(arguments: &DriftArguments) -> anyhow::Result<Status> {
    let context =
        Context::new(&arguments.tree, &arguments.common, Vec::new())?.at(&arguments.revision);
    let request = request(arguments, &context)?;
    let clock = dates::clock(&Zoned::now());
    let mut response = context.engine()?.drift(&request, clock)?;
    if let Some(file) = &arguments.write_baseline {
        let mut bytes = Vec::new();
        wire::write(&wire::drift_baseline(&response), &mut bytes)?;
        fs::write(file, bytes).with_context(|| format!("could not write {}", file.display()))?;
    }
    let known = match &arguments.baseline {
        Some(file) => remove_known(&mut response, file)?,
        None => 0,
    };
    let style = context.style();
    write_output(|out| match format_name(arguments.json, arguments.format.as_ref()) {
        "json" => wire::write(&wire::drift(&response), out),
        "sarif" => wire::write(&wire::drift_sarif(&response), out),
        _ => write(&response, &style, out),
    })?;
    summarize(&response, known);
    let fails = |finding: &DriftFinding| {
        let states = arguments.gate.as_deref().unwrap_or_default();
        states.iter().any(|state| state == finding.state.as_str())
    };
    let is_failed = arguments.write_baseline.is_none() && response.findings.iter().any(fails);
    Ok(if is_failed { Status::NoResult } else { Status::Success })
}

fn request(arguments: &DriftArguments, context: &Context) -> Result<DriftRequest, UsageError> {
    let is_elsewhere = arguments.tree.directory.is_some();
    let mut paths = Vec::new();
    for path in &arguments.paths {
        let typed = path.to_string_lossy();
        let typed = typed.trim_end_matches('/');
        // The root is no path inside the tree; it selects everything.
        let is_root = lore_engine::native::canonical(path).is_ok_and(|path| path == context.root);
        if matches!(typed, "" | ".") || is_root {
            paths.push(String::new());
            continue;
        }
        paths.push(in_tree(typed, &context.root, is_elsewhere, "lore drift docs")?);
    }
    let is_named = |kind: &StatementKind| arguments.kinds.iter().any(|name| name == kind.as_str());
    Ok(DriftRequest {
        paths,
        since: arguments.since.clone(),
        kinds: StatementKind::ALL.iter().copied().filter(is_named).collect(),
        time: arguments.max_seconds.map_or(DEFAULT_TIME, Duration::from_secs),
    })
}

/// Removes the findings that a baseline lists. Returns their number.
fn remove_known(response: &mut DriftResponse, file: &Path) -> anyhow::Result<usize> {
    let refuse = |reason: String| {
        UsageError::new(format!("could not read the baseline {}: {reason}", file.display()))
            .hint("write it with `lore drift --write-baseline FILE`")
    };
    let text = fs::read_to_string(file).map_err(|error| refuse(error.to_string()))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| refuse(error.to_string()))?;
    let listed =
        value["findings"].as_array().ok_or_else(|| refuse("it lists no findings".into()))?;
    let mut known: HashMap<[String; 4], usize> = HashMap::new();
    for finding in listed {
        let key = ["path", "kind", "text", "name"]
            .map(|key| finding[key].as_str().unwrap_or_default().to_owned());
        *known.entry(key).or_default() += 1;
    }
    let before = response.findings.len();
    response.findings.retain(|finding| {
        let key =
            [&finding.path, finding.kind.as_str(), &finding.text, &finding.name].map(str::to_owned);
        match known.get_mut(&key) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        }
    });
    Ok(before - response.findings.len())
}

fn write(response: &DriftResponse, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut path = "";
    for finding in &response.findings {
        if finding.path != path {
            if !path.is_empty() {
                writeln!(out)?;
            }
            path = &finding.path;
            writeln!(out, "{}", style.paint(Role::Path, text::quoted(path)))?;
        }
        let line = style.paint(Role::Dim, format!("{:>5}", finding.line)).to_string();
        let name = style.paint(Role::Title, text::clean(&finding.text)).to_string();
        writeln!(out, "{line}  {name}  {}", text::clean(&explanation(finding)))?;
    }
    Ok(())
}

/// The explanation of a finding, in words.
fn explanation(finding: &DriftFinding) -> String {
    let part =
        if finding.text == finding.name { String::new() } else { format!("`{}` ", finding.name) };
    let now = finding.replacement.as_deref().unwrap_or_default();
    let what = match finding.state {
        DriftState::Gone if now.is_empty() => "gone".to_owned(),
        DriftState::Gone => format!("gone; did you mean `{now}`?"),
        DriftState::Renamed => format!("renamed to `{now}`"),
        DriftState::Moved => format!("moved to `{now}`"),
        DriftState::Changed if now.is_empty() => "no longer a parameter".to_owned(),
        DriftState::Changed => format!("now `{now}`"),
        DriftState::Broken if now.is_empty() => "leads nowhere".to_owned(),
        DriftState::Broken => format!("leads nowhere; did you mean `{now}`?"),
        DriftState::Unknown => format!("does not exist; did you mean `{now}`?"),
    };
    let by = match &finding.commit {
        Some(commit) => {
            let hash = &commit.hash[..COMMIT_DIGITS.min(commit.hash.len())];
            let day = commit.date.and_then(dates::day).unwrap_or_default();
            format!(" ({hash} {day} \"{}\")", commit.subject)
        }
        None if finding.is_uncommitted => " (not committed)".to_owned(),
        None => String::new(),
    };
    format!("{part}{what}{by}")
}

/// Reports the counts, and what was not checked.
fn summarize(response: &DriftResponse, known: usize) {
    let count = |number: usize| output::count(number as u64);
    let counted = |number: usize, noun: &str| {
        let plural = if number == 1 { "" } else { "s" };
        format!("{} {noun}{plural}", count(number))
    };
    let baseline =
        if known == 0 { String::new() } else { format!(", {} in the baseline", count(known)) };
    report::plain_line(&format!(
        "{}{baseline}; {} in {}, {} read",
        counted(response.findings.len(), "finding"),
        counted(response.statements, "statement"),
        counted(response.documents, "file"),
        counted(response.commits, "commit"),
    ));
    if response.has_no_history {
        report::warning("there is no history: only links and similar names were checked");
    }
    if response.is_cut {
        report::warning("the history was not read to its end; raise `--max-seconds`");
    }
}
