//! `lore review`: the specs, uses, documents and tests that a change concerns.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
    time::Duration,
};

use anyhow::Context as _;
use jiff::Zoned;
use lore_console::{
    dates,
    report::{self, Status, UsageError},
};
use lore_engine::{ReviewRequest, ReviewedChange, WhyCertainty};
use lore_render::output::review::{DEFAULT_BUDGET, ReviewAnswer, review_format};
use lore_session::{Context, number, progress::Reporter, tell_sources, write_output};

use super::format_name;
use crate::args::ReviewArguments;

/// Default maximum number of findings of each kind.
const DEFAULT_LIMIT: usize = 10;

/// Default time for the history of documents.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// Maximum size of a patch, in bytes.
const MAX_PATCH_BYTES: u64 = 32 << 20;

/// Reviews the change and writes the findings.
pub(super) fn run(arguments: &ReviewArguments) -> anyhow::Result<Status> {
    let format = format_name(arguments.json, arguments.format.as_ref());
    let format = review_format(format)
        .ok_or_else(|| UsageError::new(format!("there is no format `{format}`")))?;
    let context = Context::new(&arguments.tree, &arguments.common, Vec::new())?;
    let request = ReviewRequest {
        change: change(arguments)?,
        limit: arguments.limit.map_or(DEFAULT_LIMIT, number),
        time: arguments.max_seconds.map_or(DEFAULT_TIME, Duration::from_secs),
    };
    let engine = context.engine()?;
    let progress = Reporter::start(context.terminal);
    let response = engine.review(&request, dates::clock(&Zoned::now()), &progress);
    progress.finish();
    let response = response?;
    let answer = ReviewAnswer {
        response: &response,
        tokens: arguments.budget.map_or(DEFAULT_BUDGET, number),
    };
    let style = context.style();
    write_output(|out| (format.write)(&answer, &style, out))?;
    if arguments.common.stats {
        tell_sources(&response.receipt);
        report::note(&format!("{:.1} ms to answer", response.receipt.elapsed_ms));
    }
    let gate = arguments.gate.as_deref().unwrap_or_default();
    let is_failed = response.findings.iter().any(|finding| {
        finding.certainty != WhyCertainty::Possible
            && gate.iter().any(|kind| kind == finding.kind.as_str())
    });
    Ok(if is_failed { Status::NoResult } else { Status::Success })
}

fn change(arguments: &ReviewArguments) -> anyhow::Result<ReviewedChange> {
    if arguments.staged {
        return Ok(ReviewedChange::Staged);
    }
    if let Some(path) = arguments.patch() {
        return Ok(ReviewedChange::Patch(read_patch(&path)?));
    }
    Ok(match arguments.change.as_deref() {
        Some(name) => ReviewedChange::of_name(name).ok_or_else(|| {
            UsageError::new(format!("`{name}` is no change"))
                .hint("name two commits, for example `lore review HEAD~3..HEAD`")
        })?,
        None => ReviewedChange::Uncommitted,
    })
}

/// Reads a patch from a file, or from stdin for `-`.
fn read_patch(path: &Path) -> anyhow::Result<String> {
    let is_stdin = path == Path::new("-");
    let mut bytes = Vec::new();
    let read = |input: &mut dyn Read, bytes: &mut Vec<u8>| {
        input.take(MAX_PATCH_BYTES + 1).read_to_end(bytes)
    };
    if is_stdin {
        read(&mut io::stdin().lock(), &mut bytes).context("could not read the patch from stdin")?;
    } else {
        let mut file = File::open(path)
            .with_context(|| format!("could not read the patch {}", path.display()))?;
        read(&mut file, &mut bytes)
            .with_context(|| format!("could not read the patch {}", path.display()))?;
    }
    if MAX_PATCH_BYTES < bytes.len() as u64 {
        return Err(UsageError::new("the patch is larger than 32 MB")
            .hint("review two commits instead, for example `lore review main..HEAD`")
            .into());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
