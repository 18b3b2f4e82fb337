//! Fits an answer into a number of tokens.
//!
//! This module depends neither on results nor on formats. It renders a [`BudgetedOutput`] with a
//! [`Level`] for each result and counts the tokens of the whole text. The plans are a sequence in
//! which each plan shows a little less than the previous one, so that a binary search needs few
//! attempts.

use std::{fmt, io, ops::RangeInclusive};

use crate::tokens::Tokenizer;

/// Maximum number of results shown as a signature, after those shown with a passage.
const MAX_SIGNATURES: usize = 5;

/// Maximum number of results shown as a path, after those shown as a signature.
const MAX_PATHS: usize = 5;

/// Maximum number of attempts to render a text that states its own size.
const MAX_ATTEMPTS: usize = 5;

/// The part of a result that is shown, the fullest level first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The whole text of its span.
    Body,
    /// The best passage.
    Snippet,
    /// Name and declaration.
    Signature,
    /// Path and lines only.
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

/// The size of an answer, which the answer itself states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetReport {
    /// Maximum number of tokens.
    pub tokens: usize,
    /// Number of tokens of the whole text.
    pub used: usize,
    /// The tokenizer that counts them.
    pub tokenizer: Tokenizer,
    /// True if the answer lists the dropped results.
    pub names_dropped: bool,
}

/// An answer that can be rendered with more or less of its results.
pub trait BudgetedOutput {
    /// Number of results, best first.
    fn results(&self) -> usize;

    /// The whole text with these levels; dropped results are the last ones. For the same levels,
    /// texts differ only in the numbers of the report, and a smaller number of tokens there never
    /// makes the text longer.
    fn render(&self, levels: &[Level], budget_report: &BudgetReport) -> io::Result<String>;
}

/// An answer that fits.
#[derive(Debug)]
pub struct Fitted {
    /// The whole text.
    pub text: String,
    /// The level of each result.
    pub levels: Vec<Level>,
    /// The size of the text.
    pub budget_report: BudgetReport,
}

/// The reason why no answer fits.
#[derive(Debug)]
pub enum BudgetError {
    /// The smallest answer has more tokens.
    TooSmall {
        /// Tokens of the smallest answer.
        least: usize,
    },
    /// Rendering failed.
    Unwritten(io::Error),
}

impl From<io::Error> for BudgetError {
    fn from(error: io::Error) -> BudgetError {
        BudgetError::Unwritten(error)
    }
}

/// Returns the fullest answer with at most `tokens` tokens.
pub fn fit(
    output: &dyn BudgetedOutput,
    tokens: usize,
    tokenizer: Tokenizer,
) -> Result<Fitted, BudgetError> {
    let results = output.results();
    let budget_report = BudgetReport { tokens, used: tokens, tokenizer, names_dropped: false };
    // Each plan shows less than the previous one: plans that fit come after those that do not.
    let (mut low, mut high) = (0, last_plan(results));
    while low < high {
        let middle = usize::midpoint(low, high);
        let text = output.render(&plan(middle, results), &budget_report)?;
        if tokenizer.count_within(&text, tokens).is_some() {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    // This plan should fit; the loop is for an output that grows although it shows less.
    for number in low..=last_plan(results) {
        let levels = plan(number, results);
        for names_dropped in [true, false] {
            let budget_report = BudgetReport { names_dropped, ..budget_report };
            if let Some((text, budget_report)) = render_with_size(output, &levels, budget_report)? {
                return Ok(Fitted { text, levels, budget_report });
            }
        }
    }
    Err(BudgetError::TooSmall { least: least(output, budget_report)? })
}

/// Renders a text that states its own number of tokens; `None` if it has too many.
fn render_with_size(
    output: &dyn BudgetedOutput,
    levels: &[Level],
    budget_report: BudgetReport,
) -> io::Result<Option<(String, BudgetReport)>> {
    let mut used = budget_report.used;
    for _ in 0..MAX_ATTEMPTS {
        let stated = BudgetReport { used, ..budget_report };
        let text = output.render(levels, &stated)?;
        match budget_report.tokenizer.count_within(&text, budget_report.tokens) {
            Some(counted) if counted == used => return Ok(Some((text, stated))),
            Some(counted) => used = counted,
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// Tokens of the smallest answer, which states this number as its budget.
fn least(output: &dyn BudgetedOutput, budget_report: BudgetReport) -> io::Result<usize> {
    let levels = plan(last_plan(output.results()), output.results());
    let mut tokens = budget_report.tokens;
    for _ in 0..MAX_ATTEMPTS {
        let stated = BudgetReport { tokens, used: tokens, ..budget_report };
        let counted = budget_report.tokenizer.count(&output.render(&levels, &stated)?);
        if counted <= tokens {
            break;
        }
        tokens = counted;
    }
    Ok(tokens)
}

/// Number of the plan that shows nothing.
fn last_plan(results: usize) -> usize {
    // See `plan`: bodies become snippets, snippets become signatures up to the first result, the
    // other results are dropped, and the first result shrinks.
    let followers = results.saturating_sub(1);
    let shrinking = if results == 0 { 0 } else { 3 };
    results + followers + followers.min(MAX_SIGNATURES + MAX_PATHS) + shrinking
}

/// The level of each result in the plan with this number. With each number, one more step is taken,
/// beginning with the last results:
///
/// 1. Bodies become snippets.
/// 2. Snippets become signatures, down to the second result. [`MAX_SIGNATURES`] signatures follow the
///    snippets, then [`MAX_PATHS`] paths; results after these are dropped.
/// 3. Signatures and paths are dropped.
/// 4. The first result becomes a signature, then a path, and is dropped.
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
    let tail = followers.min(MAX_SIGNATURES + MAX_PATHS);
    let shown = results.min(passages + MAX_SIGNATURES + MAX_PATHS) - step.min(tail);
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
        at if at < passages + MAX_SIGNATURES => Level::Signature,
        _ => Level::Path,
    };
    (0..results).map(level).collect()
}

/// Groups adjacent results with the same level: their positions, from 1, and the level.
pub fn runs(levels: &[Level]) -> Vec<(RangeInclusive<usize>, Level)> {
    let mut runs = Vec::new();
    let mut first = 1;
    for run in levels.chunk_by(|left, right| left == right) {
        runs.push((first..=first + run.len() - 1, run[0]));
        first += run.len();
    }
    runs
}

/// A summary in words: `1-3 in full, 4 as a snippet, 5-9 dropped`.
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
