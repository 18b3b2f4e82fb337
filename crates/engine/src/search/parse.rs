//! Stage 1 of a query: reads a request into words that rank, conditions and a query vector.
//!
//! Parsing reads the indexes, for the fields and the words that documents contain. It opens no file
//! of the tree, with one exception: conditions on dates read the repository's history, for the
//! files that carry no date themselves.

use std::collections::BTreeMap;

use lore_schema::{Field, Filter, SourceName};

use crate::{
    Correction, Embedding, EngineConfig, EngineError, Expansion, Fusion, Mode, SearchRequest,
    Syntax,
    query::{
        self, Clock, Condition, Plan, Query, expand, expandable, facets,
        language::{self, Dialect, Parsed},
        pasted::{is_operator_meant, is_pasted},
    },
    rank::Balance,
    search::{
        context::SearchContext,
        correct::{correct, replace},
        rewrite::rewrite,
        templates::exclude_templates,
    },
    state::{embedding::QueryVector, snapshot::Snapshot},
};

/// A request, read against the fields and words of a snapshot.
pub(crate) struct ParsedQuery {
    /// The words, and the conditions of the query text alone.
    pub(crate) plan: Plan,
    /// All conditions: those of the query text and of the flags.
    pub(crate) condition: Option<Condition>,
    /// Restrictions by path, kind, date and so on; with the dates of files if a restriction needs them.
    pub(crate) filter: Filter,
    /// The query as a vector.
    pub(crate) vector: QueryVector,
    /// Words added to those of the query, for the receipt.
    pub(crate) expanded: Vec<Expansion>,
    /// Words that were replaced, for the receipt.
    pub(crate) corrected: Vec<Correction>,
    /// Words that no searched document contains and that were not replaced.
    pub(crate) unknown_words: Vec<String>,
    /// Warnings for the user.
    pub(crate) warnings: Vec<String>,
    mode: Mode,
}

/// The property by which the hits of a query are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Date of the last change, latest first: for a query without words.
    LastChange,
    /// Similarity to the query vector alone.
    Similarity,
    /// Weighted sum of all signals.
    Signals,
}

impl ParsedQuery {
    /// The order of the hits.
    pub(crate) fn order(&self) -> Order {
        if self.plan.query.words.is_empty() {
            Order::LastChange
        } else if self.is_semantic_only() {
            Order::Similarity
        } else {
            Order::Signals
        }
    }

    /// Returns whether hits are found and ordered by the query vector alone.
    pub(crate) fn is_semantic_only(&self) -> bool {
        self.mode == Mode::Semantic && self.vector.query.is_some()
    }

    /// The weights of words and of similarity in one source.
    pub(crate) fn balance(&self, fusion: Fusion, source: SourceName) -> Balance {
        if self.mode == Mode::Hybrid && self.vector.query.is_some() {
            Balance::hybrid(fusion, source)
        } else {
            Balance::of_words()
        }
    }
}

/// Maximum number of words of a query that is corrected: a longer text was pasted.
const MAX_CORRECTABLE: usize = 12;

/// Parses a request.
pub(crate) fn parse(context: SearchContext<'_>) -> Result<ParsedQuery, EngineError> {
    parse_beside(context, &|_| Ok(false))
}

/// Parses a request that other trees answer, too. Words that `is_known` returns true for are known
/// there, and not replaced.
pub(crate) fn parse_beside(
    context: SearchContext<'_>,
    is_known: &dyn Fn(&str) -> Result<bool, EngineError>,
) -> Result<ParsedQuery, EngineError> {
    let SearchContext { request, snapshot, config } = context;
    let mut query = parse_without_vector(request, snapshot, config)?;
    reject_empty(&query)?;
    correct_words(&mut query, is_known, context)?;
    query.expanded = add_words(&mut query.plan.query, context)?;
    exclude_templates(&mut query.filter, snapshot);
    let text = query.plan.query.text_to_embed();
    query.vector = QueryVector::of(&text, request.mode, &config.embedding, &snapshot.readers())?;
    warn_of_vector(&query.vector, request, &mut query.warnings);
    Ok(query)
}

