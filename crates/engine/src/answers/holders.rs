//! Which documents hold the words of a question literally: all of them, however they are ranked.
//!
//! A word stands where a term of the text begins with it, in any letter case: `retry` in `retry`,
//! `retryRefund` and `retrying`, and not in `poetry`. What follows from the words alone, such as
//! inflections and synonyms, does not count.

use std::collections::{BTreeMap, HashMap, HashSet};

use lore_index::{ChunkId, DocumentId, DocumentSet, Reader};
use lore_schema::{Field, SourceName};

use crate::{
    EngineError, HeldWord, Holders, HoldingFile,
    query::{Query, Word, WordForm, expanded},
    search::parse::ParsedQuery,
    state::snapshot::Snapshot,
};

/// Shortest word, in letters, that longer ones are counted for: nearly everything begins like a
/// shorter one.
const SHORTEST_START: usize = 3;

/// Most terms that a word is the beginning of: as far as anybody looks into a dictionary.
const MAX_TERMS: usize = 4_000;

/// Most words that are told apart.
pub(crate) const MAX_WORDS: usize = 64;

/// The words of a question that are looked for literally, with their position.
pub(crate) fn words_of(query: &Query) -> Vec<&Word> {
    let typed = query.typed();
    let asked = query.asked().filter(|(at, _)| *at < typed);
    asked.map(|(_, word)| word).take(MAX_WORDS).collect()
}

/// Whether longer words that begin with this one are counted, too.
pub(crate) fn counts_as_start(term: &str) -> bool {
    term.chars().count() >= SHORTEST_START
}

/// What one document holds.
#[derive(Default)]
struct Held {
    /// One bit a word.
    words: u64,
    chunks: HashSet<ChunkId>,
}

/// Gathers what files hold, each named once, however many documents it is.
#[derive(Default)]
pub(crate) struct Gathered {
    files: BTreeMap<(SourceName, String), (u64, u64)>,
    documents: Vec<u64>,
}

impl Gathered {
    /// Of so many words.
    pub(crate) fn new(words: usize) -> Gathered {
        Gathered { files: BTreeMap::new(), documents: vec![0; words] }
    }

    /// Adds a document: which words it holds, one bit each, and in how many places.
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

    /// Everything that was gathered.
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

/// The documents of a snapshot that meet the conditions and hold a word; `within` says for each source
/// who meets those of the query.
pub(crate) fn holders(
    snapshot: &Snapshot,
    asked: &ParsedQuery,
    within: &[DocumentSet],
) -> Result<Holders, EngineError> {
    let words = words_of(&asked.plan.query);
    let mut gathered = Gathered::new(words.len());
    let mut unseen = 0;
    for (source, within) in snapshot.sources.iter().zip(within) {
        let reader = source.reader.as_ref();
        unseen += source.pending.len() as u64;
        let held = held_in(reader, &words)?;
        if held.is_empty() {
            continue;
        }
        for one in reader.listing(&asked.filter)? {
            let Some(held) = held.get(&one.id).filter(|_| within.contains(one.id)) else {
                continue;
            };
            // What differs from the disk proves nothing.
            if !source.is_pending(one.path) {
                gathered.add(reader.source(), one.path, held.words, held.chunks.len() as u64);
            }
        }
    }
    let words = words.into_iter().map(|word| word.term.clone()).collect();
    Ok(gathered.finish(words, "passage", unseen))
}

/// The documents of one source that hold a word, filtered by nothing.
fn held_in(reader: &dyn Reader, words: &[&Word]) -> Result<HashMap<DocumentId, Held>, EngineError> {
    let mut held: HashMap<DocumentId, Held> = HashMap::new();
    for (at, word) in words.iter().enumerate() {
        for (field, term) in terms_of(reader, word)? {
            for holder in reader.holders(field, &term, usize::MAX)? {
                let one = held.entry(holder.document).or_default();
                one.words |= 1 << at;
                one.chunks.extend(holder.chunk);
            }
        }
    }
    Ok(held)
}

/// The terms of the texts that a word is, or is the beginning of.
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
