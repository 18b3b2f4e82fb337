//! Fitted weights for people, and for a settings file.

use std::io::{self, Write};

use super::{Fitted, Folding, Movement, STEEP, Worth, mean_of};

impl Fitted {
    /// The weights that differ from those before.
    pub fn moved(&self) -> impl Iterator<Item = &Movement> {
        self.weights.iter().filter(|weight| 0.0 < (weight.after - weight.before).abs())
    }

    /// What the measure comes to on a collection: before, with the fitted weights, and held out.
    pub fn figures(&self, worth: &Worth) -> (f64, f64, Option<f64>) {
        (
            mean_of(&worth.before, self.measure),
            mean_of(&worth.after, self.measure),
            worth.validated.as_ref().map(|validated| mean_of(validated, self.measure)),
        )
    }
}

/// Writes what the fit is worth, and the table of weights with their plateaus.
pub fn write_fit(fitted: &Fitted, out: &mut dyn Write) -> io::Result<()> {
    let names = fitted.collections.iter().map(|worth| worth.name.chars().count() + 2);
    let width = names.max().unwrap_or(0).max(24);
    let measure = fitted.measure.to_string();
    writeln!(
        out,
        "{measure:width$} {:>7} {:>6} {:>8} {:>8} {:>8}",
        "queries", "vote", "before", "fitted", "held out"
    )?;
    for worth in &fitted.collections {
        let (before, after, validated) = fitted.figures(worth);
        let name = format!("  {}", worth.name);
        let validated =
            validated.map_or_else(|| "-".to_owned(), |validated| format!("{validated:.4}"));
        writeln!(
            out,
            "{name:width$} {:>7} {:>6.3} {before:>8.4} {after:>8.4} {validated:>8}",
            worth.queries, worth.vote
        )?;
    }
    let kept = match fitted.folding {
        Folding::Repository => "repositories",
        Folding::Query => "queries",
    };
    if fitted.folds > 0 {
        writeln!(
            out,
            "held out: fitted to {} of {} parts of the {kept}, judged on the rest",
            fitted.folds - 1,
            fitted.folds
        )?;
    }
    writeln!(out)?;
    writeln!(
        out,
        "{:width$} {:>8} {:>8} {:>8} {:>9} {:>9}",
        "weight", "before", "fitted", "change", "-25 %", "+25 %"
    )?;
    for weight in &fitted.weights {
        let name = format!("  {}", weight.name);
        let steep = if weight.steepest < STEEP {
            String::new()
        } else {
            format!("  steep: {:.4} on a collection", weight.steepest)
        };
        writeln!(
            out,
            "{name:width$} {:>8.3} {:>8.3} {:>+8.3} {:>+9.4} {:>+9.4}{steep}",
            weight.before,
            weight.after,
            positive_zero(weight.after - weight.before),
            positive_zero(weight.quarter.0),
            positive_zero(weight.quarter.1)
        )?;
    }
    Ok(())
}

/// Writes the weights that moved as a block of a settings file, with what they are worth above it.
pub fn write_weights(fitted: &Fitted, out: &mut dyn Write) -> io::Result<()> {
    for worth in &fitted.collections {
        let (before, after, validated) = fitted.figures(worth);
        let validated =
            validated.map_or_else(String::new, |validated| format!(", held out {validated:.4}"));
        // A name with a line end would end the comment.
        let name = worth.name.replace(char::is_control, " ");
        writeln!(out, "# {name}: {} {before:.4}, fitted {after:.4}{validated}", fitted.measure)?;
    }
    writeln!(out, "[ranking.weights]")?;
    for weight in fitted.moved() {
        writeln!(out, "{} = {}", weight.name, positive_zero(weight.after))?;
    }
    Ok(())
}

/// The number, without the sign of a negative zero.
fn positive_zero(number: f64) -> f64 {
    if number.abs() < 5e-5 { 0.0 } else { number }
}
