//! Metadata of a document in memory, and the evaluation of conditions on it. Uses the same terms as
//! the engine does with an index.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
};

use lore_engine::documents::{Condition, PathFilter, facet_terms, fold, is_archived};
use lore_schema::{Document, SourceName};

use super::{
    folded::{Folded, is_whole_word},
    pattern::{Forms, Pattern},
};

/// One document with its metadata.
#[derive(Debug)]
pub(crate) struct Facts<'a> {
    /// The document.
    pub(crate) document: &'a Document,
    /// Paths of other pages that belong to it; they count as its own paths.
    pages: Vec<&'a str>,
    /// Creation time, if it differs from the one in the attributes.
    created: Option<i64>,
    /// Time of the last change of its file.
    changed: Option<i64>,
    /// The terms of [`facet_terms`], computed on first use.
    terms: OnceCell<BTreeSet<String>>,
}

/// Returns true if the date of a document does not depend on that of its file.
pub(crate) fn has_own_date(document: &Document) -> bool {
    let attributes = &document.attributes;
    let is_ticket = document.key.source == SourceName::Tickets;
    attributes.updated.is_some() || (is_ticket && attributes.created.is_some())
}

impl<'a> Facts<'a> {
    /// The metadata of a document; `dates` contains the times of the last changes of files.
    pub(crate) fn of(document: &'a Document, dates: &BTreeMap<String, i64>) -> Facts<'a> {
        Facts {
            document,
            pages: Vec::new(),
            created: None,
            changed: dates.get(&document.path).copied(),
            terms: OnceCell::new(),
        }
    }

    /// Replaces the creation time.
    pub(crate) fn with_created(self, created: Option<i64>) -> Facts<'a> {
        Facts { created, ..self }
    }

    /// Adds the path of a page that belongs to it.
    pub(crate) fn add_page(&mut self, path: &'a str) {
        self.pages.push(path);
    }

    /// Time of the last change: from its attributes, else from its file, else (as for a commit) its
    /// creation time. That of a ticket never depends on its file, which may contain many tickets.
    pub(crate) fn updated(&self) -> Option<i64> {
        let attributes = &self.document.attributes;
        let changed = self.changed.filter(|_| !has_own_date(self.document));
        attributes.updated.or(changed).or(attributes.created)
    }

    /// Returns true if it is archived.
    pub(crate) fn is_archived(&self) -> bool {
        is_archived(&self.document.attributes)
    }

    /// Returns true if a condition holds.
    pub(crate) fn holds(&self, condition: &Condition) -> bool {
        let contains = |pattern: Option<Pattern>, content: bool| {
            pattern.is_none_or(|pattern| self.contains(&pattern, content))
        };
        match condition {
            Condition::All(parts) => parts.iter().all(|part| self.holds(part)),
            Condition::Any(parts) => parts.iter().any(|part| self.holds(part)),
            Condition::Not(part) => !self.holds(part),
            Condition::Words { text, content } => text.split_whitespace().all(|word| {
                contains(Pattern::part(word), *content)
                    || Forms::of(word).is_some_and(|forms| {
                        self.texts(*content).any(|text| forms.are_in(Folded::of(text).as_str()))
                    })
            }),
            Condition::Prefix(start) => contains(Pattern::prefix(start), false),
            Condition::Fuzzy(term, edits) => contains(Pattern::fuzzy(term, *edits), false),
            Condition::Phrase(text) => contains(Pattern::phrase(text), false),
            Condition::Facets(terms) => terms.iter().any(|term| self.terms().contains(term)),
            Condition::FacetPrefix(start) => {
                let first = self.terms().range(start.clone()..).next();
                first.is_some_and(|term| term.starts_with(start.as_str()))
            }
            Condition::FacetRange(name, range) => self.values(name).any(|value| range.holds(value)),
            Condition::FacetPhrase(name, phrase) => self.values(name).any(|value| {
                let mut places = value.match_indices(phrase.as_str());
                places.any(|(at, found)| is_whole_word(value, &(at..at + found.len())))
            }),
            Condition::Updated(range) => {
                self.updated().is_some_and(|date| range.contains_date(date))
            }
            Condition::Path(patterns) => patterns.iter().any(|pattern| self.has_path(pattern)),
            Condition::Source(source) => self.document.key.source == *source,
        }
    }

    /// Returns true if one of its paths matches a glob, like that of `--path`, or contains a text in
    /// any case.
    fn has_path(&self, pattern: &str) -> bool {
        let mut paths = std::iter::once(self.document.path.as_str()).chain(self.pages.clone());
        if pattern.contains(['*', '?', '[', '{']) {
            let globs = PathFilter::new(&[pattern.to_owned()], &[]);
            return paths.any(|path| globs.admits(path));
        }
        let part = fold(pattern);
        paths.any(|path| fold(path).contains(&part))
    }

    /// Returns true if a pattern matches in the content or, unless `content`, in the metadata.
    fn contains(&self, pattern: &Pattern, content: bool) -> bool {
        self.texts(content).any(|text| !pattern.find(Folded::of(text).as_str()).is_empty())
    }

    fn texts(&self, content: bool) -> impl Iterator<Item = &'a str> {
        let document = self.document;
        let attributes = &document.attributes;
        let said = [Some(&document.title), attributes.id.as_ref(), attributes.description.as_ref()];
        let said = said.into_iter().flatten().chain(&attributes.tags).map(String::as_str);
        let said = said.take(if content { 0 } else { usize::MAX });
        said.chain(std::iter::once(document.text.as_str()))
    }

    /// The complete values of a field in the form for comparison.
    fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let start = format!("{name}=");
        let from = self.terms().range(start.clone()..);
        from.map_while(move |term| term.strip_prefix(&start))
    }

    fn terms(&self) -> &BTreeSet<String> {
        self.terms.get_or_init(|| {
            let mut terms = facet_terms(self.document);
            if let Some(created) = self.created {
                terms.retain(|term| !term.starts_with("created="));
                terms.insert(format!("created={created}"));
            }
            terms
        })
    }
}
