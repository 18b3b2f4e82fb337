//! Natural questions over everything a repository contains, judged by documents and by lines.
//!
//! A result *answers* a question if it is a commit or ticket that does, or if its file contains a
//! span that does. By lines, the lines that it shows must meet that span.

mod anchors;
mod figures;
mod report;

use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use self::report::ReportWire;
pub use self::{
    anchors::resolve_anchors,
    figures::{QUESTION_MEASURES, QuestionFigures},
    report::{write_question_json, write_question_report},
};
use crate::{Answer, Collection, Query, Ranked, Run, Target};

/// Number of results that are judged.
const MAX_RANK: usize = 10;

/// A place that answers a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The document, with the lines of the place where it has some.
    pub target: Target,
    /// The text at which the lines start; the lines are unknown until it is resolved.
    pub anchor: Option<Anchor>,
}

/// The start of a span as text, which remains valid when lines above it are added or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// Text that exactly one line of the file contains.
    pub text: String,
    /// Number of lines of the span.
    pub lines: u32,
}

/// One judged question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionRow {
    /// Identifier of the question.
    pub id: String,
    /// Its repository.
    #[serde(rename = "repo")]
    pub repository: String,
    /// Its type: `how`, `where`, …
    #[serde(rename = "type")]
    pub question_type: String,
    /// True if the repository answers it.
    pub is_answerable: bool,
    /// Rank of the first result whose document answers it, from 1.
    pub document_rank: Option<usize>,
    /// Rank of the first result whose shown lines answer it, from 1.
    pub lines_rank: Option<usize>,
    /// True if the answer reports that the repository may not answer it.
    pub reports_absence: bool,
}

/// Judges the first ten results of each question. A question without an answer in the run counts as
/// not found.
pub fn judge_questions(collection: &Collection, run: &Run) -> Vec<QuestionRow> {
    let row = |query: &Query| {
        let answer = run.answer(&query.id);
        let rank = |is_right: &dyn Fn(&Ranked) -> bool| {
            let results = answer.map(|answer| answer.results.as_slice()).unwrap_or_default();
            let mut admitted = results.iter().filter(|ranked| query.admits(ranked)).take(MAX_RANK);
            admitted.position(is_right).map(|position| position + 1)
        };
        QuestionRow {
            id: query.id.clone(),
            repository: query.repository.clone(),
            question_type: query.category.clone(),
            is_answerable: !query.targets.is_empty(),
            document_rank: rank(&|ranked| {
                query.targets.iter().any(|target| target.is_covered_by(ranked))
            }),
            lines_rank: rank(&|ranked| shows_answer(query, ranked)),
            reports_absence: answer.is_some_and(Answer::reports_absence),
        }
    };
    collection.queries.iter().map(row).collect()
}

/// Returns true if a result answers a question with the lines that it shows.
pub(crate) fn shows_answer(query: &Query, ranked: &Ranked) -> bool {
    query.spans.iter().any(|span| is_met(&span.target, ranked))
}

/// Returns true if the lines that a result shows meet a span. Without lines of its own, the whole
/// document is the span. A result that shows no lines of a file counts by the lines of its chunk.
fn is_met(span: &Target, ranked: &Ranked) -> bool {
    let shown = ranked.shown.or_else(|| {
        let start = ranked.start_line?;
        Some((start, ranked.end_line.unwrap_or(start)))
    });
    let has_lines = span.lines.is_none() || shown.is_some();
    let (start_line, end_line) = shown.unzip();
    has_lines && span.is_covered_by(&Ranked { start_line, end_line, ..ranked.clone() })
}

#[cfg(test)]
mod tests;
