//! From typed text to words with all their forms.

mod dates;
mod intent;
pub(crate) mod language;
mod prepare;
mod words;

pub use dates::{Clock, Period};
pub(crate) use intent::{Intent, intent};
pub use language::QueryError;
pub(crate) use prepare::{
    PreparedQuery, SELECTION, definition_term, import_term, prepare, reference_term,
};
pub(crate) use words::{Query, Shape, WordForm, parse};
