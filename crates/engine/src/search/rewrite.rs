//! Rewriting: words that are added to a query. A word that the tree does not contain gets similar
//! words; an abbreviation gets the name that it abbreviates in this tree. Both count for less than
//! typed words, and the receipt names them.

use std::collections::{BTreeMap, BTreeSet};

use lore_index::{DocumentId, IndexError, Reader};
use lore_schema::Field;
use lore_text::{StaticEmbedder, same_stem};

use crate::{
    Expansion,
    graph::defines,
    query::{Query, Word, WordForm, abbreviated, is_known, may_abbreviate},
    state::snapshot::Snapshot,
};

/// Maximum number of similar words that are added for an unknown one.
const MAX_NEAR: usize = 2;

/// Maximum number of words of the model that are examined for them.
const MAX_EXAMINED: usize = 40;

/// Minimum similarity of such a word: `colour` and `color` have 0.54 in this model, `credentials`
/// and `password` 0.50, `login` and `auth` 0.48, and words that only share a field mostly below
/// 0.45.
const MIN_SIMILARITY: f32 = 0.46;

/// Maximum number of documents with an abbreviation whose names are examined.
const MAX_DOCUMENTS: usize = 48;

/// Minimum number of them, and minimum share, that must define the full name.
const MIN_DOCUMENTS: usize = 3;
const MIN_SHARE: f32 = 0.2;

/// Minimum factors by which the full name is more frequent than in the whole tree, and than the
/// next possible name.
const MIN_LIFT: f32 = 2.0;
const MIN_LEAD: usize = 2;

/// Weight of an added word, relative to a typed one, and of one part of an added name.
const ADDED: f32 = 0.5;
const ADDED_PART: f32 = 0.25;

/// Appends words to those of a query of several words. Words with additions are skipped.
/// `uses_model` permits similar words from the model. Returns the additions, in the order of the
/// words.
pub(crate) fn rewrite(
    query: &mut Query,
    snapshot: &Snapshot,
    uses_model: bool,
) -> Result<Vec<Expansion>, IndexError> {
    let readers: Vec<&dyn Reader> =
        snapshot.sources.iter().map(|source| source.reader.as_ref()).collect();
    let mut known = Vec::new();
    for (index, word) in query.required_words() {
        known.push((index, is_known_anywhere(&word.term, &readers)?));
    }
    // A query of one word requires that word; and where no word of a query is known, no document is
    // an answer.
    if known.len() < 2 || known.iter().all(|(_, is_known)| !is_known) {
        return Ok(Vec::new());
    }
    let mut expansions = Vec::new();
    let mut words: Vec<Word> = Vec::new();
    for (index, is_known) in known {
        let word = &query.words[index];
        if word.form != WordForm::Part || word.name.is_some() || query.added.contains_key(&index) {
            continue;
        }
        let added: Vec<Vec<String>> = if is_known {
            stands_for(word, &readers)?.into_iter().collect()
        } else if uses_model {
            nearest(word, &readers)?.into_iter().map(|term| vec![term]).collect()
        } else {
            Vec::new()
        };
        let mut terms = Vec::new();
        for parts in added {
            let whole = parts.concat();
            let is_there = |term: &str| {
                let mut all = query.words.iter().chain(&words);
                all.any(|word| word.term == term || same_stem(&word.term, term))
            };
            if is_there(&whole) {
                continue;
            }
            let mut more = vec![added_word(&whole, ADDED)];
            let parts = if parts.len() > 1 { parts } else { Vec::new() };
            let new = parts.iter().filter(|part| !is_there(part));
            more.extend(new.map(|part| added_word(part, ADDED_PART)));
            terms.push(whole);
            words.append(&mut more);
        }
        if !terms.is_empty() {
            expansions.push(Expansion { word: word.term.clone(), added: terms });
        }
    }
    query.rewritten += words.len();
    query.words.append(&mut words);
    Ok(expansions)
}

