//! Signals of documents, specs and tickets: headings and neighbouring texts.

use super::{Side, Signal};
use crate::rank::{DocumentCandidate, Question};

/// Share of the query in the heading of one chunk: the section is about the query. Only in prose,
/// where headings are written to be found.
pub(crate) struct Heading;

impl Signal for Heading {
    fn name(&self) -> &'static str {
        "heading"
    }

    fn value(&self, _: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        candidate.heading_share
    }
}

/// The query names this record by its number: `RFC 42`, `#734`.
pub(crate) struct Record;

impl Signal for Record {
    fn name(&self) -> &'static str {
        "record"
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        f32::from(u8::from(question.query.names_record(&candidate.parts.document)))
    }

    fn side(&self) -> Side {
        Side::Document
    }
}

/// A document beside the one that describes their folder: the plan, the tasks and the notes beside
/// a spec, the chapters beside a README. They contain the same words, and are read after it.
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
