//! Prepares a query for one index: every word with its forms in the dictionary.

use std::cell::RefCell;

use foldhash::HashMap;
use lore_index::{
    AcceptedPrefix, DocumentSet, FieldTerm, IndexError, LexicalQuery, Reader, Reserve, TermGroup,
};
use lore_schema::{Field, ReferenceKind, SourceName};
use lore_text::{Relation, parts};

use super::{Query, Shape, WordForm, intent};

/// Number of chunks that are fetched for a document: more than are scored, because chunks of tests rank
/// lower.
pub(crate) const CHUNKS_FETCHED: usize = 5;

/// Weight of an inflected form, relative to the typed form.
const INFLECTED: f32 = 0.9;

/// The same in prose that contains the typed form: another form is then more often another thing.
/// `what we learned` is not about `machine learning`. From 0.6 to 0.65 documents stay at .9605, at 0.9
/// they have .9437; code gains nothing from less.
const INFLECTED_IN_PROSE: f32 = 0.6;

/// The same in prose without the typed form: the other forms are then the usual ones. From 0.7 to
/// 0.8 documents stay, at 0.9 they lose .0084.
const ONLY_INFLECTED: f32 = 0.75;

/// Weight of a word of nearly the same meaning, relative to the typed word.
const ADDED: f32 = 0.5;

/// Maximum number of forms of one word: no English word has as many, but a dictionary may contain
/// anything.
const MAX_FORMS: usize = 256;

/// Weight of a word as a defined name; that of a typed name is added to it. 0.3 to 0.6 give the
/// same figures on the development set and the commit sets to 0.0005; 1.0 loses 0.003 on the latter.
const SPELLED: f32 = 0.5;

/// Maximum number of letters of a form beyond its stem, as in `representativeness`: of 380,000 words of
/// English and of code none has more.
const MAX_ENDING_LEN: usize = 12;

/// Fields whose dictionaries are searched for inflections: words of the other fields are in one of these.
const DICTIONARIES: &[Field] = &[Field::Body, Field::Title, Field::Path];

/// Fields in which the parts of words are looked up.
const WORD_FIELDS: &[Field] = &[
    Field::Body,
    Field::Context,
    Field::Title,
    Field::Path,
    Field::Names,
    Field::Comments,
    Field::Attributes,
];

/// Weights of the fields for selecting candidates, in the order of [`Field::ALL`]. They decide which
/// documents are ranked, not their order: recall among the best 100 is flat around them.
pub(crate) const SELECTION: [f32; Field::ALL.len()] =
    [1.0, 0.7, 0.5, 2.0, 2.0, 0.5, 0.4, 0.3, 0.3, 0.1, 0.0, 0.0];

/// Returns true if a source contains prose, which is chunked at headings.
pub(crate) fn is_prose(source: SourceName) -> bool {
    matches!(source, SourceName::Docs | SourceName::Specs | SourceName::Tickets)
}

/// A query with the terms of one index.
#[derive(Debug, Clone)]
pub(crate) struct PreparedQuery {
    /// One group per word, in the order of [`Query::words`].
    pub(crate) lexical: LexicalQuery,
    /// For each word, one over the square root of the number of files that define its name; 0 if the word
    /// is not a name defined in this index.
    pub(crate) rarity: Vec<f32>,
    /// For each word, the number of documents that contain it, in any case but not inflected; 0 if the
    /// word is not a name.
    pub(crate) frequency: Vec<u64>,
}

/// Looks up the forms of every word, with the relation that the shape of the query implies.
pub(crate) fn prepare(query: &Query, reader: &dyn Reader) -> Result<PreparedQuery, IndexError> {
    prepare_related(query, query.shape.relation(), reader)
}

