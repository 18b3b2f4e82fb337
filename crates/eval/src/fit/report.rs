//! Writes fitted weights for people, and as a block of a settings file.

use std::io::{self, Write};

use crate::report::mean_of;

use super::{CollectionFit, Fitted, Folding, MIN_STEEP_CHANGE, Tuning, WeightChange};

impl Fitted {
    /// The weights that changed.
    pub fn moved(&self) -> impl Iterator<Item = &WeightChange> {
        self.weights.iter().filter(|weight| 0.0 < (weight.after - weight.before).abs())
    }

    /// The measure on a collection: before, with the fitted weights, and held out.
    pub fn figures(&self, collection_fit: &CollectionFit) -> (f64, f64, Option<f64>) {
        (
            mean_of(&collection_fit.before, self.measure),
            mean_of(&collection_fit.after, self.measure),
            collection_fit.validated.as_ref().map(|validated| mean_of(validated, self.measure)),
        )
    }
}

/// Width of the first column, which contains names of collections and of signals.
fn width(fitted: &Fitted) -> usize {
    let collections = fitted.collections.iter().map(|collection_fit| collection_fit.name.as_str());
    let signals = fitted.weights.iter().map(|weight| weight.name);
    collections.chain(signals).map(|name| name.chars().count() + 2).max().unwrap_or(0)
}

/// Writes the effect of the fit.
fn write_figures(fitted: &Fitted, out: &mut dyn Write) -> io::Result<()> {
    let width = width(fitted);
    let measure = fitted.measure.to_string();
    writeln!(
        out,
        "{measure:width$} {:>7} {:>6} {:>8} {:>8} {:>8}",
        "queries", "vote", "before", "fitted", "held out"
    )?;
    for collection_fit in &fitted.collections {
        let (before, after, validated) = fitted.figures(collection_fit);
        let name = format!("  {}", collection_fit.name);
        let validated =
            validated.map_or_else(|| "-".to_owned(), |validated| format!("{validated:.4}"));
        writeln!(
            out,
            "{name:width$} {:>7} {:>6.3} {before:>8.4} {after:>8.4} {validated:>8}",
            collection_fit.queries, collection_fit.vote
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
    writeln!(out)
}

/// Writes the effect of the fit, and the table of all weights with their plateaus.
pub fn write_fit(fitted: &Fitted, out: &mut dyn Write) -> io::Result<()> {
    let width = width(fitted);
    write_figures(fitted, out)?;
    writeln!(
        out,
        "{:width$} {:>8} {:>8} {:>8} {:>9} {:>9}",
        "weight", "before", "fitted", "change", "-25 %", "+25 %"
    )?;
    for weight in &fitted.weights {
        let name = format!("  {}", weight.name);
        let steep = if weight.steepest < MIN_STEEP_CHANGE {
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

/// Writes the changes of a tuning and their significance.
pub fn write_tuning(tuning: &Tuning, out: &mut dyn Write) -> io::Result<()> {
    let fitted = &tuning.fitted;
    let width = width(fitted);
    write_figures(fitted, out)?;
    writeln!(out, "{:width$} {:>8} {:>8} {:>8}", "weight", "before", "fitted", "change")?;
    for weight in fitted.moved() {
        let name = format!("  {}", weight.name);
        let change = weight.after - weight.before;
        writeln!(out, "{name:width$} {:>8.3} {:>8.3} {change:>+8.3}", weight.before, weight.after)?;
    }
    let stay = fitted.weights.len() - fitted.moved().count();
    writeln!(out, "{stay} of {} weights stay as they are\n", fitted.weights.len())?;
    let Some(held_out) = &tuning.held_out else {
        return writeln!(out, "too few queries to hold any out: the gain is unknown");
    };
    writeln!(
        out,
        "held out: {:+.4}; {} better, {} worse, {} equal; p = {:.4} (paired randomisation)",
        positive_zero(held_out.by_query.1 - held_out.by_query.0),
        held_out.wins,
        held_out.losses,
        held_out.ties,
        held_out.p_value
    )?;
    writeln!(out, "{} above chance", if tuning.is_gain() { "a gain" } else { "no gain" })
}

/// Writes the changed weights as a block of a settings file, with their effect as comments.
pub fn write_weights(fitted: &Fitted, out: &mut dyn Write) -> io::Result<()> {
    for collection_fit in &fitted.collections {
        let (before, after, validated) = fitted.figures(collection_fit);
        let validated =
            validated.map_or_else(String::new, |validated| format!(", held out {validated:.4}"));
        // A name with a line break would end the comment.
        let name = collection_fit.name.replace(char::is_control, " ");
        writeln!(out, "# {name}: {} {before:.4}, fitted {after:.4}{validated}", fitted.measure)?;
    }
    writeln!(out, "[ranking.weights]")?;
    for weight in fitted.moved() {
        writeln!(out, "{} = {}", weight.name, positive_zero(weight.after))?;
    }
    Ok(())
}

/// The number, with negative zero as zero.
fn positive_zero(number: f64) -> f64 {
    if number.abs() < 5e-5 { 0.0 } else { number }
}
