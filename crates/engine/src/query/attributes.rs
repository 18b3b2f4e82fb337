//! Converts flags about attributes of documents to conditions.

use super::{Condition, facets};
use crate::{Archived, AttributeFilter};

impl AttributeFilter {
    /// The conditions, each with the flag that it comes from.
    pub(crate) fn conditions(&self) -> Vec<(&'static str, Condition)> {
        let lists = [
            ("--status", "status", &self.statuses),
            ("--tag", "tag", &self.tags),
            ("--priority", "priority", &self.priorities),
            ("--assignee", "assignee", &self.assignees),
            ("--author", "author", &self.authors),
        ];
        let mut conditions: Vec<(&'static str, Condition)> = lists
            .into_iter()
            .filter(|(_, _, values)| !values.is_empty())
            .map(|(flag, name, values)| {
                (flag, Condition::Any(values.iter().map(|value| is(name, value)).collect()))
            })
            .collect();
        let mut names: Vec<&String> = self.fields.iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let values = self.fields.iter().filter(|(field, _)| field == name);
            let any = values.map(|(_, value)| is(&facets::canonical(name), value)).collect();
            conditions.push(("--field", Condition::Any(any)));
        }
        let archived = Condition::Facets(vec![facets::value_term("archived", "true")]);
        match self.archived {
            Archived::Include => {}
            Archived::Exclude => {
                conditions.push(("--archived", Condition::Not(Box::new(archived))));
            }
            Archived::Only => conditions.push(("--archived", archived)),
        }
        conditions
    }
}

/// A whole value, a prefix before a `*`, or, for people, some of their names.
fn is(name: &str, value: &str) -> Condition {
    if let Some(start) = value.strip_suffix('*') {
        return Condition::FacetPrefix(facets::value_term(name, start));
    }
    let whole = Condition::Facets(vec![facets::value_term(name, value)]);
    let words = facets::words_of(value);
    if !matches!(name, "assignee" | "author") || words.is_empty() {
        return whole;
    }
    let words = words.iter().map(|word| Condition::Facets(vec![facets::word_term(name, word)]));
    Condition::Any(vec![whole, Condition::All(words.collect())])
}
