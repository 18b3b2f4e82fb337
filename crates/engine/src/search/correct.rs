//! Corrects the words of a query that no searched document contains: a misspelt word becomes the
//! nearest word of the index, a half-remembered name the nearest name. The answer says so, and the
//! typed word in quotation marks is searched as it is.

mod names;
mod words;

use std::cmp::Reverse;

use lore_index::{IndexError, Reader};
use lore_text::{Form, analyzer};

use self::{
    names::{nearest_identifier, nearest_name},
    words::nearest_word,
};
use super::context::SearchContext;
use crate::{
    Correction, EngineError,
    query::{Query, Shape, Word, WordForm, announce_known, is_known},
};

/// Minimum length of a corrected word, in letters; a word that is the whole query must be longer.
const MIN_WORD_LEN: usize = 4;

/// Maximum number of corrected words: a text with more is in another language, or is noise.
const MAX_CORRECTED: usize = 4;

/// Maximum number of words of a query, beside which a half-remembered name is looked up, and minimum
/// value of the name that is found.
const MAX_WORDS_BESIDE_NAME: usize = 6;
const MIN_VALUE_BESIDE_WORDS: f64 = 0.75;

/// Maximum number of words and names of one field that are considered.
const MAX_CANDIDATES: usize = 500;

/// Finds corrections for the unknown words of a query, in their order. Words that `is_known_elsewhere`
/// returns true for are not corrected.
///
/// Returns them with the unknown words for which there is none.
pub(crate) fn correct(
    query: &Query,
    is_known_elsewhere: &dyn Fn(&str) -> Result<bool, EngineError>,
    context: SearchContext<'_>,
) -> Result<(Vec<Correction>, Vec<String>), EngineError> {
    let readers = context.snapshot.readers();
    let mut corrections = Vec::new();
    let mut unknown = Vec::new();
    let is_word = |word: &Word| matches!(word.form, WordForm::Part | WordForm::Whole);
    let words = query.required_words().map(|(_, word)| word).filter(|word| is_word(word));
    announce_known(&words.map(|word| &*word.term).collect::<Vec<_>>(), &readers)?;
    for (_, word) in query.required_words() {
        if !is_word(word)
            || is_known_anywhere(&word.term, &readers)?
            || is_known_elsewhere(&word.term)?
        {
            continue;
        }
        let typed = word.name.clone().unwrap_or_else(|| word.term.clone());
        match nearest(word, query, context)? {
            Some(shown) => corrections.push(Correction { typed, shown }),
            None => unknown.push(typed),
        }
    }
    if corrections.len() > MAX_CORRECTED {
        let typed = corrections.drain(..).map(|correction| correction.typed);
        unknown.extend(typed);
    }
    Ok((corrections, unknown))
}

/// Replaces the corrected words in the text of a query.
pub(crate) fn replace(text: &str, corrections: &[Correction]) -> String {
    let mut replacements: Vec<(usize, usize, &str)> = Vec::new();
    analyzer("prose").analyze(text, &mut |token| {
        let is_typed = |correction: &&Correction| {
            let typed = correction.typed.trim_matches('_');
            let raw = text[token.start..token.end].trim_matches('_');
            raw == typed || (token.form != Form::Whole && token.term == typed)
        };
        if let Some(correction) = corrections.iter().find(is_typed) {
            // Underscores around a name belong to it.
            let start = text[..token.start].trim_end_matches('_').len();
            let end = text.len() - text[token.end..].trim_start_matches('_').len();
            replacements.push((start, end, &correction.shown));
        }
    });
    replacements.sort_by_key(|(start, end, _)| (*start, Reverse(*end)));
    let mut corrected = String::with_capacity(text.len());
    let mut done = 0;
    for (start, end, shown) in replacements {
        if start < done {
            continue;
        }
        corrected.push_str(&text[done..start]);
        corrected.push_str(shown);
        done = end;
    }
    corrected.push_str(&text[done..]);
    corrected
}

/// Returns true if any of the indexes contains a term.
pub(crate) fn is_known_anywhere(term: &str, readers: &[&dyn Reader]) -> Result<bool, IndexError> {
    for reader in readers {
        if is_known(term, *reader)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The nearest word or name, if it is near enough.
fn nearest(
    word: &Word,
    query: &Query,
    context: SearchContext<'_>,
) -> Result<Option<String>, EngineError> {
    if word.term.chars().count() < MIN_WORD_LEN || !word.term.is_ascii() {
        return Ok(None);
    }
    if query.required_words().count() == 1 && word.term.len() <= MIN_WORD_LEN {
        return Ok(None);
    }
    let readers = context.snapshot.readers();
    if word.form == WordForm::Part
        && let Some(found) = nearest_word(&word.term, &readers)?
    {
        return Ok(Some(found));
    }
    let Some(name) = &word.name else { return Ok(None) };
    let is_single = query.shape == Shape::Symbol;
    // In a sentence or a message, an unknown name is mostly the reader's own.
    if is_single || query.required_words().count() <= MAX_WORDS_BESIDE_NAME {
        let min_value = if is_single { 0.0 } else { MIN_VALUE_BESIDE_WORDS };
        if let Some(found) = nearest_name(name, min_value, &readers)? {
            return Ok(Some(found));
        }
    }
    nearest_identifier(&word.term, context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_typed_word_is_replaced() {
        let corrected = |text: &str, typed: &str, shown: &str| {
            let correction = Correction { typed: typed.to_owned(), shown: shown.to_owned() };
            replace(text, &[correction])
        };
        for (text, typed, shown, expected) in [
            ("gracful stop", "gracful", "graceful", "graceful stop"),
            ("__init_sub__", "__init_sub__", "__init_subclass__", "__init_subclass__"),
            ("Pool::get_itm()", "get_itm", "get_item", "Pool::get_item()"),
            ("Gracful stop, gracful start", "gracful", "graceful", "graceful stop, graceful start"),
            ("getItm getItmAt", "getItm", "getItem", "getItem getItmAt"),
            ("über gracful", "gracful", "graceful", "über graceful"),
        ] {
            assert_eq!(corrected(text, typed, shown), expected, "{text}");
        }
    }
}
