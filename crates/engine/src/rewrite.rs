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
    snapshot::Snapshot,
};

/// Words near in meaning that take the place of one that is not known.
const MOST_NEAR: usize = 2;

/// Words of the model that are looked at for them.
const MOST_LOOKED_AT: usize = 40;

/// Least likeness of such a word: `colour` and `color` have 0.54 in this model, `credentials` and
/// `password` 0.50, `login` and `auth` 0.48, and what is only of one field mostly below 0.4.
const LEAST_NEAR: f32 = 0.42;

/// Documents with an abbreviation whose names are looked at.
const MOST_DOCUMENTS: usize = 48;

/// Least number of them, and least share, that must define what it may stand for.
const LEAST_DOCUMENTS: usize = 2;
const LEAST_SHARE: f32 = 0.2;

/// How many times more often than elsewhere.
const LEAST_LIFT: f32 = 2.0;

/// Adds words to the words of a question of several. Words that have some already are left alone.
/// `near` tells whether meaning may be asked. Returns what was added, in the order of the words.
pub(crate) fn rewrite(
    query: &mut Query,
    snapshot: &Snapshot,
    near: bool,
) -> Result<Vec<Expansion>, IndexError> {
    // Whoever asks for one word asks for that word.
    if query.asked().count() < 2 {
        return Ok(Vec::new());
    }
    let readers: Vec<&dyn Reader> =
        snapshot.sources.iter().map(|source| source.reader.as_ref()).collect();
    let mut expansions = Vec::new();
    for (index, word) in query.words.iter().enumerate() {
        let is_word = word.is_asked() && word.form == WordForm::Part && word.name.is_none();
        if !is_word || query.added.contains_key(&index) {
            continue;
        }
        let mut added = if is_known_anywhere(&word.term, &readers)? {
            stands_for(word, &readers)?.into_iter().collect()
        } else if near {
            nearest(word, &readers)?
        } else {
            Vec::new()
        };
        let is_typed = |term: &String| {
            query.words.iter().any(|word| same_stem(&word.term, term) || word.term == *term)
        };
        added.retain(|term| !is_typed(term));
        if !added.is_empty() {
            expansions.push(Expansion { word: word.term.clone(), added: added.clone() });
            query.added.insert(index, added);
        }
    }
    Ok(expansions)
}

fn is_known_anywhere(term: &str, readers: &[&dyn Reader]) -> Result<bool, IndexError> {
    for reader in readers {
        if is_known(term, *reader)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The words nearest to one in meaning that somebody here uses.
fn nearest(word: &Word, readers: &[&dyn Reader]) -> Result<Vec<String>, IndexError> {
    let mut nearest: Vec<String> = Vec::new();
    for (term, _) in StaticEmbedder::builtin().nearest_words(&word.term, MOST_LOOKED_AT, LEAST_NEAR)
    {
        // Pieces of words are rows of the model, too; nobody uses them. Forms of one word are one.
        let is_new = !nearest.iter().any(|other| same_stem(other, &term));
        if is_new && is_known_anywhere(&term, readers)? {
            nearest.push(term);
        }
        if nearest.len() == MOST_NEAR {
            break;
        }
    }
    Ok(nearest)
}

/// What an abbreviation stands for: of the names that it may stand for, the one that is defined by
/// most of the files that use it, if it is defined there more often than elsewhere.
fn stands_for(word: &Word, readers: &[&dyn Reader]) -> Result<Option<String>, IndexError> {
    if !may_abbreviate(&word.term) {
        return Ok(None);
    }
    for reader in readers.iter().filter(|reader| defines(reader.source())) {
        let holders = reader.holders(Field::Body, &word.term, 4 * MOST_DOCUMENTS)?;
        let users: BTreeSet<DocumentId> = holders.iter().map(|holder| holder.document).collect();
        let users: Vec<DocumentId> = users.into_iter().take(MOST_DOCUMENTS).collect();
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        for document in reader.documents(&users)? {
            let meant: BTreeSet<String> =
                document.names.iter().filter_map(|name| abbreviated(&word.term, name)).collect();
            for meant in meant {
                *found.entry(meant).or_default() += 1;
            }
        }
        let all = reader.units().count().max(1) as f32;
        // The first of equals in the alphabet.
        let best = found.into_iter().rev().max_by_key(|(_, count)| *count);
        let Some((meant, count)) = best else { continue };
        let share = count as f32 / users.len() as f32;
        let whole = reader.document_frequency(Field::Names, &meant)?;
        let elsewhere = whole as f32 / all;
        if LEAST_DOCUMENTS <= count && LEAST_SHARE <= share && LEAST_LIFT * elsewhere <= share {
            return Ok(Some(meant));
        }
    }
    Ok(None)
}
