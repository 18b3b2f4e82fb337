//! Completes what is being typed: from the words, definitions, titles and paths of the last index.
//!
//! It looks at nothing but the index as it was last written, so that it can be asked at every key.

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

/// What a suggestion is.
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
    /// Every kind, in the order of their names.
    pub const ALL: &'static [SuggestionKind] = &[
        SuggestionKind::Path,
        SuggestionKind::Symbol,
        SuggestionKind::Term,
        SuggestionKind::Title,
    ];

    /// The name that users type.
    pub fn as_str(self) -> &'static str {
        match self {
            SuggestionKind::Path => "path",
            SuggestionKind::Symbol => "symbol",
            SuggestionKind::Term => "term",
            SuggestionKind::Title => "title",
        }
    }

    /// The kind with this name, if there is one.
    pub fn from_name(name: &str) -> Option<SuggestionKind> {
        SuggestionKind::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }
}

/// A question for completions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestRequest {
    /// What was typed so far. Of several words, the last one is completed.
    pub prefix: String,
    /// What is suggested; empty for everything.
    pub kinds: Vec<SuggestionKind>,
    /// Most suggestions that are returned, at least 1.
    pub limit: usize,
}

/// A completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// What to type.
    pub text: String,
    /// What it is.
    pub kind: SuggestionKind,
    /// Number of documents that hold it.
    pub documents: u64,
}

/// Completions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SuggestResponse {
    /// What was typed.
    pub prefix: String,
    /// The completions: those that begin as it was typed first, then those in other letter case,
    /// then those with a word that begins so; the most frequent first.
    pub suggestions: Vec<Suggestion>,
    /// Milliseconds from the request to the answer.
    pub elapsed_ms: f64,
}

/// Most words of titles that are followed to their documents.
const TITLE_WORDS: usize = 30;

/// Most documents of a source whose titles are read.
const TITLES: usize = 60;

/// Completes from the last state of every source; where there is none, the index is made first.
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

/// Orders suggestions and cuts them off; a text is suggested once.
fn best(mut found: Vec<Suggestion>, prefix: &str, limit: usize) -> Vec<Suggestion> {
    let folded = fold(prefix);
    found.sort_by_cached_key(|one| {
        let exactness = exactness(&one.text, prefix, &folded);
        (exactness, Reverse(one.documents), one.text.len(), one.text.clone(), one.kind)
    });
    let mut seen = BTreeSet::new();
    found.retain(|one| seen.insert(one.text.clone()));
    found.truncate(limit);
    found
}

/// How well a text goes on from what was typed; 0 is best.
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

/// Words that begin like the last one that was typed, after those before it.
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
            // What is rare in one source may be frequent in all of them.
            for (term, count) in reader.frequent_terms(field, &begin, limit.saturating_mul(3))? {
                *rows.entry(term).or_default() += count;
            }
        }
    }
    let mut rows: Vec<(String, u64)> = rows.into_iter().collect();
    rows.sort_by_key(|(_, count)| Reverse(*count));
    let mut suggestions = Vec::new();
    // The word itself is worth suggesting: it says how often it stands there.
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

/// Definitions whose name begins so, in any letter case and with any joints: `retryRef` completes
/// to `retry_refund`.
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

/// A name as it is written, for its folded term.
pub(crate) fn name_of(reader: &dyn Reader, term: &str) -> Result<Option<String>, IndexError> {
    let holders = reader.holders(Field::Symbol, term, 1)?;
    let ids: Vec<_> = holders.iter().filter_map(|holder| holder.chunk).collect();
    let chunk = reader.chunks(&ids)?.pop();
    Ok(chunk.and_then(|chunk| {
        let names = chunk.symbols.into_iter().map(|symbol| symbol.name);
        names.into_iter().find(|name| definition_term(name) == term)
    }))
}

/// Titles with a word that begins like what was typed. Files of code are called by their paths, and
/// the first line of a commit is nothing that anybody types.
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

/// Whether a text holds what was typed at the beginning of a word.
fn begins_a_word(text: &str, typed: &str) -> bool {
    text.match_indices(typed).any(|(at, _)| {
        text[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric())
    })
}

/// Paths that begin so, or whose file's name does.
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
    fn what_begins_as_typed_comes_first_then_the_frequent() {
        let one = |text: &str, documents| Suggestion {
            text: text.to_owned(),
            kind: SuggestionKind::Term,
            documents,
        };
        let found = vec![
            one("The refund", 90),
            one("Refund", 50),
            one("refuse", 3),
            one("refund", 9),
            one("refund", 2),
            one("ref", 1),
        ];
        let texts = |limit| -> Vec<String> {
            best(found.clone(), "ref", limit).into_iter().map(|one| one.text).collect()
        };
        assert_eq!(texts(9), ["ref", "refund", "refuse", "Refund", "The refund"]);
        assert_eq!(texts(2), ["ref", "refund"]);
    }

    #[test]
    fn words_are_begun_at_their_beginning() {
        assert!(begins_a_word("how to refund", "ref"));
        assert!(begins_a_word("refund", "ref"));
        assert!(!begins_a_word("prefund", "ref"));
        assert!(begins_a_word("pay a refund", "a ref"));
    }
}
