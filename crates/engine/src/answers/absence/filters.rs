//! Effect of each filter of a request on its own.

use lore_index::Reader;
use lore_schema::Filter;

use crate::{
    Archived, AttributeFilter, EngineConfig, EngineError, FilterLoss, SearchRequest,
    query::{Condition, Query, prepare},
    search::{parse::ParsedQuery, restrict::Restriction},
    state::snapshot::Snapshot,
};

/// One restriction of a request, on its own.
#[derive(Default)]
struct Single {
    name: &'static str,
    values: Vec<String>,
    filter: Filter,
    condition: Option<Condition>,
}

/// Returns the restrictions of a request, except the choice of sources.
fn singles(parsed: &ParsedQuery, request: &SearchRequest) -> Vec<Single> {
    let Filter {
        parts, paths, excludes, languages, kinds, categories, since, until, dates, ..
    } = &parsed.filter;
    // Default exclusions are not a filter of the request.
    let none = || defaults(&parsed.filter);
    let category_names = categories.iter().map(|category| category.as_str().to_owned()).collect();
    let time = |time: &Option<i64>| time.iter().map(i64::to_string).collect();
    let since_alone = Filter { since: *since, dates: dates.clone(), ..none() };
    let until_alone = Filter { until: *until, dates: dates.clone(), ..none() };
    let of_filter: Vec<(&'static str, Vec<String>, Filter)> = vec![
        (
            "in",
            parts.iter().map(|part| part.source.to_string()).collect(),
            Filter { parts: parts.clone(), ..none() },
        ),
        ("path", paths.clone(), Filter { paths: paths.clone(), ..none() }),
        ("exclude", excludes.clone(), Filter { excludes: excludes.clone(), ..none() }),
        ("lang", languages.clone(), Filter { languages: languages.clone(), ..none() }),
        ("kind", kinds.clone(), Filter { kinds: kinds.clone(), ..none() }),
        ("category", category_names, Filter { categories: categories.clone(), ..none() }),
        ("since", time(since), since_alone),
        ("until", time(until), until_alone),
    ];
    let of_filter = of_filter
        .into_iter()
        .filter(|(_, values, _)| !values.is_empty())
        .map(|(name, values, filter)| Single { name, values, filter, condition: None });
    let of_attributes = request.attributes.conditions().into_iter().map(|(flag, condition)| {
        let name = flag.trim_start_matches('-');
        let values = values_of(&request.attributes, name);
        Single { name, values, filter: none(), condition: Some(condition) }
    });
    let of_query = parsed.plan.condition.clone().map(|condition| Single {
        name: "query",
        values: vec![request.query.clone()],
        filter: none(),
        condition: Some(condition),
    });
    // If a query has only conditions, they are the query, not a restriction of it.
    let of_query = of_query.filter(|_| !parsed.plan.query.words.is_empty());
    of_filter.chain(of_attributes).chain(of_query).collect()
}

/// Returns the default part of a filter: what every search excludes.
fn defaults(filter: &Filter) -> Filter {
    Filter { without: filter.without.clone(), ..Filter::default() }
}

/// Returns the requested values of an attribute.
fn values_of(attributes: &AttributeFilter, name: &str) -> Vec<String> {
    match name {
        "status" => attributes.statuses.clone(),
        "tag" => attributes.tags.clone(),
        "priority" => attributes.priorities.clone(),
        "assignee" => attributes.assignees.clone(),
        "author" => attributes.authors.clone(),
        "field" => {
            attributes.fields.iter().map(|(name, value)| format!("{name}={value}")).collect()
        }
        "archived" => {
            let is_chosen = |choice: &&(&'static str, Archived)| choice.1 == attributes.archived;
            Archived::ALL
                .iter()
                .find(is_chosen)
                .map(|choice| choice.0.to_owned())
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Counts, for each filter of the request, the documents that contain a word of the query and that
/// this filter alone excludes. `others` are the sources that the request excludes.
pub(super) fn losses(
    config: &EngineConfig,
    snapshot: &Snapshot,
    others: &[Box<dyn Reader>],
    parsed: &ParsedQuery,
    request: &SearchRequest,
) -> Result<Vec<FilterLoss>, EngineError> {
    let mut losses = Vec::new();
    let count = |readers: &[&dyn Reader], single: &Single| -> Result<u64, EngineError> {
        let mut total = 0;
        for reader in readers {
            total += matching(config, *reader, &parsed.plan.query, single)?;
        }
        Ok(total)
    };
    if !request.filter.sources.is_empty() && !others.is_empty() {
        let readers: Vec<&dyn Reader> = others.iter().map(AsRef::as_ref).collect();
        let removed = count(&readers, &Single::default())?;
        // A source that was never searched is not among them, so a count of zero means nothing.
        if removed > 0 {
            let values = request.filter.sources.iter().map(ToString::to_string).collect();
            losses.push(FilterLoss { name: "in", values, removed });
        }
    }
    let singles = singles(parsed, request);
    if singles.is_empty() {
        return Ok(losses);
    }
    let readers: Vec<&dyn Reader> =
        snapshot.sources.iter().map(|source| source.reader.as_ref()).collect();
    let everything = Single { filter: defaults(&parsed.filter), ..Single::default() };
    let all = count(&readers, &everything)?;
    for single in singles {
        let removed = all.saturating_sub(count(&readers, &single)?);
        losses.push(FilterLoss { name: single.name, values: single.values, removed });
    }
    Ok(losses)
}

/// Counts the documents of a source that contain a word of the query and meet this restriction; for
/// a query without words, those that meet it.
fn matching(
    config: &EngineConfig,
    reader: &dyn Reader,
    query: &Query,
    single: &Single,
) -> Result<u64, EngineError> {
    let (filter, shape) = (&single.filter, query.shape);
    let restriction = Restriction { config, reader, listed: None, filter, shape };
    let within = restriction.apply(single.condition.as_ref())?;
    if query.words.is_empty() {
        let listing = reader.listing(&single.filter)?;
        return Ok(listing.iter().filter(|listed| within.contains(listed.id)).count() as u64);
    }
    let mut lexical = prepare(query, reader)?.lexical;
    lexical.within = within;
    Ok(reader.lexical(&lexical, &single.filter, 1)?.total)
}
