//! The documents of a source that meet the conditions of a query.

use std::sync::atomic::{AtomicUsize, Ordering};

use lore_index::{DocumentId, DocumentSet, FieldTerm, PathFilter, Reader, StoredDocument};
use lore_schema::{Field, Filter, SourceName};
use lore_sources::Tree;
use lore_text::Relation;

use crate::{
    EngineConfig, EngineError,
    query::Query,
    query::{
        Condition, Phrase, PhraseTerm, Range, Shape, WordForm, expanded, facets, parse,
        prepare_related,
    },
    search::{
        context::{SearchContext, text_of},
        parse::ParsedQuery,
    },
    state::snapshot::OpenSource,
};

/// Fields that may contain a phrase.
const PHRASE_FIELDS: [Field; 4] = [Field::Body, Field::Whole, Field::Title, Field::Attributes];

/// Maximum number of values of one field that are compared.
const MAX_VALUES: usize = 1_000_000;

/// Maximum number of words of a query that is searched for as a phrase, too.
const MAX_PHRASE_WORDS: usize = 64;

/// Number of documents that a worker verifies at a time.
const BATCH: usize = 16;

/// The evaluation of conditions in one source.
pub(crate) struct Restriction<'a> {
    /// The engine's settings.
    pub(crate) config: &'a EngineConfig,
    /// The index of the source.
    pub(crate) reader: &'a dyn Reader,
    /// The source and the files that it was compared with; `None` for an index that was not
    /// compared.
    pub(crate) listed: Option<(&'a OpenSource, &'a Tree)>,
    /// Further restrictions of the search.
    pub(crate) filter: &'a Filter,
    /// The shape of the whole query, which decides whether words are inflected.
    pub(crate) shape: Shape,
}

