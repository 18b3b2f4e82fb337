//! `--as sage`: the search of sage over agent docs, tickets, specs, history and patterns, by its
//! published points.

mod human;
mod search;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

use lore_console::{
    dates,
    names::did_you_mean,
    report::{self, Status, UsageError},
};
use lore_engine::{Engine, SearchRequest};
use lore_render::{output::style::Style, wire};
use lore_schema::SourceName;
use serde::Serialize;
use serde_json::{Map, Value, json};

use self::search::{SageAnswer, SageHit, SageRequest};
pub use self::search::{SageIndex, SageSource, indexed};
use super::{Answer, Contract, ContractRequest, Defaults};

/// Default number of hits.
const LIMIT: usize = 10;

pub(super) struct Sage;

impl Contract for Sage {
    fn name(&self) -> &'static str {
        "sage"
    }

    fn defaults(&self) -> Defaults {
        Defaults {
            limit: LIMIT,
            sources: &[
                SourceName::Docs,
                SourceName::Git,
                SourceName::Patterns,
                SourceName::Specs,
                SourceName::Tickets,
            ],
            formats: &["compact", "detailed", "human", "json"],
            on_terminal: "detailed",
            piped: "detailed",
            flags: &["--debug", "--rebuild-index", "--update-index"],
            on_none: Status::Success,
        }
    }

    fn names_sources(&self) -> bool {
        true
    }

    fn search(
        &self,
        asked: &ContractRequest<'_, SearchRequest>,
    ) -> anyhow::Result<Box<dyn Answer>> {
        let sources =
            asked.sources.iter().map(|name| source(name)).collect::<Result<Vec<_>, _>>()?;
        let request = SageRequest { search: asked.request.clone(), sources };
        let answer = search::search(asked.engine, &request)?;
        for warning in &answer.warnings {
            asked.progress.warn(warning);
        }
        Ok(Box::new(Results {
            query: request.search.query,
            explain: request.search.explain,
            sources: request.sources,
            answer,
        }))
    }
}

/// A source by the name that was typed.
fn source(typed: &str) -> Result<SageSource, UsageError> {
    let name = typed.trim().to_lowercase();
    SageSource::ALL.iter().copied().find(|source| source.as_str() == name).ok_or_else(|| {
        let known: Vec<&str> = SageSource::ALL.iter().map(|source| source.as_str()).collect();
        let near = did_you_mean(&name, &known);
        UsageError::new(format!("there is no source `{typed}`"))
            .hint(format!("the sources are {}{near}", known.join(", ")))
    })
}

/// The hits of a query.
struct Results {
    query: String,
    answer: SageAnswer,
    explain: bool,
    sources: Vec<SageSource>,
}

impl Answer for Results {
    fn is_empty(&self) -> bool {
        self.answer.hits.is_empty()
    }

    fn write(&self, format: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        match format {
            "json" => wire::write(&self.wire(), out),
            "compact" => human::compact(self, out),
            _ => human::detailed(self, style, out),
        }
    }

    fn report(&self, _: &Engine) {
        if !self.is_empty() {
            return;
        }
        for (source, places) in [
            (SageSource::Agent, ".sage/agent"),
            (SageSource::Patterns, ".sage/agent/examples and .sage/patterns"),
            (SageSource::Tickets, ".sage/tickets"),
        ] {
            if self.sources.contains(&source) {
                report::hint_line(&format!("{} were looked for in {places}", source.as_str()));
            }
        }
        report::hint_line("`lore sources` lists what this tree holds");
    }
}

#[derive(Serialize)]
struct AnswerWire<'a> {
    query: &'a str,
    total_results: usize,
    results: Vec<Map<String, Value>>,
}

impl Results {
    fn wire(&self) -> AnswerWire<'_> {
        AnswerWire {
            query: &self.query,
            total_results: self.answer.total,
            results: self.answer.hits.iter().map(|hit| one(hit, self.explain)).collect(),
        }
    }
}

/// One decimal is all that the factors give.
fn points(score: f64) -> f64 {
    (score * 10.0).round() / 10.0
}

/// The path of a hit; for a commit its hash.
fn place(hit: &SageHit) -> String {
    match (&hit.source, &hit.id) {
        (Some(SageSource::Git), Some(hash)) => format!("git:{hash}"),
        _ => hit.path.clone(),
    }
}

/// A hit with the keys of its source.
fn one(hit: &SageHit, explain: bool) -> Map<String, Value> {
    let source = hit.source.map_or("", SageSource::as_str);
    let mut wire = Map::new();
    let mut add = |name: &str, value: Value| drop(wire.insert(name.to_owned(), value));
    add("source", json!(source));
    add("path", json!(place(hit)));
    add("relevance_score", json!(points(hit.score)));
    add("title", json!(hit.title));
    let date = |seconds: Option<i64>| json!(seconds.and_then(dates::rfc3339));
    match hit.source {
        Some(SageSource::Tickets) => {
            add("ticket_id", json!(hit.id));
            add("field", json!(field(&hit.section)));
            add("state", json!(hit.status));
            add("created", date(hit.created));
            add("blocked_by", json!(hit.blocked_by));
            add("related_to", json!(hit.related));
        }
        Some(SageSource::Git) => {
            add("commit_hash", json!(hit.id));
            add("author", json!(hit.author));
            add("date", date(hit.created));
            add("message", json!(hit.title));
            add("files", json!(hit.files));
        }
        _ => {
            add("file", json!(hit.path));
            add("line", json!(hit.line));
            add("lines", json!(hit.lines));
            add("section", json!(hit.section));
            add("modified_time", date(hit.updated));
        }
    }
    if hit.source == Some(SageSource::Patterns) {
        add("language", json!(hit.language));
        add("use_case", json!(hit.use_case));
    }
    add("snippet", json!(hit.snippet));
    add("also_found_in", json!(hit.also_in));
    if explain {
        let parts: Map<String, Value> =
            hit.parts.iter().map(|(name, points)| ((*name).to_owned(), json!(points))).collect();
        add("score_parts", Value::Object(parts));
        add("source_factor", json!(hit.factor));
    }
    wire
}

/// The name of a section as the field of a ticket: `Acceptance Criteria` is `acceptanceCriteria`.
fn field(section: &str) -> String {
    let mut field = String::new();
    for (position, word) in section.split_whitespace().enumerate() {
        let mut letters = word.chars();
        let first = letters.next().into_iter();
        if position == 0 {
            field.extend(first.flat_map(char::to_lowercase));
        } else {
            field.extend(first.flat_map(char::to_uppercase));
        }
        field.extend(letters.flat_map(char::to_lowercase));
    }
    field
}
