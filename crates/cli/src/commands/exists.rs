//! `lore exists`: checks whether similar code already exists.

use std::io::{self, Read};

use anyhow::Context as _;
use lore_console::report::{self, Status, UsageError};
use lore_engine::{Existence, ExistsInput, ExistsRequest};
use lore_render::{output::similar, wire};
use lore_session::{Context, absence, number, progress::Reporter, tell_sources, write_output};
use lore_settings::filters;

use crate::args::ExistsArguments;

/// Default maximum number of near clones, and of helpers.
const DEFAULT_LIMIT: usize = 5;

/// Maximum size of standard input in bytes: a thousand pages of code.
const MAX_BYTES: u64 = 2 << 20;

/// Runs the query and writes the answer.
pub(super) fn run(arguments: &ExistsArguments) -> anyhow::Result<Status> {
    let text = text(&arguments.text)?;
    let context =
        Context::new(&arguments.tree, &arguments.common, Vec::new())?.at(&arguments.revision);
    let request = ExistsRequest {
        input: match (arguments.code, arguments.intent) {
            (true, _) => Some(ExistsInput::Code),
            (_, true) => Some(ExistsInput::Intent),
            _ => None,
        },
        text,
        filter: filters::code_filter(&arguments.filter, &context.root)?,
        limit: arguments.limit.map_or(DEFAULT_LIMIT, number),
    };
    let engine = context.engine()?;
    let progress = Reporter::start(context.terminal);
    let response = engine.exists(&request, &progress);
    progress.finish();
    let response = response?;
    for warning in &response.warnings {
        progress.warn(warning);
    }
    let style = context.style();
    write_output(|out| {
        if arguments.json {
            wire::write(&wire::exists(&response), out)
        } else {
            similar::exists(&response, &style, out)
        }
    })?;
    if arguments.common.stats {
        tell_sources(&response.receipt);
        report::note(&format!("{:.1} ms to answer", response.receipt.elapsed_ms));
    }
    if response.verdict != Existence::No {
        return Ok(Status::Success);
    }
    if !arguments.json {
        absence::tell(&[&engine], &request.text, &request.filter, response.absence.as_ref());
    }
    Ok(Status::NoResult)
}

/// The typed text, or that of standard input.
fn text(words: &[String]) -> anyhow::Result<String> {
    let empty = |what: &str| {
        UsageError::new(format!("{what} is empty"))
            .hint("describe what to look for, for example `lore exists \"retry a refund\"`")
    };
    if words != ["-"] {
        let text = words.join(" ");
        return if text.trim().is_empty() { Err(empty("the text").into()) } else { Ok(text) };
    }
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .context("could not read standard input")?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(UsageError::new("could not read standard input: it is larger than 2 MiB")
            .hint("pass only a part of it, for example `head -n 200 FILE | lore exists -`")
            .into());
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if text.trim().is_empty() { Err(empty("standard input").into()) } else { Ok(text) }
}
