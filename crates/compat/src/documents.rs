//! Queries applied to documents in memory, for the rules of systems that use no index.
//!
//! **Invariant:** pure. No I/O, no clock.

mod evaluate;
mod facts;
mod filter;
mod folded;
mod pattern;

use lore_engine::{SearchRequest, documents::fold};

pub(crate) use self::{
    evaluate::{Places, Plan, Term, View, Words},
    facts::{Facts, has_own_date},
    filter::DocumentFilter,
    folded::{Folded, is_word},
    pattern::{Forms, Pattern, PatternMatch},
};

/// The warning for a name before a colon that is no field.
pub(crate) fn unknown_field(name: &str) -> String {
    format!("`{name}:` is no field here: it is searched as text")
}

/// Returns true if the answer to a request depends on the dates of last changes.
pub(crate) fn needs_dates(request: &SearchRequest) -> bool {
    let filter = &request.filter;
    filter.since.is_some() || filter.until.is_some() || names_dates(request)
}

/// The oldest date of a change that must be known exactly; `None` if all dates must.
pub(crate) fn oldest_date(request: &SearchRequest) -> Option<i64> {
    let filter = &request.filter;
    filter.since.into_iter().chain(filter.until).min().filter(|_| !names_dates(request))
}

/// Returns true if the query may contain the field `updated:`.
fn names_dates(request: &SearchRequest) -> bool {
    fold(&request.query).contains("updated:")
}