/// Replaces the words of a query that no searched document contains by the nearest ones. Only a query
/// of words is corrected: quotation marks and operators say that the words are meant as they are.
fn correct_words(
    query: &mut ParsedQuery,
    is_known: &dyn Fn(&str) -> Result<bool, EngineError>,
    context: SearchContext<'_>,
) -> Result<(), EngineError> {
    let SearchContext { request, snapshot, config } = context;
    let is_off = !request.extras.rewrite || request.mode == Mode::Semantic;
    let words = query.plan.query.required_words().count();
    if is_off || !query.plan.plain || words > MAX_CORRECTABLE {
        return Ok(());
    }
    let (corrected, unknown_words) = correct(&query.plan.query, is_known, context)?;
    if !corrected.is_empty() {
        let text = replace(&request.query, &corrected);
        let request = request.clone().with_query(text);
        query.plan = parse_without_vector(&request, snapshot, config)?.plan;
    }
    (query.corrected, query.unknown_words) = (corrected, unknown_words);
    Ok(())
}

/// Parses a request again, with its quoted phrases read as words. Keeps the vector, the excluded
/// templates and the warnings of `query`, the first parse.
pub(crate) fn parse_without_phrases(
    query: &ParsedQuery,
    context: SearchContext<'_>,
) -> Result<ParsedQuery, EngineError> {
    // Raw, because quoted text may contain operators of the query language that are plain text.
    let mut request = context
        .request
        .clone()
        .with_query(context.request.query.replace('"', " "))
        .with_syntax(Syntax::Raw);
    request.filter.without.clone_from(&query.filter.without);
    let mut fallback = parse_without_vector(&request, context.snapshot, context.config)?;
    reject_empty(&fallback)?;
    fallback.expanded = add_words(&mut fallback.plan.query, context)?;
    fallback.vector = query.vector.clone();
    fallback.warnings.clone_from(&query.warnings);
    let phrases = query.plan.phrases.iter().map(|phrase| format!("\"{phrase}\""));
    fallback.warnings.push(format!(
        "no searched document contains {}; its words are searched instead",
        phrases.collect::<Vec<_>>().join(" and ")
    ));
    Ok(fallback)
}

/// Refuses a query with a syntax error, before any file is read.
pub(crate) fn check(request: &SearchRequest) -> Result<(), EngineError> {
    read_expression(request, &is_built_in_field).map(|_| ())
}

/// Parses a request for an answer that needs no words: unlike [`parse`], accepts an empty query and
/// computes no vector. Moves the warnings to the snapshot.
pub(crate) fn parse_filters(
    request: &SearchRequest,
    snapshot: &mut Snapshot,
    config: &EngineConfig,
) -> Result<ParsedQuery, EngineError> {
    let mut query = parse_without_vector(request, snapshot, config)?;
    snapshot.warnings.append(&mut query.warnings);
    Ok(query)
}

fn reject_empty(query: &ParsedQuery) -> Result<(), EngineError> {
    let is_empty = query.plan.query.words.is_empty()
        && query.condition.is_none()
        && query.filter.is_empty()
        && query.filter.sources.is_empty();
    if is_empty { Err(EngineError::EmptyQuery) } else { Ok(()) }
}

