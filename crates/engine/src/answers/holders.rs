//! Lists the documents that contain the words of a query literally: all of them, regardless of
//! ranking.
//!
//! A word counts if a term of the text starts with it, in any letter case: `retry` in `retry`,
//! `retryRefund` and `retrying`, but not in `poetry`. Inflections and synonyms do not count.

use std::collections::{BTreeMap, HashMap, HashSet};

use lore_index::{ChunkId, DocumentId, DocumentSet, Reader};
use lore_schema::{Field, SourceName};

use crate::{
    EngineError, HeldWord, Holders, HoldingFile,
    query::{Query, Word, WordForm, expanded},
    search::parse::ParsedQuery,
    state::snapshot::Snapshot,
};

/// Minimum length of a word, in characters, for counting longer words that start with it: too many
/// terms start with a shorter one.
const MIN_START_LEN: usize = 3;

/// Maximum number of terms that start with a word.
const MAX_TERMS: usize = 4_000;

/// Maximum number of distinct words.
pub(crate) const MAX_WORDS: usize = 64;

/// Returns the words of a query that are matched literally, with their positions.
pub(crate) fn words_of(query: &Query) -> Vec<&Word> {
    let typed = query.typed();
    let parsed = query.required_words().filter(|(at, _)| *at < typed);
    parsed.map(|(_, word)| word).take(MAX_WORDS).collect()
}

/// Returns true if longer words that start with this one also count.
pub(crate) fn counts_as_start(term: &str) -> bool {
    term.chars().count() >= MIN_START_LEN
}

/// The words in one document.
#[derive(Default)]
struct Held {
    /// Bit set of the words.
    words: u64,
    chunks: HashSet<ChunkId>,
}

/// Collects the words per file, also if a file has several documents.
#[derive(Default)]
pub(crate) struct Gathered {
    files: BTreeMap<(SourceName, String), (u64, u64)>,
    documents: Vec<u64>,
}

impl Gathered {
    /// Creates a collection for this number of words.
    pub(crate) fn new(words: usize) -> Gathered {
        Gathered { files: BTreeMap::new(), documents: vec![0; words] }
    }

    /// Adds a document with the bit set of its words and the number of places.
    pub(crate) fn add(&mut self, source: SourceName, path: &str, words: u64, places: u64) {
        if words == 0 {
            return;
        }
        let file = self.files.entry((source, path.to_owned())).or_default();
        file.0 |= words;
        file.1 += places;
        for (at, count) in self.documents.iter_mut().enumerate() {
            *count += words >> at & 1;
        }
    }

    /// Returns everything collected.
    pub(crate) fn finish(self, words: Vec<String>, unit: &'static str, unseen: u64) -> Holders {
        let counted = words.into_iter().zip(self.documents);
        let file = |((source, path), (words, places)): ((SourceName, String), (u64, u64))| {
            HoldingFile { source, path, words: words.count_ones(), places }
        };
        Holders {
            words: counted.map(|(word, documents)| HeldWord { word, documents }).collect(),
            files: self.files.into_iter().map(file).collect(),
            unit,
            unseen,
        }
    }
}

/// Returns the documents of a snapshot that meet the conditions and contain a word; `within` is the
/// set per source that meets the conditions of the query.
pub(crate) fn holders(
    snapshot: &Snapshot,
    parsed: &ParsedQuery,
    within: &[DocumentSet],
) -> Result<Holders, EngineError> {
    let words = words_of(&parsed.plan.query);
    let mut gathered = Gathered::new(words.len());
    let mut unseen = 0;
    for (source, within) in snapshot.sources.iter().zip(within) {
        let reader = source.reader.as_ref();
        unseen += source.pending.len() as u64;
        let held = held_in(reader, &words)?;
        if held.is_empty() {
            continue;
        }
        let ids: Vec<DocumentId> = held.keys().copied().filter(|id| within.contains(*id)).collect();
        for listed in reader.listing_of(&ids, &parsed.filter)? {
            let Some(held) = held.get(&listed.id) else { continue };
            // A file that differs from the disk proves nothing.
            if !source.is_pending(listed.path) {
                gathered.add(reader.source(), listed.path, held.words, held.chunks.len() as u64);
            }
        }
    }
    let words = words.into_iter().map(|word| word.term.clone()).collect();
    Ok(gathered.finish(words, "passage", unseen))
}

/// Returns the documents of one source that contain a word, without a filter.
fn held_in(reader: &dyn Reader, words: &[&Word]) -> Result<HashMap<DocumentId, Held>, EngineError> {
    let mut held: HashMap<DocumentId, Held> = HashMap::new();
    for (at, word) in words.iter().enumerate() {
        for (field, term) in terms_of(reader, word)? {
            for holder in reader.holders(field, &term, usize::MAX)? {
                let entry = held.entry(holder.document).or_default();
                entry.words |= 1 << at;
                entry.chunks.extend(holder.chunk);
            }
        }
    }
    Ok(held)
}

/// Returns the terms that equal a word or start with it.
fn terms_of(reader: &dyn Reader, word: &Word) -> Result<Vec<(Field, String)>, EngineError> {
    let in_texts = |field: Field| matches!(field, Field::Body | Field::Whole);
    if let WordForm::Fuzzy(_) = word.form {
        let forms = expanded(&word.term, &word.form, reader, MAX_TERMS)?;
        let forms = forms.into_iter().filter(|form| in_texts(form.field));
        return Ok(forms.map(|form| (form.field, form.term)).collect());
    }
    let mut terms = Vec::new();
    for field in [Field::Body, Field::Whole] {
        if counts_as_start(&word.term) || word.form == WordForm::Prefix {
            let found = reader.terms(field, &word.term, MAX_TERMS)?;
            terms.extend(found.into_iter().map(|term| (field, term)));
        } else {
            terms.push((field, word.term.clone()));
        }
    }
    Ok(terms)
}
