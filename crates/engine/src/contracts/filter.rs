//! A filter over documents in memory.

use lore_index::PathFilter;
use lore_schema::{Document, Filter};

use crate::{Archived, AttributeFilter, query::facets};

/// What restricts a search, its globs compiled.
pub(crate) struct DocumentFilter<'a> {
    filter: &'a Filter,
    attributes: &'a AttributeFilter,
    paths: PathFilter,
}

impl<'a> DocumentFilter<'a> {
    /// Makes a filter ready.
    pub(crate) fn new(filter: &'a Filter, attributes: &'a AttributeFilter) -> DocumentFilter<'a> {
        let paths = PathFilter::new(&filter.paths, &filter.excludes);
        DocumentFilter { filter, attributes, paths }
    }

    /// Whether it lets a document pass. Sources, languages and categories are not looked at.
    pub(crate) fn admits(&self, document: &Document) -> bool {
        let path = document.path.as_str();
        let Filter { kinds, .. } = self.filter;
        (kinds.is_empty() || kinds.iter().any(|kind| kind == document.kind))
            && self.is_of_its_time(document)
            && self.paths.admits(path)
            && self.says_so(document)
    }

    fn is_of_its_time(&self, document: &Document) -> bool {
        let Filter { since, until, dates, .. } = self.filter;
        if since.is_none() && until.is_none() {
            return true;
        }
        let stated = document.attributes.updated.or(document.attributes.created);
        stated.or_else(|| dates.get(&document.path).copied()).is_some_and(|updated| {
            since.is_none_or(|since| since <= updated) && until.is_none_or(|until| updated < until)
        })
    }

    /// Whether the document says of itself what is demanded.
    fn says_so(&self, document: &Document) -> bool {
        let wanted = self.attributes;
        let own = &document.attributes;
        let extra = |name: &str| {
            let name = facets::canonical(name);
            let values = own.extra.iter().filter(move |(key, _)| facets::canonical(key) == name);
            values.map(|(_, value)| value.as_str()).collect::<Vec<&str>>()
        };
        let archived = || own.extra.iter().any(|(name, _)| name == "archived");
        let one = |value: &'a [String], own: &Option<String>, people| {
            is_one_of(value, own.as_deref().as_slice(), people)
        };
        let tags: Vec<&str> = own.tags.iter().map(String::as_str).collect();
        one(&wanted.statuses, &own.status, false)
            && is_one_of(&wanted.tags, &tags, false)
            && one(&wanted.priorities, &own.priority, false)
            && one(&wanted.assignees, &own.assignee, true)
            && one(&wanted.authors, &own.author, true)
            && wanted.fields.iter().all(|(name, _)| {
                let alternatives: Vec<String> = wanted
                    .fields
                    .iter()
                    .filter(|(other, _)| other == name)
                    .map(|(_, value)| value.clone())
                    .collect();
                is_one_of(&alternatives, &extra(name), false)
            })
            && match wanted.archived {
                Archived::Include => true,
                Archived::Exclude => !archived(),
                Archived::Only => archived(),
            }
    }
}

/// Whether one of the values is wanted, as a whole, by its start before a `*`, or, for people, by
/// some of their names. An empty list wants everything.
fn is_one_of(wanted: &[String], values: &[&str], people: bool) -> bool {
    wanted.is_empty()
        || wanted.iter().any(|wanted| {
            let words = facets::words_of(wanted);
            values.iter().any(|value| match wanted.strip_suffix('*') {
                Some(start) => facets::normal(value).starts_with(&facets::normal(start)),
                None => {
                    facets::normal(value) == facets::normal(wanted) || {
                        let known = facets::words_of(value);
                        people && !words.is_empty() && words.iter().all(|word| known.contains(word))
                    }
                }
            })
        })
}
