//! Completes a query while it is typed, from the words, definitions, titles and paths of the last
//! index.
//!
//! Only the index as last written is read, so it is fast enough for every keystroke.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use lore_index::{IndexError, Reader};
use lore_schema::{Field, SourceName};
use lore_text::{fold, parts};

use crate::{
    EngineConfig, EngineError, IndexMode, Progress,
    query::definition_term,
    state::{refresh, views::last_states},
};

/// Kind of a suggestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SuggestionKind {
    /// The path of a file.
    Path,
    /// The name of a definition.
    Symbol,
    /// A word.
    Term,
    /// The title of a document.
    Title,
}

impl SuggestionKind {
    /// All kinds, sorted by name.
    pub const ALL: &'static [SuggestionKind] = &[
        SuggestionKind::Path,
        SuggestionKind::Symbol,
        SuggestionKind::Term,
        SuggestionKind::Title,
    ];

    /// Returns the name that users type.
    pub fn as_str(self) -> &'static str {
        match self {
            SuggestionKind::Path => "path",
            SuggestionKind::Symbol => "symbol",
            SuggestionKind::Term => "term",
            SuggestionKind::Title => "title",
        }
    }

    /// Returns the kind with this name.
    pub fn from_name(name: &str) -> Option<SuggestionKind> {
        SuggestionKind::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }
}

/// A request for completions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestRequest {
    /// The text typed so far. The last of several words is completed.
    pub prefix: String,
    /// Kinds of suggestions; empty for all.
    pub kinds: Vec<SuggestionKind>,
    /// Maximum number of suggestions, at least 1.
    pub limit: usize,
}

/// A completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The completed text.
    pub text: String,
    /// Its kind.
    pub kind: SuggestionKind,
    /// Number of documents that contain it.
    pub documents: u64,
}

/// Completions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SuggestResponse {
    /// The typed text.
    pub prefix: String,
    /// The completions: exact prefixes first, then those in other letter case, then those with a
    /// word that starts so; the most frequent first.
    pub suggestions: Vec<Suggestion>,
    /// Milliseconds from the request to the answer.
    pub elapsed_ms: f64,
}

/// Maximum number of words in titles that are followed to their documents.
const TITLE_WORDS: usize = 30;

/// Maximum number of documents per source whose titles are read.
const TITLES: usize = 60;

/// Completes from the last state of every source; if there is none, the index is built first.
pub(crate) fn suggest(
    config: &EngineConfig,
    request: &SuggestRequest,
    progress: &dyn Progress,
) -> Result<SuggestResponse, EngineError> {
    let prefix = request.prefix.trim_start();
    if prefix.trim().is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    let mut readers = last_states(config, |_| true);
    if readers.is_empty() {
        let taken = refresh::take(config, &[], IndexMode::Update, progress)?;
        readers = taken.sources.into_iter().map(|source| source.reader).collect();
    }
    let readers: Vec<&dyn Reader> = readers.iter().map(AsRef::as_ref).collect();
    let wanted = |kind: SuggestionKind| request.kinds.is_empty() || request.kinds.contains(&kind);
    let mut found = Vec::new();
    if wanted(SuggestionKind::Symbol) {
        found.extend(symbols(&readers, prefix, request.limit)?);
    }
    if wanted(SuggestionKind::Term) {
        found.extend(terms(&readers, prefix, request.limit)?);
    }
    if wanted(SuggestionKind::Title) {
        found.extend(titles(&readers, prefix)?);
    }
    if wanted(SuggestionKind::Path) {
        found.extend(paths(&readers, prefix));
    }
    Ok(SuggestResponse {
        prefix: request.prefix.clone(),
        suggestions: best(found, prefix, request.limit),
        elapsed_ms: 0.0,
    })
}

/// Sorts and truncates suggestions and removes duplicates.
fn best(mut found: Vec<Suggestion>, prefix: &str, limit: usize) -> Vec<Suggestion> {
    let folded = fold(prefix);
    found.sort_by_cached_key(|suggestion| {
        let exactness = exactness(&suggestion.text, prefix, &folded);
        (
            exactness,
            Reverse(suggestion.documents),
            suggestion.text.len(),
            suggestion.text.clone(),
            suggestion.kind,
        )
    });
    let mut seen = BTreeSet::new();
    found.retain(|suggestion| seen.insert(suggestion.text.clone()));
    found.truncate(limit);
    found
}

/// Returns how exactly a text continues the typed one; 0 is best.
fn exactness(text: &str, prefix: &str, folded: &str) -> u8 {
    if text == prefix {
        0
    } else if text.starts_with(prefix) {
        1
    } else if fold(text).starts_with(folded) {
        2
    } else {
        3
    }
}

/// Returns words that start like the last typed one, after the words before it.
fn terms(
    readers: &[&dyn Reader],
    prefix: &str,
    limit: usize,
) -> Result<Vec<Suggestion>, IndexError> {
    let at = prefix.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let at = (at..=prefix.len()).find(|at| prefix.is_char_boundary(*at)).unwrap_or(at);
    let (head, last) = prefix.split_at(at);
    let begin = fold(last);
    if begin.is_empty() {
        return Ok(Vec::new());
    }
    let mut rows: BTreeMap<String, u64> = BTreeMap::new();
    for reader in readers {
        for field in [Field::Body, Field::Title] {
            // A word that is rare in one source may be frequent over all.
            for (term, count) in reader.frequent_terms(field, &begin, limit.saturating_mul(3))? {
                *rows.entry(term).or_default() += count;
            }
        }
    }
    let mut rows: Vec<(String, u64)> = rows.into_iter().collect();
    rows.sort_by_key(|(_, count)| Reverse(*count));
    let mut suggestions = Vec::new();
    // The word itself is suggested as well, to show its frequency.
    let (exact, longer): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(term, _)| *term == begin);
    for (term, _) in exact.into_iter().chain(longer) {
        if suggestions.len() > limit {
            break;
        }
        let mut documents = 0;
        for reader in readers {
            let body = reader.document_frequency(Field::Body, &term)?;
            documents += body.max(reader.document_frequency(Field::Title, &term)?);
        }
        if documents > 0 {
            let text = format!("{head}{term}");
            suggestions.push(Suggestion { text, kind: SuggestionKind::Term, documents });
        }
    }
    Ok(suggestions)
}

