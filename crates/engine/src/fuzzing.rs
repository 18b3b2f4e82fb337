//! Private parsers of outside bytes, within reach of the fuzz targets: only with the feature
//! `fuzzing`, and no part of the interface.

use crate::{
    Clock, Period,
    query::{self, Phrase, Plan, language},
};

/// The words of a question: term, name as typed, weight.
pub fn parse_query(text: &str) -> Vec<(String, Option<String>, f32)> {
    query::parse(text).words.into_iter().map(|word| (word.term, word.name, word.weight)).collect()
}

/// Reads a text in the query language, plans it and prints it: the printed query, and whether
/// reading it again gives the same tree. `None` for an error, whose place has been checked.
///
/// # Panics
/// When the place of an error does not lie in the text.
pub fn read_query(text: &str) -> Option<(String, bool)> {
    let is_field = |name: &str| matches!(name, "tag" | "created" | "updated" | "path" | "epic");
    let read = |text: &str| {
        language::parse(text, language::Dialect { is_field: &is_field, not: true })
            .map(|parsed| parsed.expression)
    };
    match read(text) {
        Ok(None) => Some((String::new(), true)),
        Ok(Some(expression)) => {
            let plan = Plan::new(&expression, Clock { now: 1_700_000_000, offset: 3_600 });
            for phrase in &plan.phrases {
                // A phrase is in itself, wherever its words have edges.
                let _ = Phrase::new(phrase).is_some_and(|one| one.is_in(text));
            }
            let printed = expression.to_string();
            let same = read(&printed) == Ok(Some(expression));
            Some((printed, same))
        }
        Err(error) => {
            assert!(text.get(error.span.clone()).is_some(), "{error:?}");
            None
        }
    }
}

/// Reads a date as people type it; the stretch that it stands for is not empty.
pub fn read_date(text: &str) -> Option<bool> {
    Period::parse(text, Clock { now: 1_700_000_000, offset: -3_600 }).map(|one| one.start < one.end)
}
