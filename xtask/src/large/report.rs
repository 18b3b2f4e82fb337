//! Figures of a run, beside those of another program and their limits.

use std::{path::Path, process::Command};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::{options::Options, programs::Programs, tree::Tree};

/// Maximum number of printed notes of a part.
const MAX_NOTES: usize = 30;

/// A limit of a figure.
#[derive(Debug, Clone, Copy)]
pub(super) enum Limit {
    /// Maximum of a count of wrong or lost results.
    Correct(f64),
    /// Maximum of a time or a size.
    Within(f64),
}

impl Limit {
    fn max(self) -> f64 {
        match self {
            Limit::Correct(max) | Limit::Within(max) => max,
        }
    }
}

/// A figure.
struct Row {
    part: String,
    name: String,
    unit: &'static str,
    value: f64,
    /// The figure of the other program.
    beside: Option<f64>,
    limit: Option<Limit>,
}

impl Row {
    fn is_broken(&self) -> bool {
        // A figure that is no number is above every limit.
        self.limit.is_some_and(|limit| self.value.is_nan() || limit.max() < self.value)
    }

    fn cells(&self) -> [String; 5] {
        let shown = |value: f64| format!("{} {}", number(value), self.unit).trim().to_owned();
        let limit = match self.limit {
            None => String::new(),
            Some(limit) => format!("≤ {}", number(limit.max())),
        };
        let state = match self.limit {
            None => "",
            Some(Limit::Correct(_)) if self.is_broken() => "WRONG",
            Some(Limit::Within(_)) if self.is_broken() => "above",
            Some(_) => "ok",
        };
        let beside = self.beside.map(shown).unwrap_or_default();
        [self.name.clone(), shown(self.value), beside, limit, state.to_owned()]
    }
}

/// All figures.
pub(super) struct Report {
    setting: Value,
    part: String,
    rows: Vec<Row>,
    /// Parts that failed, with the reason.
    errors: Vec<String>,
    notes: Vec<String>,
}

impl Report {
    /// Starts the report, and prints what is measured.
    pub(super) fn new(options: &Options, tree: &Tree, programs: &Programs) -> Result<Report> {
        let cores = std::thread::available_parallelism()?.get();
        let kernel = Command::new("uname").arg("-r").output()?.stdout;
        let version = &programs.lore.version;
        let beside = programs.beside.as_ref().map(|program| program.version.clone());
        println!(
            "{} files, {:.1} MB of text, {cores} cores; {version}; beside {}; seed {}",
            tree.files.len(),
            tree.text_bytes as f64 / 1e6,
            beside.as_deref().unwrap_or("nothing"),
            options.seed,
        );
        let setting = json!({
            "files": tree.files.len(),
            "textBytes": tree.text_bytes,
            "cores": cores,
            "kernel": String::from_utf8_lossy(&kernel).trim(),
            "version": version,
            "beside": beside,
            "seed": options.seed,
        });
        let (part, rows, errors, notes) = (String::new(), Vec::new(), Vec::new(), Vec::new());
        Ok(Report { setting, part, rows, errors, notes })
    }

    /// Starts a part.
    pub(super) fn begin(&mut self, part: &str) {
        part.clone_into(&mut self.part);
        self.notes.clear();
        println!("\n{part}");
    }

    /// Adds a figure.
    pub(super) fn add(&mut self, name: &str, unit: &'static str, value: f64) -> &mut Report {
        let part = self.part.clone();
        let name = name.to_owned();
        self.rows.push(Row { part, name, unit, value, beside: None, limit: None });
        self
    }

    /// Sets the figure of the other program for the last figure.
    pub(super) fn beside(&mut self, value: Option<f64>) -> &mut Report {
        if let Some(row) = self.rows.last_mut() {
            row.beside = value;
        }
        self
    }

    /// Sets the limit of the last figure.
    pub(super) fn limit(&mut self, limit: Limit) -> &mut Report {
        if let Some(row) = self.rows.last_mut() {
            row.limit = Some(limit);
        }
        self
    }

    /// Adds a line below the figures of the part.
    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Records that the part failed.
    pub(super) fn fail(&mut self, reason: &str) {
        self.errors.push(format!("{}: failed: {reason}", self.part));
        self.notes.push(format!("failed: {reason}"));
    }

