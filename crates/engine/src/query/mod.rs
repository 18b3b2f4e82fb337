//! From typed text to words with all their forms.

mod intent;
mod prepare;
mod words;

pub(crate) use intent::{Intent, intent};
pub(crate) use prepare::{
    PreparedQuery, SELECTION, definition_term, import_term, prepare, reference_term,
};
pub(crate) use words::{Query, Shape, WordForm, parse};
