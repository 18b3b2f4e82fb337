//! Signals of where a document lies: names of files and folders are the shortest description that
//! their authors gave.

use lore_schema::Field;

use super::Signal;
use crate::rank::{DocumentCandidate, Question};

/// BM25 over the path: the stem twice, folders once.
pub(crate) struct PathEvidence;

impl Signal for PathEvidence {
    fn name(&self) -> &'static str {
        "path"
    }

    fn value(&self, _: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        candidate.field(Field::Path)
    }
}

/// Share of the stem's words that the query holds: `retry.rs` is about retries, while
/// `retry_budget_test_helpers.rs` is about something narrower.
pub(crate) struct StemCoverage;

impl Signal for StemCoverage {
    fn name(&self) -> &'static str {
        "stem-coverage"
    }

    fn value(&self, _: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        candidate.stem_share
    }
}

/// The question is the path of the document, or the end of it.
pub(crate) struct PathQuery;

impl Signal for PathQuery {
    fn name(&self) -> &'static str {
        "path-query"
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        let asked = question.query.text.trim_start_matches("./");
        let is_path = asked.contains(['/', '.'])
            && candidate
                .parts
                .document
                .path
                .strip_suffix(asked)
                .is_some_and(|folder| folder.is_empty() || folder.ends_with('/'));
        f32::from(u8::from(is_path))
    }
}
