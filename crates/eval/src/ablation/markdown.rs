//! The generated tables of the page about ranking, and their positions in it.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write},
    ops::Range,
    path::Path,
};

use lore_engine::SignalWeight;

use super::{Ablation, ModesRow};
use crate::{EvalError, MIN_STEEP_CHANGE, collection::read};

/// Changes below this are printed as zero.
const PRINTED: f64 = 5e-5;

/// Writes the measures of each collection in each mode.
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

/// Writes the effect of each signal on each collection, and of a quarter less and more of its
/// weight.
pub fn write_signals(
    signals: &[SignalWeight],
    ablations: &[Ablation],
    out: &mut dyn Write,
) -> io::Result<()> {
    let names: Vec<String> = ablations.iter().map(|ablation| plain(&ablation.name)).collect();
    let head = |out: &mut dyn Write| {
        writeln!(out, "| Signal | Weight | {} |", names.join(" | "))?;
        writeln!(out, "|---|---|{}", "---|".repeat(names.len()))
    };
    writeln!(
        out,
        "The best 150 candidates of each query are retrieved once, and sorted again for each row; \
         measured signal values stay the same. The first row is the measure with all signals, the \
         mean over repositories; every other row is the change without the signal.\n"
    )?;
    head(out)?;
    let row = |out: &mut dyn Write, name: &str, weight: &str, cells: Vec<String>| {
        writeln!(out, "| {name} | {weight} | {} |", cells.join(" | "))
    };
    let measures = ablations.iter().map(|ablation| ablation.measure.clone()).collect();
    row(out, "measure", "", measures)?;
    row(
        out,
        "all signals",
        "",
        ablations.iter().map(|ablation| format!("{:.4}", ablation.all)).collect(),
    )?;
    for (at, signal) in signals.iter().enumerate() {
        let cells = ablations.iter().map(|ablation| change(ablation.changes[at].without)).collect();
        row(out, &format!("`{}`", signal.name), &weight(signal), cells)?;
    }
    writeln!(
        out,
        "\nChange with a quarter less and a quarter more of a weight; {MIN_STEEP_CHANGE} or more in bold. \
         Signals without a row change nothing.\n"
    )?;
    head(out)?;
    let mut steep = 0_usize;
    for (at, signal) in signals.iter().enumerate() {
        let changes = || ablations.iter().map(|ablation| ablation.changes[at]);
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
        0 => writeln!(
            out,
            "No weight moves any collection by {MIN_STEEP_CHANGE} within a quarter of itself."
        ),
        1 => writeln!(
            out,
            "One weight moves a collection by {MIN_STEEP_CHANGE} within a quarter of itself."
        ),
        more => writeln!(
            out,
            "{more} weights move a collection by {MIN_STEEP_CHANGE} or more within a quarter of themselves."
        ),
    }
}

/// Returns the names of the sections that a file has a place for: the line `<!-- generated: NAME
/// -->`, and below it the line `<!-- end of NAME -->`.
///
/// # Errors
/// If the file cannot be read, or if one of the markers is missing.
pub fn find_sections(path: &Path, names: &[&'static str]) -> Result<Vec<&'static str>, EvalError> {
    let text = read(path)?;
    let places = places(path, &text, names)?;
    let is_there = |name: &&&str| places.iter().any(|place| place.name == **name);
    Ok(names.iter().filter(is_there).copied().collect())
}

/// Writes texts between the markers of sections in a file, as found by [`find_sections`]. The file
/// keeps its line ends, and is written completely or not at all. Returns the names of the sections
/// found.
///
/// # Errors
/// If the file cannot be read or written, or if one of the markers is missing. In these cases, and
/// without markers, the file is unchanged.
pub fn write_sections(
    path: &Path,
    sections: &[(&'static str, String)],
) -> Result<Vec<&'static str>, EvalError> {
    let before = read(path)?;
    let names: Vec<&str> = sections.iter().map(|(name, _)| *name).collect();
    let end_of_line = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = String::new();
    let mut kept = 0;
    let mut found = BTreeSet::new();
    for place in places(path, &before, &names)? {
        let Some((name, body)) = sections.iter().find(|(name, _)| *name == place.name) else {
            continue;
        };
        text.push_str(&before[kept..place.body.start]);
        text.push_str(&format!("\n{}\n\n", body.trim()).replace('\n', end_of_line));
        kept = place.body.end;
        found.insert(*name);
    }
    text.push_str(&before[kept..]);
    if text != before {
        write_whole(path, &text)
            .map_err(|source| EvalError::Write { path: path.to_owned(), source })?;
    }
    Ok(sections.iter().map(|(name, _)| *name).filter(|name| found.contains(name)).collect())
}

/// Position of a section.
struct SectionPlace<'a> {
    name: &'a str,
    /// The bytes between its markers.
    body: Range<usize>,
}

/// A marker line.
#[derive(Clone, Copy)]
enum Marker<'a> {
    Begin(&'a str),
    End(&'a str),
}

/// The positions of these sections, in the order of the file. Sections with other names are
/// skipped.
fn places<'a>(
    path: &Path,
    text: &'a str,
    names: &[&str],
) -> Result<Vec<SectionPlace<'a>>, EvalError> {
    let malformed = |line, reason| EvalError::Malformed { path: path.to_owned(), line, reason };
    let unended = |(name, line, _): (&str, usize, usize)| {
        let reason = format!(
            "`<!-- generated: {name} -->` has no `<!-- end of {name} -->` before the next marker"
        );
        malformed(line, reason)
    };
    let mut places = Vec::new();
    // Name, line and first byte of the open section.
    let mut open: Option<(&str, usize, usize)> = None;
    let mut start = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let line_start = start;
        start += line.len();
        let Some(marker) = marker(line) else { continue };
        match (marker, open.take()) {
            (Marker::End(name), Some((begun, _, first))) if name == begun => {
                places.push(SectionPlace { name, body: first..line_start });
            }
            (_, Some(open)) => return Err(unended(open)),
            (Marker::Begin(name), None) if names.contains(&name) => {
                open = Some((name, number + 1, start));
            }
            (Marker::End(name), None) if names.contains(&name) => {
                let reason = format!(
                    "`<!-- end of {name} -->` has no `<!-- generated: {name} -->` above it"
                );
                return Err(malformed(number + 1, reason));
            }
            _ => {}
        }
    }
    open.map_or(Ok(places), |open| Err(unended(open)))
}

/// The marker on a line; `None` if the line has other content.
fn marker(line: &str) -> Option<Marker<'_>> {
    let comment = line.trim_end().strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    let begin = comment.strip_prefix("generated: ").map(Marker::Begin);
    begin.or_else(|| comment.strip_prefix("end of ").map(Marker::End))
}

/// Replaces an existing file, completely or not at all. For a link, its target is written.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize()?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = fs::write(&draft, text).and_then(|()| {
        fs::set_permissions(&draft, fs::metadata(&path)?.permissions())?;
        fs::rename(&draft, &path)
    });
    if written.is_err() {
        // The first error is returned; the temporary file must not remain.
        let _ = fs::remove_file(&draft);
    }
    written
}

fn is_steep(change: f64) -> bool {
    MIN_STEEP_CHANGE <= change.abs()
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

/// A share with three digits, as in tables: `.905`.
fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.strip_prefix('0').map_or(text.clone(), str::to_owned)
}

/// A text that fits into a table cell.
fn plain(text: &str) -> String {
    text.replace(char::is_control, " ").replace('|', "\\|")
}
