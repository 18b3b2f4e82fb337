//! Writes the results of a test on a repository's own history.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
};

use crate::{Judgement, Row, SelfAnswers, SelfTest, judge, judge::mean, measures::Measure};

/// Columns of a full bar.
const BAR: usize = 20;

/// The blocks that fill one to seven eighths of a column from the left.
const EIGHTHS: [char; 7] =
    ['\u{258f}', '\u{258e}', '\u{258d}', '\u{258c}', '\u{258b}', '\u{258a}', '\u{2589}'];

/// Characters of bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bars {
    /// `#`, for terminals without block characters.
    Ascii,
    /// Block characters, to an eighth of a column.
    Blocks,
}

impl Bars {
    /// A bar of up to twenty columns for a value in 0.0..=1.0.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a few columns, never below 0"
    )]
    fn draw(self, value: f64) -> String {
        let value = value.clamp(0.0, 1.0);
        match self {
            Bars::Ascii => "#".repeat((value * BAR as f64).round() as usize),
            Bars::Blocks => {
                let eighths = (value * BAR as f64 * 8.0).round() as usize;
                let rest = (eighths % 8).checked_sub(1).map(|at| EIGHTHS[at]);
                "\u{2588}".repeat(eighths / 8).chars().chain(rest).collect()
            }
        }
    }
}

/// A heading with its rows.
type Block = (&'static str, Vec<(String, Vec<Row>)>);

/// Writes the results: over all, by month and by source, each with its measures and a bar of the
/// first one.
pub fn write_self_report(
    test: &SelfTest,
    answers: &SelfAnswers,
    measures: &[Measure],
    bars: Bars,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Judgement { rows, .. } = judge(&answers.collection, &answers.run, measures);
    let commits = rows.len();
    let months: BTreeSet<&str> = rows.iter().map(|row| row.category.as_str()).collect();
    write!(out, "{}: {commits} {}", test.name, if commits == 1 { "commit" } else { "commits" })?;
    match (months.first(), months.last()) {
        (Some(first), Some(last)) if first != last => writeln!(out, ", {first} to {last}")?,
        (Some(only), _) => writeln!(out, ", {only}")?,
        _ => writeln!(out)?,
    }
    let mut by_month = BTreeMap::<&str, Vec<Row>>::new();
    for row in &rows {
        by_month.entry(&row.category).or_default().push(row.clone());
    }
    let by_month: Vec<(String, Vec<Row>)> =
        by_month.into_iter().map(|(month, rows)| (month.to_owned(), rows)).collect();
    let by_source = answers.sources.iter().map(|(source, (collection, run))| {
        (source.to_string(), judge(collection, run, measures).rows)
    });
    let by_source = by_source.collect();
    let blocks: [Block; 3] = [
        ("", vec![("all".to_owned(), rows)]),
        ("month", by_month),
        ("source, searched alone", by_source),
    ];
    write_blocks(&blocks, measures, bars, out)?;

    let unfit: Vec<String> =
        test.unfit().iter().map(|(unfit, count)| format!("{count} {}", unfit.describe())).collect();
    if !unfit.is_empty() {
        writeln!(out, "skipped: {}", unfit.join(", "))?;
    }
    if answers.unsearched > 0 {
        writeln!(out, "skipped, since none of their files was searched: {}", answers.unsearched)?;
    }
    Ok(())
}

fn write_blocks(
    blocks: &[Block],
    measures: &[Measure],
    bars: Bars,
    out: &mut dyn Write,
) -> io::Result<()> {
    let blocks = || blocks.iter().filter(|(_, groups)| !groups.is_empty());
    let names = blocks().flat_map(|(title, groups)| {
        groups.iter().map(|(name, _)| name.chars().count() + 2).chain([title.chars().count()])
    });
    let width = names.max().unwrap_or(0);
    write!(out, "{:width$} {:>7}", "", "commits")?;
    for measure in measures {
        write!(out, " {measure:>10}")?;
    }
    writeln!(out)?;
    for (title, groups) in blocks() {
        if !title.is_empty() {
            writeln!(out, "{title}")?;
        }
        for (name, rows) in groups {
            let value = |at: usize| {
                mean(rows.iter().filter_map(|row| row.values.get(at).copied())).unwrap_or(0.0)
            };
            let values: Vec<String> =
                (0..measures.len()).map(|at| format!(" {:>10.4}", value(at))).collect();
            let bar = if measures.is_empty() { String::new() } else { bars.draw(value(0)) };
            let name = format!("  {name}");
            let line = format!("{name:width$} {:>7}{}  {bar}", rows.len(), values.concat());
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