fn added_word(term: &str, weight: f32) -> Word {
    Word { term: term.to_owned(), form: WordForm::Part, name: None, weight }
}

fn is_known_anywhere(term: &str, readers: &[&dyn Reader]) -> Result<bool, IndexError> {
    for reader in readers {
        if is_known(term, *reader)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The most similar words that the tree contains. None for a word that the model only has as
/// pieces: these are similar to words with the same spelling.
fn nearest(word: &Word, readers: &[&dyn Reader]) -> Result<Vec<String>, IndexError> {
    let model = StaticEmbedder::builtin();
    let mut nearest: Vec<String> = Vec::new();
    if !model.knows_word(&word.term) {
        return Ok(nearest);
    }
    for (term, _) in model.nearest_words(&word.term, MAX_EXAMINED, MIN_SIMILARITY) {
        // Forms of one word count once, and a piece of a word has another meaning.
        let is_new =
            !word.term.contains(&term) && !nearest.iter().any(|other| same_stem(other, &term));
        if is_new && is_known_anywhere(&term, readers)? {
            nearest.push(term);
        }
        if nearest.len() == MAX_NEAR {
            break;
        }
    }
    Ok(nearest)
}

/// The name that an abbreviation stands for, in parts: of all possible names, the one that most
/// files with the abbreviation define, if they define it more often than other files, and clearly
/// more often than the next possible name.
fn stands_for(word: &Word, readers: &[&dyn Reader]) -> Result<Option<Vec<String>>, IndexError> {
    if !may_abbreviate(&word.term) {
        return Ok(None);
    }
    for reader in readers.iter().filter(|reader| defines(reader.source())) {
        let users = reader.documents_with(Field::Body, &word.term)?;
        // Rows are in the order in which they were written: a sample of adjacent ones would be one
        // folder.
        let mut sample = Vec::with_capacity(users.len());
        for id in users {
            sample.push((reader.sample_number(id)?, id));
        }
        if sample.len() > MAX_DOCUMENTS {
            sample.select_nth_unstable(MAX_DOCUMENTS);
            sample.truncate(MAX_DOCUMENTS);
        }
        // In the order of the rows, which are read faster that way.
        let mut users: Vec<DocumentId> = sample.into_iter().map(|(_, id)| id).collect();
        users.sort_unstable();
        let mut found: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        for document in reader.documents(&users)? {
            let meant: BTreeSet<Vec<String>> =
                document.names.iter().filter_map(|name| abbreviated(&word.term, name)).collect();
            for meant in meant {
                *found.entry(meant).or_default() += 1;
            }
        }
        let mut found: Vec<(Vec<String>, usize)> = found.into_iter().collect();
        // Ties are broken by the alphabet.
        found.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
        let Some((meant, count)) = found.first() else { continue };
        let is_form = |other: &[String]| same_stem(&other.concat(), &meant.concat());
        let next = found.iter().skip(1).find(|(other, _)| !is_form(other));
        let share = *count as f32 / users.len() as f32;
        let anywhere = documents_with(meant, *reader)? as f32 / reader.unit_count().max(1) as f32;
        let is_clear = next.is_none_or(|(_, next)| MIN_LEAD * next <= *count);
        if MIN_DOCUMENTS <= *count && MIN_SHARE <= share && MIN_LIFT * anywhere <= share && is_clear
        {
            return Ok(Some(meant.clone()));
        }
    }
    Ok(None)
}

/// Number of documents that contain these parts of a name, in one chunk where there are several.
fn documents_with(parts: &[String], reader: &dyn Reader) -> Result<u64, IndexError> {
    if let [only] = parts {
        return reader.document_frequency(Field::Names, only);
    }
    let holders = reader.holders_of_all(Field::Body, parts)?;
    let documents: BTreeSet<DocumentId> = holders.iter().map(|holder| holder.document).collect();
    Ok(documents.len() as u64)
}