/// Looks up the forms of every word with a given relation.
pub(crate) fn prepare_related(
    query: &Query,
    relation: Relation,
    reader: &dyn Reader,
) -> Result<PreparedQuery, IndexError> {
    let mut groups = Vec::with_capacity(query.words.len());
    let mut rarity = Vec::with_capacity(query.words.len());
    let mut frequency = Vec::with_capacity(query.words.len());
    let intent = intent(query);
    announce(query, relation, reader)?;
    for (index, word) in query.words.iter().enumerate() {
        let mut forms = Vec::new();
        match word.form {
            WordForm::Part => {
                for (term, weight) in inflections(&word.term, query.shape, relation, reader)? {
                    for &field in WORD_FIELDS {
                        forms.push(FieldTerm { field, term: term.clone(), weight });
                    }
                }
                // One word may be written as an identifier of several parts: `websocket`.
                whole_forms(&word.term, &mut forms);
            }
            WordForm::Whole | WordForm::Joined => whole_forms(&word.term, &mut forms),
            WordForm::Prefix | WordForm::Fuzzy(_) => {
                forms.extend(expanded(&word.term, &word.form, reader, MAX_EXPANDED)?);
            }
        }
        let (mut defined, mut mentioned) = (0, 0);
        if let Some(name) = &word.name {
            let field = if word.form == WordForm::Part { Field::Body } else { Field::Whole };
            mentioned = reader.document_frequency(field, &word.term)?;
            defined = reader.document_frequency(Field::Symbol, &definition_term(name))?;
            add_name(name, intent.implementers, &mut forms);
        }
        for term in query.added.get(&index).into_iter().flatten() {
            added_forms(term, query.shape, relation, reader, &mut forms)?;
        }
        rarity.push(if defined == 0 { 0.0 } else { 1.0 / (defined as f32).sqrt() });
        frequency.push(mentioned);
        groups.push(TermGroup { forms, weight: word.weight, optional: !word.is_required() });
    }
    Ok(PreparedQuery {
        lexical: LexicalQuery {
            groups,
            weights: SELECTION,
            chunks_per_document: CHUNKS_FETCHED,
            within: DocumentSet::all(),
            also: Vec::new(),
            reserve: Reserve::default(),
        },
        rarity,
        frequency,
    })
}

/// Announces the lookups of all words, so that a distant index makes them together.
fn announce(query: &Query, relation: Relation, reader: &dyn Reader) -> Result<(), IndexError> {
    let mut frequencies = Vec::new();
    let mut inflected: Vec<&str> = query.added.values().flatten().map(String::as_str).collect();
    for word in &query.words {
        let is_part = word.form == WordForm::Part;
        if is_part {
            inflected.push(&word.term);
        }
        if let Some(name) = &word.name {
            let field = if is_part { Field::Body } else { Field::Whole };
            frequencies.push((field, word.term.clone()));
            frequencies.push((Field::Symbol, definition_term(name)));
        }
    }
    if !is_inflected(query.shape, reader) {
        inflected.clear();
    }
    if is_prose(reader.source()) {
        for term in &inflected {
            frequencies.extend(DICTIONARIES.iter().map(|field| (*field, (*term).to_owned())));
        }
    }
    reader.announce_frequencies(&frequencies)?;
    let inflections: Vec<_> =
        inflected.iter().map(|term| Inflections::new(term, relation)).collect();
    let forms: Vec<_> =
        inflections.iter().map(|of_term| |form: &str| of_term.contains(form)).collect();
    let mut prefixes: Vec<AcceptedPrefix<'_>> = Vec::new();
    for (term, is_form) in inflected.iter().zip(&forms) {
        prefixes.extend(relation.prefixes(term).into_iter().map(|prefix| (prefix, is_form as _)));
    }
    reader.announce_terms(DICTIONARIES, &prefixes)
}

/// Returns true if words are inflected. A single name in code is not: `generically` is then not the same as
/// `generic`.
fn is_inflected(shape: Shape, reader: &dyn Reader) -> bool {
    let names_only = matches!(reader.source(), SourceName::Code | SourceName::Patterns);
    shape != Shape::Symbol || !names_only
}

/// The inflections of a term.
struct Inflections<'t> {
    term: &'t str,
    relation: Relation,
    stem: String,
    longest: usize,
    /// The dictionaries overlap, and so do their segments: each word is stemmed once.
    known: RefCell<HashMap<String, bool>>,
}

