//! From typed text to words with all their forms.

mod prepare;
mod words;

pub(crate) use prepare::{PreparedQuery, SELECTION, definition_term, prepare};
pub(crate) use words::{Query, Shape, WordForm, parse};
