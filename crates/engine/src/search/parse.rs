//! From a request to what is asked of each source: the query is read with the fields that the
//! documents know.

use lore_schema::{Field, Filter};

use crate::{
    EngineConfig, EngineError, SearchRequest, Syntax,
    query::{
        Clock, Condition, Plan, expandable, facets,
        language::{self, Dialect, Parsed},
    },
    state::snapshot::Snapshot,
};

/// What a request asks of each source.
pub(crate) struct ParsedQuery {
    /// The words, and what the query says must hold.
    pub(crate) plan: Plan,
    /// What must hold: of the query and of the flags.
    pub(crate) condition: Option<Condition>,
    /// What else restricts the search, with the dates of files where they are needed.
    pub(crate) filter: Filter,
}

/// Refuses a query that cannot be understood, before anything is read.
pub(crate) fn check(request: &SearchRequest) -> Result<(), EngineError> {
    parse(request, &is_built_in).map(|_| ())
}

/// Reads a request against the fields of a snapshot.
pub(crate) fn read(
    request: &SearchRequest,
    snapshot: &mut Snapshot,
    config: &EngineConfig,
) -> Result<ParsedQuery, EngineError> {
    let asked = read_filters(request, snapshot, config)?;
    let nothing = asked.plan.query.words.is_empty() && asked.condition.is_none();
    if nothing && asked.filter.is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    Ok(asked)
}

/// The same, with phrases read as words. Warns of nothing, as it was read before.
pub(crate) fn without_phrases(
    request: &SearchRequest,
    snapshot: &mut Snapshot,
    config: &EngineConfig,
) -> Result<ParsedQuery, EngineError> {
    let known = snapshot.warnings.len();
    // What was quoted may hold signs of the query language, which it did not speak.
    let query = request.query.replace('"', " ");
    let request = SearchRequest { query, syntax: Syntax::Raw, ..request.clone() };
    let asked = read(&request, snapshot, config);
    snapshot.warnings.truncate(known);
    asked
}

/// The same, for requests that may ask for nothing.
pub(crate) fn read_filters(
    request: &SearchRequest,
    snapshot: &mut Snapshot,
    config: &EngineConfig,
) -> Result<ParsedQuery, EngineError> {
    let mut plan = plan(request, snapshot)?;
    let mut filter = request.filter.clone();
    let mut conditions: Vec<Condition> = plan.condition.iter().cloned().collect();
    conditions.extend(request.attributes.conditions().into_iter().map(|(_, condition)| condition));
    if filter.kinds.is_empty() {
        filter.kinds.clone_from(&plan.kinds);
    } else if !plan.kinds.is_empty() {
        let kinds = plan.kinds.iter().map(|kind| facets::value_term("kind", kind));
        conditions.push(Condition::Facets(kinds.collect()));
    }
    if plan.query.words.is_empty() && !filter.kinds.is_empty() {
        // Without words nothing tells the definitions of a file apart.
        let kinds = filter.kinds.iter().map(|kind| facets::value_term("kind", kind));
        conditions.push(Condition::Facets(kinds.collect()));
    }
    snapshot.warnings.append(&mut plan.warnings);
    if plan.query.dropped > 0 {
        snapshot.warnings.push(format!(
            "the query is long: only its beginning is searched, its last {} words are left out",
            plan.query.dropped
        ));
    }
    let condition =
        if conditions.len() > 1 { Some(Condition::All(conditions)) } else { conditions.pop() };
    if filter.since.is_some() || filter.until.is_some() || condition.as_ref().is_some_and(dates) {
        filter.dates = file_dates(&filter, condition.as_ref(), snapshot, config);
    }
    Ok(ParsedQuery { plan, condition, filter })
}

/// Reads a query without knowing the fields of any document.
pub(crate) fn plan_without_index(request: &SearchRequest) -> Result<Plan, EngineError> {
    if request.syntax == Syntax::Raw {
        return Ok(Plan::of_words(&request.query));
    }
    let parsed = parse(request, &is_built_in)?;
    let mut plan = match &parsed.expression {
        Some(expression) if !expression.is_plain() => Plan::new(expression, request.clock),
        _ => Plan::of_words(&request.query),
    };
    for name in &parsed.unknown_fields {
        plan.warnings.push(format!(
            "without an index, the field `{name}:` is not known; it is searched for as text"
        ));
    }
    Ok(plan)
}

