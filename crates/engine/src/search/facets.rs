//! Counts of the attributes of candidates, for people who narrow an answer step by step.

use std::collections::{BTreeMap, BTreeSet};

use super::score::ScoredDocument;
use crate::{FacetValue, Facets, rank::Ranked};

/// Days back of the periods that are counted.
const PERIODS: &[i64] = &[7, 30, 365];

/// Maximum number of values of each attribute.
const MAX_VALUES: usize = 12;

const SECONDS_PER_DAY: i64 = 86_400;

/// Counts the attributes of ranked documents. `now` is in seconds since the epoch.
pub(crate) fn facets(scored: &[Ranked<ScoredDocument>], now: i64) -> Facets {
    let mut counts: [BTreeMap<String, u64>; 5] = Default::default();
    let mut periods = vec![0; PERIODS.len()];
    let mut dated = BTreeSet::new();
    for ranked in scored {
        let parts = &ranked.payload.candidate.parts;
        let (document, attributes) = (&parts.document, &parts.document.attributes);
        let source = document.key.source;
        // A document of code has its own kind, and those of the definitions in its passages.
        let mut kinds = BTreeSet::from([document.kind.as_str()]);
        let symbols = parts.chunks.iter().flat_map(|chunk| &chunk.symbols);
        kinds.extend(symbols.map(|symbol| symbol.kind.as_str()));
        let [sources, languages, of_kinds, statuses, authors] = &mut counts;
        add(sources, Some(source.as_str()));
        add(languages, document.language.as_deref());
        for kind in kinds {
            add(of_kinds, Some(kind));
        }
        add(statuses, attributes.status.as_deref());
        add(authors, attributes.author.as_deref());
        if let Some(updated) = attributes.updated {
            dated.insert(source);
            for (count, days) in periods.iter_mut().zip(PERIODS) {
                *count += u64::from(now - days * SECONDS_PER_DAY <= updated);
            }
        }
    }
    let dates = PERIODS.iter().zip(periods).filter(|(_, count)| 0 < *count);
    let dates = dates.map(|(days, count)| FacetValue { value: format!("{days}d"), count });
    let [sources, languages, kinds, statuses, authors] = counts.map(largest);
    Facets {
        counted: scored.len() as u64,
        sources,
        languages,
        kinds,
        statuses,
        authors,
        dates: dates.collect(),
        dated: dated.into_iter().collect(),
    }
}

fn add(counts: &mut BTreeMap<String, u64>, value: Option<&str>) {
    let Some(value) = value.filter(|value| !value.is_empty()) else { return };
    match counts.get_mut(value) {
        Some(count) => *count += 1,
        None => {
            counts.insert(value.to_owned(), 1);
        }
    }
}

/// The most frequent values.
fn largest(counts: BTreeMap<String, u64>) -> Vec<FacetValue> {
    let mut values: Vec<FacetValue> =
        counts.into_iter().map(|(value, count)| FacetValue { value, count }).collect();
    // The sort is stable: equal counts are in the order of their names.
    values.sort_by_key(|value| std::cmp::Reverse(value.count));
    values.truncate(MAX_VALUES);
    values
}
