//! Fits an answer into a number of tokens: what is shown of each result, and how much that costs.
//!
//! Knows neither results nor formats: it asks a [`BudgetedOutput`] to write itself with so much of each
//! result, counts the tokens of all that was written, and takes away until it fits. The plans form
//! one row in which each shows a little less than the one before, so that a few attempts are enough.

use std::{fmt, io, ops::RangeInclusive};

use crate::tokens::Tokenizer;

/// Results after the last one with a passage that are shown by their signature.
const SIGNATURES: usize = 5;

/// Results after those that are shown by their place alone.
const PATHS: usize = 5;

/// Attempts to write a text that says its own size.
const SETTLING: usize = 5;

/// How much of a result is shown, most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The whole text of its span.
    Body,
    /// The passage that answers best.
    Snippet,
    /// Its name and declaration.
    Signature,
    /// Its place alone.
    Path,
    /// Nothing.
    Dropped,
}

impl Level {
    /// The name in the output.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Body => "body",
            Level::Snippet => "snippet",
            Level::Signature => "signature",
            Level::Path => "path",
            Level::Dropped => "dropped",
        }
    }
}

/// What an answer says about its own size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetReport {
    /// Tokens that it may have.
    pub tokens: usize,
    /// Tokens that it has, all of it.
    pub used: usize,
    /// How they are counted.
    pub tokenizer: Tokenizer,
    /// Whether there is room to name what was dropped.
    pub names_dropped: bool,
}

/// An answer that can be written with more and with less of its results.
pub trait BudgetedOutput {
    /// Number of results, best first.
    fn results(&self) -> usize;

    /// The whole text with so much of each result; dropped ones are the last. What is written for
    /// the same levels differs only by what it says about the budget_report, and a smaller number of
    /// tokens there never takes more of them.
    fn render(&self, levels: &[Level], budget_report: &BudgetReport) -> io::Result<String>;
}

/// An answer that fits.
#[derive(Debug)]
pub struct Fitted {
    /// What is printed.
    pub text: String,
    /// How much is shown of each result.
    pub levels: Vec<Level>,
    /// What it takes.
    pub budget_report: BudgetReport,
}

/// Why there is no answer that fits.
#[derive(Debug)]
pub enum BudgetError {
    /// The smallest answer has more tokens.
    TooSmall {
        /// Tokens of the smallest answer.
        least: usize,
    },
    /// It could not be written.
    Unwritten(io::Error),
}

impl From<io::Error> for BudgetError {
    fn from(error: io::Error) -> BudgetError {
        BudgetError::Unwritten(error)
    }
}

