//! Specs in the form that the rule scores: five fields, with all pages of a folder as one spec.

use std::{borrow::Cow, collections::BTreeMap, ops::Range};

use lore_engine::{Clock, Period};
use lore_schema::Document;

use super::scoring::{EARLY_CHARACTERS, LeanField};
use crate::documents::{Facts, Folded, Forms, Pattern, PatternMatch, Places, Plan, Term, View};

/// One spec with the pages that belong to it.
#[derive(Debug)]
pub(super) struct Spec<'a> {
    /// Its own page.
    pub(super) main: &'a Document,
    /// Every searched text; of the contents, that of the main page first.
    pub(super) texts: Vec<Text<'a>>,
    /// The other pages.
    pub(super) pages: Vec<&'a Document>,
    /// The paragraph that replaces a missing description, in bytes of the main page.
    pub(super) paragraph: Option<Range<usize>>,
    /// Creation time, in seconds since the epoch.
    pub(super) created: Option<i64>,
    /// Its metadata.
    pub(super) facts: Facts<'a>,
}

/// One text of a spec.
#[derive(Debug)]
pub(super) struct Text<'a> {
    pub(super) field: LeanField,
    /// The page that contains it.
    pub(super) document: &'a Document,
    pub(super) original: Cow<'a, str>,
    folded: Folded,
    /// Bytes of the original that are not searched.
    hidden: Vec<Range<usize>>,
    /// End of the early part, in bytes.
    early_end: usize,
    places: Places,
    forms: Places,
}

impl<'a> Text<'a> {
    fn new(
        field: LeanField,
        document: &'a Document,
        original: Cow<'a, str>,
        hidden: Vec<Range<usize>>,
        terms: usize,
    ) -> Text<'a> {
        let mut shown = original
            .char_indices()
            .filter(|(offset, _)| !hidden.iter().any(|range| range.contains(offset)));
        let early_end = shown.nth(EARLY_CHARACTERS).map_or(original.len(), |(offset, _)| offset);
        let folded = Folded::of(&original);
        let (places, forms) = (Places::new(terms), Places::new(terms));
        Text { field, document, original, folded, hidden, early_end, places, forms }
    }

    /// Matches of a term as typed.
    pub(super) fn found(&self, term: usize, pattern: &Pattern) -> &[PatternMatch] {
        self.places.of(term, || self.searched(pattern.find(self.folded.as_str())))
    }

    /// Other forms of a term.
    fn forms(&self, term: usize, forms: &Forms) -> &[PatternMatch] {
        self.forms.of(term, || self.searched(forms.find(self.folded.as_str())))
    }

    /// The matches of the folded text that are not hidden, with their ranges in the original.
    fn searched(&self, mut found: Vec<PatternMatch>) -> Vec<PatternMatch> {
        for matched in &mut found {
            matched.range = self.folded.original(&matched.range, &self.original);
        }
        found.retain(|PatternMatch { range: matched, .. }| {
            !self.hidden.iter().any(|range| matched.start < range.end && range.start < matched.end)
        });
        found
    }

    /// The folded text.
    pub(super) fn folded(&self) -> &str {
        self.folded.as_str()
    }

    /// Bytes that are not searched.
    pub(super) fn hidden(&self) -> &[Range<usize>] {
        &self.hidden
    }

    /// Returns true if this byte is in the early part of the field.
    pub(super) fn is_early(&self, start: usize) -> bool {
        start < self.early_end
    }
}

