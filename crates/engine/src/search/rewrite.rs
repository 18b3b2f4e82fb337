//! Words that a question is searched with beside its own: for a word that nobody here knows, those
//! that are near it in meaning; for an abbreviation, what it stands for in this tree. Both count for
//! less than a word that was typed, and the receipt names them.

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

/// Words near in meaning that take the place of one that is not known.
const MAX_NEAR: usize = 2;

/// Words of the model that are looked at for them.
const MAX_EXAMINED: usize = 40;

/// Least likeness of such a word: `colour` and `color` have 0.54 in this model, `credentials` and
/// `password` 0.50, `login` and `auth` 0.48, and what is only of one field mostly below 0.45.
const MIN_SIMILARITY: f32 = 0.46;

/// Documents with an abbreviation whose names are looked at.
const MAX_DOCUMENTS: usize = 48;

/// Least number of them, and least share, that must define what it may stand for.
const MIN_DOCUMENTS: usize = 3;
const MIN_SHARE: f32 = 0.2;

/// How many times more often than anywhere, and than the next one that it may stand for.
const MIN_LIFT: f32 = 2.0;
const MIN_LEAD: usize = 2;

/// Weight of an added word beside one that was typed, and of one part of an added name.
const ADDED: f32 = 0.5;
const ADDED_PART: f32 = 0.25;

/// Adds words to the words of a question of several, behind them. Words that have some already are left
/// alone. `near` tells whether meaning may be asked. Returns what was added, in the order of the words.
pub(crate) fn rewrite(
    query: &mut Query,
    snapshot: &Snapshot,
    near: bool,
) -> Result<Vec<Expansion>, IndexError> {
    let readers: Vec<&dyn Reader> =
        snapshot.sources.iter().map(|source| source.reader.as_ref()).collect();
    let mut known = Vec::new();
    for (index, word) in query.asked() {
        known.push((index, is_known_anywhere(&word.term, &readers)?));
    }
    // Whoever asks for one word asks for that word; and where nothing of a question is known, nothing
    // is an answer.
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
        } else if near {
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

/// The words nearest to one in meaning that somebody here uses. None for a word that the model only
/// knows as pieces: these are near to what they are spelled like.
fn nearest(word: &Word, readers: &[&dyn Reader]) -> Result<Vec<String>, IndexError> {
    let model = StaticEmbedder::builtin();
    let mut nearest: Vec<String> = Vec::new();
    if !model.knows_word(&word.term) {
        return Ok(nearest);
    }
    for (term, _) in model.nearest_words(&word.term, MAX_EXAMINED, MIN_SIMILARITY) {
        // Forms of one word are one, and a piece of a word is not what it means.
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

/// What an abbreviation stands for, in parts: of the names that it may stand for, the one that is
/// defined by most of the files that use it, if it is defined there more often than anywhere, and by
/// clearly more of them than the next.
fn stands_for(word: &Word, readers: &[&dyn Reader]) -> Result<Option<Vec<String>>, IndexError> {
    if !may_abbreviate(&word.term) {
        return Ok(None);
    }
    for reader in readers.iter().filter(|reader| defines(reader.source())) {
        let holders = reader.holders(Field::Body, &word.term, usize::MAX)?;
        let mut users: Vec<DocumentId> = holders.iter().map(|holder| holder.document).collect();
        // Rows of a document lie together.
        users.dedup();
        // Rows lie in whatever order they were written. A sample of neighbours would be one folder.
        let mut by_locator = Vec::with_capacity(users.len());
        for id in users {
            by_locator.push((reader.locator(id)?, id));
        }
        by_locator.sort_unstable();
        let step = by_locator.len().div_ceil(MAX_DOCUMENTS).max(1);
        let users: Vec<DocumentId> = by_locator.iter().step_by(step).map(|(_, id)| *id).collect();
        let mut found: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        for document in reader.documents(&users)? {
            let meant: BTreeSet<Vec<String>> =
                document.names.iter().filter_map(|name| abbreviated(&word.term, name)).collect();
            for meant in meant {
                *found.entry(meant).or_default() += 1;
            }
        }
        let mut found: Vec<(Vec<String>, usize)> = found.into_iter().collect();
        // The first of equals in the alphabet.
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

/// Number of documents that hold these parts of a name, in one passage where there are several.
fn documents_with(parts: &[String], reader: &dyn Reader) -> Result<u64, IndexError> {
    if let [only] = parts {
        return reader.document_frequency(Field::Names, only);
    }
    let holders = reader.holders_of_all(Field::Body, parts)?;
    let documents: BTreeSet<DocumentId> = holders.iter().map(|holder| holder.document).collect();
    Ok(documents.len() as u64)
}