impl<'a> Restriction<'a> {
    /// The conditions of a query in one source of the snapshot.
    pub(crate) fn of_source(
        source: usize,
        query: &'a ParsedQuery,
        context: SearchContext<'a>,
    ) -> Restriction<'a> {
        let source = &context.snapshot.sources[source];
        Restriction {
            config: context.config,
            reader: source.reader.as_ref(),
            listed: Some((source, &context.snapshot.tree)),
            filter: &query.filter,
            shape: query.plan.query.shape,
        }
    }

    /// The documents that meet a condition. If the filter has paths, those of the commits that change
    /// such a file.
    pub(crate) fn apply(&self, condition: Option<&Condition>) -> Result<DocumentSet, EngineError> {
        let among = if self.reader.source() == SourceName::Git && !self.filter.paths.is_empty() {
            let paths = PathFilter::new(&self.filter.paths, &self.filter.excludes);
            self.changing(&|path| paths.admits(path))?
        } else {
            DocumentSet::all()
        };
        match condition {
            Some(condition) => Ok(among.and(&self.decide(condition, &among)?)),
            None => Ok(among),
        }
    }

    /// The commits that change a file with an accepted path. None unless the filter names the
    /// source: a search with paths is for files.
    fn changing(&self, accept: &dyn Fn(&str) -> bool) -> Result<DocumentSet, EngineError> {
        if !self.filter.sources.contains(&SourceName::Git) {
            return Ok(DocumentSet::none());
        }
        let accepts = |term: &str| term.strip_prefix(facets::CHANGED).is_some_and(accept);
        let terms =
            self.reader.accepted_terms(Field::Facets, facets::CHANGED, &accepts, MAX_VALUES)?;
        self.holding(terms.iter().map(|term| (Field::Facets, term)))
    }

    /// The documents of `among` that meet a condition; the result is undefined for other documents.
    fn decide(
        &self,
        condition: &Condition,
        among: &DocumentSet,
    ) -> Result<DocumentSet, EngineError> {
        Ok(match condition {
            Condition::All(parts) => {
                // Texts are read last: the other parts exclude most of them.
                let (texts, terms): (Vec<_>, Vec<_>) = parts.iter().partition(|part| reads(part));
                let mut left = among.clone();
                for part in terms.into_iter().chain(texts) {
                    if left.is_none() {
                        break;
                    }
                    left = left.and(&self.decide(part, &left)?);
                }
                left
            }
            Condition::Any(parts) => {
                let mut found = DocumentSet::none();
                for part in parts {
                    found = found.or(&self.decide(part, among)?);
                }
                found
            }
            Condition::Not(part) => self.decide(part, among)?.inverted(),
            Condition::Words { text, content } => self.words(text, *content)?,
            Condition::Prefix(start) => self.forms(start, &WordForm::Prefix)?,
            Condition::Fuzzy(term, edits) => self.forms(term, &WordForm::Fuzzy(*edits))?,
            Condition::Phrase(text) => self.phrase(text, among)?,
            Condition::Facets(terms) => {
                self.holding(terms.iter().map(|term| (Field::Facets, term)))?
            }
            Condition::FacetPrefix(start) => {
                let terms = self.reader.terms(Field::Facets, start, MAX_VALUES)?;
                self.holding(terms.iter().map(|term| (Field::Facets, term)))?
            }
            Condition::FacetRange(name, range) => self.values(name, &|value| range.holds(value))?,
            Condition::FacetPhrase(name, phrase) => {
                self.values(name, &|value| holds_phrase(value, phrase))?
            }
            Condition::Updated(range) => self.updated(range)?,
            Condition::Path(patterns) => self.path(patterns)?,
            Condition::Source(source) if *source == self.reader.source() => DocumentSet::all(),
            Condition::Source(_) => DocumentSet::none(),
        })
    }

    /// The documents that contain one of these terms.
    fn holding<'t>(
        &self,
        terms: impl Iterator<Item = (Field, &'t String)>,
    ) -> Result<DocumentSet, EngineError> {
        let mut found: Vec<DocumentId> = Vec::new();
        for (field, term) in terms {
            let holders = self.reader.holders(field, term, usize::MAX)?;
            found.extend(holders.iter().map(|holder| holder.document));
        }
        Ok(DocumentSet::of(found))
    }

    /// The documents with an accepted value of a field.
    fn values(
        &self,
        name: &str,
        accept: &dyn Fn(&str) -> bool,
    ) -> Result<DocumentSet, EngineError> {
        let start = format!("{name}=");
        let accepts = |term: &str| term.strip_prefix(&start).is_some_and(accept);
        let terms = self.reader.accepted_terms(Field::Facets, &start, &accepts, MAX_VALUES)?;
        self.holding(terms.iter().map(|term| (Field::Facets, term)))
    }

    /// The documents that contain every word of a text.
    fn words(&self, text: &str, content: bool) -> Result<DocumentSet, EngineError> {
        let mut query = parse(text);
        if query.words.is_empty() {
            // A stop word has no weight, but it can be a condition.
            let mut all = DocumentSet::all();
            for term in facets::words_of(text) {
                all = all.and(&self.holding([(Field::Body, &term)].into_iter())?);
            }
            return Ok(all);
        }
        query.shape = self.shape;
        self.groups(&query, content)
    }

    /// The documents that contain a word with a prefix, or a word within an edit distance: all such
    /// words, however many.
    fn forms(&self, term: &str, form: &WordForm) -> Result<DocumentSet, EngineError> {
        let forms = expanded(term, form, self.reader, usize::MAX)?;
        self.holding(forms.iter().map(|form| (form.field, &form.term)))
    }

    /// The documents that contain every typed word, in one of its forms.
    fn groups(&self, query: &Query, content: bool) -> Result<DocumentSet, EngineError> {
        // A required or excluded word means that word: synonyms do not count.
        let prepared = prepare_related(query, Relation::Inflection, self.reader)?;
        let mut all = DocumentSet::all();
        for (index, _) in query.required_words() {
            let forms: Vec<&FieldTerm> = prepared.lexical.groups[index]
                .forms
                .iter()
                .filter(|form| !content || matches!(form.field, Field::Body | Field::Whole))
                .collect();
            let terms = forms.iter().map(|form| (form.field, &form.term));
            all = all.and(&self.holding(terms)?);
        }
        Ok(all)
    }

    /// The documents last changed in a period.
    fn updated(&self, range: &Range) -> Result<DocumentSet, EngineError> {
        let listing = self.reader.listing(&Filter::default())?;
        let dates = range.dates.unwrap_or_default();
        let within = listing.iter().filter(|listed| {
            let date = listed.updated.or_else(|| self.filter.dates.get(listed.path).copied());
            date.is_some_and(|date| Range::holds_date(dates, date))
        });
        Ok(DocumentSet::of(within.map(|listed| listed.id)))
    }

    /// The documents whose path matches a glob as in `--path`, or contains a text in any letter
    /// case; the commits that change such a file.
    fn path(&self, patterns: &[String]) -> Result<DocumentSet, EngineError> {
        let (globs, parts): (Vec<_>, Vec<_>) =
            patterns.iter().cloned().partition(|pattern| pattern.contains(['*', '?', '[', '{']));
        if self.reader.source() == SourceName::Git {
            let parts: Vec<String> = parts.iter().map(|part| lore_text::fold(part)).collect();
            let globs = (!globs.is_empty()).then(|| PathFilter::new(&globs, &[]));
            return self.changing(&|path| {
                let folded = lore_text::fold(path);
                globs.as_ref().is_some_and(|globs| globs.admits(path))
                    || parts.iter().any(|part| folded.contains(part.as_str()))
            });
        }
        let mut found = DocumentSet::none();
        if !globs.is_empty() {
            let filter = Filter { paths: globs, ..Filter::default() };
            found = DocumentSet::of(self.reader.listing(&filter)?.iter().map(|listed| listed.id));
        }
        let parts: Vec<String> = parts.iter().map(|part| lore_text::fold(part)).collect();
        if !parts.is_empty() {
            let listing = self.reader.listing(&Filter::default())?;
            let holding = listing.iter().filter(|listed| {
                let path = lore_text::fold(listed.path);
                parts.iter().any(|part| path.contains(part.as_str()))
            });
            found = found.or(&DocumentSet::of(holding.map(|listed| listed.id)));
        }
        Ok(found)
    }

    /// The documents of `among` that contain a phrase, in their text or their attributes. The terms
    /// of the index exclude most, and the texts of the others are read.
    fn phrase(&self, text: &str, among: &DocumentSet) -> Result<DocumentSet, EngineError> {
        let Some(phrase) = Phrase::new(text) else { return Ok(DocumentSet::none()) };
        let mut possible = DocumentSet::all();
        for term in phrase.terms() {
            let (PhraseTerm::Joined(term) | PhraseTerm::Character(term)) = term;
            let holding = self.holding(PHRASE_FIELDS.iter().map(|field| (*field, term)))?;
            possible = possible.and(&holding);
        }
        let incomplete = facets::INCOMPLETE.to_owned();
        possible = possible.or(&self.holding([(Field::Facets, &incomplete)].into_iter())?);
        let listing = self.reader.listing(self.filter)?;
        let wanted: Vec<DocumentId> = listing
            .iter()
            .map(|listed| listed.id)
            .filter(|id| possible.contains(*id) && among.contains(*id))
            .collect();
        self.verify(&wanted, &phrase)
    }

    /// The documents that may contain a query word by word: those with all of its words in one
    /// chunk. None for a query of one word, and for a long one.
    pub(crate) fn possible_exact_matches(
        &self,
        text: &str,
    ) -> Result<Vec<DocumentId>, EngineError> {
        let words = text.split_whitespace().count();
        if !(2..=MAX_PHRASE_WORDS).contains(&words) {
            return Ok(Vec::new());
        }
        let rows = self.reader.holders_of_all(Field::Body, &facets::words_of(text))?;
        // Rows of a document are adjacent.
        let mut found: Vec<DocumentId> = rows.iter().map(|row| row.document).collect();
        found.dedup();
        Ok(found)
    }

    /// Those of these documents that contain a query word by word.
    pub(crate) fn exact_matches(
        &self,
        text: &str,
        wanted: &[DocumentId],
    ) -> Result<DocumentSet, EngineError> {
        Phrase::new(text)
            .map_or_else(|| Ok(DocumentSet::none()), |phrase| self.verify(wanted, &phrase))
    }

    /// Those of these documents that contain a phrase.
    fn verify(&self, wanted: &[DocumentId], phrase: &Phrase) -> Result<DocumentSet, EngineError> {
        let next = AtomicUsize::new(0);
        let work = || -> Result<Vec<DocumentId>, EngineError> {
            let mut found = Vec::new();
            loop {
                let from = next.fetch_add(BATCH, Ordering::Relaxed);
                let Some(ids) = wanted.get(from..wanted.len().min(from + BATCH)) else { break };
                if ids.is_empty() {
                    break;
                }
                let documents = self.reader.documents(ids)?;
                if self.listed.is_some() {
                    let on_disk = documents.iter().filter(|document| document.text.is_none());
                    self.config.read_ahead(on_disk.map(|document| document.path.as_str()));
                }
                for (id, document) in ids.iter().zip(documents) {
                    if self.holds(*id, &document, phrase) {
                        found.push(*id);
                    }
                }
            }
            Ok(found)
        };
        let threads = self.config.threads.max(1).min(wanted.len().div_ceil(BATCH));
        if threads < 2 {
            return Ok(DocumentSet::of(work()?));
        }
        let parts = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            workers.into_iter().map(std::thread::ScopedJoinHandle::join).collect::<Vec<_>>()
        });
        let mut found = Vec::new();
        for part in parts {
            found.extend(part.expect("reading and matching do not panic")?);
        }
        Ok(DocumentSet::of(found))
    }

    /// Returns whether a document contains a phrase, in its text or its attributes.
    fn holds(&self, id: DocumentId, document: &StoredDocument, phrase: &Phrase) -> bool {
        let attributes = &document.attributes;
        let said = [Some(&document.title), attributes.id.as_ref(), attributes.description.as_ref()];
        if said.into_iter().flatten().chain(&attributes.tags).any(|text| phrase.is_in(text)) {
            return true;
        }
        match (&document.text, self.listed) {
            (None, Some((source, tree))) => {
                let read = source.text_of_file(id, &document.path, tree, self.config);
                read.is_ok_and(|text| phrase.is_in(&text))
            }
            _ => text_of(document, self.config).is_some_and(|text| phrase.is_in(&text)),
        }
    }
}

/// Returns whether a condition reads texts.
fn reads(condition: &Condition) -> bool {
    match condition {
        Condition::Phrase(_) => true,
        Condition::All(parts) | Condition::Any(parts) => parts.iter().any(reads),
        Condition::Not(part) => reads(part),
        _ => false,
    }
}

/// Returns whether a stored value contains a phrase as whole words.
fn holds_phrase(value: &str, phrase: &str) -> bool {
    let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    !phrase.is_empty()
        && value.match_indices(phrase).any(|(at, found)| {
            ends(value[..at].chars().next_back()) && ends(value[at + found.len()..].chars().next())
        })
}
