//! Reads the query of a request against the fields of documents in memory.

use lore_schema::Document;

use crate::{
    EngineError, SearchRequest, Syntax,
    query::{
        facets,
        language::{Dialect, Expression, Parsed, parse},
    },
    search::parse::is_built_in,
};

/// Parses the query. Any key that a document has is a field; of a raw query every word is a word.
///
/// # Errors
/// When the query is blank or is none of the query language.
pub(super) fn read(documents: &[Document], request: &SearchRequest) -> Result<Parsed, EngineError> {
    if request.query.trim().is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    if request.syntax == Syntax::Raw {
        let words = request.query.split_whitespace().map(|word| Expression::Word(word.to_owned()));
        let expression = Some(Expression::Sequence(words.collect()));
        return Ok(Parsed { expression, unknown_fields: Vec::new() });
    }
    let is_field = |name: &str| {
        let name = facets::canonical(name);
        let mut keys = documents.iter().flat_map(|document| &document.attributes.extra);
        is_built_in(&name) || keys.any(|(key, _)| facets::canonical(key) == name)
    };
    let dialect = Dialect { is_field: &is_field, not: request.syntax == Syntax::Full };
    parse(&request.query, dialect).map_err(|error| EngineError::Query(Box::new(error)))
}

/// What to say of a name before a colon that names nothing.
pub(super) fn unknown_field(name: &str) -> String {
    format!("`{name}:` is no field here: it is searched as text")
}

/// Whether dates of last changes matter to a request.
pub(crate) fn asks_for_dates(request: &SearchRequest) -> bool {
    let filter = &request.filter;
    filter.since.is_some() || filter.until.is_some() || names_dates(request)
}

/// The oldest date of a change that has to be told apart; `None` if all of them have.
pub(crate) fn oldest_date(request: &SearchRequest) -> Option<i64> {
    let filter = &request.filter;
    filter.since.into_iter().chain(filter.until).min().filter(|_| !names_dates(request))
}

/// Whether the query may hold the field `updated:`.
fn names_dates(request: &SearchRequest) -> bool {
    lore_text::fold(&request.query).contains("updated:")
}
