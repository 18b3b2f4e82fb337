//! From typed text to words with all their forms.

mod attributes;
mod dates;
pub(crate) mod facets;
mod intent;
pub(crate) mod language;
mod phrase;
mod plan;
mod prepare;
mod words;

pub use dates::{Clock, Period};
pub(crate) use intent::{Intent, intent};
pub use language::QueryError;
pub(crate) use phrase::{Phrase, PhraseTerm};
pub(crate) use plan::{Condition, Plan, Range};
pub(crate) use prepare::{
    PreparedQuery, SELECTION, definition_term, import_term, prepare, reference_term,
};
pub(crate) use words::{Query, Shape, Word, WordForm, parse};