/// The words of a query that others may be added to; none of one that cannot be understood.
pub(crate) fn expandable_words(query: &str) -> Vec<String> {
    let Ok(parsed) = parse(&SearchRequest::new(query), &is_built_in) else { return Vec::new() };
    let plan = match &parsed.expression {
        Some(expression) if !expression.is_plain() => Plan::new(expression, Clock::default()),
        _ => Plan::of_words(query),
    };
    expandable(&plan.query)
}

/// Whether every corpus has a field of this name.
pub(crate) fn is_built_in(name: &str) -> bool {
    facets::FIELDS.contains(&facets::canonical(name).as_str())
}

fn parse(request: &SearchRequest, is_field: &dyn Fn(&str) -> bool) -> Result<Parsed, EngineError> {
    let not = request.syntax == Syntax::Full;
    if request.syntax == Syntax::Raw {
        return Ok(Parsed { expression: None, unknown_fields: Vec::new() });
    }
    language::parse(&request.query, Dialect { is_field, not })
        .map_err(|error| EngineError::Query(Box::new(error)))
}

fn plan(request: &SearchRequest, snapshot: &mut Snapshot) -> Result<Plan, EngineError> {
    if request.syntax == Syntax::Raw {
        return Ok(Plan::of_words(&request.query));
    }
    let mut parsed = parse(request, &is_built_in)?;
    if !parsed.unknown_fields.is_empty() {
        // Fields of front matter are those of the documents that are there.
        let is_field = |name: &str| {
            is_built_in(name)
                || snapshot.sources.iter().any(|source| {
                    let start = format!("{}=", facets::canonical(name));
                    let known = source.reader.terms(Field::Facets, &start, 1);
                    known.is_ok_and(|terms| !terms.is_empty())
                })
        };
        parsed = parse(request, &is_field)?;
    }
    for name in &parsed.unknown_fields {
        snapshot.warnings.push(format!(
            "there is no field `{name}:`; it is searched for as text (`lore help syntax` lists the \
             fields)"
        ));
    }
    Ok(match &parsed.expression {
        // A plain text is read as it is typed, blanks and all.
        Some(expression) if expression.is_plain() => {
            let mut plan = Plan::of_words(&request.query);
            // Signs that are no words, such as emoji, are looked for as they stand.
            if plan.query.words.is_empty() && !request.query.is_ascii() {
                plan.condition = Some(Condition::Phrase(request.query.trim().to_owned()));
            }
            plan
        }
        Some(expression) => Plan::new(expression, request.clock),
        None => Plan::of_words(""),
    })
}

/// Whether a condition asks for dates of last changes.
fn dates(condition: &Condition) -> bool {
    match condition {
        Condition::Updated(_) => true,
        Condition::All(parts) | Condition::Any(parts) => parts.iter().any(dates),
        Condition::Not(part) => dates(part),
        _ => false,
    }
}

/// The earliest date that matters to a condition; `None` if all of them may.
fn earliest(condition: &Condition) -> Option<i64> {
    match condition {
        Condition::Updated(range) => range.dates.and_then(|(from, to)| from.or(to)),
        Condition::All(parts) | Condition::Any(parts) => {
            let with_dates = parts.iter().filter(|part| dates(part));
            with_dates.map(earliest).min().flatten()
        }
        Condition::Not(part) => earliest(part),
        _ => None,
    }
}

/// When the files that carry no date were last changed.
fn file_dates(
    filter: &Filter,
    condition: Option<&Condition>,
    snapshot: &mut Snapshot,
    config: &EngineConfig,
) -> std::collections::BTreeMap<String, i64> {
    let mut paths = Vec::new();
    for source in &snapshot.sources {
        let Ok(listing) = source.reader.listing(&Filter::default()) else { continue };
        let undated = listing.iter().filter(|one| one.updated.is_none() && !one.path.is_empty());
        paths.extend(undated.map(|one| one.path.to_owned()));
    }
    let of_condition = condition.filter(|one| dates(one)).map(earliest);
    let of_filter = [filter.since, filter.until].into_iter().flatten().min();
    // What is older than every date that is asked about need not be told apart.
    let oldest = match (of_filter, of_condition) {
        (Some(flag), Some(Some(field))) => Some(flag.min(field)),
        (flag, None) => flag,
        (None, Some(field)) => field,
        (Some(_), Some(None)) => None,
    };
    config.last_changes(paths, oldest)
}
