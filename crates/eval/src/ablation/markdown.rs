//! The tables of the page about ranking, and where they stand in it.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write},
    ops::Range,
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

/// Which of these sections have a place in a file: the line `<!-- generated: NAME -->`, and below it
/// the line `<!-- end of NAME -->`.
///
/// # Errors
/// When the file cannot be read, and when one of the markers is there without the other.
pub fn find_sections(path: &Path, names: &[&'static str]) -> Result<Vec<&'static str>, EvalError> {
    let text = read(path)?;
    let places = places(path, &text, names)?;
    let is_there = |name: &&&str| places.iter().any(|place| place.name == **name);
    Ok(names.iter().filter(is_there).copied().collect())
}

/// Puts texts between the markers of sections in a file, as [`find_sections`] finds them. The file
/// keeps the ends of its lines, and is written whole or not at all. Returns the names of those that
/// were found.
///
/// # Errors
/// When the file cannot be read or written, and when one of the markers is there without the other.
/// Then, and without a marker, it stays as it is.
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

/// Where a section stands.
struct SectionPlace<'a> {
    name: &'a str,
    /// The bytes between its markers.
    body: Range<usize>,
}

/// What a line marks.
#[derive(Clone, Copy)]
enum Marker<'a> {
    Begin(&'a str),
    End(&'a str),
}

/// The places of these sections, in the order of the file. Sections of other names are none of ours.
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
    // Name, line and first byte of the section that is open.
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

/// What a whole line marks, if anything.
fn marker(line: &str) -> Option<Marker<'_>> {
    let comment = line.trim_end().strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    let begin = comment.strip_prefix("generated: ").map(Marker::Begin);
    begin.or_else(|| comment.strip_prefix("end of ").map(Marker::End))
}

/// Writes a file that is there, whole or not at all. Where it is a link, what it leads to is written.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize()?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = fs::write(&draft, text).and_then(|()| {
        fs::set_permissions(&draft, fs::metadata(&path)?.permissions())?;
        fs::rename(&draft, &path)
    });
    if written.is_err() {
        // The first error is the one that tells; nothing may stay behind.
        let _ = fs::remove_file(&draft);
    }
    written
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
