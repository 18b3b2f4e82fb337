//! Finds names and titles similar to an unknown word.

use lore_index::Reader;
use lore_schema::{Field, SourceName};
use strsim::normalized_levenshtein;

use crate::{
    EngineError, answers::suggest::name_of, query::definition_term, state::snapshot::Snapshot,
};

/// Minimum similarity of a suggested name.
const NEAR: f64 = 0.5;

/// Minimum similarity of a word in a title. It is higher because a title has many words.
const NEAR_IN_TITLES: f64 = 0.6;

/// Maximum number of suggested names.
const MAX_NEAREST: usize = 3;

/// Maximum number of names per source that are compared.
const MAX_NAMES: usize = 100_000;

/// Returns the defined names, and the titles with a word, that are most similar to an unknown word.
pub(super) fn nearest(snapshot: &Snapshot, words: &[&str]) -> Result<Vec<String>, EngineError> {
    let names: Vec<String> = words.iter().map(|word| definition_term(word)).collect();
    let words: Vec<String> = words.iter().map(|word| lore_text::fold(word)).collect();
    let similarity = |name: &str, words: &[String]| {
        words.iter().map(|word| normalized_levenshtein(name, word)).fold(0.0, f64::max)
    };
    let mut scored: Vec<(f64, String)> = Vec::new();
    for source in &snapshot.sources {
        let reader = source.reader.as_ref();
        let mut near: Vec<(f64, String)> = Vec::new();
        for name in reader.terms(Field::Symbol, "", MAX_NAMES)? {
            let best = similarity(&name, &names);
            if best >= NEAR {
                near.push((best, name));
            }
        }
        sort(&mut near);
        near.truncate(MAX_NEAREST);
        for (best, term) in near {
            scored.extend(name_of(reader, &term)?.map(|name| (best, name)));
        }
        if has_titles(reader.source()) {
            let mut words: Vec<(f64, String)> = reader
                .terms(Field::Title, "", MAX_NAMES)?
                .into_iter()
                .map(|word| (similarity(&word, &words), word))
                .filter(|(best, _)| *best >= NEAR_IN_TITLES)
                .collect();
            sort(&mut words);
            words.truncate(MAX_NEAREST);
            for (best, word) in words {
                scored.extend(title_with(reader, &word)?.map(|title| (best, title)));
            }
        }
    }
    sort(&mut scored);
    let mut names: Vec<String> = Vec::new();
    for (_, name) in scored {
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() == MAX_NEAREST {
            break;
        }
    }
    Ok(names)
}

/// Returns true if titles of a source are names. A code file is named by its definitions, and the
/// first line of a commit is a sentence.
fn has_titles(source: SourceName) -> bool {
    !matches!(source, SourceName::Code | SourceName::Git)
}

/// Sorts by similarity, highest first, then by name.
fn sort(scored: &mut [(f64, String)]) {
    scored.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
}

/// Maximum number of documents that are checked for a title with a word, which may be in their
/// description only.
const MAX_TITLES: usize = 10;

/// Returns the first title that contains a word.
fn title_with(reader: &dyn Reader, word: &str) -> Result<Option<String>, EngineError> {
    let holders = reader.holders(Field::Title, word, MAX_TITLES)?;
    let ids: Vec<_> = holders.iter().map(|holder| holder.document).collect();
    let titles = reader.documents(&ids)?.into_iter().map(|document| document.title);
    Ok(titles.into_iter().find(|title| lore_text::parts(title).iter().any(|part| part == word)))
}