impl<'t> Inflections<'t> {
    fn new(term: &'t str, relation: Relation) -> Inflections<'t> {
        let stem = relation.stem(term);
        let longest = stem.len() + MAX_ENDING_LEN;
        Inflections { term, relation, stem, longest, known: RefCell::default() }
    }

    fn contains(&self, form: &str) -> bool {
        // Most words with the same prefix are longer than any form of it, or are not words.
        if form.len() > self.longest || !form.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return false;
        }
        if let Some(known) = self.known.borrow().get(form) {
            return *known;
        }
        let is_form = form != self.term && self.relation.stem(form) == self.stem;
        self.known.borrow_mut().insert(form.to_owned(), is_form);
        is_form
    }
}

/// Adds the forms of a word as the name of a definition and, if `implementers` is true, of what a
/// definition conforms to.
fn add_name(name: &str, implementers: bool, forms: &mut Vec<FieldTerm>) {
    let term = definition_term(name);
    let is_definition = |form: &&mut FieldTerm| form.field == Field::Symbol && form.term == term;
    match forms.iter_mut().find(is_definition) {
        // Each form is a posting list that is read.
        Some(form) => form.weight += 1.0,
        None => forms.push(FieldTerm { field: Field::Symbol, term, weight: 1.0 }),
    }
    if implementers {
        forms.push(FieldTerm { field: Field::Conformance, term: name.to_owned(), weight: 1.0 });
    }
}

/// Announces that [`is_known`] is called next for these terms, in these indexes until one has the term.
pub(crate) fn announce_known(terms: &[&str], readers: &[&dyn Reader]) -> Result<(), IndexError> {
    let mut left = terms.to_vec();
    for reader in readers.iter().filter(|reader| reader.is_distant()) {
        let (first, others) = WORD_FIELDS.split_at(1);
        for fields in [first, others, &[Field::Whole]] {
            let all = left.iter().flat_map(|term| fields.iter().map(|field| (*field, *term)));
            let all: Vec<_> = all.map(|(field, term)| (field, term.to_owned())).collect();
            reader.announce_frequencies(&all)?;
            let mut unknown = Vec::with_capacity(left.len());
            for term in left {
                if !holds(fields, term, *reader)? {
                    unknown.push(term);
                }
            }
            left = unknown;
        }
    }
    Ok(())
}

/// Returns true if any text or name contains a word or a form of it.
pub(crate) fn is_known(term: &str, reader: &dyn Reader) -> Result<bool, IndexError> {
    Ok(holds(WORD_FIELDS, term, reader)?
        || holds(&[Field::Whole], term, reader)?
        || inflections(term, Shape::Natural, Relation::Root, reader)?.len() > 1)
}

