//! Measures and their least values, as they are typed.

use lore_console::report::UsageError;

use crate::measures::{self, Measure};

/// The measures that were typed, or the default ones.
pub(super) fn measures_of(typed: &[String], default: &[&str]) -> Result<Vec<Measure>, UsageError> {
    if typed.is_empty() {
        return default.iter().map(|name| measure(name)).collect();
    }
    typed.iter().map(|name| measure(name)).collect()
}

/// The measure of a name.
pub(super) fn measure(name: &str) -> Result<Measure, UsageError> {
    Measure::from_name(name.trim()).map_err(|error| {
        UsageError::new(error.to_string())
            .hint(format!("the measures are {}", measures::DEFAULT.join(", ")))
    })
}

/// The least values that were typed, each with its measure.
pub(super) fn minimums(typed: &[String]) -> Result<Vec<(Measure, f64)>, UsageError> {
    typed
        .iter()
        .map(|minimum| {
            let (name, value) = written_minimum(minimum, "nDCG@10=0.85")?;
            Ok((measure(name)?, value))
        })
        .collect()
}

/// The name and the value of a minimum.
pub(super) fn written_minimum<'a>(
    minimum: &'a str,
    example: &str,
) -> Result<(&'a str, f64), UsageError> {
    minimum
        .split_once('=')
        .and_then(|(name, value)| Some((name.trim(), value.trim().parse().ok()?)))
        .ok_or_else(|| {
            UsageError::new(format!("could not understand `--min {minimum}`"))
                .hint(format!("write a measure and a number, such as `--min {example}`"))
        })
}
