//! `--as lean`: the search of lean-spec, over specs of every format, by its published scores.
//!
//! Scores are whole numbers from 0 to 100. Near misses are reported on standard error: specs
//! with only some of the words are never results.

mod human;
mod search;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

use lore_console::{
    dates,
    report::{self, Status},
};
use lore_engine::{Archived, Engine, SearchRequest};
use lore_render::{output::style::Style, wire};
use lore_schema::SourceName;
use serde::Serialize;
use serde_json::{Map, Value, json};

use self::search::{LeanAnswer, LeanField, LeanHit, LeanMatch};
use super::{Answer, Contract, ContractRequest, Defaults};

/// Default number of specs.
const LIMIT: usize = 50;

/// Default minimum score.
const MIN_SCORE: f32 = 10.0;

pub(super) struct Lean;

impl Contract for Lean {
    fn name(&self) -> &'static str {
        "lean"
    }

    fn defaults(&self) -> Defaults {
        Defaults {
            limit: LIMIT,
            sources: &[SourceName::Specs],
            formats: &["human", "json"],
            on_terminal: "human",
            piped: "human",
            flags: &["--strict"],
            on_none: Status::Success,
        }
    }

    fn least_score(&self) -> f32 {
        MIN_SCORE
    }

    fn top_score(&self) -> f32 {
        100.0
    }

    fn search(
        &self,
        asked: &ContractRequest<'_, SearchRequest>,
    ) -> anyhow::Result<Box<dyn Answer>> {
        let answer = search::search(asked.engine, &asked.request, asked.typed.strict)?;
        for warning in &answer.warnings {
            asked.progress.warn(warning);
        }
        Ok(Box::new(Specs {
            filters: filters(&asked.request),
            query: asked.request.query.clone(),
            answer,
        }))
    }
}

/// The specs that match a query.
struct Specs {
    query: String,
    answer: LeanAnswer,
    /// The filters of the search.
    filters: Map<String, Value>,
}

impl Answer for Specs {
    fn is_empty(&self) -> bool {
        self.answer.hits.is_empty()
    }

    fn write(&self, format: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        match format {
            "json" => wire::write(&self.wire(), out),
            _ => human::write(&self.answer, style, out),
        }
    }

    fn report(&self, _: &Engine) {
        for (word, near) in &self.answer.near {
            report::hint_line(&format!("no spec holds `{word}`; did you mean `{near}`?"));
        }
        if !self.answer.partial.is_empty() {
            report::hint_line("no spec holds every word; these come nearest:");
        }
        for hit in &self.answer.partial {
            let lacks: Vec<String> = hit.missing.iter().map(|word| format!("`{word}`")).collect();
            let lacks = if lacks.is_empty() {
                String::new()
            } else {
                format!(", lacks {}", lacks.join(" and "))
            };
            report::plain_line(&format!("  {} ({}% match{lacks})", hit.spec.name, hit.score));
        }
    }
}

impl Specs {
    fn wire(&self) -> AnswerWire<'_> {
        let answer = &self.answer;
        AnswerWire {
            results: answer.hits.iter().map(hit).collect(),
            metadata: MetadataWire {
                total_results: answer.total,
                search_time: milliseconds(answer.elapsed_ms),
                query: &self.query,
                filters: &self.filters,
                specs_searched: answer.searched,
            },
        }
    }
}

/// Whole milliseconds.
fn milliseconds(elapsed: f64) -> u64 {
    std::time::Duration::from_secs_f64(elapsed.max(0.0) / 1e3)
        .as_millis()
        .try_into()
        .unwrap_or(u64::MAX)
}

/// The restrictions of a request, as its system names them.
fn filters(request: &SearchRequest) -> Map<String, Value> {
    let mut filters = Map::new();
    let mut add = |name: &str, values: &[String]| match values {
        [] => {}
        [value] => drop(filters.insert(name.to_owned(), json!(value))),
        many => drop(filters.insert(name.to_owned(), json!(many))),
    };
    let attributes = &request.attributes;
    add("status", &attributes.statuses);
    add("tags", &attributes.tags);
    add("priority", &attributes.priorities);
    add("assignee", &attributes.assignees);
    add("author", &attributes.authors);
    for (name, value) in &attributes.fields {
        add(name, std::slice::from_ref(value));
    }
    add("path", &request.filter.paths);
    add("exclude", &request.filter.excludes);
    add("kind", &request.filter.kinds);
    for (name, date) in [("since", request.filter.since), ("until", request.filter.until)] {
        if let Some(date) = date.and_then(dates::rfc3339) {
            filters.insert(name.to_owned(), json!(date));
        }
    }
    match attributes.archived {
        Archived::Include => {}
        Archived::Exclude => drop(filters.insert("includeArchived".to_owned(), json!(false))),
        Archived::Only => drop(filters.insert("archived".to_owned(), json!("only"))),
    }
    filters
}

/// The whole answer. Keys without a value are omitted, as in lean-spec.
#[derive(Serialize)]
struct AnswerWire<'a> {
    results: Vec<HitWire<'a>>,
    metadata: MetadataWire<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MetadataWire<'a> {
    total_results: usize,
    search_time: u64,
    query: &'a str,
    filters: &'a Map<String, Value>,
    specs_searched: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HitWire<'a> {
    spec: SpecWire<'a>,
    score: u8,
    total_matches: usize,
    matches: Vec<MatchWire<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SpecWire<'a> {
    name: &'a str,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<&'a str>,
    tags: &'a [String],
    title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assignee: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    custom_fields: Map<String, Value>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    sub_specs: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MatchWire<'a> {
    field: &'static str,
    text: &'a str,
    score: u8,
    highlights: &'a [(usize, usize)],
    #[serde(skip_serializing_if = "Option::is_none")]
    line_number: Option<u32>,
    /// The page, if it is not the main page of the spec.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

fn hit(hit: &LeanHit) -> HitWire<'_> {
    let spec = &hit.spec;
    let mut custom = Map::new();
    for (name, value) in &spec.custom {
        match custom.get_mut(name) {
            None => drop(custom.insert(name.clone(), json!(value))),
            Some(Value::Array(values)) => values.push(json!(value)),
            Some(first) => *first = json!([first.take(), value]),
        }
    }
    HitWire {
        spec: SpecWire {
            name: &spec.name,
            path: spec.folder(),
            status: spec.status.as_deref(),
            priority: spec.priority.as_deref(),
            tags: &spec.tags,
            title: &spec.title,
            created: spec.created.and_then(dates::day),
            updated: spec.updated.and_then(dates::day),
            assignee: spec.assignee.as_deref(),
            description: spec.description.as_deref(),
            custom_fields: custom,
            sub_specs: &spec.pages,
        },
        score: hit.score,
        total_matches: hit.total_matches(),
        matches: hit.matches.iter().map(one_match).collect(),
    }
}

fn one_match(found: &LeanMatch) -> MatchWire<'_> {
    MatchWire {
        field: found.field.as_str(),
        text: &found.text,
        score: found.score,
        highlights: &found.highlights,
        line_number: found.line,
        file: found.page.as_deref(),
    }
}

/// Number of mentions in a field.
fn mentions(hit: &LeanHit, field: LeanField) -> usize {
    hit.mentions.iter().filter(|(known, _)| *known == field).map(|(_, count)| count).sum()
}