impl<'a> Spec<'a> {
    /// The specs among documents, in their order. A page in the folder of a lean-spec belongs to
    /// it. `dates` contains the times of the last changes of files.
    pub(super) fn of(
        documents: &'a [Document],
        terms: usize,
        dates: &BTreeMap<String, i64>,
    ) -> Vec<Spec<'a>> {
        let mut specs: Vec<Spec<'a>> = Vec::new();
        let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
        let is_page = |document: &Document| {
            document.format == "lean-spec"
                && document.attributes.extra.iter().any(|(name, _)| name == "parent")
                && document.attributes.id.as_ref().is_some_and(|id| id.contains('/'))
        };
        for document in documents.iter().filter(|document| !is_page(document)) {
            if document.format == "lean-spec" && document.path.ends_with("/README.md") {
                folders.insert(folder(&document.path), specs.len());
            }
            specs.push(Spec::new(document, terms, dates));
        }
        for document in documents.iter().filter(|document| is_page(document)) {
            let mut path = folder(&document.path);
            let owner = loop {
                match folders.get(path) {
                    Some(&owner) => break Some(owner),
                    None if path.is_empty() => break None,
                    None => path = folder(path),
                }
            };
            match owner {
                Some(owner) => {
                    let spec = &mut specs[owner];
                    spec.pages.push(document);
                    spec.facts.add_page(&document.path);
                    let hidden = document.metadata.clone();
                    let text = document.text.as_str();
                    spec.texts.push(Text::new(
                        LeanField::Content,
                        document,
                        text.into(),
                        hidden,
                        terms,
                    ));
                }
                None => specs.push(Spec::new(document, terms, dates)),
            }
        }
        specs
    }

    fn new(document: &'a Document, terms: usize, dates: &BTreeMap<String, i64>) -> Spec<'a> {
        let attributes = &document.attributes;
        let id = attributes.id.as_deref().unwrap_or(&document.key.locator);
        let mut hidden = document.metadata.clone();
        hidden.extend(heading(document));
        let paragraph = match attributes.description {
            Some(_) => None,
            None => first_paragraph(&document.text, &hidden),
        };
        let description = match (&attributes.description, &paragraph) {
            (Some(description), _) => description.as_str(),
            (None, Some(range)) => document.text[range.clone()].trim(),
            (None, None) => "",
        };
        let texts = [
            (LeanField::Title, Cow::Borrowed(document.title.as_str()), Vec::new()),
            (LeanField::Name, id.into(), Vec::new()),
            (LeanField::Tags, attributes.tags.join(", ").into(), Vec::new()),
            (LeanField::Description, description.into(), Vec::new()),
            (LeanField::Content, document.text.as_str().into(), hidden),
        ]
        .into_iter()
        .filter(|(_, text, _)| !text.is_empty())
        .map(|(field, text, hidden)| Text::new(field, document, text, hidden, terms))
        .collect();
        // Some pages state both a day and an exact time of creation, and the two differ. Queries
        // use the day.
        let created = stated_day(document).or(attributes.created);
        let facts = Facts::of(document, dates).with_created(created);
        Spec { main: document, texts, pages: Vec::new(), paragraph, created, facts }
    }

    /// Returns true if the spec contains a word of the query as typed.
    pub(super) fn has_literal(&self, plan: &Plan) -> bool {
        let mut terms = plan.terms().iter().enumerate().filter(|(_, term)| term.ranks);
        terms.any(|(index, term)| {
            self.texts.iter().any(|text| !text.found(index, &term.pattern).is_empty())
        })
    }

    /// Matches of a term in a text of this spec: other forms of a word only if no text has the word
    /// as typed.
    pub(super) fn found<'t>(
        &self,
        text: &'t Text<'a>,
        index: usize,
        term: &Term,
    ) -> &'t [PatternMatch] {
        let is_in = |text: &Text<'_>| !text.found(index, &term.pattern).is_empty();
        match &term.forms {
            Some(forms) if !self.texts.iter().any(is_in) => text.forms(index, forms),
            _ => text.found(index, &term.pattern),
        }
    }

    /// The identifier, which is also the name.
    pub(super) fn id(&self) -> &'a str {
        self.main.attributes.id.as_deref().unwrap_or(&self.main.key.locator)
    }
}

impl View for Spec<'_> {
    fn holds_term(&self, index: usize, term: &Term) -> bool {
        let matches = self
            .texts
            .iter()
            .filter(|text| term.field.is_none_or(|field| field == text.field.as_str()))
            .any(|text| !text.found(index, &term.pattern).is_empty());
        // Other forms of the word count, and so do the names of related pages.
        matches
            || term.forms.as_ref().is_some_and(|forms| {
                self.texts.iter().any(|text| forms.are_in(text.folded.as_str()))
                    || self.main.attributes.extra.iter().any(|(_, value)| {
                        let value = Folded::of(value);
                        forms.are_in(value.as_str())
                            || !term.pattern.find(value.as_str()).is_empty()
                    })
            })
    }

    fn facts(&self) -> &Facts<'_> {
        &self.facts
    }
}

/// The first second of the day that the front matter gives as `created`.
fn stated_day(document: &Document) -> Option<i64> {
    let front = document.metadata.first().filter(|range| range.start == 0)?;
    let mut lines = document.text.get(front.clone())?.lines();
    let value = lines.find_map(|line| line.strip_prefix("created:"))?;
    let value = value.split(" #").next().unwrap_or_default();
    let value = value.trim().trim_matches(['"', '\'']);
    Period::parse(value, Clock::default()).map(|period| period.start)
}

/// The folder of a path, without a final `/`.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The line of the heading that repeats the title, which is searched as title.
fn heading(document: &Document) -> Option<Range<usize>> {
    let mut offset = 0;
    for line in document.text.split_inclusive('\n') {
        let range = offset..offset + line.len();
        offset = range.end;
        let in_metadata = document.metadata.iter().any(|known| known.contains(&range.start));
        if in_metadata || line.trim().is_empty() {
            continue;
        }
        let title = line.trim().strip_prefix("# ")?.trim();
        return (title == document.title).then_some(range);
    }
    None
}

/// The first paragraph that is no heading, table, list, quote or code.
fn first_paragraph(text: &str, hidden: &[Range<usize>]) -> Option<Range<usize>> {
    let mut offset = 0;
    let mut start = None;
    for line in text.split_inclusive('\n') {
        let range = offset..offset + line.len();
        offset = range.end;
        let content = line.trim();
        let is_text = !content.is_empty()
            && !hidden.iter().any(|known| known.contains(&range.start))
            && !content.starts_with(['#', '|', '>', '`', '-', '*', '<', '~']);
        match start {
            None if is_text => start = Some(range.start),
            Some(from) if !is_text => return Some(from..range.start),
            _ => {}
        }
    }
    start.map(|from| from..text.len())
}
