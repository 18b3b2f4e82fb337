//! Writes the figures of natural questions, as a table and as JSON.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use lore_render::wire::SCHEMA;
use schemars::JsonSchema;
use serde::Serialize;

use super::{QuestionFigures, QuestionRow};
use crate::Per;

/// Some rows with the same type or repository.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NamedFigures<'a> {
    /// Type or repository.
    name: &'a str,
    #[serde(flatten)]
    figures: QuestionFigures,
}

/// The wire form of a report.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReportWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Name of the collection.
    collection: &'a str,
    /// Figures of all questions.
    all: QuestionFigures,
    /// Figures by type.
    types: Vec<NamedFigures<'a>>,
    /// Figures by repository.
    repositories: Vec<NamedFigures<'a>>,
    /// Every question with its ranks.
    questions: &'a [QuestionRow],
}

/// Writes a table: all questions, and a block for each grouping.
pub fn write_question_report(
    name: &str,
    rows: &[QuestionRow],
    per: &[Per],
    out: &mut dyn Write,
) -> io::Result<()> {
    let all = NamedFigures { name: "all questions", figures: QuestionFigures::of(rows) };
    let mut blocks = vec![("", vec![all])];
    blocks.extend(per.iter().filter_map(|per| match per {
        Per::Category => Some(("type", by(rows, |row| &row.question_type))),
        Per::Repository => Some(("repository", by(rows, |row| &row.repository))),
        // The rows have no language.
        Per::Language => None,
    }));
    let noun = if rows.len() == 1 { "question" } else { "questions" };
    writeln!(out, "{name}: {} {noun}", rows.len())?;
    let names = blocks.iter().flat_map(|(title, groups)| {
        groups.iter().map(|group| group.name.chars().count() + 2).chain([title.chars().count()])
    });
    let width = names.max().unwrap_or(0);
    writeln!(
        out,
        "{:width$} {:>4} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>10} {:>7}",
        "", "n", "D@1", "D@3", "D-MRR", "L@1", "L@3", "L-MRR", "recognised", "flagged"
    )?;
    for (title, groups) in blocks {
        if !title.is_empty() {
            writeln!(out, "{title}")?;
        }
        for NamedFigures { name, figures } in groups {
            write!(out, "{:width$} {:>4}", format!("  {name}"), figures.answerable)?;
            for value in figures.documents.into_iter().chain(figures.lines) {
                let value =
                    if 0 < figures.answerable { format!("{value:.3}") } else { "-".to_owned() };
                write!(out, " {value:>6}")?;
            }
            let recognised = format!("{}/{}", figures.recognised, figures.unanswerable);
            let flagged = format!("{}/{}", figures.flagged, figures.answerable);
            writeln!(out, " {recognised:>10} {flagged:>7}")?;
        }
    }
    Ok(())
}

/// Writes all figures and every judged question as one JSON document.
pub fn write_question_json(
    name: &str,
    rows: &[QuestionRow],
    out: &mut dyn Write,
) -> io::Result<()> {
    let report = ReportWire {
        schema: SCHEMA,
        collection: name,
        all: QuestionFigures::of(rows),
        types: by(rows, |row| &row.question_type),
        repositories: by(rows, |row| &row.repository),
        questions: rows,
    };
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}

/// The figures by a property of the rows, sorted by it.
fn by(rows: &[QuestionRow], key: fn(&QuestionRow) -> &String) -> Vec<NamedFigures<'_>> {
    let mut groups = BTreeMap::<&str, Vec<&QuestionRow>>::new();
    for row in rows {
        groups.entry(key(row)).or_default().push(row);
    }
    groups
        .into_iter()
        .map(|(name, rows)| NamedFigures { name, figures: QuestionFigures::of(rows) })
        .collect()
}
