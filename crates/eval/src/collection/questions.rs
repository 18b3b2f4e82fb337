//! Natural questions: rows with a `type` and `answers`, which are spans, commits and tickets.

use serde::Deserialize;

use super::Query;
use crate::{Anchor, Span, Target, qrels::COMMIT};

/// The grade of an answer that is sufficient alone; a lower one only helps.
const ANSWERS_ALONE: u8 = 2;

/// The type of questions that the repository does not answer.
const UNANSWERABLE: &str = "none";

/// One answer: a `ticket`, a `commit`, or a `path` with or without lines.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerRow {
    path: Option<String>,
    /// First and last line of the span, 1-based.
    start: Option<u32>,
    end: Option<u32>,
    /// Text of the only line at which the span starts, in place of `start`.
    anchor: Option<String>,
    /// Number of lines from the anchor.
    lines: Option<u32>,
    /// At least ten digits of the hash.
    commit: Option<String>,
    /// The identifier that follows `#` in that of the hit.
    ticket: Option<String>,
    #[serde(default = "answers_alone")]
    grade: u8,
}

fn answers_alone() -> u8 {
    ANSWERS_ALONE
}

/// Completes a query by the labels of a natural question. Its category is the type.
pub(super) fn labelled(
    query: Query,
    question_type: String,
    answers: serde_json::Value,
) -> Result<Query, String> {
    let answers: Vec<AnswerRow> =
        serde_json::from_value(answers).map_err(|error| format!("`answers`: {error}"))?;
    if answers.is_empty() != (question_type == UNANSWERABLE) {
        return Err(format!("a question of the type `{UNANSWERABLE}` has no answers, others have"));
    }
    let is_answerable = !answers.is_empty();
    let spans = answers
        .into_iter()
        .filter(|answer| answer.grade == ANSWERS_ALONE)
        .map(AnswerRow::span)
        .collect::<Result<Vec<Span>, String>>()?;
    if is_answerable && spans.is_empty() {
        return Err(format!("no answer has the grade {ANSWERS_ALONE}"));
    }
    let mut targets: Vec<Target> = Vec::new();
    for span in &spans {
        let document = Target { name: span.target.name.clone(), lines: None };
        if !targets.contains(&document) {
            targets.push(document);
        }
    }
    Ok(Query { category: question_type, targets, spans, is_natural: true, ..query })
}

impl AnswerRow {
    fn span(self) -> Result<Span, String> {
        let named = |name: String| Target { name, lines: None };
        if let Some(ticket) = self.ticket {
            return Ok(Span { target: named(format!("#{ticket}")), anchor: None });
        }
        if let Some(commit) = self.commit {
            return Ok(Span { target: named(format!("{COMMIT}{commit}")), anchor: None });
        }
        let name = self.path.ok_or("an answer needs a `path`, a `commit` or a `ticket`")?;
        let anchor = self.anchor.map(|text| Anchor { text, lines: self.lines.unwrap_or(1) });
        let lines = match (self.start, &anchor) {
            (Some(_), Some(_)) => return Err("an answer has a `start` or an `anchor`".to_owned()),
            (None, _) => None,
            (Some(start), None) => Some((start, self.end.unwrap_or(start))),
        };
        Ok(Span { target: Target { name, lines }, anchor })
    }
}