/// The answer that shows most and has at most so many tokens.
pub fn fit(
    sheet: &dyn BudgetedOutput,
    tokens: usize,
    tokenizer: Tokenizer,
) -> Result<Fitted, BudgetError> {
    let results = sheet.results();
    let budget_report = BudgetReport { tokens, used: tokens, tokenizer, names_dropped: false };
    // Each plan shows less than the one before: those that fit come after those that do not.
    let (mut low, mut high) = (0, last_plan(results));
    while low < high {
        let middle = usize::midpoint(low, high);
        let text = sheet.render(&plan(middle, results), &budget_report)?;
        if tokenizer.count_within(&text, tokens).is_some() {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    // The plan is the right one; the loop is there for a sheet that grows while it shows less.
    for number in low..=last_plan(results) {
        let levels = plan(number, results);
        for names_dropped in [true, false] {
            let budget_report = BudgetReport { names_dropped, ..budget_report };
            if let Some((text, budget_report)) = settle(sheet, &levels, budget_report)? {
                return Ok(Fitted { text, levels, budget_report });
            }
        }
    }
    Err(BudgetError::TooSmall { least: least(sheet, budget_report)? })
}

/// The text that says how many tokens it has; `None` if there are too many.
fn settle(
    sheet: &dyn BudgetedOutput,
    levels: &[Level],
    budget_report: BudgetReport,
) -> io::Result<Option<(String, BudgetReport)>> {
    let mut used = budget_report.used;
    for _ in 0..SETTLING {
        let stated = BudgetReport { used, ..budget_report };
        let text = sheet.render(levels, &stated)?;
        match budget_report.tokenizer.count_within(&text, budget_report.tokens) {
            Some(counted) if counted == used => return Ok(Some((text, stated))),
            Some(counted) => used = counted,
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// Tokens of the smallest answer, which is to say itself for how many it was asked.
fn least(sheet: &dyn BudgetedOutput, budget_report: BudgetReport) -> io::Result<usize> {
    let levels = plan(last_plan(sheet.results()), sheet.results());
    let mut tokens = budget_report.tokens;
    for _ in 0..SETTLING {
        let stated = BudgetReport { tokens, used: tokens, ..budget_report };
        let counted = budget_report.tokenizer.count(&sheet.render(&levels, &stated)?);
        if counted <= tokens {
            break;
        }
        tokens = counted;
    }
    Ok(tokens)
}

/// Number of the plan that shows nothing.
fn last_plan(results: usize) -> usize {
    // Whole texts become passages, passages vanish up to the first, its followers vanish, and it
    // shrinks itself.
    let followers = results.saturating_sub(1);
    let shrinking = if results == 0 { 0 } else { 3 };
    results + followers + followers.min(SIGNATURES + PATHS) + shrinking
}

/// How much is shown of each result by the plan of this number. Each step takes from the last
/// results first:
///
/// 1. One whole text after the other becomes a passage.
/// 2. One passage after the other becomes a signature, up to that of the second result. Behind the
///    passages stand a few signatures, then a few places alone; what is further behind is dropped.
/// 3. These are dropped, too, one by one.
/// 4. The first result becomes a signature and a place, and is dropped.
fn plan(number: usize, results: usize) -> Vec<Level> {
    let followers = results.saturating_sub(1);
    if number <= results {
        let whole = results - number;
        return (0..results)
            .map(|at| if at < whole { Level::Body } else { Level::Snippet })
            .collect();
    }
    let step = number - results;
    let passages = results.saturating_sub(step).max(1);
    let step = step.saturating_sub(followers);
    let tail = followers.min(SIGNATURES + PATHS);
    let shown = results.min(passages + SIGNATURES + PATHS) - step.min(tail);
    let first = match step.saturating_sub(tail) {
        0 => Level::Snippet,
        1 => Level::Signature,
        2 => Level::Path,
        _ => Level::Dropped,
    };
    let level = |at: usize| match at {
        0 => first,
        at if at >= shown => Level::Dropped,
        at if at < passages => Level::Snippet,
        at if at < passages + SIGNATURES => Level::Signature,
        _ => Level::Path,
    };
    (0..results).map(level).collect()
}

/// Runs of results with the same level: their positions, from 1, and the level.
pub fn runs(levels: &[Level]) -> Vec<(RangeInclusive<usize>, Level)> {
    let mut runs = Vec::new();
    let mut first = 1;
    for run in levels.chunk_by(|left, right| left == right) {
        runs.push((first..=first + run.len() - 1, run[0]));
        first += run.len();
    }
    runs
}

/// In words: `1-3 in full, 4 as a snippet, 5-9 dropped`.
pub struct LevelSummary<'a>(pub &'a [Level]);

impl fmt::Display for LevelSummary<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (places, level)) in runs(self.0).into_iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(formatter, "{comma}{}", places.start())?;
            let several = places.end() > places.start();
            if several {
                write!(formatter, "-{}", places.end())?;
            }
            formatter.write_str(match level {
                Level::Body => " in full",
                Level::Snippet if several => " as snippets",
                Level::Snippet => " as a snippet",
                Level::Signature if several => " as signatures",
                Level::Signature => " as a signature",
                Level::Path if several => " as paths",
                Level::Path => " as a path",
                Level::Dropped => " dropped",
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