/// Returns definitions whose name starts so, in any letter case and with any separators: `retryRef`
/// completes to `retry_refund`.
fn symbols(
    readers: &[&dyn Reader],
    prefix: &str,
    limit: usize,
) -> Result<Vec<Suggestion>, IndexError> {
    let folded = parts(prefix).concat();
    if folded.is_empty() || prefix.trim().contains(char::is_whitespace) {
        return Ok(Vec::new());
    }
    let mut suggestions: Vec<Suggestion> = Vec::new();
    for reader in readers {
        for (term, _) in reader.frequent_terms(Field::Symbol, &folded, limit.saturating_add(5))? {
            let Some(name) = name_of(*reader, &term)? else { continue };
            let defined = reader.document_frequency(Field::Symbol, &term)?;
            let mentioned = reader.document_frequency(Field::Whole, &parts(&name).concat())?;
            let documents = defined.max(mentioned);
            match suggestions.iter_mut().find(|known| known.text == name) {
                Some(known) => known.documents += documents,
                None => suggestions.push(Suggestion {
                    text: name,
                    kind: SuggestionKind::Symbol,
                    documents,
                }),
            }
        }
    }
    Ok(suggestions)
}

/// Returns a name as written, for its folded term.
pub(crate) fn name_of(reader: &dyn Reader, term: &str) -> Result<Option<String>, IndexError> {
    let holders = reader.holders(Field::Symbol, term, 1)?;
    let ids: Vec<_> = holders.iter().filter_map(|holder| holder.chunk).collect();
    let chunk = reader.chunks(&ids)?.pop();
    Ok(chunk.and_then(|chunk| {
        let names = chunk.symbols.into_iter().map(|symbol| symbol.name);
        names.into_iter().find(|name| definition_term(name) == term)
    }))
}

/// Returns titles with a word that starts like the typed one. Code files are named by their paths,
/// and first lines of commits are not typed.
fn titles(readers: &[&dyn Reader], prefix: &str) -> Result<Vec<Suggestion>, IndexError> {
    let folded = fold(prefix);
    let Some(last) = parts(&folded).pop() else { return Ok(Vec::new()) };
    let mut suggestions: Vec<Suggestion> = Vec::new();
    let named =
        |reader: &&&dyn Reader| !matches!(reader.source(), SourceName::Code | SourceName::Git);
    for reader in readers.iter().filter(named) {
        let mut ids = BTreeSet::new();
        for (term, _) in reader.frequent_terms(Field::Title, &last, TITLE_WORDS)? {
            let left = TITLES.saturating_sub(ids.len());
            let holders = reader.holders(Field::Title, &term, left)?;
            ids.extend(holders.into_iter().map(|holder| holder.document));
        }
        let ids: Vec<_> = ids.into_iter().collect();
        for document in reader.documents(&ids)? {
            let title = document.title;
            if !begins_a_word(&fold(&title), &folded) {
                continue;
            }
            match suggestions.iter_mut().find(|known| known.text == title) {
                Some(known) => known.documents += 1,
                None => suggestions.push(Suggestion {
                    text: title,
                    kind: SuggestionKind::Title,
                    documents: 1,
                }),
            }
        }
    }
    Ok(suggestions)
}

/// Returns true if a text contains the typed text at the start of a word.
fn begins_a_word(text: &str, typed: &str) -> bool {
    text.match_indices(typed).any(|(at, _)| {
        text[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric())
    })
}

/// Returns paths that start so, or whose file name does.
fn paths(readers: &[&dyn Reader], prefix: &str) -> Vec<Suggestion> {
    let typed = prefix.trim_end().to_ascii_lowercase();
    let begins = |text: &str| {
        text.get(..typed.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(&typed))
    };
    readers
        .iter()
        .filter(|reader| reader.source() != SourceName::Git)
        .flat_map(|reader| reader.units())
        .filter(|path| begins(path) || path.rsplit('/').next().is_some_and(begins))
        .map(|path| Suggestion { text: path.to_owned(), kind: SuggestionKind::Path, documents: 1 })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_prefixes_come_first_then_the_most_frequent() {
        let suggestion = |text: &str, documents| Suggestion {
            text: text.to_owned(),
            kind: SuggestionKind::Term,
            documents,
        };
        let found = vec![
            suggestion("The refund", 90),
            suggestion("Refund", 50),
            suggestion("refuse", 3),
            suggestion("refund", 9),
            suggestion("refund", 2),
            suggestion("ref", 1),
        ];
        let texts = |limit| -> Vec<String> {
            best(found.clone(), "ref", limit)
                .into_iter()
                .map(|suggestion| suggestion.text)
                .collect()
        };
        assert_eq!(texts(9), ["ref", "refund", "refuse", "Refund", "The refund"]);
        assert_eq!(texts(2), ["ref", "refund"]);
    }

    #[test]
    fn typed_text_matches_at_the_start_of_words() {
        assert!(begins_a_word("how to refund", "ref"));
        assert!(begins_a_word("refund", "ref"));
        assert!(!begins_a_word("prefund", "ref"));
        assert!(begins_a_word("pay a refund", "a ref"));
    }
}
