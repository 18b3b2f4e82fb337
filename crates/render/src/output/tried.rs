//! Earlier attempts: a line for each with its outcome, and the sentence that gives the reason.

use std::io::{self, Write};

use lore_console::{dates, text};
use lore_engine::{Attempt, TriedResponse};

use super::{Style, agent, edges::write_paths, human::plural, jsonl, markdown, style::Role, toon};
use crate::wire;

/// An output format of attempts.
pub struct TriedFormat {
    /// The name that users type.
    pub name: &'static str,
    /// Writes the answer. The output never contains control sequences for a terminal but those of `style`.
    pub write: fn(&TriedResponse, &Style, &mut dyn Write) -> io::Result<()>,
}

/// Every format of attempts, sorted by name.
pub static TRIED_FORMATS: &[TriedFormat] = &[
    TriedFormat { name: agent::NAME, write: for_agents },
    TriedFormat { name: "human", write: human },
    TriedFormat {
        name: "json",
        write: |response, _, out| wire::write(&wire::tried(response), out),
    },
    TriedFormat {
        name: "jsonl",
        write: |response, _, out| {
            jsonl::write(serde_json::to_value(wire::tried(response))?, "attempts", out)
        },
    },
    TriedFormat { name: "markdown", write: in_markdown },
    TriedFormat {
        name: "paths",
        write: |response, style, out| {
            let paths = response.attempts.iter().flat_map(|attempt| &attempt.paths);
            write_paths(paths.map(String::as_str), style.null, out)
        },
    },
    TriedFormat {
        name: "toon",
        write: |response, _, out| {
            writeln!(out, "{}", toon::encode(&serde_json::to_value(wire::tried(response))?))
        },
    },
];

/// The format of attempts with this name, if it exists.
pub fn tried_format(name: &str) -> Option<&'static TriedFormat> {
    TRIED_FORMATS.iter().find(|format| format.name == name)
}

/// The names of the formats of attempts.
pub fn tried_format_names() -> Vec<&'static str> {
    TRIED_FORMATS.iter().map(|format| format.name).collect()
}

fn for_agents(response: &TriedResponse, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    for attempt in &response.attempts {
        writeln!(out, "{} ({})", named(attempt), outcome(attempt))?;
        if !attempt.reason.is_empty() {
            writeln!(out, "  \"{}\"", text::clean(&attempt.reason))?;
        }
    }
    more(response).map_or(Ok(()), |more| writeln!(out, "{more}"))
}

fn human(response: &TriedResponse, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for attempt in &response.attempts {
        let title = text::clean(&attempt.title);
        let id = style.paint(Role::Path, record(attempt));
        writeln!(out, "{}  {id}", style.paint(Role::Title, title))?;
        writeln!(out, "  {}", style.paint(Role::Dim, outcome(attempt)))?;
        if !attempt.reason.is_empty() {
            let width = style.width.saturating_sub(4);
            writeln!(out, "  “{}”", text::cut(&text::clean(&attempt.reason), width))?;
        }
        if let Some(files) = files(attempt) {
            writeln!(out, "  {}", style.paint(Role::Dim, files))?;
        }
    }
    more(response).map_or(Ok(()), |more| writeln!(out, "{}", style.paint(Role::Dim, more)))
}

fn in_markdown(response: &TriedResponse, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    for attempt in &response.attempts {
        let line = format!("{} · {}", named(attempt), outcome(attempt));
        writeln!(out, "- {}", markdown::word(&line))?;
        if !attempt.reason.is_empty() {
            writeln!(out, "  > {}", markdown::word(&text::clean(&attempt.reason)))?;
        }
    }
    Ok(())
}

/// The identifier of a commit or the path of a record, and the title.
fn named(attempt: &Attempt) -> String {
    format!("{} {}", record(attempt), text::clean(&attempt.title))
}

fn record(attempt: &Attempt) -> String {
    match &attempt.path {
        Some(path) => text::quoted(path),
        None => text::clean(attempt.id.strip_prefix("git:").unwrap_or(&attempt.id)),
    }
}

/// The outcome: `reverted by 1a2b3c4d5e, 2024-03-01`.
fn outcome(attempt: &Attempt) -> String {
    let mut words = attempt.outcome.as_str().to_owned();
    if let Some(by) = &attempt.by {
        words = format!("{words} by {by}");
    }
    if let Some(status) = attempt.status.as_ref().filter(|_| attempt.by.is_none()) {
        words = format!("{words}: {status}");
    }
    if let Some(day) = attempt.date.and_then(dates::day) {
        words = format!("{words}, {day}");
    }
    if let Some(again) = &attempt.again {
        words = format!("{words}; made again by {again}");
    }
    text::clean(&words)
}

/// The first files that the attempt changed, and the number of the others.
fn files(attempt: &Attempt) -> Option<String> {
    let (first, rest) = attempt.paths.split_first()?;
    let more = match rest.len() {
        0 => String::new(),
        count => format!(" and {}", plural(count as u64, "other file", "other files")),
    };
    Some(format!("{}{more}", text::quoted(first)))
}

fn more(response: &TriedResponse) -> Option<String> {
    let count = response.total - response.attempts.len();
    (0 < count).then(|| {
        format!(
            "… {}: `--limit {}`",
            plural(count as u64, "more attempt", "more attempts"),
            response.total
        )
    })
}
