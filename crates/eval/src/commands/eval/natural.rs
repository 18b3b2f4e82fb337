//! `lore eval` on natural questions.

use std::path::Path;

use lore_console::{
    dates,
    report::{self, Status, UsageError},
};
use lore_settings::{Settings, env_vars};

use super::{
    arguments::EvalArguments, ask_all, gates::Gates, measures::written_minimum, output::hinted,
};
use crate::{
    Collection, Per, Plan, QUESTION_MEASURES, QuestionFigures, Run, judge_questions,
    resolve_anchors, write_question_json, write_question_report,
};

/// The measures of a comparison of two runs: D@1 comes first.
const COMPARED: &[&str] = &["Success@1"];

/// Groupings of the table if none is named.
const GROUPINGS: &[Per] = &[Per::Category, Per::Repository];

/// Runs the questions or reads a run, writes the figures, and applies the gates.
pub(super) fn run(arguments: &EvalArguments, mut collection: Collection) -> anyhow::Result<Status> {
    refuse(arguments)?;
    let minimums = minimums(&arguments.minimums)?;
    resolve_anchors(&mut collection, &arguments.trees()).map_err(hinted)?;
    let mut gates = Gates::without_minimums(COMPARED)?;
    gates.compare_with(arguments, &collection, &collection.name)?;

    let mut shown = Vec::new();
    let run = match &arguments.run {
        Some(path) => Run::load(path, &collection)?,
        None => ask_all(arguments, &collection, &plan(arguments)?, &mut shown)?,
    };
    let rows = judge_questions(&collection, &run);
    let per = arguments.breakdowns();
    let per = if per.is_empty() { GROUPINGS } else { &per };
    let mut passed = gates.pass(arguments, &collection, &run, &|out| {
        if arguments.json {
            return write_question_json(&collection.name, &rows, out);
        }
        out.write_all(&shown)?;
        write_question_report(&collection.name, &rows, per, out)
    })?;
    let figures = QuestionFigures::of(&rows);
    for (measure, minimum) in minimums {
        // A measure that no question counts for has no value to fail.
        let value = figures.value(measure).unwrap_or(1.0);
        if value < minimum {
            passed = false;
            report::note(&format!("{measure} is {value:.4}, below {minimum}"));
        }
    }
    Ok(if passed { Status::Success } else { Status::NoResult })
}

/// The options of the questions: the same passages and dates as in `lore search`.
fn plan(arguments: &EvalArguments) -> anyhow::Result<Plan> {
    let here =
        Settings::load(Path::new("."), &env_vars::from_process, arguments.meaning.overrides()?)?;
    Ok(Plan {
        trees: arguments.trees(),
        snippet_lines: Some(here.snippet_lines()),
        clock: dates::clock(&jiff::Zoned::now()),
        ..arguments.plan(&here)?
    })
}

/// Rejects flags that have no effect here, rather than ignore them silently.
fn refuse(arguments: &EvalArguments) -> Result<(), UsageError> {
    let given = [
        ("--spec", arguments.spec),
        ("--measure", !arguments.measures.is_empty()),
        ("--expected", arguments.expected.is_some()),
        ("--query` with `--json", arguments.json && arguments.query.is_some()),
        ("--compare` with `--json", arguments.json && arguments.compare.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((flag, _)) => {
            Err(UsageError::new(format!("`{flag}` does not go with natural questions")))
        }
        None => Ok(()),
    }
}

fn minimums(typed: &[String]) -> Result<Vec<(&'static str, f64)>, UsageError> {
    typed
        .iter()
        .map(|minimum| {
            let (name, value) = written_minimum(minimum, "D@1=0.5")?;
            let known = QUESTION_MEASURES.iter().find(|known| **known == name);
            let measure = known.ok_or_else(|| {
                UsageError::new(format!("there is no measure `{name}` of natural questions"))
                    .hint(format!("the measures are {}", QUESTION_MEASURES.join(", ")))
            })?;
            Ok((*measure, value))
        })
        .collect()
}
