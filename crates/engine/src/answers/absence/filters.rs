//! How much each filter of a request takes away, taken alone.

use lore_index::Reader;
use lore_schema::Filter;

use crate::{
    Archived, AttributeFilter, EngineConfig, EngineError, FilterLoss, SearchRequest,
    query::{Condition, Query, prepare},
    search::{parse::ParsedQuery, restrict::Restriction},
    state::snapshot::Snapshot,
};

/// A part of what restricts a request, alone.
#[derive(Default)]
struct Single {
    name: &'static str,
    values: Vec<String>,
    filter: Filter,
    condition: Option<Condition>,
}

/// The parts that restrict something, apart from the choice of sources.
fn singles(asked: &ParsedQuery, request: &SearchRequest) -> Vec<Single> {
    let Filter {
        parts, paths, excludes, languages, kinds, categories, since, until, dates, ..
    } = &asked.filter;
    // What nobody asked to leave out is no filter.
    let none = || unasked(&asked.filter);
    let category_names = categories.iter().map(|one| one.as_str().to_owned()).collect();
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
    let of_query = asked.plan.condition.clone().map(|condition| Single {
        name: "query",
        values: vec![request.query.clone()],
        filter: none(),
        condition: Some(condition),
    });
    // A query of conditions alone is the question, not a restriction of it.
    let of_query = of_query.filter(|_| !asked.plan.query.words.is_empty());
    of_filter.chain(of_attributes).chain(of_query).collect()
}

/// What of a filter nobody asked for: what is left out of every search.
fn unasked(filter: &Filter) -> Filter {
    Filter { without: filter.without.clone(), ..Filter::default() }
}

/// What was asked of an attribute.
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
            let is_asked = |one: &&(&'static str, Archived)| one.1 == attributes.archived;
            Archived::ALL.iter().find(is_asked).map(|one| one.0.to_owned()).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// For each filter of the request, how many documents hold a word of the query and are left out by
/// it alone. `others` are the last states of the sources that the request leaves out.
pub(super) fn losses(
    config: &EngineConfig,
    snapshot: &Snapshot,
    others: &[Box<dyn Reader>],
    asked: &ParsedQuery,
    request: &SearchRequest,
) -> Result<Vec<FilterLoss>, EngineError> {
    let mut losses = Vec::new();
    let count = |readers: &[&dyn Reader], single: &Single| -> Result<u64, EngineError> {
        let mut total = 0;
        for reader in readers {
            total += matching(config, *reader, &asked.plan.query, single)?;
        }
        Ok(total)
    };
    if !request.filter.sources.is_empty() && !others.is_empty() {
        let readers: Vec<&dyn Reader> = others.iter().map(AsRef::as_ref).collect();
        let removed = count(&readers, &Single::default())?;
        // A source that was never searched has no state, so that nothing of it says nothing.
        if removed > 0 {
            let values = request.filter.sources.iter().map(ToString::to_string).collect();
            losses.push(FilterLoss { name: "in", values, removed });
        }
    }
    let singles = singles(asked, request);
    if singles.is_empty() {
        return Ok(losses);
    }
    let readers: Vec<&dyn Reader> =
        snapshot.sources.iter().map(|source| source.reader.as_ref()).collect();
    let everything = Single { filter: unasked(&asked.filter), ..Single::default() };
    let all = count(&readers, &everything)?;
    for single in singles {
        let removed = all.saturating_sub(count(&readers, &single)?);
        losses.push(FilterLoss { name: single.name, values: single.values, removed });
    }
    Ok(losses)
}

/// Number of documents of a source that hold a word of the query and meet this part; of a query
/// without words, those that meet it.
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