/// Returns true if one of these fields contains exactly this term.
fn holds(fields: &[Field], term: &str, reader: &dyn Reader) -> Result<bool, IndexError> {
    for &field in fields {
        if reader.document_frequency(field, term)? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The term of a defined name in the symbol field, ignoring case and separators: its parts side by side,
/// plurals unchanged. A name without letters, such as an operator, is its own term.
pub(crate) fn definition_term(name: &str) -> String {
    let joined = if name.is_ascii() {
        let letters = name.chars().filter(char::is_ascii_alphanumeric);
        letters.map(|letter| letter.to_ascii_lowercase()).collect()
    } else {
        parts(name).concat()
    };
    if joined.is_empty() { name.to_owned() } else { joined }
}

/// The term of a used name in the references field.
pub(crate) fn reference_term(kind: ReferenceKind, name: &str) -> String {
    match kind {
        ReferenceKind::Call => format!("c:{name}"),
        ReferenceKind::Implementation => format!("a:{name}"),
        ReferenceKind::Type => format!("t:{name}"),
    }
}

/// The term of an imported name in the references field.
pub(crate) fn import_term(name: &str) -> String {
    format!("i:{name}")
}

/// The forms of a word as one identifier.
fn whole_forms(term: &str, forms: &mut Vec<FieldTerm>) {
    for field in [Field::Whole, Field::Names, Field::Context] {
        forms.push(FieldTerm { field, term: term.to_owned(), weight: 1.0 });
    }
    forms.push(FieldTerm { field: Field::Symbol, term: term.to_owned(), weight: SPELLED });
}

/// Maximum number of words that a prefix or a word with typing errors matches in ranking, per field.
const MAX_EXPANDED: usize = 5_000;

/// The words and identifiers that a prefix or a word with typing errors matches, up to a maximum per
/// field. Each edit lowers the weight of a word.
pub(crate) fn expanded(
    word: &str,
    form: &WordForm,
    reader: &dyn Reader,
    most: usize,
) -> Result<Vec<FieldTerm>, IndexError> {
    let mut forms = Vec::new();
    let letters = word.chars().count();
    for &field in WORD_FIELDS.iter().chain(&[Field::Whole]) {
        if let WordForm::Fuzzy(edits) = *form {
            let near = |term: &str| {
                letters.abs_diff(term.chars().count()) <= edits
                    && strsim::levenshtein(term, word) <= edits
            };
            for term in reader.accepted_terms(field, "", &near, most)? {
                let distance = strsim::levenshtein(&term, word);
                forms.push(FieldTerm { field, term, weight: 1.0 / (1.0 + distance as f32) });
            }
        } else {
            let terms = reader.terms(field, word, most)?.into_iter();
            forms.extend(terms.map(|term| FieldTerm { field, term, weight: 1.0 }));
        }
    }
    Ok(forms)
}

/// The forms of an added word that are not there yet.
fn added_forms(
    term: &str,
    shape: Shape,
    relation: Relation,
    reader: &dyn Reader,
    forms: &mut Vec<FieldTerm>,
) -> Result<(), IndexError> {
    let mut added = Vec::new();
    for (term, weight) in inflections(term, shape, relation, reader)? {
        for &field in WORD_FIELDS {
            added.push(FieldTerm { field, term: term.clone(), weight });
        }
    }
    whole_forms(term, &mut added);
    for mut form in added {
        let is_there = |known: &FieldTerm| known.field == form.field && known.term == form.term;
        if !forms.iter().any(is_there) {
            form.weight *= ADDED;
            forms.push(form);
        }
    }
    Ok(())
}

/// The word and its inflections with their weights, in byte order.
fn inflections(
    term: &str,
    shape: Shape,
    relation: Relation,
    reader: &dyn Reader,
) -> Result<Vec<(String, f32)>, IndexError> {
    let mut forms = vec![(term.to_owned(), 1.0)];
    if !is_inflected(shape, reader) {
        return Ok(forms);
    }
    let prefixes = relation.prefixes(term);
    if prefixes.is_empty() {
        return Ok(forms);
    }
    let weight = if !is_prose(reader.source()) {
        INFLECTED
    } else if holds(DICTIONARIES, term, reader)? {
        INFLECTED_IN_PROSE
    } else {
        ONLY_INFLECTED
    };
    for prefix in &prefixes {
        let inflections = Inflections::new(term, relation);
        let is_form = |form: &str| inflections.contains(form);
        for &field in DICTIONARIES {
            let found = reader.accepted_terms(field, prefix, &is_form, MAX_FORMS)?;
            forms.extend(found.into_iter().map(|form| (form, weight)));
        }
    }
    forms.sort_by(|left, right| left.0.cmp(&right.0));
    forms.dedup_by(|left, right| left.0 == right.0);
    Ok(forms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        IndexMode,
        state::refresh,
        testing::{Silent, in_memory},
    };

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a tree with words")]
    fn forms_with_long_endings_are_found() {
        let tree = tempfile::tempdir().expect("a temporary folder");
        let text = "// represent representativeness representations repressed representæ\n";
        std::fs::write(tree.path().join("a.rs"), text).expect("a file");
        let config = in_memory(tree.path(), 1);
        let snapshot = refresh::take(&config, &[SourceName::Code], IndexMode::Update, &Silent)
            .expect("a tree");
        let reader = snapshot.sources[0].reader.as_ref();
        for (word, expected) in [
            ("represent", &["represent", "representativeness"][..]),
            ("representative", &["represent", "representative", "representativeness"]),
            ("repress", &["repress", "repressed"]),
        ] {
            let forms = inflections(word, Shape::Natural, Relation::Inflection, reader);
            let forms = forms.expect("an index").into_iter().map(|(form, _)| form);
            assert_eq!(forms.collect::<Vec<_>>(), expected, "{word}");
        }
    }
}
