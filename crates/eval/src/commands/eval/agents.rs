//! `lore eval --agents`: what an agent pays for the answers to natural questions, by a fixed policy.
//!
//! A simulation, not an agent: each policy asks, reads what is shown, and goes on by rules until a line
//! that answers was in view or it gives up. What it counts is exact, the text of each step as the tool
//! prints it; how agents decide is not. So it compares tools, and does not predict success.

mod policies;
mod report;

use std::path::Path;

use lore_console::{dates, report::Status};
use lore_engine::{Extras, Progress, SearchRequest, Sureness};
use lore_session::progress::Reporter;
use lore_settings::{Settings, env_vars, terminal::Terminal};

pub(crate) use self::report::AgentsWire;
use self::{policies::Paid, report::Figures};
use super::{
    arguments::EvalArguments,
    engines::engine_of,
    output::{hinted, write_clean},
};
use crate::{Collection, EvalError, Query, resolve_anchors};

/// One question.
struct Row {
    /// Its identifier.
    id: String,
    /// Its type: `how`, `where`, …
    question_type: String,
    /// Characters of the first answer.
    characters: usize,
    /// Its level of certainty; `None` if it makes no claim.
    sureness: Option<Sureness>,
    /// Its estimated probability of being right.
    probability: Option<f32>,
    /// True if a line that answers is in the first answer.
    in_view: bool,
    /// True if it is in the first answer or the next page, and both have at most 1,000 tokens.
    in_two_pages: bool,
    /// Costs under each policy, in the order of [`policies::NAMES`].
    paid: Vec<Paid>,
}

/// Asks every answerable question, and writes the figures.
pub(super) fn run(arguments: &EvalArguments, mut collection: Collection) -> anyhow::Result<Status> {
    resolve_anchors(&mut collection, &arguments.trees()).map_err(hinted)?;
    collection.retain(|query| !query.targets.is_empty() && !query.text.trim().is_empty());
    let settings =
        Settings::load(Path::new("."), &env_vars::from_process, arguments.meaning.overrides()?)?;
    let template = SearchRequest::new(String::new())
        .with_mode(settings.mode())
        .with_fusion(settings.fusion())
        .with_clock(dates::clock(&jiff::Zoned::now()))
        .with_extras(Extras {
            rewrite: true,
            choose_lines: true,
            judge: true,
            ..Extras::default()
        });
    let progress = Reporter::start(Terminal::from_process());
    let rows = ask_all(arguments, &collection, &template, &progress);
    progress.finish();
    let rows = rows?;
    let figures = Figures::of(&rows);
    write_clean(|out| {
        if arguments.json { figures.write_json(out) } else { figures.write(&collection.name, out) }
    })?;
    Ok(Status::Success)
}

fn ask_all(
    arguments: &EvalArguments,
    collection: &Collection,
    template: &SearchRequest,
    progress: &dyn Progress,
) -> anyhow::Result<Vec<Row>> {
    let trees = arguments.trees();
    let mut rows = Vec::new();
    for repository in collection.repositories() {
        let place = trees.find(repository, collection).map_err(hinted)?;
        let queries: Vec<&Query> =
            collection.queries.iter().filter(|query| query.repository == repository).collect();
        let engine = engine_of(&arguments.tree, &arguments.common, &place.root)
            .map_err(|source| EvalError::Open { path: place.root.clone(), source })?;
        let mut searcher = engine.searcher(&template.filter.sources, progress)?;
        for query in queries {
            rows.push(policies::measure(query, &place.root, &mut searcher, template, progress)?);
        }
    }
    Ok(rows)
}
