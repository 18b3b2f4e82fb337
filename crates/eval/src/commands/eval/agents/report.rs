//! The report of `lore eval --agents`.

use std::io::{self, Write};

use lore_engine::Sureness;
use serde_json::json;

use super::{Row, policies::NAMES};

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
            let paid = NAMES.iter().zip(&row.paid).map(|(name, paid)| {
                json!({"policy": name, "found": paid.found, "characters": paid.characters,
                    "calls": paid.calls})
            });
            let line = json!({
                "id": row.id,
                "type": row.question_type,
                "level": row.sureness.map(Sureness::as_str),
                "probability": row.probability,
                "characters": row.characters,
                "inView": row.in_view,
                "inTwoPages": row.in_two_pages,
                "policies": paid.collect::<Vec<_>>(),
            });
            writeln!(out, "{line}")?;
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