    /// Prints the part.
    pub(super) fn end(&self) {
        let rows = self.rows.iter().filter(|row| row.part == self.part).map(Row::cells);
        print!("{}", table(&rows.collect::<Vec<_>>()));
        for note in self.notes.iter().take(MAX_NOTES) {
            println!("  {note}");
        }
        if MAX_NOTES < self.notes.len() {
            println!("  and {} more lines", self.notes.len() - MAX_NOTES);
        }
    }

    /// Writes the figures as JSON.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let figures: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                json!({
                    "part": row.part,
                    "name": row.name,
                    "unit": row.unit,
                    "value": row.value,
                    "beside": row.beside,
                    "limit": row.limit.map(Limit::max),
                    "isBroken": row.is_broken(),
                })
            })
            .collect();
        let value = json!({"setting": self.setting, "figures": figures, "errors": self.errors});
        std::fs::write(path, format!("{value:#}\n"))
            .with_context(|| format!("could not write `{}`", path.display()))
    }

    /// Parts that failed, and broken limits of the kinds to check, one line each.
    pub(super) fn failures(&self, is_correctness: bool, are_times: bool) -> Vec<String> {
        let is_checked = |row: &&Row| match row.limit {
            Some(Limit::Correct(_)) => is_correctness && row.is_broken(),
            Some(Limit::Within(_)) => are_times && row.is_broken(),
            None => false,
        };
        let rows = self.rows.iter().filter(is_checked).map(|row| {
            let [_, value, _, limit, _] = row.cells();
            format!("{}: {}: {value} ({limit})", row.part, row.name)
        });
        let errors = self.errors.iter().filter(|_| is_correctness || are_times).cloned();
        errors.chain(rows).collect()
    }
}

/// A number with as many decimals as it needs.
fn number(value: f64) -> String {
    let decimals = match value.abs() {
        _ if value.fract().abs() < 1e-9 => 0,
        size if size < 1.0 => 3,
        size if size < 10.0 => 2,
        size if size < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// Lines with aligned columns.
fn table(rows: &[[String; 5]]) -> String {
    let width = |column: usize| {
        rows.iter().map(|row: &[String; 5]| row[column].chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..5).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::from("  ");
        for (column, cell) in row.iter().enumerate() {
            let space = widths[column] - cell.chars().count();
            if column == 0 {
                line.push_str(cell);
                line.push_str(&" ".repeat(space + 2));
            } else {
                line.push_str(&" ".repeat(space));
                line.push_str(cell);
                line.push_str("  ");
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The value below which a share of the values is; 0 without values.
pub(super) fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1) as f64;
    let below = (last * share).floor();
    let at = |position: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
        sorted.get(position as usize).copied()
    };
    match (at(below), at(below + 1.0)) {
        (Some(low), Some(high)) => low + (high - low) * (last * share - below),
        (low, _) => low.unwrap_or(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::{number, percentile, table};

    #[test]
    fn percentiles_are_interpolated() {
        let values = [4.0, 1.0, 3.0, 2.0, 5.0];
        for (share, expected) in [(0.0, 1.0), (0.5, 3.0), (0.9, 4.6), (1.0, 5.0)] {
            assert!((percentile(&values, share) - expected).abs() < 1e-9, "{share}");
        }
        assert!((percentile(&[7.0], 0.99) - 7.0).abs() < 1e-9);
        assert!(percentile(&[], 0.5).abs() < 1e-9);
    }

    #[test]
    fn numbers_have_few_decimals() {
        let shown = [0.01234, 1.5, 12.34, 345.6, 7.0, 0.0].map(number);
        assert_eq!(shown, ["0.012", "1.50", "12.3", "346", "7", "0"]);
    }

    #[test]
    fn columns_are_aligned() {
        let row = |cells: [&str; 5]| cells.map(str::to_owned);
        let rows = [row(["a", "10 s", "", "≤ 2", "above"]), row(["long", "1 s", "2 s", "", ""])];
        assert_eq!(table(&rows), "  a     10 s       ≤ 2  above\n  long   1 s  2 s\n");
    }
}
