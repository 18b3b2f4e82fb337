//! `lore related`: finds passages similar to a given one.

use std::path::Path;

use jiff::Zoned;
use lore_console::{
    dates,
    report::{self, Status, UsageError},
};
use lore_engine::{Engine, RelatedRequest};
use lore_render::{
    output::{self, Answer, offsets::Offsets, similar, style::Style},
    wire,
};
use lore_schema::SourceName;
use lore_session::{Context, absence, progress::Reporter, tell_sources, write_output};
use lore_settings::{Override, Value, filters};

use super::owners::in_tree;
use crate::args::RelatedArguments;

/// Runs the query and writes the answer.
pub(super) fn run(arguments: &RelatedArguments) -> anyhow::Result<Status> {
    let context =
        Context::new(&arguments.tree, &arguments.common, flags(arguments))?.at(&arguments.revision);
    let settings = &context.settings;
    let is_elsewhere = arguments.tree.directory.is_some();
    let now = Zoned::now();
    let engine = context.engine()?;
    let subject = match ticket(&engine, arguments.passage.trim())? {
        Some(id) => id,
        None => subject(&arguments.passage, &context.root, is_elsewhere)?,
    };
    let request = RelatedRequest {
        subject,
        filter: filters::filter(&arguments.filter, settings.sources(), &context.root, &now)?,
        attributes: filters::attributes(&arguments.filter)?,
        clock: dates::clock(&now),
        min_similarity: arguments.min_similarity,
        limit: settings.limit(),
        snippet_lines: settings.snippet_lines(),
    };
    let format = output::format(settings.format())
        .ok_or_else(|| UsageError::new(format!("there is no format `{}`", settings.format())))?;

    let progress = Reporter::start(context.terminal);
    let response = engine.related(&request, &progress);
    progress.finish();
    let response = response?;
    let found = &response.answer;
    for warning in &found.warnings {
        progress.warn(warning);
    }
    let links = if format.name() == "human" { context.links()? } else { None };
    let style = Style { links, verbose: arguments.common.stats, ..context.style() };
    write_output(|out| {
        let answer = Answer::whole(found, Offsets::default());
        match format.name() {
            "json" => return wire::write(&wire::related(&response, &answer), out),
            "human" => similar::subject(&response.subject, &style, out)?,
            _ => {}
        }
        format.write(&answer, &style, out)
    })?;
    if arguments.common.stats {
        tell_sources(&found.receipt);
        report::note(&format!("{:.1} ms to answer", found.receipt.elapsed_ms));
    }
    if !found.hits.is_empty() {
        return Ok(Status::Success);
    }
    if !format.explains_absence() {
        absence::tell(&[&engine], &found.query, &request.filter, found.absence.as_ref());
    }
    Ok(Status::NoResult)
}

/// The settings that the flags override.
fn flags(arguments: &RelatedArguments) -> Vec<Override> {
    let mut flags = Vec::new();
    let mut set = |key, value, flag| flags.push(Override { key, value, flag });
    if let Some(limit) = arguments.limit {
        set("search.limit", Value::Number(limit), "--limit");
    }
    if let Some(format) = &arguments.format {
        set("output.format", Value::Text(format.clone()), "--format");
    }
    if arguments.json {
        set("output.format", Value::Text("json".into()), "--json");
    }
    if let Some(lines) = arguments.snippet {
        set("output.snippet-lines", Value::Number(lines), "--snippet");
    }
    flags
}

/// The typed passage with its path relative to the root of the tree. A text that starts with the name
/// of a source is an identifier, which has such a path already.
fn subject(typed: &str, root: &Path, is_elsewhere: bool) -> Result<String, UsageError> {
    let typed = typed.trim();
    let names_source =
        typed.split_once(':').is_some_and(|(name, _)| SourceName::from_name(name).is_some());
    if names_source {
        return Ok(typed.to_owned());
    }
    let (path, part) = split(typed);
    let path = in_tree(path, root, is_elsewhere, "lore related src/lib.rs:10")?;
    Ok(format!("{path}{part}"))
}

/// The identifier of the ticket or spec with this number, such as `PAY-7`; `None` for other texts.
fn ticket(engine: &Engine, typed: &str) -> anyhow::Result<Option<String>> {
    let is_number = typed.bytes().any(|byte| byte.is_ascii_digit())
        && typed.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_#".contains(&byte));
    if !is_number {
        return Ok(None);
    }
    let sources = [SourceName::Tickets, SourceName::Specs];
    let documents = engine.documents(&sources, &|_, _| true)?;
    let named = documents.iter().find(|document| {
        document.attributes.id.as_ref().is_some_and(|id| id.eq_ignore_ascii_case(typed))
    });
    Ok(named.map(|document| document.key.to_string()))
}

/// Splits the path from the lines or the name after it.
fn split(typed: &str) -> (&str, &str) {
    if let Some(at) = typed.find('#') {
        return typed.split_at(at);
    }
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, ':' | '-' | 'L');
    let part = typed.trim_end_matches(is_number).len();
    // A file name may end with a digit, so the lines must start with a colon.
    match typed[part..].find(':') {
        Some(at) => typed.split_at(part + at),
        None => (typed, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_names_follow_the_path() {
        assert_eq!(split("src/lib.rs:10"), ("src/lib.rs", ":10"));
        assert_eq!(split("src/lib.rs:10:5"), ("src/lib.rs", ":10:5"));
        assert_eq!(split("src/v2:10-20"), ("src/v2", ":10-20"));
        assert_eq!(split("docs/v2#Refunds: 3"), ("docs/v2", "#Refunds: 3"));
        assert_eq!(split("src/lib-2"), ("src/lib-2", ""));
        assert_eq!(split(""), ("", ""));
    }

    #[test]
    fn identifiers_are_not_changed() {
        let root = Path::new("/shop");
        let of = |typed: &str| subject(typed, root, true).map_err(|error| error.to_string());
        assert_eq!(of("git:3f2a91c0d4").as_deref(), Ok("git:3f2a91c0d4"));
        assert_eq!(of(" code:src/a.rs:10-20 ").as_deref(), Ok("code:src/a.rs:10-20"));
        assert_eq!(of("src/a.rs:10").as_deref(), Ok("src/a.rs:10"));
        assert!(of("../a.rs:10").is_err() && of(":10").is_err());
    }
}
