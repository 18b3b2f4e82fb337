//! What a document in memory says of itself, and whether a condition holds of it: as the engine
//! decides it over an index, on the same terms.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
};

use lore_index::PathFilter;
use lore_schema::{Chunked, Document, Outline};

use super::{
    folded::{Folded, is_whole_word},
    pattern::{Forms, Pattern},
};
use crate::query::{Condition, Range, facets};

/// One document with what it says of itself.
#[derive(Debug)]
pub(crate) struct Facts<'a> {
    /// The document.
    pub(crate) document: &'a Document,
    /// Other pages that belong to it: their paths are its paths.
    pages: Vec<&'a str>,
    /// When it was made, where that is not what its attributes say.
    created: Option<i64>,
    /// When its file was last changed.
    changed: Option<i64>,
    /// The terms of [`facets::facet_terms`], made when they are asked for.
    terms: OnceCell<BTreeSet<String>>,
}

impl<'a> Facts<'a> {
    /// What a document says; `dates` tells when files were last changed.
    pub(crate) fn of(document: &'a Document, dates: &BTreeMap<String, i64>) -> Facts<'a> {
        Facts {
            document,
            pages: Vec::new(),
            created: None,
            changed: dates.get(&document.path).copied(),
            terms: OnceCell::new(),
        }
    }

    /// With another time at which it was made.
    pub(crate) fn made(self, created: Option<i64>) -> Facts<'a> {
        Facts { created, ..self }
    }

    /// Adds the path of a page that belongs to it.
    pub(crate) fn add_page(&mut self, path: &'a str) {
        self.pages.push(path);
    }

    /// When it was last changed: as it says itself, otherwise its file. What has no file and says
    /// nothing, as a commit, when it was made.
    pub(crate) fn updated(&self) -> Option<i64> {
        let attributes = &self.document.attributes;
        attributes.updated.or(self.changed).or(attributes.created)
    }

    /// Whether it is kept for the record only.
    pub(crate) fn is_archived(&self) -> bool {
        facets::is_archived(&self.document.attributes)
    }

    /// Whether a condition holds.
    pub(crate) fn holds(&self, condition: &Condition) -> bool {
        let stands = |pattern: Option<Pattern>, content: bool| {
            pattern.is_none_or(|pattern| self.stands(&pattern, content))
        };
        match condition {
            Condition::All(parts) => parts.iter().all(|part| self.holds(part)),
            Condition::Any(parts) => parts.iter().any(|part| self.holds(part)),
            Condition::Not(part) => !self.holds(part),
            Condition::Words { text, content } => text.split_whitespace().all(|word| {
                stands(Pattern::part(word), *content)
                    || Forms::of(word).is_some_and(|forms| {
                        self.texts(*content).any(|text| forms.are_in(Folded::of(text).as_str()))
                    })
            }),
            Condition::Prefix(start) => stands(Pattern::prefix(start), false),
            Condition::Fuzzy(term, edits) => stands(Pattern::fuzzy(term, *edits), false),
            Condition::Phrase(text) => stands(Pattern::phrase(text), false),
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
                let dates = range.dates.unwrap_or_default();
                self.updated().is_some_and(|date| Range::holds_date(dates, date))
            }
            Condition::Path(patterns) => patterns.iter().any(|pattern| self.lies(pattern)),
            Condition::Source(source) => self.document.key.source == *source,
        }
    }

    /// Whether one of its paths matches a glob as of `--path`, or holds a text in any letter case.
    fn lies(&self, pattern: &str) -> bool {
        let mut paths = std::iter::once(self.document.path.as_str()).chain(self.pages.clone());
        if pattern.contains(['*', '?', '[', '{']) {
            let globs = PathFilter::new(&[pattern.to_owned()], &[]);
            return paths.any(|path| globs.admits(path));
        }
        let part = lore_text::fold(pattern);
        paths.any(|path| lore_text::fold(path).contains(&part))
    }

    /// Whether a pattern stands in the content, or anywhere.
    fn stands(&self, pattern: &Pattern, content: bool) -> bool {
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

    /// The whole values of a field, as they are compared.
    fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let start = format!("{name}=");
        let from = self.terms().range(start.clone()..);
        from.map_while(move |term| term.strip_prefix(&start))
    }

    fn terms(&self) -> &BTreeSet<String> {
        self.terms.get_or_init(|| {
            let document = self.document;
            let language = lore_syntax::detect(&document.path, &document.text);
            let chunked = Chunked {
                language: language.map(|language| language.name),
                chunks: Vec::new(),
                outline: Outline::default(),
                fell_back: false,
            };
            let terms = facets::facet_terms(document, &chunked);
            let mut terms: BTreeSet<String> = terms.iter().map(str::to_owned).collect();
            if let Some(created) = self.created {
                terms.retain(|term| !term.starts_with("created="));
                terms.insert(format!("created={created}"));
            }
            terms
        })
    }
}
