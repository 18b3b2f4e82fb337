//! The report of `lore eval --agents`.

use std::io::{self, Write};

use lore_engine::Sureness;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Paid, Row, policies::NAMES};

/// A question, simulated.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentsWire<'a> {
    /// Identifier of the question.
    id: &'a str,
    /// Its type: how, where, …
    #[serde(rename = "type")]
    question_type: &'a str,
    /// Level of certainty of the answer: found, likely or unsure; null if it makes no claim.
    level: Option<&'static str>,
    /// Estimated probability of being right.
    probability: Option<f64>,
    /// Number of characters of the first answer.
    characters: usize,
    /// True if a line that answers is in the first answer.
    in_view: bool,
    /// True if it is in the first answer or the next page.
    in_two_pages: bool,
    /// Costs of the answer, by the way in which an agent continues.
    policies: Vec<PolicyWire>,
}

#[derive(Serialize, JsonSchema)]
struct PolicyWire {
    /// Name of the way.
    policy: &'static str,
    /// True if the answer was found.
    found: bool,
    /// Number of characters that were read.
    characters: usize,
    /// Number of calls.
    calls: usize,
}

/// The levels, surest first.
const LEVELS: [Sureness; 3] = [Sureness::Found, Sureness::Likely, Sureness::Unsure];

/// Figures over questions.
pub(super) struct Figures<'a> {
    rows: &'a [Row],
}

impl Figures<'_> {
    /// The figures of these rows.
    pub(super) fn of(rows: &[Row]) -> Figures<'_> {
        Figures { rows }
    }

    /// Writes one JSON object a question.
    pub(super) fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        for row in self.rows {
            let policy = |(name, paid): (&&'static str, &Paid)| PolicyWire {
                policy: name,
                found: paid.found,
                characters: paid.characters,
                calls: paid.calls,
            };
            let line = AgentsWire {
                id: &row.id,
                question_type: &row.question_type,
                level: row.sureness.map(Sureness::as_str),
                probability: row.probability.map(f64::from),
                characters: row.characters,
                in_view: row.in_view,
                in_two_pages: row.in_two_pages,
                policies: NAMES.iter().zip(&row.paid).map(policy).collect(),
            };
            serde_json::to_writer(&mut *out, &line)?;
            writeln!(out)?;
        }
        Ok(())
    }

    /// Writes them as tables.
    pub(super) fn write(&self, name: &str, out: &mut dyn Write) -> io::Result<()> {
        let rows = self.rows;
        writeln!(out, "{name}: {} answerable questions, simulated\n", rows.len())?;
        writeln!(out, "first answer                    share  characters  in view  in two pages")?;
        let all: Vec<&Row> = rows.iter().collect();
        write_level("all", &all, rows.len(), out)?;
        for level in LEVELS {
            let of_level: Vec<&Row> =
                rows.iter().filter(|row| row.sureness == Some(level)).collect();
            write_level(level.as_str(), &of_level, rows.len(), out)?;
        }
        let none: Vec<&Row> = rows.iter().filter(|row| row.sureness.is_none()).collect();
        write_level("no claim", &none, rows.len(), out)?;
        let mut types: Vec<&str> = rows.iter().map(|row| row.question_type.as_str()).collect();
        types.sort_unstable();
        types.dedup();
        writeln!(out)?;
        for name in types {
            let of_type: Vec<&Row> = rows.iter().filter(|row| row.question_type == name).collect();
            write_level(name, &of_type, rows.len(), out)?;
        }
        writeln!(out, "\npolicy                          found  characters    calls")?;
        for (at, name) in NAMES.iter().enumerate() {
            let count = rows.len().max(1) as f64;
            let sum = |value: &dyn Fn(&Row) -> usize| rows.iter().map(value).sum::<usize>() as f64;
            let found = sum(&|row| usize::from(row.paid[at].found)) / count;
            let characters = sum(&|row| row.paid[at].characters) / count;
            let calls = sum(&|row| row.paid[at].calls) / count;
            writeln!(out, "{name:30}  {found:5.3}  {characters:10.0}  {calls:7.2}")?;
        }
        Ok(())
    }
}

fn write_level(name: &str, rows: &[&Row], all: usize, out: &mut dyn Write) -> io::Result<()> {
    let count = rows.len().max(1) as f64;
    let share = rows.len() as f64 / all.max(1) as f64;
    let characters = rows.iter().map(|row| row.characters).sum::<usize>() as f64 / count;
    let in_view = rows.iter().filter(|row| row.in_view).count() as f64 / count;
    let in_two = rows.iter().filter(|row| row.in_two_pages).count() as f64 / count;
    writeln!(out, "{name:30}  {share:5.3}  {characters:10.0}  {in_view:7.3}  {in_two:12.3}")
}
