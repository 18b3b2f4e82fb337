//! Tables of graph results.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use super::{GraphCounts, GraphRow, pooled};
use crate::Per;

/// Writes the figures: in total, by group, and by question.
pub fn write_graph_report(
    name: &str,
    rows: &[GraphRow],
    per: &[Per],
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut blocks: Vec<(&str, Vec<Line>)> = Vec::new();
    blocks.push(("", vec![Line::of("all questions".to_owned(), rows.iter())]));
    for per in per {
        let mut groups = BTreeMap::<&str, Vec<&GraphRow>>::new();
        for row in rows {
            let key = match per {
                Per::Language => &row.language,
                Per::Repository => &row.repository,
                // These questions have no category.
                Per::Category => continue,
            };
            groups.entry(key).or_default().push(row);
        }
        let groups = groups.into_iter().map(|(key, rows)| {
            let key = if key.is_empty() { "(none)" } else { key };
            Line::of(key.to_owned(), rows.into_iter())
        });
        blocks.push((per.as_str(), groups.collect()));
    }
    let each = rows.iter().map(|row| Line::of(row.id.clone(), std::iter::once(row))).collect();
    blocks.push(("question", each));

    let noun = if rows.len() == 1 { "question" } else { "questions" };
    writeln!(out, "{name}: {} {noun}", rows.len())?;
    let names = blocks.iter().flat_map(|(title, lines)| {
        lines.iter().map(|line| line.name.chars().count() + 2).chain([title.chars().count()])
    });
    let width = names.max().unwrap_or(0);
    writeln!(
        out,
        "{:width$} {:>9} {:>9} {:>9} {:>9} | {:>9} {:>9} {:>9} {:>9}",
        "", "certain", "precision", "answers", "recall", "all", "precision", "answers", "recall"
    )?;
    for (title, lines) in blocks {
        if !title.is_empty() {
            writeln!(out, "{title}")?;
        }
        for line in lines {
            let name = format!("  {}", line.name);
            writeln!(out, "{name:width$} {} | {}", figures(&line.certain), figures(&line.all))?;
        }
    }
    Ok(())
}

/// Writes wrong and missing places, question by question.
pub fn write_graph_rows(rows: &[GraphRow], out: &mut dyn Write) -> io::Result<()> {
    for row in rows {
        writeln!(out, "{}  {}", row.id, row.text)?;
        let symbol = |symbol: &Option<String>| {
            symbol.as_deref().map_or_else(|| "(no definition)".to_owned(), str::to_owned)
        };
        for place in &row.wrong {
            writeln!(out, "  wrong    {}:{}  {}", place.path, place.line, symbol(&place.symbol))?;
        }
        for label in &row.missing {
            let place = &label.place;
            let name = symbol(&place.symbol);
            writeln!(out, "  missing  {}:{}  {name}  [{}]", place.path, place.line, label.how)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

struct Line {
    name: String,
    certain: GraphCounts,
    all: GraphCounts,
}

impl Line {
    fn of<'a>(name: String, rows: impl Iterator<Item = &'a GraphRow>) -> Line {
        let (certain, all) = pooled(rows);
        Line { name, certain, all }
    }
}

fn figures(counts: &GraphCounts) -> String {
    let share =
        |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{share:.4}"));
    format!(
        "{:>9} {:>9} {:>9} {:>9}",
        format!("{}/{}", counts.right, counts.found),
        share(counts.precision()),
        format!("{}/{}", counts.covered, counts.wanted),
        share(counts.recall()),
    )
}
