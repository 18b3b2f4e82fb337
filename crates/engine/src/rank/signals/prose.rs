//! Signals of documents, specs and tickets: what their authors put above and beside a text.

use super::{Side, Signal};
use crate::rank::{DocumentCandidate, Question};

/// The heading of one passage, as far as it holds the question: a section that is about it. Only in
/// prose, where headings are written for readers who look for something.
pub(crate) struct Heading;

impl Signal for Heading {
    fn name(&self) -> &'static str {
        "heading"
    }

    fn value(&self, _: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        candidate.heading_share
    }
}

/// A document beside the one that says what their folder is about: the plan, the tasks and the notes
/// beside a spec, the chapters beside a README. They hold the same words, and are read after it.
pub(crate) struct Detail;

impl Signal for Detail {
    fn name(&self) -> &'static str {
        "detail"
    }

    fn value(&self, _: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        f32::from(u8::from(candidate.is_detail))
    }

    fn side(&self) -> Side {
        Side::Document
    }
}
