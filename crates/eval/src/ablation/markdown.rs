//! The tables of the page about ranking, and where they stand in it.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use lore_engine::SignalWeight;

use super::{Ablation, ModesRow};
use crate::{EvalError, STEEP, collection::read};

/// Changes below this are printed as nothing.
const PRINTED: f64 = 5e-5;

/// Writes what each collection comes to in each mode.
pub fn write_modes(modes: &[&str], rows: &[ModesRow], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "| Collection | Queries | Measure | {} |", modes.join(" | "))?;
    writeln!(out, "|---|---|---|{}", "---|".repeat(modes.len()))?;
    for row in rows {
        let cell = |values: &Option<Vec<f64>>| {
            values.as_ref().map_or_else(
                || "-".to_owned(),
                |values| {
                    let values: Vec<String> = values.iter().map(|value| short(*value)).collect();
                    values.join(" / ")
                },
            )
        };
        let cells: Vec<String> = row.modes.iter().map(cell).collect();
        writeln!(
            out,
            "| {} | {} | {} | {} |",
            plain(&row.about),
            row.queries,
            row.measures.join(" / "),
            cells.join(" | ")
        )?;
    }
    Ok(())
}

/// Writes what each signal is worth on each collection, and what a quarter less and more of it
/// changes.
pub fn write_signals(
    signals: &[SignalWeight],
    ablations: &[Ablation],
    out: &mut dyn Write,
) -> io::Result<()> {
    let names: Vec<String> = ablations.iter().map(|one| plain(&one.name)).collect();
    let head = |out: &mut dyn Write| {
        writeln!(out, "| Signal | Weight | {} |", names.join(" | "))?;
        writeln!(out, "|---|---|{}", "---|".repeat(names.len()))
    };
    writeln!(
        out,
        "The best 150 candidates of each query were asked for once; for each row they were put in \
         order again, not asked for again, and what signals measured stayed. The first row has the measure with all signals, the mean \
         over repositories; every other one what it changes by without the signal.\n"
    )?;
    head(out)?;
    let row = |out: &mut dyn Write, name: &str, weight: &str, cells: Vec<String>| {
        writeln!(out, "| {name} | {weight} | {} |", cells.join(" | "))
    };
    let measures = ablations.iter().map(|one| one.measure.clone()).collect();
    row(out, "measure", "", measures)?;
    row(out, "all signals", "", ablations.iter().map(|one| format!("{:.4}", one.all)).collect())?;
    for (at, signal) in signals.iter().enumerate() {
        let cells = ablations.iter().map(|one| change(one.changes[at].without)).collect();
        row(out, &format!("`{}`", signal.name), &weight(signal), cells)?;
    }
    writeln!(
        out,
        "\nWhat a quarter less and a quarter more of a weight changes; {STEEP} or more in bold. \
         Signals without a row change nothing.\n"
    )?;
    head(out)?;
    let mut steep = 0_usize;
    for (at, signal) in signals.iter().enumerate() {
        let changes = || ablations.iter().map(|one| one.changes[at]);
        let pairs = || changes().map(|change| (change.lower, change.higher));
        if pairs().all(|(lower, higher)| lower.abs() < PRINTED && higher.abs() < PRINTED) {
            continue;
        }
        steep += usize::from(pairs().any(|(lower, higher)| is_steep(lower) || is_steep(higher)));
        let cells = pairs()
            .map(|(lower, higher)| format!("{} / {}", marked(lower), marked(higher)))
            .collect();
        row(out, &format!("`{}`", signal.name), &weight(signal), cells)?;
    }
    writeln!(out)?;
    match steep {
        0 => writeln!(out, "No weight moves any collection by {STEEP} within a quarter of itself."),
        1 => writeln!(out, "One weight moves a collection by {STEEP} within a quarter of itself."),
        more => writeln!(
            out,
            "{more} weights move a collection by {STEEP} or more within a quarter of themselves."
        ),
    }
}

/// Puts texts between the markers of sections in a file: `<!-- generated: NAME -->` and
/// `<!-- end of NAME -->`, each on a line of its own. Returns the names of those that were found.
///
/// # Errors
/// When the file cannot be read or written. Without a marker it stays as it is.
pub fn write_sections(
    path: &Path,
    sections: &[(&'static str, String)],
) -> Result<Vec<&'static str>, EvalError> {
    let before = read(path)?;
    let mut text = before.clone();
    let mut found = Vec::new();
    for (name, body) in sections {
        if let Some(replaced) = with_section(&text, name, body) {
            text = replaced;
            found.push(*name);
        }
    }
    if text != before {
        fs::write(path, text)
            .map_err(|source| EvalError::Write { path: path.to_owned(), source })?;
    }
    Ok(found)
}

/// The text with another body between the markers of a section.
fn with_section(text: &str, name: &str, body: &str) -> Option<String> {
    let begin = format!("<!-- generated: {name} -->\n");
    let start = text.find(&begin)? + begin.len();
    let end = start + text[start..].find(&format!("<!-- end of {name} -->"))?;
    Some([&text[..start], "\n", body.trim(), "\n\n", &text[end..]].concat())
}

fn is_steep(change: f64) -> bool {
    STEEP <= change.abs()
}

fn marked(number: f64) -> String {
    if is_steep(number) { format!("**{}**", change(number)) } else { change(number) }
}

fn change(number: f64) -> String {
    if number.abs() < PRINTED { "0".to_owned() } else { format!("{number:+.4}") }
}

fn weight(signal: &SignalWeight) -> String {
    format!("{:.2}", signal.weight)
}

/// A share with three digits, as tables show it: `.905`.
fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.strip_prefix('0').map_or(text.clone(), str::to_owned)
}

/// A text that fits into a cell.
fn plain(text: &str) -> String {
    text.replace(char::is_control, " ").replace('|', "\\|")
}
