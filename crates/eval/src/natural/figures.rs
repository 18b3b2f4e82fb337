//! Figures of natural questions.

use schemars::JsonSchema;
use serde::Serialize;

use super::QuestionRow;

/// The measures with a value from 0.0 to 1.0, in the order of the columns.
pub const QUESTION_MEASURES: &[&str] =
    &["D@1", "D@3", "D-MRR", "L@1", "L@3", "L-MRR", "recognised", "not-flagged"];

/// Figures of some questions. Each question counts the same.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionFigures {
    /// Number of questions that the repository answers.
    pub answerable: usize,
    /// Success at 1, success at 3 and mean reciprocal rank of the first right document.
    pub documents: [f64; 3],
    /// The same of the first right lines.
    pub lines: [f64; 3],
    /// Number of questions that the repository does not answer.
    pub unanswerable: usize,
    /// Number of these whose answer reports an absence.
    pub recognised: usize,
    /// Number of answerable questions whose answer reports an absence.
    pub flagged: usize,
}

impl QuestionFigures {
    /// The figures of some rows.
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a QuestionRow>) -> QuestionFigures {
        let (answerable, unanswerable): (Vec<&QuestionRow>, Vec<&QuestionRow>) =
            rows.into_iter().partition(|row| row.is_answerable);
        let absences =
            |rows: &[&QuestionRow]| rows.iter().filter(|row| row.reports_absence).count();
        QuestionFigures {
            answerable: answerable.len(),
            documents: ranking(answerable.iter().map(|row| row.document_rank)),
            lines: ranking(answerable.iter().map(|row| row.lines_rank)),
            unanswerable: unanswerable.len(),
            recognised: absences(&unanswerable),
            flagged: absences(&answerable),
        }
    }

    /// The value of a measure of [`QUESTION_MEASURES`], or `None` if it has another name or no
    /// question counts.
    pub fn value(&self, measure: &str) -> Option<f64> {
        let share = |part: usize, of: usize| (0 < of).then(|| part as f64 / of as f64);
        let ranked = |value: f64| (0 < self.answerable).then_some(value);
        match measure {
            "D@1" => ranked(self.documents[0]),
            "D@3" => ranked(self.documents[1]),
            "D-MRR" => ranked(self.documents[2]),
            "L@1" => ranked(self.lines[0]),
            "L@3" => ranked(self.lines[1]),
            "L-MRR" => ranked(self.lines[2]),
            "recognised" => share(self.recognised, self.unanswerable),
            "not-flagged" => share(self.answerable - self.flagged, self.answerable),
            _ => None,
        }
    }
}

/// Success at 1, success at 3, and the mean reciprocal rank; zeros without ranks.
fn ranking(ranks: impl Iterator<Item = Option<usize>>) -> [f64; 3] {
    let mut sums = [0.0; 3];
    let mut count = 0.0_f64;
    for rank in ranks {
        count += 1.0;
        let Some(rank) = rank else { continue };
        sums[0] += f64::from(u8::from(rank == 1));
        sums[1] += f64::from(u8::from(rank <= 3));
        sums[2] += 1.0 / rank as f64;
    }
    sums.map(|sum| sum / count.max(1.0))
}
