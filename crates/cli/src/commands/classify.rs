//! `lore classify`: guesses the intent of tasks.

use std::io::{self, Read as _, Write};

use anyhow::Context as _;
use lore_console::{report::Status, text};
use lore_engine::{Intent, MIN_CONFIDENCE, classify_many};
use lore_render::{
    output::{
        context::toon,
        table::{self, Align},
    },
    wire,
};
use lore_session::write_output;

use super::format_name;
use crate::args::ClassifyArguments;

/// Prints the intent of a task, or of each line of standard input.
pub(super) fn run(arguments: &ClassifyArguments) -> anyhow::Result<Status> {
    let is_batch = arguments.query.len() == 1 && arguments.query[0] == "-";
    let tasks = if is_batch { lines()? } else { vec![arguments.query.join(" ")] };
    let least = arguments.min_confidence.unwrap_or(MIN_CONFIDENCE);
    let intents = classify_many(&tasks, least);
    let rows = || tasks.iter().map(String::as_str).zip(&intents);
    let format = format_name(arguments.json, arguments.format.as_ref());
    let object = || match (is_batch, intents.first()) {
        (false, Some(intent)) => serde_json::to_value(wire::intent(&tasks[0], intent)),
        _ => serde_json::to_value(wire::intents(rows())),
    };
    write_output(|out| match format {
        "json" => wire::write(&object()?, out),
        "toon" => writeln!(out, "{}", toon(&object()?)),
        "jsonl" => {
            rows().try_for_each(|(task, intent)| wire::write_line(&wire::intent(task, intent), out))
        }
        _ => human(rows(), is_batch, out),
    })?;
    Ok(Status::Success)
}

/// The lines of standard input; invalid UTF-8 is replaced.
fn lines() -> anyhow::Result<Vec<String>> {
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes).context("could not read standard input")?;
    Ok(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
}

fn human<'a>(
    rows: impl Iterator<Item = (&'a str, &'a Intent)>,
    is_batch: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rows: Vec<[String; 4]> = rows
        .map(|(task, intent)| {
            let task = if is_batch { text::clean(task) } else { String::new() };
            let triggers = text::clean(&intent.triggers.join(", "));
            [intent.name.to_owned(), format!("{:.3}", intent.confidence), triggers, task]
        })
        .collect();
    table::write([Align::Left; 4], &rows, out)
}
