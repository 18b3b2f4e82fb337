//! Private parsers of untrusted input, exposed to the fuzz targets with the feature `fuzzing`. Not part of
//! the public interface.

use crate::{
    Clock, Period,
    query::{self, Phrase, Plan, language},
};

/// Returns the words of a query: term, name as typed, weight.
pub fn parse_query(text: &str) -> Vec<(String, Option<String>, f32)> {
    query::parse(text).words.into_iter().map(|word| (word.term, word.name, word.weight)).collect()
}

/// Parses a query, plans it and prints it. Returns the printed query, and true if parsing that gives the
/// same tree; `None` for an error, whose span is checked.
///
/// # Panics
/// When the span of an error is outside the text.
pub fn read_query(text: &str) -> Option<(String, bool)> {
    let is_field = |name: &str| matches!(name, "tag" | "created" | "updated" | "path" | "epic");
    let read = |text: &str| {
        language::parse(text, language::Dialect { is_field: &is_field, has_not: true })
            .map(|parsed| parsed.expression)
    };
    match read(text) {
        Ok(None) => Some((String::new(), true)),
        Ok(Some(expression)) => {
            let plan = Plan::new(&expression, Clock { now: 1_700_000_000, offset: 3_600 });
            for phrase in &plan.phrases {
                let _ = Phrase::new(phrase).is_some_and(|phrase| phrase.is_in(text));
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

/// Parses a date as users type it. Returns true if its period is not empty.
pub fn read_date(text: &str) -> Option<bool> {
    Period::parse(text, Clock { now: 1_700_000_000, offset: -3_600 })
        .map(|period| period.start < period.end)
}