/// Parses the words, the conditions and the filter of a request.
fn parse_without_vector(
    request: &SearchRequest,
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> Result<ParsedQuery, EngineError> {
    let mut plan = plan(request, snapshot)?;
    let mut filter = request.filter.clone();
    let mut conditions: Vec<Condition> = plan.condition.iter().cloned().collect();
    conditions.extend(request.attributes.conditions().into_iter().map(|(_, condition)| condition));
    if filter.kinds.is_empty() {
        filter.kinds.clone_from(&plan.kinds);
    } else if !plan.kinds.is_empty() {
        // The kinds of the filter are alternatives: those of the query text must hold in addition.
        let kinds = plan.kinds.iter().map(|kind| facets::value_term("kind", kind));
        conditions.push(Condition::Facets(kinds.collect()));
    }
    if plan.query.words.is_empty() && !filter.kinds.is_empty() {
        // The kinds of a filter are matched by chunks. A query without words lists documents, so the
        // document itself must match.
        let kinds = filter.kinds.iter().map(|kind| facets::value_term("kind", kind));
        conditions.push(Condition::Facets(kinds.collect()));
    }
    let mut warnings = std::mem::take(&mut plan.warnings);
    if plan.query.dropped > 0 {
        warnings
            .push(format!("the query is long: its last {} words are ignored", plan.query.dropped));
    }
    let condition =
        if conditions.len() > 1 { Some(Condition::All(conditions)) } else { conditions.pop() };
    if filter.since.is_some()
        || filter.until.is_some()
        || condition.as_ref().is_some_and(restricts_dates)
    {
        filter.dates = file_dates(&filter, condition.as_ref(), snapshot, config);
    }
    Ok(ParsedQuery {
        plan,
        condition,
        filter,
        vector: QueryVector::off(),
        expanded: Vec::new(),
        corrected: Vec::new(),
        unknown_words: Vec::new(),
        warnings,
        mode: request.mode,
    })
}

/// Adds words to those of a query: the expansions that the request names, and the rewrites that the
/// indexes suggest.
fn add_words(query: &mut Query, context: SearchContext<'_>) -> Result<Vec<Expansion>, EngineError> {
    let SearchContext { request, snapshot, config } = context;
    let extras = &request.extras;
    let mut added = expand(query, extras.expand, &extras.expansions);
    if extras.rewrite && request.mode != Mode::Semantic {
        let uses_model =
            request.mode != Mode::Lexical && !matches!(config.embedding, Embedding::Off);
        added.extend(rewrite(query, snapshot, uses_model)?);
    }
    Ok(added)
}

/// Warns if the search does not use the configured embedder, or not for all documents.
fn warn_of_vector(vector: &QueryVector, request: &SearchRequest, warnings: &mut Vec<String>) {
    if let Some(reason) = &vector.fallback {
        warnings.push(format!(
            "{reason}; {} instead",
            if vector.query.is_some() {
                "the built-in model is used"
            } else {
                "only words are searched"
            }
        ));
    }
    if let Some(missing) = &vector.missing {
        warnings.push(format!("{missing}: only words find them until the next `lore index`"));
    }
    if vector.query.is_some() || request.query.trim().is_empty() {
        return;
    }
    if request.mode == Mode::Semantic {
        warnings.push("this search uses no embeddings: only words are searched".to_owned());
    }
    if request.min_similarity.is_some() {
        warnings.push(
            "this search uses no embeddings: the minimum similarity has no effect".to_owned(),
        );
    }
}

/// Plans a query without an index: the fields of documents are unknown.
pub(crate) fn plan_without_index(request: &SearchRequest) -> Result<Plan, EngineError> {
    let parsed = match read_expression(request, &is_built_in_field)? {
        Expressed::Query(parsed) => parsed,
        Expressed::Text(warning) => return Ok(plan_text(request, warning)),
    };
    let mut plan = match &parsed.expression {
        Some(expression) if !expression.is_plain() => Plan::new(expression, request.clock),
        _ => Plan::of_words(&request.query),
    };
    for name in &parsed.unknown_fields {
        plan.warnings.push(format!(
            "the field `{name}:` is unknown without an index and is searched as text"
        ));
    }
    Ok(plan)
}

/// The words of a query that can be expanded; none if it has a syntax error.
pub(crate) fn expandable_words(query: &str) -> Vec<String> {
    let request = SearchRequest::new(query);
    let plan = match read_expression(&request, &is_built_in_field) {
        Ok(Expressed::Query(Parsed { expression: Some(expression), .. }))
            if !expression.is_plain() =>
        {
            Plan::new(&expression, Clock::default())
        }
        Ok(_) => Plan::of_words(query),
        Err(_) => return Vec::new(),
    };
    expandable(&plan.query)
}

/// Returns whether a field of the query language exists in every tree. Others, those of front matter,
/// exist only if a document has them.
pub(crate) fn is_built_in_field(name: &str) -> bool {
    facets::FIELDS.contains(&facets::canonical(name).as_str())
}

/// Returns true if the operators of a query may be punctuation of a pasted sentence.
pub(crate) fn is_ambiguous(request: &SearchRequest) -> bool {
    request.query.contains(['"', '(', '+'])
        && matches!(
            read_expression(request, &is_built_in_field),
            Ok(Expressed::Query(Parsed { expression: Some(expression), .. }))
                if query::is_ambiguous(&expression)
        )
}

/// A query text, read as query language or as text.
enum Expressed {
    /// Query language.
    Query(Parsed),
    /// Text, with a warning if operators may have been meant.
    Text(Option<String>),
}

/// Plans a text whose every character is text.
fn plan_text(request: &SearchRequest, warning: Option<String>) -> Plan {
    let mut plan = Plan::of_words(&request.query);
    // Symbols that are not words, such as emoji, are searched as a phrase.
    if request.syntax != Syntax::Raw && plan.query.words.is_empty() && !request.query.is_ascii() {
        plan.condition = Some(Condition::Phrase(request.query.trim().to_owned()));
    }
    plan.warnings.extend(warning);
    plan
}

/// Reads a query text as a tree, or recognises it as text.
fn read_expression(
    request: &SearchRequest,
    is_field: &dyn Fn(&str) -> bool,
) -> Result<Expressed, EngineError> {
    if request.syntax == Syntax::Raw || is_pasted(&request.query, is_field) {
        return Ok(Expressed::Text(None));
    }
    let dialect = Dialect { is_field, has_not: request.syntax == Syntax::Full };
    match language::parse(&request.query, dialect) {
        Ok(parsed) => Ok(Expressed::Query(parsed)),
        Err(error) if is_operator_meant(&request.query) => Err(EngineError::Query(Box::new(error))),
        Err(error) => {
            let warning = format!("{}: the query is searched as text", error.message);
            Ok(Expressed::Text(Some(warning)))
        }
    }
}

/// Plans a query with the fields that the documents of a snapshot have.
fn plan(request: &SearchRequest, snapshot: &Snapshot) -> Result<Plan, EngineError> {
    let mut parsed = match read_expression(request, &is_built_in_field)? {
        Expressed::Query(parsed) => parsed,
        Expressed::Text(warning) => return Ok(plan_text(request, warning)),
    };
    if !parsed.unknown_fields.is_empty() {
        // Fields of front matter exist where a document has them.
        let is_field = |name: &str| {
            is_built_in_field(name)
                || snapshot.sources.iter().any(|source| {
                    let start = format!("{}=", facets::canonical(name));
                    let known = source.reader.terms(Field::Facets, &start, 1);
                    known.is_ok_and(|terms| !terms.is_empty())
                })
        };
        parsed = match read_expression(request, &is_field)? {
            Expressed::Query(parsed) => parsed,
            Expressed::Text(warning) => return Ok(plan_text(request, warning)),
        };
    }
    let mut plan = match &parsed.expression {
        // A plain text is searched as typed, whitespace included.
        Some(expression) if expression.is_plain() => plan_text(request, None),
        Some(expression) => Plan::new(expression, request.clock),
        None => Plan::of_words(""),
    };
    let unknown = parsed.unknown_fields.iter().map(|name| {
        format!("unknown field `{name}:` is searched as text (`lore help syntax` lists the fields)")
    });
    plan.warnings.splice(0..0, unknown);
    Ok(plan)
}

/// Returns whether a condition restricts dates of last changes.
fn restricts_dates(condition: &Condition) -> bool {
    match condition {
        Condition::Updated(_) => true,
        Condition::All(parts) | Condition::Any(parts) => parts.iter().any(restricts_dates),
        Condition::Not(part) => restricts_dates(part),
        _ => false,
    }
}

/// The earliest date, in seconds since 1970, that changes the outcome of a condition; `None` if all
/// dates do.
fn earliest_date(condition: &Condition) -> Option<i64> {
    match condition {
        Condition::Updated(range) => range.dates.and_then(|(from, to)| from.or(to)),
        Condition::All(parts) | Condition::Any(parts) => {
            let with_dates = parts.iter().filter(|part| restricts_dates(part));
            with_dates.map(earliest_date).min().flatten()
        }
        Condition::Not(part) => earliest_date(part),
        _ => None,
    }
}

/// Dates of last changes, by path, of the files that carry none: from the history of the repository.
fn file_dates(
    filter: &Filter,
    condition: Option<&Condition>,
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> BTreeMap<String, i64> {
    let mut paths = Vec::new();
    for source in &snapshot.sources {
        let Ok(listing) = source.reader.listing(&Filter::default()) else { continue };
        let undated =
            listing.iter().filter(|listed| listed.updated.is_none() && !listed.path.is_empty());
        paths.extend(undated.map(|listed| listed.path.to_owned()));
    }
    // The history is read back to the earliest date of the query, because older changes have the same
    // outcome; `None` reads all of it.
    let of_filter = [filter.since, filter.until].into_iter().flatten().min();
    let of_condition = condition.filter(|condition| restricts_dates(condition)).map(earliest_date);
    let oldest = match (of_filter, of_condition) {
        (Some(flag), Some(Some(field))) => Some(flag.min(field)),
        (flag, None) => flag,
        (None, Some(field)) => field,
        (Some(_), Some(None)) => None,
    };
    config.last_changes(paths, oldest)
}
